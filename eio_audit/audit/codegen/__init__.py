"""A model of the functions that code generation makes."""
