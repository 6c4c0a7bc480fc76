"""Lower bounds on the inversions of any order."""
