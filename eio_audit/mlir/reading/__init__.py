"""The exact reader of printed MLIR."""
