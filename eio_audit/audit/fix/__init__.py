"""Verified rewrites of a dump."""
