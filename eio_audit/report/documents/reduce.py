"""What ``reduce`` reports."""

from __future__ import annotations

from eio_audit.audit.reduce.reduce import Reduction
from eio_audit.report.document import Document, Section, Steps, line
from eio_audit.report.wording import reduce


def reduction_document(result: Reduction) -> Document:
    """Return what stays true, how small the program is, and what to type next."""
    said = [line(result.property), line((reduce.verdict(result), "bold"))]
    if effort := reduce.effort(result):
        said.append(line((effort, "dim")))
    return Document.of(Section("", [*said, Steps([*reduce.next_steps(result)])]))
