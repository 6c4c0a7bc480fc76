"""Programs in the dumps of a log: their text, put together, and which op of a dump is which."""
