"""The fast path of the reader: many plain lines at once."""
