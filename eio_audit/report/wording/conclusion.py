"""The conclusion of a check: what was checked, what came of it, and how a gate judges it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, Summary
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import in_graph_regions, relabelling

if TYPE_CHECKING:
    from eio_audit.audit.gate.gate import Verdict
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
        line += _figures(figures, check.dumps) if figures.inversions else [("all in order", "green")]
    if check.errors:
        line += ["; ", (f"{count(len(check.errors), 'input')} could not be read", "red")]
    return line


def verdict(check: Check) -> str:
    """Whether the order is broken, how badly, and what can be done, in a sentence or two."""
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


def _followed(check: Check) -> str:
    frees = sum(block.followed_frees for dump in check.dumps for block in dump.blocks)
    others = check.summary.followed - frees
    parts = []
    if others:
        parts.append(f"{others:,} follow{'s its consumer' if others == 1 else ' their consumers'}")
    if frees:
        parts.append(f"{frees:,} follow{'s its last use' if frees == 1 else ' their last uses'}")
    return f" ({', '.join(parts)})" if parts else ""


def _figures(figures: Summary, dumps: Sequence[DumpAudit]) -> list[Piece]:
    total, avoidable = count(figures.inversions, "inversion"), figures.avoidable
    without_order = sum(map(in_graph_regions, dumps))
    return [
        f"{total}, {figures.forced:,} forced, {figures.knock_on:,} knock-on, ",
        (f"{avoidable:,} avoidable", "red" if avoidable else ""),
        f", {without_order:,} in graph regions" if without_order else "",
    ]


def verdict_lines(verdict: Verdict) -> list[str]:
    """How the check compares with ceilings and baseline, and how much rules beyond the order found."""
    gate, figures = verdict.gate, verdict.check.summary
    ceilings = [
        (figures.avoidable, "avoidable inversion", gate.max_avoidable),
        (figures.inversions, "inversion", gate.max_inversions),
    ]
    lines = []
    for number, noun, most in ceilings:
        if most is not None:
            verb = "is" if number == 1 else "are"
            compared = "more than" if number > most else "within"
            lines.append(f"{count(number, noun)} {verb} {compared} the {most:,} allowed")
    if verdict.known is not None:
        stale = sum(verdict.stale.values())
        new = count(len(verdict.findings), "new finding") if verdict.findings else "no new finding"
        gone = f"; {stale:,} of the baseline not found any more" if stale else ""
        lines.append(f"{new}, {verdict.known:,} known{gone}")
    elif gate.needs_findings:
        lines.append(count(len(verdict.findings), "finding"))
    return lines
