"""The reader of printed MLIR: line by line, and many lines at once where they are plain."""
