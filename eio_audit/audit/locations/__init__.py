"""What the locations of ops tell: indices, the model's source, and what is wrong with them."""
