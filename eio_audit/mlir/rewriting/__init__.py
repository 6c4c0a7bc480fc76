"""Writes a dump again: moved ops, value names, locations."""
