"""Printed MLIR as bytes and spans: dumps, operations, locations, effects."""
