"""The search for the best order of one window."""
