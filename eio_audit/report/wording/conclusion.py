"""The last line of a report: what was checked, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.report.wording.order import count

if TYPE_CHECKING:
    from eio_audit.report.text.console import Piece


def conclusion(check: Check) -> str:
    """``checked 3 dumps, 41 blocks, 9,812 ops: ...``."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in conclusion_pieces(check))


def conclusion_pieces(check: Check) -> list[Piece]:
    """The same in pieces with styles, for a terminal."""
    figures = check.summary
    line: list[Piece] = [f"checked {count(figures.dumps, 'dump')}"]
    if figures.dumps and not figures.has_indices:
        line.append(": no op carries an op index")
    elif figures.dumps:
        line.append(f", {count(figures.blocks, 'block')}, {count(figures.ops, 'op')}{_followed(check)}: ")
        line += _figures(check.dumps) if figures.inversions else [("all in order", "green")]
    if check.errors:
        line += ["; ", (f"{count(len(check.errors), 'input')} could not be read", "red")]
    return line


def in_graph_regions(dump: DumpAudit) -> int:
    """Inversions in graph regions, which have no order."""
    return sum(block.inversions for block in dump.blocks if block.forced is None)


def _followed(check: Check) -> str:
    frees = sum(block.followed_frees for dump in check.dumps for block in dump.blocks)
    others = check.summary.followed - frees
    parts = []
    if others:
        parts.append(f"{others:,} follow{'s its consumer' if others == 1 else ' their consumers'}")
    if frees:
        parts.append(f"{frees:,} follow{'s its last use' if frees == 1 else ' their last uses'}")
    return f" ({', '.join(parts)})" if parts else ""


def _figures(dumps: Sequence[DumpAudit]) -> list[Piece]:
    summaries = [dump.summary for dump in dumps]
    inversions = sum(s.inversions for s in summaries)
    forced = sum(s.forced for s in summaries)
    knock_on = sum(s.knock_on for s in summaries)
    avoidable = sum(s.avoidable for s in summaries)
    without_order = sum(map(in_graph_regions, dumps))
    return [
        f"{count(inversions, 'inversion')}, {forced:,} forced, {knock_on:,} knock-on, ",
        (f"{avoidable:,} avoidable", "red" if avoidable else ""),
        f", {without_order:,} in graph regions" if without_order else "",
    ]
