"""Explanations and pictures of the place of an op."""
