"""Audit and restore the original order of operations in MLIR pass dumps."""
