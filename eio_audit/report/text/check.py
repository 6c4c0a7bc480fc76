"""Checks and fixes as text for people: what is wrong, where, and what to type next.

A finding has at most two lines on a terminal, below the name of its file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, Summary
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import WRONG_INDEX
from eio_audit.mlir.source import EXCERPT_WIDTH, cut_excerpt
from eio_audit.report.text.console import (
    ELLIPSIS,
    HANGING,
    SHORTENED,
    Column,
    Console,
    Piece,
    hyperlink,
    print_figures,
    print_next,
    print_table,
)
from eio_audit.report.wording import configured, count, order
from eio_audit.report.wording.conclusion import status, steps_after, verdict_line

if TYPE_CHECKING:  # a check of dumps in order does not import these
    from rich.text import Text

    from eio_audit.audit.fix.fix import Fix
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.report.document import Cells

SHOWN = 10  # the most findings, blocks and baseline entries that a report names unless verbose
SHOWN_ON_TERMINAL = 5  # the most findings that it names on a terminal
LINES = 2  # the most lines of a finding on a terminal
EXCERPT = 2  # the lines of an excerpt: the line of the IR and the caret
INDENT = 2

STATISTICS = (
    "inversions are added up over the findings: a pair in two of them counts twice, in the verdict once"
)
"""What the numbers of findings have beside those of the verdict."""

Excerpts: TypeAlias = Callable[[Sequence["Finding"]], Mapping[tuple[str, int], str]]
"""Returns the line of the IR for each finding that it can be read for, by file and 1-based line."""


class Shown(NamedTuple):
    """A finding, the style of its code, and a note about it."""

    finding: Finding
    style: str
    note: str = ""


def print_findings(findings: Sequence[Shown], console: Console, excerpts: Excerpts | None = None) -> str:
    """Print the first findings, or all if verbose. Return the file if they are all in one, else "".

    Each file is named above its findings. If verbose, or on a terminal with room for them, ``excerpts``
    returns the lines of the IR to print with a caret.
    """
    most = SHOWN_ON_TERMINAL if console.wraps else SHOWN
    shown = findings if console.verbose else findings[:most]
    of_file: dict[str, list[Shown]] = {}
    for one in shown:
        of_file.setdefault(one.finding.source, []).append(one)
    lines: Mapping[tuple[str, int], str] = {}
    # The findings, their excerpts, and as much again of the report fit on a terminal.
    has_room = console.wraps and 2 * (len(shown) * (LINES + EXCERPT) + len(of_file)) <= console.height
    if excerpts is not None and (console.verbose or has_room):
        lines = excerpts([one.finding for one in shown])
    for source, members in of_file.items():
        console.print((source, "bold"))
        for one in members:
            _print_finding(one, console)
            if line := lines.get((source, one.finding.line)):
                _print_excerpt(one.finding, line, console)
    print_rest(len(findings), "", console, most)
    return next(iter(of_file)) if len(of_file) == 1 else ""


def print_rest(total: int, what: str, console: Console, most: int = SHOWN) -> None:
    """Print how many more items there are than a report shows unless verbose."""
    if total > most and not console.verbose:
        console.print((f"... and {total - most:,} more{what} (-v)", "dim"))


def _print_finding(one: Shown, console: Console) -> None:
    finding = one.finding
    start: list[Piece] = [
        (f"{finding.line}:{finding.column}", f"bold {hyperlink(finding.source, finding.line)}"),
        " ",
        (finding.rule.code, one.style),
    ]
    said, origin = f" {order.sentence(finding)}{one.note}", order.background(finding)
    whole: list[Piece] = [*start, said, (f" ({origin})" if origin else "", "dim")]
    if not console.wraps:
        console.print(*whole, indent=INDENT)
        return
    width = console.width - INDENT - HANGING

    def wrapped(text: str) -> list[Text]:
        return console.wrapped(console.styled([*start, text]), width)

    parts = console.wrapped(console.styled(whole), width)
    if len(parts) > LINES:
        end = f"; {order.lifetime(finding)}{one.note}" if order.lifetime(finding) else one.note
        parts = _with_origin(_shortened(wrapped, said.removesuffix(end), end), origin, width)
    for number, part in enumerate(parts):
        console.print_styled(part, INDENT + (HANGING if number else 0))


def _shortened(wrapped: Callable[[str], list[Text]], text: str, end: str) -> list[Text]:
    """Return at most LINES lines of a text and its end, which is complete as far as it fits."""
    parts, words = wrapped(text + end), text.split(" ")
    while len(parts) > LINES and len(words) > 1:
        words.pop()
        parts = wrapped(f"{' '.join(words)}{ELLIPSIS}{end}")
    return parts[:LINES]


def _with_origin(parts: list[Text], origin: str, width: int) -> list[Text]:
    room = width - parts[-1].cell_len - len(f" ({ELLIPSIS})")
    if origin and len(parts) == LINES and room >= SHORTENED:
        parts[-1].append(f" ({ELLIPSIS}{origin[-room:]})", "dim")
    return parts


def _print_excerpt(finding: Finding, line: str, console: Console) -> None:
    """Print the line of the IR, without its indentation, and a caret below the op."""
    number = str(finding.line)
    start = min(len(line) - len(line.lstrip()), finding.column - 1)
    before = line[start : finding.column - 1]
    caret = "".join(c if c == "\t" else " " for c in before) + "^"
    gutter = " " * (INDENT + HANGING)
    width = (console.width if console.wraps else EXCERPT_WIDTH) - len(f"{gutter}{number} | ")
    text, _, caret = cut_excerpt(f"{line[start:]}\n{caret}", width).expandtabs().partition("\n")
    for label, shown, style in ((number, text, ""), (" " * len(number), caret, "bold red")):
        pieces = [(f"{gutter}{label} | ", "dim"), (shown, style)]
        if console.wraps:
            console.print_styled(console.styled(pieces))
        else:
            console.print(*pieces)


SHOWN_FIELDS = 4  # the fields of an origin to show: the innermost module, file, function and framework op


def print_check(
    verdict: Verdict, console: Console, *, statistics: bool = False, excerpts: Excerpts | None = None
) -> None:
    """Print the findings, the sums of blocks with inversions, notes, and the verdict: on a terminal first.

    If several models have more blocks with findings than a report shows, print the sums of models and passes
    instead. If verbose, print every finding and block, for each block its displaced ops and their blockers,
    and these sums. ``statistics`` are the numbers of findings of each kind, instead of the findings.
    """
    findings, heading = verdict.findings, ""
    if console.wraps:  # it may show only the start of a long report
        _print_verdict(verdict, console)
        if findings:
            console.print()
    if statistics:
        _print_statistics(findings, console)
    else:
        shown = [Shown(one, "red" if verdict.fails_by(one) else "yellow") for one in findings]
        heading = print_findings(shown, console, excerpts)
    _print_stale(verdict, console)
    broken = [dump for dump in verdict.check.dumps if dump.summary.inversions]
    if findings:
        console.print()
    for dump in broken if console.verbose else ():
        from eio_audit.report.text.diff import print_heading, print_order

        print_heading(dump, console)
        print_order(dump, console, names_wrong=WRONG_INDEX not in verdict.gate.rules)
        console.print()
    blocks = [] if console.verbose else _blocks_with_findings(broken, findings)
    if (broken if console.verbose else blocks[SHOWN:]) and len(verdict.check.by_model) > 1:
        _print_corpus(verdict, console)
    else:
        _print_sums(blocks, heading, console)
    if not console.verbose:
        _print_told_apart(verdict, console)
        dumps = verdict.check.dumps
        unknown = order.unknown_ops(sum((dump.unknown_ops for dump in dumps), Counter()), limit=3)
        for note in filter(None, (unknown, _assumed_pure(dumps))):
            console.print(note)
    if not console.wraps:
        _print_verdict(verdict, console)
    print_next(steps_after(verdict), console)


def _print_verdict(verdict: Verdict, console: Console) -> None:
    console.print(
        (status(verdict), "bold green" if status(verdict) == "passed" else "bold red"),
        verdict_line(verdict, verbose=console.verbose).removeprefix(status(verdict)),
    )


_KINDS: dict[str, Callable[[Finding], str]] = {
    "rule": lambda finding: f"{finding.rule.code} {finding.rule.name}",
    "pass": lambda finding: finding.pass_name or finding.place.moment,
    "module": lambda finding: finding.op.module or "",
}


def _print_statistics(findings: Sequence[Finding], console: Console) -> None:
    for title, kind_of in _KINDS.items():
        groups: dict[str, list[int]] = {}
        for finding in filter(kind_of, findings):
            groups.setdefault(kind_of(finding), []).append(finding.inversions)
        ranked = sorted(groups.items(), key=lambda group: (-len(group[1]), -sum(group[1]), group[0]))
        columns = [
            Column("findings", [f"{len(found):,}" for _, found in ranked], right=True),
            Column("inversions", [f"{sum(found):,}" for _, found in ranked], right=True),
            Column(title, [kind for kind, _ in ranked]),
        ]
        print_table(console, columns)
    if findings:
        console.print((STATISTICS, "dim"))


def _print_corpus(verdict: Verdict, console: Console) -> None:
    from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass
    from eio_audit.report.document import figures_of

    classes = "".join(f"~{key}={title}, " for key, title in order.CLASSES.items())
    figures, of_model = "#inversions, #findings", "#dumps, ~errors=not read, model, worst?=worst dump"
    for things, what, columns in (
        (figures_by_model(verdict), "models", f"#avoidable, {classes}{figures}, {of_model}"),
        (figures_by_pass(verdict), "passes", f"#avoidable, {classes}>where=in models, {figures}, pass"),
    ):
        rows = [one for one in things if not one.is_clean]
        shown = rows if console.verbose else rows[:SHOWN]
        cells: Cells = {"worst": order.worst_of, "where": order.models_of, "pass": order.pass_of}
        print_figures(figures_of(shown, columns, cells), console, indent=0)
        print_rest(len(rows), f" {what}", console)
        console.print()


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


def _print_sums(blocks: Sequence[tuple[DumpAudit, BlockAudit, int]], heading: str, console: Console) -> None:
    """Print a line for each block, the worst first. ``heading`` is the file that is named above, if any."""
    worst_first = sorted(blocks, key=lambda one: (-one[1].avoidable_others, -one[1].inversions))
    shown = worst_first[:SHOWN]
    for source in dict.fromkeys(dump.source for dump, _, _ in shown):
        if source != heading:
            console.print((source, "bold"))
            heading = source
        for dump, block, column in (one for one in shown if one[0].source == source):
            names = order.block_name(block.function, block.block), dump.moment
            total, causes = order.sum_pieces(block)
            console.print(
                (f"{block.line}:{column}", f"bold {hyperlink(source, block.line)}"),
                f" {' '.join(filter(None, names))}: {total}",
                (causes, "red" if block.is_shuffled else ""),
                indent=2,
            )
    print_rest(len(blocks), " blocks", console)


def _print_told_apart(verdict: Verdict, console: Console) -> None:
    """Print a line for the hoisted constants of each block, and for its splits, worst first.

    What are findings is not printed, and what several dumps of a log show is printed once.
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
        console.print(
            (f"{dump.source}:{block.line}:1", f"bold {hyperlink(dump.source, block.line)}"),
            f": {' '.join(filter(None, names))}: {said}",
        )
    print_rest(len(lines), " blocks with hoisted constants or splits", console)


def _assumed_pure(dumps: Sequence[DumpAudit]) -> str:
    return order.assumed_pure(sum((dump.assumed_pure for dump in dumps), Counter()))


def _print_stale(verdict: Verdict, console: Console) -> None:
    for entry, number in sorted(verdict.stale.items())[: None if console.verbose else SHOWN]:
        times = f" ({number:,} times)" if number > 1 else ""
        origin = "|".join(entry.origin.split("|")[-SHOWN_FIELDS:])
        what = " ".join(filter(None, (entry.source, entry.code, entry.function, entry.op, origin)))
        console.print((f"not found any more{times}: {what}", "dim"))
    print_rest(len(verdict.stale), " of the baseline not found any more", console)


def print_fix(fix: Fix, source_name: str, console: Console, *, is_dry: bool = False) -> None:
    """Print what a fix moved, or with ``is_dry`` would move, what inversions remain and why."""
    assumed = _assumed_pure(fix.dumps)
    if assumed and (fix.before.inversions or fix.relabelled):
        console.print(f"{source_name}: {assumed}")
    would = "would be changed: " if is_dry and fix.changed else ""
    console.print(f"{source_name}: {would}{_outcome(fix)}{configured(fix.dumps[0].options)}")


def _outcome(fix: Fix) -> str:
    before, remain = fix.before, fix.ordered_from.minimum
    relabel = order.relabelling(fix.ordered_from if fix.changed else before, fix.dumps)
    advice = f": --relabel {'instead ' if fix.moved else ''}{relabel}" if relabel else ""
    if not (before.inversions or fix.relabelled):
        return f"{'in order' if before.has_indices else 'no op indices'}: unchanged"
    why = "" if advice else _why_they_remain(fix.ordered_from)
    if not fix.changed:
        return f"nothing to move: unchanged; {_remaining(remain)}{why}{advice}"
    total = count(before.inversions, "inversion")
    removed, rest = f"{total} removed", "none remains"
    if remain:
        removed = f"{before.inversions - remain:,} of {total} removed"
        rest = f"{_remaining(remain, '')}{why}"
    relabelled = f"{count(fix.relabelled, 'index', 'indices')} corrected, " if fix.relabelled else ""
    unindexed = f" ({fix.moved_unindexed:,} unindexed)" if fix.moved_unindexed else ""
    moved = f"{count(fix.moved, 'op')} moved{unindexed}" if fix.moved else "no op moved"
    return f"{relabelled}{moved}, {removed}; {rest}{advice}"


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Print how many files changed, or with ``is_dry`` would change, and how many did not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    console.print(f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")


def _remaining(number: int, noun: str = "inversion") -> str:
    """Return ``18 inversions remain``, or without a noun ``18 remain``."""
    return f"{count(number, noun) if noun else f'{number:,}'} {'remains' if number == 1 else 'remain'}"


def _why_they_remain(before: Summary) -> str:
    """Return why a fix leaves inversions that come from no wrong index: `` (in graph regions)``."""
    unordered, reversals = order.in_graph_regions(before), before.reversed_dependences
    parts = []
    if before.unavoidable > unordered:
        parts.append("every legal order has them" if before.certified else "no better order was found")
    if reversals:
        parts.append(f"{count(reversals, 'reversed dependence')}, left as it is")
    if before.not_compared:
        parts.append(f"{before.not_compared:,} not comparable")
    if unordered:
        parts.append(f"{unordered:,} in graph regions")
    return f" ({'; '.join(parts)})" if parts else ""
