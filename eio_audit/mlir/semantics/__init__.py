"""The effects that keep ops in order, and the values that may share a buffer."""
