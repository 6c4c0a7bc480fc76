"""Which rewrite pattern did it: a compiler runs with more and more attempts of patterns allowed."""
