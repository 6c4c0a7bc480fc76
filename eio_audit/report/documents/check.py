"""What ``check`` reports: what is wrong, where, and what to type next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.gate.rules import WRONG_INDEX
from eio_audit.report.document import (
    Cells,
    Conclusion,
    Document,
    Errors,
    Figures,
    Findings,
    Link,
    Part,
    Rest,
    Shown,
    Steps,
    document,
    figures_of,
    heading_of,
    line,
)
from eio_audit.report.documents.order import order_of
from eio_audit.report.wording import more, order
from eio_audit.report.wording.conclusion import reasons, status, steps_after

if TYPE_CHECKING:  # a check of dumps in order does not import it
    from eio_audit.audit.check.figures import BlockAudit, DumpAudit
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.gate.gate import Verdict

SHOWN = 10  # the most blocks, models and baseline entries that a report names unless verbose


def check_document(verdict: Verdict, *, verbose: bool = False, statistics: bool = False) -> Document:
    """Return the findings, the sums of blocks with inversions, notes, and the verdict.

    If several models have more blocks with findings than a report shows, it has the sums of models and passes
    instead. If ``verbose``, it has every block, with its displaced ops and their blockers, and these sums.
    ``statistics`` are the numbers of findings of each kind, instead of the findings.
    """
    findings, dumps = verdict.findings, verdict.check.dumps
    shown = [Shown(one, "red" if verdict.fails_by(one) else "yellow") for one in findings]
    found = _statistics(findings) if statistics else [Findings(shown)]
    broken = [dump for dump in dumps if dump.summary.inversions]
    blocks = [] if verbose else _blocks_with_findings(broken, findings)
    orders, tables, sums = [], [], []
    if verbose:
        names_wrong = WRONG_INDEX not in verdict.gate.rules
        orders = [[heading_of(one), *order_of(one, names_wrong=names_wrong, verbose=True)] for one in broken]
    if (broken if verbose else blocks[SHOWN:]) and len(verdict.check.by_model) > 1:
        tables = [[table] for table in _sums_of_corpus(verdict, verbose=verbose)]
    else:
        sums = [*_sums(blocks, {one.source for one in findings[: 0 if statistics else SHOWN]})]
    notes = [] if verbose else [*_told_apart(verdict), *_notes(dumps)]
    return document(
        [Errors(verdict.check.errors)],
        [*found, *_stale(verdict, verbose=verbose)],
        *orders,
        *tables,
        [*sums, *notes, _said(verdict, verbose=verbose), Steps(steps_after(verdict))],
    )


def _said(verdict: Verdict, *, verbose: bool) -> Conclusion:
    style = "bold green" if status(verdict) == "passed" else "bold red"
    why = "; ".join(reasons(verdict, verbose=verbose))
    return Conclusion([(status(verdict), style), f": {why}"])


_KINDS: dict[str, Callable[[Finding], str]] = {
    "rule": lambda finding: f"{finding.rule.code} {finding.rule.name}",
    "pass": lambda finding: finding.pass_name or finding.place.moment,
    "module": lambda finding: finding.op.module or "",
}


def _statistics(findings: Sequence[Finding]) -> Iterator[Part]:
    for title, kind_of in _KINDS.items():
        groups: dict[str, list[int]] = {}
        for finding in filter(kind_of, findings):
            groups.setdefault(kind_of(finding), []).append(finding.inversions)
        ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), -sum(group[1]), group[0]))
        cells: Cells = {
            "findings": lambda group: len(group[1]),
            "inversions": lambda group: sum(group[1]),
            title: lambda group: group[0],
        }
        yield figures_of(ranked, f"#findings, #inversions, {title}", cells, indent=0)
    if findings:
        yield line((order.STATISTICS, "dim"))


def _sums_of_corpus(verdict: Verdict, *, verbose: bool) -> Iterator[Figures]:
    from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass

    classes = "".join(f"~{key}={title}, " for key, title in order.CLASSES.items())
    by_model = (
        f"#avoidable, {classes}#inversions, #findings, #dumps, ~errors=not read, model, worst?=worst dump"
    )
    by_pass = f"#avoidable, {classes}>where=in models, #inversions, #findings, pass"
    cells: Cells = {"worst": order.worst_of, "where": order.models_of, "pass": order.pass_of}
    for things, nouns, columns in (
        (figures_by_model(verdict), ("model",), by_model),
        (figures_by_pass(verdict), ("pass", "passes"), by_pass),
    ):
        rows = [one for one in things if not one.is_clean]
        shown = rows if verbose else rows[:SHOWN]
        table = figures_of(shown, columns, cells, indent=0)
        yield table._replace(left_out=more(len(rows) - len(shown), *nouns))


def _blocks_with_findings(
    broken: Sequence[DumpAudit], findings: Sequence[Finding]
) -> list[tuple[DumpAudit, BlockAudit, int]]:
    columns = {
        (one.source, one.place.line, one.block_line, one.function, one.block): one.block_column
        for one in findings
    }
    return [
        (dump, block, column)
        for dump in broken
        for block in dump.blocks
        if block.inversions
        and (column := columns.get((dump.source, dump.line, block.line, block.function, block.block)))
    ]


def _sums(blocks: Sequence[tuple[DumpAudit, BlockAudit, int]], named: Collection[str]) -> Iterator[Part]:
    """Yield a line for each block, the worst first, below its file. A single file is ``named`` above."""
    worst_first = sorted(blocks, key=lambda one: (-one[1].avoidable_others, -one[1].inversions))
    shown = worst_first[:SHOWN]
    for source in dict.fromkeys(dump.source for dump, _, _ in shown):
        if {source} != named:
            yield line((source, "bold"))
        for dump, block, column in (one for one in shown if one[0].source == source):
            names = order.block_name(block.function, block.block), dump.moment
            total, causes = order.sum_pieces(block)
            yield line(
                Link(f"{block.line}:{column}", source, block.line, "bold"),
                f" {' '.join(filter(None, names))}: {total}",
                (causes, "red" if block.is_shuffled else ""),
                indent=2,
            )
    yield Rest(more(len(blocks) - len(shown), "block"))


def _told_apart(verdict: Verdict) -> Iterator[Part]:
    """Yield a line for the hoisted constants of each block, and for its splits, worst first.

    What are findings is left out, and what several dumps of a log show is said once.
    """
    lines: dict[tuple[object, ...], tuple[int, DumpAudit, BlockAudit, str]] = {}
    for dump in verdict.check.dumps:
        for block in dump.blocks:
            for number, said in order.told_apart(block, verdict.gate.rules):
                shown = dump.source, dump.place.program, block.function, block.block, said
                lines.setdefault(shown, (number, dump, block, said))
    worst_first = sorted(lines.values(), key=lambda one: -one[0])
    for _, dump, block, said in worst_first[:SHOWN]:
        names = order.block_name(block.function, block.block), dump.moment
        place = Link(f"{dump.source}:{block.line}:1", dump.source, block.line, "bold")
        yield line(place, f": {' '.join(filter(None, names))}: {said}")
    left_out = max(len(lines) - SHOWN, 0)
    what = "block with hoisted constants or splits", "blocks with hoisted constants or splits"
    yield Rest(more(left_out, *what))


def _notes(dumps: Sequence[DumpAudit]) -> Iterator[Part]:
    unknown = order.unknown_ops(sum((dump.unknown_ops for dump in dumps), Counter()), limit=3)
    assumed = order.assumed_pure(sum((dump.assumed_pure for dump in dumps), Counter()))
    yield from map(line, filter(None, (unknown, assumed)))


def _stale(verdict: Verdict, *, verbose: bool) -> Iterator[Part]:
    entries = sorted(verdict.stale.items())
    shown = entries if verbose else entries[:SHOWN]
    for entry, number in shown:
        yield line((order.not_found(entry, number), "dim"))
    left_out = len(entries) - len(shown)
    yield Rest(more(left_out, "of the baseline not found any more", "of the baseline not found any more"))
