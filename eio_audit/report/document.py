"""What reports in several formats have, as data: tables, and a diff as sections of sentences and lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

from eio_audit.audit.check.location_health import HealthChange, LocationRule
from eio_audit.audit.diff.diff import Diff, Fragmentation
from eio_audit.audit.diff.dump_comparison import OpChange, RepeatedChange, repeated_changes
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutOp, LayoutPair
from eio_audit.report.wording import count, shortened_list
from eio_audit.report.wording.advice import sentences
from eio_audit.report.wording.diff import kinds_of, repetition

RULES = {
    LocationRule.UNKNOWN_LOCATION: "location unknown",
    LocationRule.NO_INDEX: "no index in the location",
    LocationRule.UNKNOWN_INDEX: "negative index",
    LocationRule.REPEATED_LOCATION: "same location as another op",
    LocationRule.TWO_FUNCTIONS: "one source line, two functions",
    LocationRule.REFUSED_LOCATION: "no name location: code generation refuses it",
}

Cell = str | int | None
Cells = Mapping[str, Callable[[Any], Cell]]  # by key of a column, what returns the cell of a thing


class FigureColumn(NamedTuple):
    """A column of a table."""

    key: str  # its name for scripts and styles
    title: str  # its heading
    sign: str  # how `columns_of` marks it
    is_optional: bool  # whether a narrow terminal may omit it

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers."""
        return self.sign not in ("", ">")

    @property
    def has_bars(self) -> bool:
        """Whether bars on a page show how large its numbers are."""
        return self.sign == "##"

    def text(self, cell: Cell) -> str:
        """Return a cell as text."""
        if isinstance(cell, int):
            hides_zero = self.sign in ("~", "+")
            return "" if hides_zero and not cell else f"{cell:+,}" if self.sign == "+" else f"{cell:,}"
        return cell or ""


_COLUMN = re.compile(r"(?P<sign>[#~>+]*)(?P<key>\w+)(?P<optional>\??)(?:=(?P<title>.*))?")


def columns_of(spec: str) -> list[FigureColumn]:
    """Parse the columns of a table: ``op, #line, ~lost?, #fixed=after a fix``.

    ``#`` marks numbers, ``##`` those with bars, ``~`` those whose 0 is not shown, ``+`` those with a sign,
    ``>`` text that is aligned to the right, and ``?`` what a narrow terminal may omit.

    >>> columns_of("#fixed=after a fix")
    [FigureColumn(key='fixed', title='after a fix', sign='#', is_optional=False)]
    """
    found = [match for word in spec.split(", ") if (match := _COLUMN.fullmatch(word))]
    return [
        FigureColumn(m["key"], m["key"] if m["title"] is None else m["title"], m["sign"], bool(m["optional"]))
        for m in found
    ]


def columns_if_any(things: Sequence[object], titles: Mapping[str, str]) -> str:
    """Return the columns of the figures that any of the things has, for ``columns_of``. Titles are by key."""
    kept = {key: title for key, title in titles.items() if any(getattr(one, key) for one in things)}
    return "".join(f"#{key}={title}, " for key, title in kept.items())


@dataclass(frozen=True, slots=True)
class Figures:
    """A table of figures for a terminal, Markdown and a page: rows of cells, one for each column."""

    columns: Sequence[FigureColumn]
    rows: Sequence[Sequence[Cell]]
    note: str = ""  # what is to know of it, below it

    @property
    def titles(self) -> list[str]:
        """The headings."""
        return [column.title for column in self.columns]

    def texts(self) -> list[list[str]]:
        """Return all cells as text."""
        return [
            [column.text(cell) for column, cell in zip(self.columns, row, strict=True)] for row in self.rows
        ]


def figures_of(things: Iterable[Any], columns: str, cells: Cells | None = None) -> Figures:
    """Return a row for each thing: its attributes of the keys of ``columns``, or its ``cells``."""
    listed = columns_of(columns)
    getters = [(cells or {}).get(column.key) or attrgetter(column.key) for column in listed]
    return Figures(listed, [[cell_of(thing) for cell_of in getters] for thing in things])


ALL_OPS = "all ops"  # the last row of a table of ops


def table_of_ops(
    first: Mapping[str, int], last: Mapping[str, int], titles: tuple[str, str] = ("first", "last")
) -> Figures:
    """Return how many ops of each name there are in two states, those whose number changed most first.

    A note says if there are more that custom assembly leaves out.
    """

    def change(name: str) -> int:
        return count_in(last, name) - count_in(first, name)

    cells: Cells = {
        "op": str,
        "first": lambda name: count_in(first, name),
        "last": lambda name: count_in(last, name),
        "change": change,
    }
    names = sorted({*first, *last}, key=lambda name: (-abs(change(name)), name))
    figures = figures_of([*names, ALL_OPS], "op, #first={}, #last={}, +change=+/-".format(*titles), cells)
    hiding = sorted({*_hiding(first), *_hiding(last)})
    return replace(figures, note=HIDDEN.format(shortened_list(hiding, SHOWN_HIDING)) if hiding else "")


HIDDEN = "not counted: the ops that custom assembly leaves out, in {}; --mlir-print-op-generic prints them"
SHOWN_HIDING = 3  # how many names of such ops are shown
_REGION_ENDS = {
    "linalg.yield": r"linalg\.(?!yield\b|index\b|softmax\b|(?:un)?pack\b|winograd_)\w+",
    "scf.yield": r"scf\.(?:for|if|index_switch)",
    "affine.yield": r"affine\.(?:for|if|parallel)",
}
"""The op that ends each region of some ops, which custom assembly may leave out."""


def _hiding(ops: Mapping[str, int]) -> Iterator[str]:
    """Yield the names of ops of which some have no end of their region in the text."""
    for end, names in _REGION_ENDS.items():
        holders = [name for name in ops if re.fullmatch(names, name)]
        if ops.get(end, 0) < sum(map(ops.__getitem__, holders)):
            yield from holders


def count_in(ops: Mapping[str, int], name: str) -> int:
    """Return how many ops have a name, or how many there are."""
    return sum(ops.values()) if name == ALL_OPS else ops.get(name, 0)


@dataclass(frozen=True, slots=True)
class Changes:
    """Ops with the same kind of change: ``8 modified``. ``note`` has details: ``: operands of 6``."""

    title: str
    note: str
    groups: Sequence[RepeatedChange]

    def examples(self, *, verbose: bool) -> Iterator[tuple[OpChange, str]]:
        """Yield one op of each change, or all if ``verbose``. The first has the number of repetitions."""
        for group in self.groups:
            for number, change in enumerate(group.worst(None if verbose else 1)):
                yield change, "" if number else repetition(group)


@dataclass(frozen=True, slots=True)
class Hunks:
    """Ops in the order of the later dump. A hunk has changed ops and the unchanged ops around them."""

    hunks: Sequence[Sequence[OpChange]]


@dataclass(frozen=True, slots=True)
class Listing:
    """A title and a list, which may be empty. ``style`` is the style of the title on a terminal."""

    title: str
    style: str
    items: Sequence[str]


@dataclass(frozen=True, slots=True)
class DiffSection:
    """A part of a report: its title (None for ops outside functions), its summary, and details."""

    title: str | None
    note: str
    parts: Sequence[Changes | Hunks | Listing | Figures | str]


@dataclass(frozen=True, slots=True)
class DiffDocument:
    """A diff, without the order of the later dump. No section is empty."""

    answers: Sequence[str]  # about layout ops and module runs
    functions: Sequence[DiffSection]  # the changed ops of each function
    advice: Sequence[DiffSection]  # what to change in the pass
    details: Sequence[DiffSection]  # about layout ops, modules and locations


def diff_document(
    diff: Diff, *, verbose: bool = False, context: int | None = None, is_brief: bool = False
) -> DiffDocument:
    """Return the document of a diff; if ``verbose``, with a line for each location that became worse.

    With a ``context``, changes are in textual order with so many unchanged ops around each, not by kind. A
    brief one is made faster: it has no answers, and of some details only the title.
    """
    answers = () if is_brief else (inverse_summary(diff.inverse_ops), runs_summary(diff.fragmentation))
    modules = _modules(diff, is_brief=is_brief)
    details = [_inverse_ops(diff), modules, _locations(diff.locations, verbose=verbose)]
    changes = [] if diff.advice is None else sentences(diff.advice)
    advice = [DiffSection("What to change", "an estimate", [Listing("", "", changes)])] if changes else []
    if context is None:
        functions = changes_by_function(diff)
    else:
        of_function = _by_function(diff.pairs(), attrgetter("function"))
        hunks = {name: _hunks(ops, context) for name, ops in of_function.items()}
        functions = [DiffSection(name, "", [Hunks(found)]) for name, found in hunks.items() if found]
    return DiffDocument(list(filter(None, answers)), functions, advice, list(filter(None, details)))


def changes_by_function(diff: Diff) -> list[DiffSection]:
    """Return what happened to the ops of each function."""
    sections: dict[str | None, list[Changes]] = {}
    for kind, found in diff.ops.found.items():
        for function, changes in _by_function(found, diff.comparison.function_of).items():
            repeated = repeated_changes(diff.comparison, changes)
            part = Changes(f"{len(changes):,} {kind}", kinds_of(changes), repeated)
            sections.setdefault(function, []).append(part)
    return [DiffSection(function, "", parts) for function, parts in sections.items()]


def _by_function(changes: Iterable[Any], key: Callable[[Any], str | None]) -> dict[str | None, list[Any]]:
    of_function: dict[str | None, list[Any]] = {}
    for change in changes:
        of_function.setdefault(key(change), []).append(change)
    return of_function


def _hunks(ops: Sequence[OpChange], context: int) -> list[Sequence[OpChange]]:
    hunks: list[range] = []
    for place, op in enumerate(ops):
        if op.status == "unchanged":
            continue
        around = range(max(0, place - context), min(len(ops), place + context + 1))
        if hunks and around.start <= hunks[-1].stop:
            around = range(hunks.pop().start, around.stop)
        hunks.append(around)
    return [ops[hunk.start : hunk.stop] for hunk in hunks]


def inverse_summary(inverse: InverseOps) -> str:
    """Return what happened to permutes, transposes and reshapes. Empty if there are none."""
    if not inverse.before and not inverse.after:
        return ""
    return (
        f"{inverse.before:,} -> {inverse.after:,} permutes, transposes and reshapes: "
        f"{len(inverse.cancelled):,} of {count(inverse.inverse_before, 'inverse pair')} cancelled, "
        f"{len(inverse.moved):,} moved and not cancelled, "
        f"{count(len(inverse.remaining), 'inverse pair')} still there"
    )


def _inverse_ops(diff: Diff) -> DiffSection | None:
    inverse, moved = diff.inverse_ops, len(diff.inverse_ops.moved)
    misplaced = f"a pass should not move {'it' if moved == 1 else 'them'}"
    still_there = f"{count(len(inverse.remaining), 'inverse pair')} still there"
    moves = (f"{one.before.op} -> {', '.join(str(op.op) for op in one.after)}" for one in inverse.moved)
    gone = f"{len(inverse.gone):,} removed without an inverse: merged or folded"
    lists = [
        (_cancelled(inverse), "green", map(_pair, inverse.cancelled)),
        (f"{moved:,} moved and not cancelled: {misplaced}", "red", moves),
        (gone, "", map(_layout_op, inverse.gone)),
        (f"{len(inverse.added):,} new, not made from earlier ones", "", map(_layout_op, inverse.added)),
        (still_there, "yellow", map(_pair, inverse.remaining)),
    ]
    parts: list[Listing | str] = [
        Listing(title, style, items) for title, style, lines in lists if (items := list(lines))
    ]
    if parts and inverse.inversions:
        total = diff.after.summary.inversions
        share = f"{inverse.inversions:,} of {count(total, 'inversion')}"
        verb = "involves" if inverse.inversions == 1 else "involve"
        parts.append(f"{share} {verb} moved or copied ops")
    return DiffSection("Inverse ops", inverse_summary(inverse), parts) if parts else None


def _cancelled(inverse: InverseOps) -> str:
    cancelled = f"{count(len(inverse.cancelled), 'inverse pair')} cancelled"
    if not inverse.copies:
        return cancelled
    copies = count(sum(len(op.after) for op in inverse.copies), "copy", "copies")
    ops = "1 op" if len(inverse.copies) == 1 else f"{len(inverse.copies):,} of these ops"
    return f"{cancelled}, which left {copies} of {ops} on other operands"


def _pair(one: LayoutPair) -> str:
    between = f"{count(one.between, 'elementwise op')} between" if one.between else "one feeds the other"
    return f"{one.first.op} and {one.second.op}: {one.first.does}, {between}"


def _layout_op(one: LayoutOp) -> str:
    return f"{one.op}: {one.does}"


def runs_summary(fragmentation: Fragmentation) -> str:
    """Return ``30 model modules are in 61 pieces (24 before; 60 after fix)``. Empty if none is named."""
    runs = fragmentation.modules or fragmentation.functions
    if not runs:
        return ""
    stages_of = attrgetter("before", "after", "fixed", "relabelled")
    before, after, fixed, relabelled = map(sum, zip(*map(stages_of, runs), strict=True))
    what = count(len(runs), "model module" if fragmentation.modules else "source function")
    stages = [f"{before:,} before"]
    for number, earlier, command in ((fixed, after, "fix"), (relabelled, fixed, "fix --relabel")):
        if number != earlier:
            stages.append(f"{number:,} {'again ' if number == before else ''}after {command}")
    verb = "is" if len(runs) == 1 else "are"
    return f"{what} {verb} in {count(after, 'piece')} ({'; '.join(stages)})"


def _modules(diff: Diff, *, is_brief: bool) -> DiffSection | None:
    if is_brief:
        return DiffSection("Modules", "", []) if diff.tears_modules else None
    fragmentation = diff.fragmentation
    torn = [one for one in (*fragmentation.modules, *fragmentation.functions) if one.after > one.before > 0]
    if not torn:
        return None
    columns = "#before, #pieces=after, #fixed=after fix, #relabelled=after fix --relabel, name=pieces of"
    table = figures_of(torn, columns, {"pieces": lambda one: one.after})
    return DiffSection("Modules", runs_summary(fragmentation), [table])


def _locations(locations: HealthChange, *, verbose: bool) -> DiffSection | None:
    before, after = locations.before.counts, locations.after.counts
    if before == after and not locations.lost:
        return None
    rules = [rule for rule in LocationRule if before[rule] or after[rule]]
    cells: Cells = {"before": before.__getitem__, "after": after.__getitem__, "ops": RULES.__getitem__}
    table = figures_of(rules, "#before, #after, value=rule, ops", cells)
    new = [f"{finding.op}: {finding.message}" for finding in locations.new] if verbose else []
    note = f"{count(len(locations.lost), 'op')} lost the index" if locations.lost else ""
    return DiffSection("Locations", note, [table, *([Listing("", "", new)] if new else [])])
