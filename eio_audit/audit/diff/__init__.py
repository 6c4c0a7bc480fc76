"""What became of each op between two dumps."""
