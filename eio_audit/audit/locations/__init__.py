"""The content of locations: op indices, places in the model's source, and defects."""
