"""The audit of the order of a dump."""
