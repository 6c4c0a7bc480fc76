"""The smallest program that still has a property: what is cut, and how the compiler is asked."""
