"""Audits as one self-contained HTML page: figures, pictures and tables, nothing fetched from elsewhere."""
