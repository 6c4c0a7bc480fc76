"""Rewrite a dump: moved ops, value names, locations."""
