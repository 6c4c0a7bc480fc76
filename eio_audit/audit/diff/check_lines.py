"""Whether a program has what a test of FileCheck looks for in another order.

The lines of a test are partial: they tell some ops, not the program. So the verdict is about these lines
alone. Each is to be found at a place of its own, whatever the order, and a variable means one text from the
line that sets it to the next one that does. A ``LABEL`` divides the text as it does for FileCheck.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from itertools import groupby, pairwise
from operator import attrgetter
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.keyed_dump import KeyedDump, read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.sameness import KeptOrder
from eio_audit.audit.locations.parsed_locations import Interned
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import find_dumps
from eio_audit.mlir.input.filecheck import CheckLine, FailedCheck, Part
from eio_audit.mlir.source import InputError, Position, line_ends
from eio_audit.order.permutation import displaced

if TYPE_CHECKING:  # it takes longest to import
    import regex

MOST_ATTEMPTS = 20_000  # how many places are tried for the lines of a test
MOST_SECONDS = 5.0  # how long the patterns of a test may take in all: anybody can write them
_BLANKS = r"(?:\\?[ \t])+"  # in a text whose signs are escaped
_NOT_SOUGHT = {"NOT", "EMPTY"}
_Place = tuple[int, int]  # a line of the input from 0, and a column
_NOWHERE = (-1, 0)


class CheckOrder(StrEnum):
    """How the lines of a test are found in a text."""

    SAME = "same order"
    """All of them, in their order."""
    OTHER = "another order"
    """All of them, in another order."""
    MISSING = "missing"
    """Not all of them."""
    UNKNOWN = "unknown"
    """Too many places were tried."""


class FoundLine(NamedTuple):
    """A line of a test, and where it was found."""

    check: CheckLine
    line: int | None  # the 1-based line in the output of FileCheck; None if it was not found
    text: str  # that line
    is_displaced: bool  # whether it is one of the fewest lines that are in another order


class CheckComparison(NamedTuple):
    """The lines of a test, and the text that it failed on."""

    check_file: str
    source: str  # the file with FileCheck's output
    order: CheckOrder
    lines: tuple[FoundLine, ...]  # in the order of the test
    # For another order: why no legal order of the program has the lines as the test does; empty if one has.
    # None if that is not known, because the text is no program.
    forbidden: str | None
    apart: tuple[int, ...]  # the lines of the test that are not NEXT to the line before

    @property
    def is_in_order(self) -> bool:
        """Whether all lines are found, in the order of the test."""
        return self.order is CheckOrder.SAME

    @property
    def displaced(self) -> list[FoundLine]:
        """The fewest lines that are in another order."""
        return [line for line in self.lines if line.is_displaced]

    @property
    def missing(self) -> list[FoundLine]:
        """The lines that were not found."""
        return [line for line in self.lines if line.line is None]


@dataclass(slots=True, eq=False)
class _Sought:
    """A line of a test with the ``SAME`` lines below it, which are to be found on one line."""

    check: CheckLine
    parts: list[Part]
    found: _Place = _NOWHERE
    within: range = field(default=range(0))  # the lines that it may be on


def compare_checks(
    failed: FailedCheck, checks: Sequence[CheckLine], check_file: str, options: AuditOptions
) -> CheckComparison:
    """Look for the lines of a test in the text that it failed on, in any order."""
    lines = failed.source.data[:].decode("utf-8", "surrogateescape").split("\n")
    all_sought = [*_all_sought(checks, len(lines))]
    patterns = _Patterns(check_file)
    _divide(all_sought, lines, patterns)
    order = _Search(all_sought, lines, patterns).order()
    expected = [*_as_expected(all_sought)]
    ranks = {place: rank for rank, place in enumerate(sorted(one.found for one in expected))}
    out = {expected[k] for k in displaced([ranks[one.found] for one in expected])}
    forbidden = None
    if order is CheckOrder.SAME and out:
        order = CheckOrder.OTHER
        forbidden = _forbidden(failed, [one.found[0] for one in expected], options)
    places = [0, *line_ends(failed.source.data)]

    def found(sought: _Sought) -> FoundLine:
        line, _ = sought.found
        if line < 0:
            return FoundLine(sought.check, None, "", False)
        at = failed.source.line_at(places[line])
        return FoundLine(sought.check, at, lines[line].strip(), sought in out)

    return CheckComparison(
        check_file,
        failed.source.name,
        order,
        tuple(map(found, all_sought)),
        forbidden,
        tuple(_apart(all_sought)) if order is CheckOrder.SAME else (),
    )


def _all_sought(checks: Sequence[CheckLine], most: int) -> Iterator[_Sought]:
    """Yield what to look for. What is to be found more often than ``most`` times is not found."""
    sought: _Sought | None = None
    for check in checks:
        if check.kind in _NOT_SOUGHT:
            continue
        if check.kind == "SAME" and sought is not None:
            sought.parts += [Part("regex", ".*?"), *check.parts]
            continue
        if sought is not None:
            yield sought
        yield from (_Sought(check, [*check.parts]) for _ in range(min(check.times - 1, most)))
        sought = _Sought(check, [*check.parts])
    if sought is not None:
        yield sought


class _Patterns:
    """Searches for the patterns of a test, for so long in all."""

    def __init__(self, check_file: str) -> None:
        self._file, self._left = check_file, MOST_SECONDS

    def find(self, expression: str, line: str, check: CheckLine) -> list[regex.Match[str]]:
        """Return where a line has an expression.

        Raises:
            InputError: it takes too long.
        """
        import regex

        began = thread_time()
        try:
            found = list(regex.finditer(expression, line, timeout=max(self._left, 0.001)))
        except TimeoutError:
            found, self._left = [], 0
        self._left -= thread_time() - began
        if self._left <= 0:
            message = f"it takes too long to look for the lines of this test, at last for {check.text[:80]}"
            raise InputError(self._file, Position(check.line, 1), message)
        return found


def _divide(all_sought: Sequence[_Sought], lines: Sequence[str], patterns: _Patterns) -> None:
    """Tell which lines each may be on: from its label to the line with the next label of the text."""
    labels, after = dict[int, int](), 0
    for number, sought in enumerate(all_sought):
        if sought.check.kind == "LABEL":
            label, _ = _pattern(sought.check.parts, {})
            in_turn = [*range(after, len(lines)), *range(after)]
            taken = {*labels.values()}
            own = (
                line
                for line in in_turn
                if line not in taken and patterns.find(label, lines[line], sought.check)
            )
            if (found := next(own, -1)) >= 0:
                labels[number], after = found, found + 1
    ends = sorted([*labels.values(), len(lines)])
    within = range(ends[0])
    for number, sought in enumerate(all_sought):
        if sought.check.kind == "LABEL":
            start = labels.get(number, len(lines))
            within = range(start, ends[min(bisect_right(ends, start), len(ends) - 1)])
            sought.within = within[:1]
        else:
            sought.within = within


def _pattern(parts: Sequence[Part], known: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """Return a regular expression for the parts of a pattern, and the name of its group by variable."""
    import regex

    text, groups = "", dict[str, str]()
    for part in parts:
        if part.kind == "text":
            text += regex.sub(_BLANKS, r"[ \\t]+", regex.escape(part.text))
        elif part.kind == "regex":
            text += f"(?:{part.text})"
        elif part.kind == "set":
            groups[part.name] = f"variable{len(groups)}"
            text += f"(?P<{groups[part.name]}>{part.text})"
        elif part.text in groups:
            text += f"(?P={groups[part.text]})"
        else:
            text += regex.escape(known[part.text]) if part.text in known else ".+?"
    return text, groups


class _Search:
    """Finds a place for each line of a test, so that no two overlap and variables agree."""

    def __init__(self, all_sought: Sequence[_Sought], lines: Sequence[str], patterns: _Patterns) -> None:
        self._all = all_sought
        self._patterns = patterns
        self._lines = lines
        self._attempts = 0
        self._taken = defaultdict[int, list[range]](list)  # by line, the columns

    def order(self) -> CheckOrder:
        """Set the places. If there is no way, set those of the lines that some line has for itself."""
        ways, deepest = [self._ways(0, {})] if self._all else [], 0
        while ways:
            known = next(ways[-1], None)
            if known is None:
                ways.pop()
            elif len(ways) == len(self._all):
                return CheckOrder.SAME
            elif self._attempts > MOST_ATTEMPTS:
                return CheckOrder.UNKNOWN
            else:
                ways.append(self._ways(len(ways), known))
                deepest = max(deepest, len(ways) - 1)
        self._attempts = 0
        for number, sought in enumerate(self._all):
            sought.found = next((place for place, *_ in self._places(number, {})), _NOWHERE)
        if self._all and all(sought.found != _NOWHERE for sought in self._all):
            self._all[deepest].found = _NOWHERE
        return CheckOrder.MISSING if self._all else CheckOrder.SAME

    def _ways(self, number: int, known: dict[str, str]) -> Iterator[dict[str, str]]:
        """Put a line of the test at each place that it can have, and yield what the variables are then."""
        sought, before = self._all[number], self._all[number - 1].found if number else _NOWHERE
        for place, columns, values in sorted(
            self._places(number, known), key=lambda one: (one[0] < before, one[0])
        ):
            self._attempts += 1
            sought.found = place
            self._taken[place[0]].append(columns)
            yield {**known, **values}
            self._taken[place[0]].pop()
            sought.found = _NOWHERE

    def _places(
        self, number: int, known: Mapping[str, str]
    ) -> Iterator[tuple[_Place, range, dict[str, str]]]:
        sought = self._all[number]
        text, groups = _pattern(sought.parts, known)
        for line in sought.within:
            for match in self._patterns.find(text, self._lines[line], sought.check):
                columns = range(*match.span())
                taken = self._taken.get(line, ())
                if not any(one.start < columns.stop and columns.start < one.stop for one in taken):
                    values = {name: match[group] for name, group in groups.items()}
                    yield (line, match.start()), columns, values


def _as_expected(all_sought: Sequence[_Sought]) -> Iterator[_Sought]:
    """Yield the lines of a test in its order: neighbours with ``DAG`` in the order of the text."""
    for is_dag, some in groupby(all_sought, lambda sought: sought.check.kind == "DAG"):
        in_turn = [*some]
        yield from sorted(in_turn, key=attrgetter("found")) if is_dag else in_turn


def _apart(all_sought: Sequence[_Sought]) -> Iterator[int]:
    """Yield the lines of a test that are to be ``NEXT`` to the one before and are not."""
    for earlier, later in pairwise(all_sought):
        if later.check.kind == "NEXT" and later.found[0] != earlier.found[0] + 1:
            yield later.check.line


def _forbidden(failed: FailedCheck, lines: Sequence[int], options: AuditOptions) -> str | None:
    """Return why the ops on some lines cannot be in this order; empty if they can, None if not known."""
    try:
        [dump] = find_dumps(failed.source)
        read = read_dump(dump, options)
    except (InputError, ValueError):
        return None
    starts = [0, *line_ends(dump.source.data)]
    op_on = {bisect_right(starts, start) - 1: op for op, start in reversed([*enumerate(read.ir.op_start)])}
    ops = [op_on[line] for line in lines if line in op_on]
    kept = KeptOrder(ComparedDump(read, Interned()))
    for block in range(read.ir.block_count):
        if why := _forbidden_in(block, read, kept, ops):
            return why
    return ""


def _forbidden_in(block: int, read: KeyedDump, kept: KeptOrder, ops: Sequence[int]) -> str:
    """Return why the ops of a block, with those in them, cannot be in an order; empty if they can."""
    ir = read.ir
    place_of = {
        inner: place for place, op in enumerate(ir.block_ops[block]) for inner in (op, *ir.nested_ops(op))
    }
    in_turn = [place for place, _ in groupby(place_of[op] for op in ops if op in place_of)]
    if in_turn == sorted(in_turn):
        return ""
    before = defaultdict[int, set[int]](set)
    graph = read.dependences.of([block])[block]
    edges = ((producer, user) for producer, user, _ in graph.edges())
    for producer, user in edges if ir.has_order(block) else kept.pairs(block):
        before[user].add(producer)
    wanted = {*pairwise(in_turn)}
    for earlier, later in wanted:
        before[later].add(earlier)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        earlier, later = next(pair for pair in pairwise(error.args[1]) if pair in wanted)
        names = [read.label(ir.block_ops[block][place]) for place in (later, earlier)]
        first, second = (f"{label.result or label.name} (line {label.line})" for label in names)
        return f"{second} cannot be before {first}, which it depends on"
    return ""
