"""Audits as one self-contained HTML page with figures, pictures and tables. It loads nothing else."""
