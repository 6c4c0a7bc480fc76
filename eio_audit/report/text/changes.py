"""Changed ops as text that reads like a review, and the passes of a log, printed while it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from eio_audit.report.text.console import NARROW, Column, Console, print_table
from eio_audit.report.wording import diff as words
from eio_audit.report.wording.diff import Stretch, added, removed, signed
from eio_audit.report.wording.trace import pass_called

if TYPE_CHECKING:
    from eio_audit.audit.diff.dump_comparison import OpChange
    from eio_audit.audit.log.program_log import PassRun
    from eio_audit.audit.log.scope_steps import ChangedOp, ScopeStep
    from eio_audit.report.document import Changes, Hunks, Piece

SHOWN_CHANGES = 3  # the most ops of each group that a report shows unless verbose
BELOW = 8  # the indentation of the lines below the row of an op
SIDE_BY_SIDE = 120  # the terminal width from which before and after are side by side

_STYLES = {"unchanged": "dim", "added": "green", "removed": "red"}


def print_changes(part: Changes, console: Console) -> int:
    """Print the changes, repeated ones once. Return how many ops it left out."""
    console.print((part.title, "bold"), part.note, indent=2)
    examples = part.examples(verbose=console.verbose)
    shown = list(islice(examples, None if console.verbose else SHOWN_CHANGES))

    def print_below(row: int) -> None:
        change, group = shown[row]
        if group is not None and (said := words.repetition(group)):
            console.print((said, "bold"), indent=BELOW)
        _print_differences(change, console)

    print_table(console, _columns([change for change, _ in shown]), indent=4, print_below=print_below)
    return sum(len(group.changes) for group in part.groups) - len(shown)


def print_hunks(part: Hunks, console: Console) -> None:
    """Print ops in the order of the later dump, each with a sign for what happened to it."""
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


class LiveRows:
    """Prints a row for each pass that changed ops, as soon as a dump shows it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Print the line of the dump, the pass, its function and what it did. ``trace`` calls this."""
        numbers = Counter(change.status for change in changes)
        done = signed(numbers, between="  ")
        name = pass_called(run.pass_name, step.after.dump.marker)
        where = " ".join(filter(None, (program, run.function)))
        rest = "".join(f"  {part}" for part in (where, done) if part)
        self._console.print((f"{step.after.dump.line:>7}  ", "dim"), (name, "bold"), rest)
