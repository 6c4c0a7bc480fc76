"""The effects of ops that keep them in order, and the values that may share a buffer."""
