"""Findings in the formats that editors and CI services read."""
