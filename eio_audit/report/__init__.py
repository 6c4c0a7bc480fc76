"""Audits as text, JSON and other formats."""
