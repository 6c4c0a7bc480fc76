"""Rewrites a dump: moved ops, value names, locations."""
