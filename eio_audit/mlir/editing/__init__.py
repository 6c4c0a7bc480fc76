"""A program as objects that can be edited, and its text."""
