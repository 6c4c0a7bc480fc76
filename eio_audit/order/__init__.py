"""Order theory on integers: keys and dependences, no IR."""
