"""What became of each op, as plain data: unchanged, moved, modified, added or removed.

Changes repeat if a pass does the same in many layers. ``repeated_changes`` groups them.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.order.permutation import displaced

ROUNDS = 4  # how often to search the gaps between matches again

Match = tuple[int, int]  # the 0-based number of a line in the old text, and of the same line in the new text


def matching_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """Return the lines of two texts that are equal and in the same order in both, ascending.

    The n-th of equal lines matches the n-th in the other text. Of these matches, a largest set in the same
    order counts. The gaps between them are searched again. So if no two lines of a text are equal, the fewest
    lines that explain the difference are left.

    Complexity: O(n log n). ``difflib`` takes quadratic time and more if many lines have moved.

    >>> matching_lines(["a", "b", "c", "}"], ["c", "a", "b", "}"])
    [(0, 1), (1, 2), (3, 3)]
    """
    matches: list[Match] = []
    for _ in range(ROUNDS):
        gaps = gaps_between(matches, len(old), len(new))
        found = [match for gap in gaps for match in _matches_in(*gap, old, new)]
        if not found:
            break
        matches = sorted([*matches, *found])
    return matches


def gaps_between(matches: Sequence[Match], old_count: int, new_count: int) -> Iterator[tuple[range, range]]:
    """Yield the gaps between the matches: ranges of old lines, and of the new lines that replace them."""
    old_start = new_start = 0
    for old_end, new_end in [*matches, (old_count, new_count)]:
        if old_end > old_start or new_end > new_start:
            yield range(old_start, old_end), range(new_start, new_end)
        old_start, new_start = old_end + 1, new_end + 1


def _matches_in(
    old_lines: range, new_lines: range, old: Sequence[Hashable], new: Sequence[Hashable]
) -> list[Match]:
    places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for number in new_lines:
        places[new[number]].append(number)
    matches = [(number, places[old[number]].popleft()) for number in old_lines if places.get(old[number])]
    out_of_order = set(displaced([in_new for _, in_new in matches]))
    return [match for k, match in enumerate(matches) if k not in out_of_order]


_NUMBER = re.compile(r"(\d+)")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?|argument \d+ of \^\w+")


class Relation(StrEnum):
    """How an added op came from an op of the earlier dump."""

    DERIVED = "derived"
    """Its location contains that of the other op: ``"X_tm0"("X")``, a call site, a fused location."""
    CLONED = "cloned"
    """It has the same location, name and attributes as another op."""
    COMMUTED = "commuted"
    """It is a permute, transpose or reshape that a pass moved past other ops, by the dataflow."""
    CONVERTED = "converted"
    """It has the location of a removed op and another name. Only a history follows this relation."""


@dataclass(frozen=True, slots=True)
class Ancestor:
    """The op of the earlier dump that an added op came from."""

    op: OpLabel
    relation: Relation


@dataclass(frozen=True, slots=True)
class OpDifference:
    """One difference between an op before and after."""

    kind: str  # `operands`, `attributes`, `types` or `location`
    # The attribute's name, the operand's position from 0, or the block argument that has the location, as
    # `argument 0 of ^bb1`. Empty for other kinds.
    name: str
    before: str  # as printed, with aliases expanded; empty if there is nothing
    after: str


@dataclass(frozen=True, slots=True)
class OpChange:
    """What became of one op."""

    function: str | None  # the symbol of its function, for a removed op of its former function, or None
    before: OpLabel | None  # the op in the earlier dump; None if it was added
    after: OpLabel | None  # the op in the later dump; None if it was removed
    place_before: int | None  # its 0-based place in its block; None if it is not in that dump
    place_after: int | None
    block_before: str | None  # its function and block in each dump, if the two differ; else None
    block_after: str | None
    differences: tuple[OpDifference, ...]  # in the order operands, attributes, types, location
    moved: bool  # whether it left its place relative to the ops around it
    derived: bool  # whether a pass made it from another op, whose index it has
    ancestor: Ancestor | None  # for an added op, the op it came from, if known
    inversions_before: int | None  # how many inversions it is in; None without the op or an index
    inversions_after: int | None

    @property
    def status(self) -> str:
        """``unchanged``, ``moved``, ``modified``, ``added`` or ``removed``."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        return "modified" if self.differences else "moved" if self.moved else "unchanged"

    @property
    def op(self) -> OpLabel:
        """The op in the later dump. If it was removed, the op in the earlier dump."""
        op = self.after or self.before
        assert op is not None
        return op

    @property
    def changed(self) -> tuple[str, ...]:
        """The kinds of difference, each once: of ``operands``, ``attributes``, ``types`` and ``location``."""
        return tuple(dict.fromkeys(difference.kind for difference in self.differences))


@dataclass(frozen=True, slots=True)
class OpChanges:
    """Every op of both dumps, in one of five groups."""

    unchanged: int
    moved: tuple[OpChange, ...]
    modified: tuple[OpChange, ...]
    added: tuple[OpChange, ...]
    removed: tuple[OpChange, ...]
    # Ops that one dump prints and the other omits because of its printing form, such as implied
    # terminators of custom assembly. They are in no group.
    implied: int

    @property
    def groups(self) -> dict[str, tuple[OpChange, ...]]:
        """The changed ops, by what became of them."""
        return {"moved": self.moved, "modified": self.modified, "added": self.added, "removed": self.removed}


@dataclass(frozen=True, slots=True)
class RepeatedChange:
    """Changes that differ only in names of values, indices and layer numbers."""

    places: tuple[int, ...]  # their positions among the compared changes
    changes: tuple[OpChange, ...]  # the changes, those in most inversions first

    @property
    def example(self) -> OpChange:
        """The first, worst change."""
        return self.changes[0]

    @property
    def modules(self) -> int:
        """The number of modules they are in. 0 if locations name none."""
        return len({change.op.module for change in self.changes} - {None})

    @property
    def module(self) -> str | None:
        """The module, with ``*`` for numbers that differ: ``BatchNorm2d[net.stages.*.norm]``."""
        modules = {change.op.module for change in self.changes}
        if None in modules:
            return None
        words = zip(*(_NUMBER.split(module or "") for module in modules), strict=True)
        return "".join(word[0] if len(set(word)) == 1 else "*" for word in words)


def repeated_changes(changes: Sequence[OpChange]) -> list[RepeatedChange]:
    """Group equal changes. Groups with moved ops and most inversions come first, then the most frequent.

    Two changes are equal if the same words of the same kind of op changed in the same way. Numbers in the
    words may differ, such as tensor sizes, if the ops are in the same module of different layers.
    """
    groups: dict[Hashable, list[int]] = {}
    for place, change in enumerate(changes):
        groups.setdefault(_kind(change), []).append(place)

    def badness(change: OpChange) -> tuple[bool, int]:
        return not change.moved, -(change.inversions_after or 0)

    repeated = [
        RepeatedChange(tuple(places), tuple(sorted((changes[k] for k in places), key=badness)))
        for places in groups.values()
    ]
    return sorted(repeated, key=lambda one: (*badness(one.example), -len(one.changes)))


def _kind(change: OpChange) -> Hashable:
    module = change.op.module
    return (
        change.function,
        change.status,
        change.moved,
        *(op and op.name for op in (change.before, change.after)),
        module and _NUMBER.sub("*", module),
        change.ancestor and (change.ancestor.relation, change.ancestor.op.name),
        *(
            (
                one.kind,
                one.name,
                *(_words(text, has_module=module is not None) for text in (one.before, one.after)),
            )
            if one.kind != "location"
            else one.kind
            for one in change.differences
        ),
    )


def _words(text: str, *, has_module: bool) -> str:
    text = _VALUE.sub("%", text)
    return _NUMBER.sub("*", text) if has_module else text
