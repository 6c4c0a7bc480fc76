"""The difference of two dumps, or of two runs of a compiler, as text that reads like a review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, islice

from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.audit.corpus.two_runs import RunComparison
from eio_audit.audit.diff.check_lines import CheckComparison, CheckOrder
from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.diff.dump_comparison import OpChange
from eio_audit.audit.diff.matching import gaps_between, matching_lines
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.time_table import TimeComparison
from eio_audit.report.document import (
    Changes,
    DiffSection,
    Figures,
    Hunks,
    Listing,
    diff_document,
    table_of_ops,
)
from eio_audit.report.log_tables import table_of_two_times
from eio_audit.report.text.console import (
    NARROW,
    Column,
    Console,
    Piece,
    hyperlink,
    print_figures,
    print_next,
    print_table,
)
from eio_audit.report.wording import count, order
from eio_audit.report.wording import diff as words
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.diff import Stretch, added, removed

CONTEXT_LINES = 3  # the number of unchanged lines before and after a change

_LINE = re.compile(rb"[^\n]*+\n|[^\n]++")  # only a line feed ends it
_LINE_STYLES = {"-": "red", "+": "green", "@": "cyan"}

Change = tuple[range, range]  # lines of the old text, and the lines of the new text that replace them


def unified_diff(old: bytes, new: bytes, name: str) -> list[bytes]:
    """Return the lines of a unified diff, each with its line end. Empty if the texts are equal.

    ``name`` is the file in the header of the diff.
    """
    if old == new:
        return []
    old_lines, new_lines = _LINE.findall(old), _LINE.findall(new)
    changes = gaps_between(matching_lines(old_lines, new_lines), len(old_lines), len(new_lines))
    file = name.encode("utf-8", "surrogateescape") + (b"\t" if " " in name else b"")
    diff = [b"--- %s\n" % file, b"+++ %s\n" % file]
    for hunk in _hunks(changes):
        diff += _hunk(hunk, old_lines, new_lines)
    return [line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n" for line in diff]


def print_unified_diff(diff: Iterable[bytes], console: Console) -> None:
    """Print the lines of a diff with colours. Control characters are escaped.

    Lines are not wrapped and tabs not expanded, so that ``patch`` accepts a copy from a terminal.
    """
    for number, line in enumerate(diff):
        text = line.decode("utf-8", "replace").removesuffix("\n")
        style = "bold" if number < 2 else _LINE_STYLES.get(text[:1], "")
        for part in text.split("\n"):
            console.print_unwrapped(part, style)


def _hunks(changes: Iterable[Change]) -> Iterator[list[Change]]:
    """Yield groups of changes that are so close that all lines between them are shown."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change[0].start - hunk[-1][0].stop > 2 * CONTEXT_LINES:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk(hunk: Sequence[Change], old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    first, last = hunk[0], hunk[-1]
    lead = min(CONTEXT_LINES, first[0].start)
    tail = min(CONTEXT_LINES, len(old) - last[0].stop)
    in_old = range(first[0].start - lead, last[0].stop + tail)
    in_new = range(first[1].start - lead, last[1].stop + tail)
    yield b"@@ -%s +%s @@\n" % (_place(in_old), _place(in_new))
    shown = in_old.start
    for gone, new_lines in hunk:
        yield from (b" " + old[k] for k in range(shown, gone.start))
        yield from (b"-" + old[k] for k in gone)
        yield from (b"+" + new[k] for k in new_lines)
        shown = gone.stop
    yield from (b" " + old[k] for k in range(shown, in_old.stop))


def _place(lines: range) -> bytes:
    """Return the first line, counted from 1, and the number of lines. For no lines, the line before them."""
    start = lines.start + 1 if lines else lines.start
    return b"%d" % start if len(lines) == 1 else b"%d,%d" % (start, len(lines))


SHOWN_CHANGES = 3  # the most ops of each group that a report shows unless verbose
SHOWN_LINES = 2  # the most lines of each other list that a report shows unless verbose
BELOW = 8  # the indentation of the lines below the row of an op
SIDE_BY_SIDE = 120  # the terminal width from which before and after are side by side

_STYLES = {"unchanged": "dim", "added": "green", "removed": "red"}


def print_diff(
    diff: Diff, console: Console, *, context: int | None = None, only_table: str | None = None
) -> None:
    """Print what happened to the ops and to the order. If verbose, the details follow.

    With an ``only_table``, print how many ops of each name there are, instead.
    """
    if only_table is not None:
        _print_counts(diff, console)
        return
    document = diff_document(diff, verbose=console.verbose, context=context, is_brief=not console.verbose)
    inversions, avoidable = words.order_summary(diff)
    plain = {Sameness.BYTES, Sameness.NAMES} if diff.ignored else {Sameness.BYTES}
    if diff.sameness.sameness in plain and not console.verbose:
        known = f"; {inversions}, {avoidable}" if diff.after.summary.inversions else ""
        console.print((words.verdict(diff), "bold green"), known)
        return
    is_same = diff.sameness.is_at_least(Sameness.ORDER)
    console.print((words.verdict(diff), "bold green" if is_same else "bold red"))
    print_heading(diff.before, console, "before  ")
    print_heading(diff.after, console, "after   ")
    style = "red" if diff.after.summary.avoidable else ""
    console.print((f"ops: {words.ops_summary(diff)}", "bold"))
    if inversions:
        console.print(("order: ", "bold"), f"{inversions}, ", (avoidable, style))
    if said := words.implied_ops(diff):
        console.print((said, "dim"))
    hidden = 0
    for section in document.functions:
        console.print()
        console.print((section.title or "outside functions", "bold"))
        hidden += _print_parts(section, console)
    if diff.after.summary.inversions:
        console.print()
        console.print(("order", "bold"))
        print_order(diff.after_in_full if console.verbose else diff.after, console, before=diff.before)
    for section in (*document.advice, *(document.details if console.verbose else ())):
        console.print()
        note = f"  {section.note}" if section.note else ""
        console.print(((section.title or "").lower(), "bold"), note)
        hidden += _print_parts(section, console)
    steps = next_steps([diff.after])
    titles = () if console.verbose else ((section.title or "").lower() for section in document.details)
    more = [*([f"{count(hidden, 'more change')}"] if hidden else []), *titles]
    if more or steps:
        console.print()
    if more:
        console.print((f"--verbose shows {', '.join(more)}", "dim"))
    print_next(steps, console)


def _print_counts(diff: Diff, console: Console) -> None:
    is_same = diff.sameness.is_at_least(Sameness.ORDER)
    console.print((words.verdict(diff), "bold green" if is_same else "bold red"))
    print_heading(diff.before, console, "before  ")
    print_heading(diff.after, console, "after   ")
    print_figures(table_of_ops(*diff.op_counts, ("before", "after")), console)


def print_two_runs(runs: RunComparison, console: Console, *, context: int | None = None) -> None:
    """Print how many dumps differ, the first that differs, and its diff."""
    pairs = count(runs.pairs, "dump")
    slower = words.change_of_time(runs.times)
    if runs.is_same:
        console.print((f"identical: {pairs}", "bold green"), slower and f"; {slower}")
    elif runs.difference and runs.difference.ignored and runs.is_same_as_asked:
        console.print((f"same{words.up_to(runs.difference.ignored)}: {pairs}", "bold green"))
        return
    else:
        console.print(
            (f"{runs.different:,} of {pairs} in both runs differ", "bold"), slower and f"; {slower}"
        )
    for which, (dump, number) in zip(("first", "second"), runs.only_in, strict=True):
        if dump is not None:
            verb = "is" if number == 1 else "are"
            only = f"{count(number, 'dump')} {verb} only in the {which} run"
            console.print(f"{only}, the first: {_moment(dump)}")
    if runs.first is not None and runs.difference is not None:
        first = f"first difference: {_moment(runs.first[0])}: {words.verdict(runs.difference)}"
        console.print((first, "bold red"))
        if runs.unlike is not None and runs.unlike.first is not runs.first[0]:
            found = runs.unlike.verdict
            unlike = words.same_in(found.sameness, ()) or f"different: {found.reason}"
            console.print((f"not the same: {_moment(runs.unlike.first)}: {unlike}", "bold red"))
        console.print()
        print_diff(runs.difference, console, context=context)


def print_two_times(times: TimeComparison, console: Console) -> None:
    """Print the passes whose time changed, and the times of all passes."""
    console.print((words.change_of_time(times.times) or words.SAME_TIMES, "bold"))
    console.print(f"before  {times.before.source}")
    console.print(f"after   {times.after.source}")
    console.print()
    print_figures(table_of_two_times(times), console)


SHOWN_CHECKS = 10  # the most lines of a test that a report shows unless verbose


def print_checks(checks: CheckComparison, console: Console) -> None:
    """Print whether the lines of a test are found in another order, and which."""
    verdict = words.verdict_of_checks(checks)
    console.print((verdict, "bold green" if checks.is_in_order else "bold red"))
    if note := words.note_on_checks(checks):
        console.print(note)
    console.print(f"test    {checks.check_file}")
    console.print(f"output  {checks.source}")
    of_order = {CheckOrder.OTHER: checks.displaced, CheckOrder.MISSING: checks.missing}
    found = of_order.get(checks.order, [])
    shown = found if console.verbose else found[:SHOWN_CHECKS]
    if shown:
        console.print()
        columns = [
            Column("test", [f"{one.check.line}" for one in shown], right=True),
            Column("output", [f"{one.line or ''}" for one in shown], right=True),
            Column("line", [one.check.text for one in shown], least=NARROW, cut="end"),
        ]
        print_table(console, columns, indent=2)
    if more := len(found) - len(shown):
        console.print((f"--verbose shows {count(more, 'more line')}", "dim"))
    console.print()
    print_next(words.next_steps_of_checks(checks), console)


def _moment(dump: Dump) -> str:
    """Return ``b.log:33 after cse of @main``."""
    symbol = f" of {dump.marker.symbol}" if dump.marker is not None and dump.marker.symbol else ""
    return f"{dump.place.source}:{dump.place.line} {dump.place.moment}{symbol}".rstrip()


def _print_parts(section: DiffSection, console: Console) -> int:
    """Print the details of a section. Return how many ops, lines or rows it left out."""
    hidden = 0
    for part in section.parts:
        match part:
            case Changes():
                console.print((part.title, "bold"), part.note, indent=2)
                hidden += _print_changes(part, console)
            case Hunks():
                _print_hunks(part, console)
            case Listing():
                if part.title:
                    console.print((part.title, part.style), indent=2)
                lines = part.items if console.verbose else part.items[:SHOWN_LINES]
                for line in lines:
                    console.print(line, indent=4)
                hidden += len(part.items) - len(lines)
            case Figures():
                print_figures(part, console)
            case _:
                console.print(part, indent=2)
    return hidden


def _print_changes(part: Changes, console: Console) -> int:
    """Print the changes, repeated ones once. Return how many ops it left out."""
    examples = part.examples(verbose=console.verbose)
    shown = list(islice(examples, None if console.verbose else SHOWN_CHANGES))

    def print_below(row: int) -> None:
        change, repetition = shown[row]
        if repetition:
            console.print((repetition, "bold"), indent=BELOW)
        _print_differences(change, console)

    print_table(console, _columns([change for change, _ in shown]), indent=4, print_below=print_below)
    return sum(len(group.changes) for group in part.groups) - len(shown)


def _print_hunks(part: Hunks, console: Console) -> None:
    ops = [op for hunk in part.hunks for op in hunk]
    ends = set(accumulate(map(len, part.hunks[:-1])))

    def print_below(row: int) -> None:
        _print_differences(ops[row], console)
        if row + 1 in ends:
            console.print(("...", "dim"), indent=2)

    columns = [Column("", [words.SIGNS[op.status] for op in ops]), *_columns(ops)]
    styles = [_STYLES.get(op.status, "") for op in ops]
    print_table(console, columns, indent=2, row_styles=styles, print_below=print_below)


def _columns(changes: Sequence[OpChange]) -> list[Column]:
    index, name, result, line, module = zip(*map(words.cells_of, changes), strict=True)
    return [
        Column("", index, right=True),
        Column("", name, style="cyan"),
        Column("", result),
        Column("", [f"line {number}" for number in line]),
        Column("", module, style="dim", optional=True, least=NARROW // 2),
    ]


def _print_differences(change: OpChange, console: Console) -> None:
    is_wide = console.wraps and console.width >= SIDE_BY_SIDE
    for title, stretches in words.differences(change, verbose=console.verbose):
        if is_wide and stretches:
            halves = [
                [f"{title}: ", *(_piece(stretch, side, marks=not console.has_color) for stretch in stretches)]
                for side in (0, 1)
            ]
            console.print_side_by_side(halves[0], halves[1], indent=BELOW)
        else:
            pieces = [
                _piece(stretch, side, marks=True)
                for stretch in stretches
                for side in range(1 + stretch.differs)
            ]
            console.print(f"{title}: " if pieces else title, *pieces, indent=BELOW)
    if notes := words.notes(change):
        console.print("; ".join(notes), indent=BELOW)


def _piece(stretch: Stretch, side: int, *, marks: bool) -> Piece:
    """Return one side, 0 or 1, of a part. ``marks`` shows changes without colours."""
    text = (stretch.before, stretch.after)[side]
    if not stretch.differs:
        return text
    mark, style = ((removed, "red"), (added, "green"))[side]
    return mark(text) if marks else text, style


SHOWN_BLOCKS = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose
BARS = "▁▂▃▄▅▆▇█"


def print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    """Print where the dump is and which pass it belongs to."""
    place = (order.place_of(dump), f"bold {hyperlink(dump.source, dump.line)}")
    console.print(title, place, f"  {dump.moment}".rstrip())


def print_order(
    dump: DumpAudit, console: Console, *, before: DumpAudit | None = None, names_wrong: bool = True
) -> None:
    """Print the blocks with inversions, worst first, compared with an earlier dump.

    ``names_wrong`` names the ops with a wrong index, which may be findings already.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if console.verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [*filter(None, [earlier]), *order.notes(block, verbose=console.verbose)]
        _print_block(block, dump.source, console, said, names_wrong)
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print((f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if console.verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        console.print(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    return f"before: {order.sum_of(same[0]) if same[0].inversions else 'in order'}"


def _print_block(
    block: BlockAudit, source: str, console: Console, said: list[str], names_wrong: bool
) -> None:
    total, causes = order.sum_pieces(block, verbose=console.verbose)
    name = f"{order.block_name(block.function, block.block)} at line {block.line}: "
    console.print(name, (total, "bold"), (causes, "red" if block.is_shuffled else ""), indent=2)
    for note in said:
        console.print(note, indent=4)
    if console.wraps and console.escaped(BARS) == BARS:
        console.print("original place  ", (_sparkline(block.profile), "cyan"), indent=4)
    if block.wrong_indices:
        console.print(order.wrong_labels(block), indent=4)
    if block.wrong_indices and names_wrong:
        wrong = block.mislabelled if console.verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = (f"line {one.op.line}", hyperlink(source, one.op.line))
            right = f" should carry {order.should_carry(one.right)}"
            console.print((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        _print_more(
            block.wrong_indices - len(wrong), "" if console.verbose else "; --verbose shows all", console
        )
    if console.verbose:
        _print_displaced(block, source, console)


def _print_displaced(block: BlockAudit, source: str, console: Console) -> None:
    shown = block.worst
    if not shown:
        return  # what is displaced is not comparable
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        op, inversions = displaced.op, count(displaced.inversions, "inversion")
        console.print(
            (op.title, "cyan"),
            f" is {'early' if displaced.early else 'late'} at ",
            (f"line {op.line}", hyperlink(source, op.line)),
            f", in {inversions}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            console.print(why, indent=8)
    _print_more(block.displaced - len(shown), "", console)


def _print_more(number: int, hint: str, console: Console) -> None:
    if number:
        console.print((f"... and {number:,} more{hint}", "dim"), indent=6)


def _sparkline(heights: Sequence[float]) -> str:
    """Return one bar for each number from 0 to 1.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)
