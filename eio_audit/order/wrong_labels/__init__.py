"""The fewest labels that must be wrong, with the proof."""
