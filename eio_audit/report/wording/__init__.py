"""Sentences of reports, without layout."""
