"""Among the best orders, one that moves the fewest ops."""
