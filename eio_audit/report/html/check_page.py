"""The page of ``check``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.check.check import Check
from eio_audit.audit.explain.order_picture import OrderPicture
from eio_audit.report.html.order_section import Anchors, block_section, block_table, figures
from eio_audit.report.html.page import escaped, page
from eio_audit.report.wording.order import count, relabelling


def check_to_html(check: Check, pictures: Sequence[OrderPicture], version: str) -> str:
    """The order of every dump.

    Args:
        check: the audits.
        pictures: of the blocks that are shown op by op.
        version: of the program.
    """
    return page("eio-audit check", version, _sections(check, pictures))


def _sections(check: Check, pictures: Sequence[OrderPicture]) -> Iterator[str]:
    summary = check.summary
    yield "<h1>eio-audit check</h1>"
    yield f'<p class="verdict">{_verdict(check)}</p>'
    yield figures(summary, check.dumps)
    yield from (f"<p>could not be read: {escaped(str(error).splitlines()[0])}</p>" for error in check.errors)
    yield block_table(check.dumps)
    inverted = sum(1 for dump in check.dumps for block in dump.blocks if block.inversions)
    if inverted > len(pictures):
        shown = f"{len(pictures)} of {inverted:,} blocks with inversions"
        yield f"<p>Below: {shown}, those with most avoidable ones.</p>"
    anchors = Anchors()
    yield from (block_section(picture, number, anchors) for number, picture in enumerate(pictures, 1))


def _verdict(check: Check) -> str:
    """Whether the order is broken, how badly, and what can be done."""
    summary = check.summary
    if not summary.has_indices:
        return "No op carries an op index: there is no original order to compare with."
    if not summary.inversions:
        return "All in order."
    relabel = f" eio-audit fix --relabel {what}." if (what := relabelling(summary, check.dumps[0])) else ""
    if summary.avoidable:
        total = count(summary.inversions, "inversion")
        return f"Out of order: eio-audit fix removes {summary.avoidable:,} of {total}.{relabel}"
    certified = "no legal order has fewer inversions" if summary.certified else "no better order was found"
    return f"Out of order, and nothing is avoidable: {certified}.{relabel}"
