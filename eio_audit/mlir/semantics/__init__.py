"""What ops do, as far as it keeps them in order: their effects, and the values that may be one buffer."""
