"""What ``check`` reports, and what all reports say of the blocks of a dump that are out of order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from eio_audit.audit.gate.rules import WRONG_INDEX
from eio_audit.report.document import (
    Bars,
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
from eio_audit.report.wording import count, more, order
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
    unknown = order.unknown_ops(sum((dump.unknown_ops for dump in dumps), Counter()), limit=SHOWN_NAMES)
    assumed = order.assumed_pure(sum((dump.assumed_pure for dump in dumps), Counter()))
    notes = [] if verbose else [*_told_apart(verdict), unknown, assumed]
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


def _stale(verdict: Verdict, *, verbose: bool) -> Iterator[Part]:
    entries = sorted(verdict.stale.items())
    shown = entries if verbose else entries[:SHOWN]
    for entry, number in shown:
        yield line((order.not_found(entry, number), "dim"))
    left_out = len(entries) - len(shown)
    yield Rest(more(left_out, "of the baseline not found any more", "of the baseline not found any more"))


SHOWN_BLOCKS = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose


def order_of(
    dump: DumpAudit, *, before: DumpAudit | None = None, names_wrong: bool = True, verbose: bool = False
) -> Iterator[Part]:
    """Yield the blocks with inversions, worst first, compared with an earlier dump.

    ``names_wrong`` names the ops with a wrong index, which may be findings already.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        total, causes = order.sum_pieces(block, verbose=verbose)
        name = f"{order.block_name(block.function, block.block)} at line {block.line}: "
        yield line(name, (total, "bold"), (causes, "red" if block.is_shuffled else ""), indent=2)
        for note in filter(None, [earlier, *order.notes(block, verbose=verbose)]):
            yield line(note, indent=4)
        yield Bars("original place", block.profile, indent=4)
        if block.wrong_indices:
            yield from _wrong_labels(block, dump.source, is_each_named=names_wrong, verbose=verbose)
        if verbose:
            yield from _displaced(block, dump.source)
    if len(blocks) > len(shown):
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        yield Rest(f"{more(len(blocks) - len(shown), 'block')} with {inversions}", indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        yield line(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    return f"before: {order.sum_of(same[0]) if same[0].inversions else 'in order'}"


def _wrong_labels(block: BlockAudit, source: str, *, is_each_named: bool, verbose: bool) -> Iterator[Part]:
    yield line(order.wrong_labels(block), indent=4)
    if is_each_named:
        wrong = block.mislabelled if verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = Link(f"line {one.op.line}", source, one.op.line)
            right = f" should carry {order.should_carry(one.right)}"
            yield line((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        yield Rest(more(block.wrong_indices - len(wrong)), indent=6)


def _displaced(block: BlockAudit, source: str) -> Iterator[Part]:
    """Yield the displaced ops. There are none if what is displaced is not comparable."""
    if not block.worst:
        return
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(block.worst) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    yield line(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in block.worst:
        op = displaced.op
        yield line(
            (op.title, "cyan"),
            f" is {'early' if displaced.early else 'late'} at ",
            Link(f"line {op.line}", source, op.line),
            f", in {count(displaced.inversions, 'inversion')}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            yield line(why, indent=8)
    yield Rest(more(block.displaced - len(block.worst)), indent=6, is_in_verbose=False)
