"""What ``reduce`` reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eio_audit.report.document import Document, Steps, document
from eio_audit.report.wording import reduce

if TYPE_CHECKING:
    from eio_audit.audit.reduce.reduce import Reduction


def reduction_document(result: Reduction) -> Document:
    """Return what stays true, how small the program is, and what to type next."""
    verdict, effort = (reduce.verdict(result), "bold"), (reduce.effort(result), "dim")
    return document([result.property, verdict, effort, Steps(reduce.next_steps(result))])
