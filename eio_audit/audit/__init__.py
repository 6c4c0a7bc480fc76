"""What the order of a dump means: audits, diffs and verified fixes."""
