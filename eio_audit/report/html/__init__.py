"""Audits as one self-contained HTML page: figures, pictures and tables, nothing fetched from elsewhere."""

from eio_audit.report.html.pages import check_to_html, diff_to_html, structure_to_html, trace_to_html

__all__ = ["check_to_html", "diff_to_html", "structure_to_html", "trace_to_html"]
