"""The fewest labels that must change, with a proof."""
