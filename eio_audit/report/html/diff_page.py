"""The page of ``diff``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.op_changes import OpChange
from eio_audit.audit.explain.order_picture import OrderPicture
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.html.order_section import Anchors, block_section, figures, heading_of
from eio_audit.report.html.page import escaped, page
from eio_audit.report.html.structure_section import structure_section
from eio_audit.report.html.table import Column, Table
from eio_audit.report.wording.diff import (
    inverse_parts,
    inverse_summary,
    ops_summary,
    runs_summary,
    what_happened,
)
from eio_audit.report.wording.order import op_name


def diff_to_html(diff: Diff, pictures: Sequence[OrderPicture], version: str) -> str:
    """What a pass did, op by op, and to the order.

    Args:
        diff: the two audits, and the ops that differ.
        pictures: of the blocks of the dump after that are shown op by op.
        version: of the program.
    """
    return page("eio-audit diff", version, _sections(diff, pictures))


def _sections(diff: Diff, pictures: Sequence[OrderPicture]) -> Iterator[str]:
    changes = [(kind, change) for kind, group in diff.ops.groups.items() for change in group]
    yield "<h1>eio-audit diff</h1>"
    yield f'<p class="verdict">{escaped(ops_summary(diff))}</p>'
    for said in filter(None, (inverse_summary(diff.inverse_ops), runs_summary(diff.fragmentation))):
        yield f"<p>{escaped(said)}</p>"
    for title, dump in (("Before", diff.before), ("After", diff.after)):
        yield f"<h3>{title}</h3><p>{escaped(heading_of(dump))}</p>"
        yield figures(dump.summary, [dump])
    if changes:
        yield "<h2>Changes</h2>"
        yield _change_table(changes).html()
    yield from _inverse_ops(diff)
    yield from structure_section(diff.structure)
    anchors = Anchors()
    yield from (block_section(picture, number, anchors) for number, picture in enumerate(pictures, 1))


def _inverse_ops(diff: Diff) -> Iterator[str]:
    """What became of permutes, transposes and reshapes, one folded list for each outcome."""
    parts = [(title, lines) for title, _, lines in inverse_parts(diff.inverse_ops) if lines]
    if parts:
        yield "<h2>Inverse ops</h2>"
    for title, lines in parts:
        items = "".join(f"<li>{escaped(line)}</li>" for line in lines)
        yield f"<details><summary>{escaped(title)}</summary><ul>{items}</ul></details>"


def _change_table(changes: Sequence[tuple[str, OpChange]]) -> Table:
    def named(op: OpLabel | None) -> str:
        return op_name(op) if op else ""

    columns = [
        Column("number", "number", list(range(1, len(changes) + 1)), is_number=True),
        Column("change", "change", [kind for kind, _ in changes]),
        Column("what", "what", ["; ".join(what_happened(change, verbose=False)) for _, change in changes]),
        Column("function", "function", [change.function for _, change in changes]),
        Column("before", "before", [named(change.before) for _, change in changes]),
        Column(
            "line_before",
            "line",
            [change.before.line if change.before else None for _, change in changes],
            is_number=True,
        ),
        Column("place_before", "place", [change.place_before for _, change in changes], is_number=True),
        Column("after", "after", [named(change.after) for _, change in changes]),
        Column(
            "line_after",
            "line",
            [change.after.line if change.after else None for _, change in changes],
            is_number=True,
        ),
        Column("place_after", "place", [change.place_after for _, change in changes], is_number=True),
    ]
    return Table("changes", "the ops that differ; places count from 0 in their block", columns, "number")
