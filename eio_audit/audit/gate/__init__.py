"""The findings of a CI gate, and whether it passes."""
