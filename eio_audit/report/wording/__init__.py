"""What reports say, in people's words, without layout."""
