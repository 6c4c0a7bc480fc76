"""What a CI gate finds, and whether it passes."""
