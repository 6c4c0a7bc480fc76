"""Which op of one dump is which op of another, across renumbering and reordering.

Ops are matched by what a pass leaves alone: function, name, location, and their text without value
names. Ops that have all of it in common (one framework op is often several IR ops) are told apart by the
ops that define their operands, then by order of appearance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from eio_audit.audit.functions import functions_around
from eio_audit.audit.original_index import OriginalIndices
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.location import AliasLoc, FileLineColLoc, FusedLoc, Location, NameLoc, OpaqueLoc, children

_VALUE_NAME = re.compile(rb"%[\w$.-]+(?:#\d+)?|\^[\w$.-]+")
_ARGUMENT_LOCATION = re.compile(rb'\s*+\bloc\((?:[^()"]|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|\([^()]*+\))*+\)')


class Interned:
    """Small numbers for equal things, shared by the dumps that are compared."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, thing: Hashable) -> int:
        """The number of everything equal to ``thing``."""
        return self._numbers.setdefault(thing, len(self._numbers))


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is compared of one op: numbers that are equal where the things are."""

    function: str | None
    name: str
    location: int
    text: int
    producers: tuple[int, ...]


class Fingerprints:
    """The fingerprints of all ops of one dump."""

    def __init__(self, ir: IR, indices: OriginalIndices, interned: Interned) -> None:
        self._ir = ir
        self._indices = indices
        self._interned = interned
        self._by_alias: dict[str, int] = {}
        self._by_location: dict[bytes | None, int] = {}
        self._locations = [self._location(op) for op in range(len(ir))]
        functions = functions_around(ir)
        self.all = [self._fingerprint(op, functions[ir.op_block[op]]) for op in range(len(ir))]

    def _fingerprint(self, op: int, function: str | None) -> Fingerprint:
        ir = self._ir
        text = self._interned.number(_VALUE_NAME.sub(b"%", _ARGUMENT_LOCATION.sub(b"", bare_text(ir, op))))
        owners = (ir.value_owner[value] for value in ir.operands_of(op))
        producers = tuple(self._locations[owner] if owner >= 0 else -1 for owner in owners)
        return Fingerprint(function, ir.name(op), self._locations[op], text, producers)

    def _location(self, op: int) -> int:
        text = self._ir.location_text(op)
        if text not in self._by_location:
            location = self._indices.locations.of(op)
            self._by_location[text] = -1 if location is None else self._canonical(location, op)
        return self._by_location[text]

    def _canonical(self, root: Location, op: int) -> int:
        """A number for the location with its aliases resolved; iterative, and each alias counts once."""
        locations, interned = self._indices.locations, self._interned
        done: list[int] = []
        entered: set[str] = set()
        pending: list[tuple[Location, bool]] = [(root, False)]
        while pending:
            location, children_done = pending.pop()
            if isinstance(location, AliasLoc):
                if location.alias in self._by_alias:
                    done.append(self._by_alias[location.alias])
                elif children_done:
                    self._by_alias[location.alias] = done[-1]
                elif location.alias in entered:
                    raise locations.loop(location.alias, op)
                else:
                    entered.add(location.alias)
                    pending += [(location, True), (locations.resolve(location, op), False)]
            elif children_done or not (parts := children(location)):
                count = len(children(location))
                inside = tuple(done[len(done) - count :])
                del done[len(done) - count :]
                done.append(interned.number((type(location).__name__, _own_part(location), inside)))
            else:
                pending.append((location, True))
                pending += [(part, False) for part in reversed(parts)]
        return done[0]


def _own_part(location: Location) -> Hashable:
    match location:
        case NameLoc(name, _):
            return name
        case FileLineColLoc(file, _, _, text):
            return file, text.replace(" ", "")
        case FusedLoc(_, metadata):
            return metadata
        case OpaqueLoc(text):
            return text
        case _:
            return None


def bare_text(ir: IR, op: int) -> bytes:
    """The op's text without its results' names, its regions and its location."""
    text = ir.own_text(op)
    if ir.location_start[op] != NO_OFFSET:
        location = ir.source.data.rfind(b"loc", ir.op_start[op], ir.location_start[op])
        text = text[: len(text) - (ir.op_end[op] - location)]
    if text.startswith(b"%"):
        text = text.partition(b"=")[2]
    return text.strip()


def match_ops(before: Sequence[Fingerprint], after: Sequence[Fingerprint]) -> dict[int, int]:
    """Pairs ops of two dumps, the surest pairs first.

    Returns:
        By op of the dump before: the op of the dump after it became. Ops that are missing were removed.

    Complexity: linear in the number of ops.
    """
    pairs: dict[int, int] = {}
    free_before, free_after = set(range(len(before))), set(range(len(after)))
    for key_of, unique in _STAGES:
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, (ops, fingerprints) in enumerate(
            ((sorted(free_before), before), (sorted(free_after), after))
        ):
            for op in ops:
                groups.setdefault(key_of(fingerprints[op]), ([], []))[side].append(op)
        for old, new in groups.values():
            if unique and (len(old) != 1 or len(new) != 1):
                continue
            pairs.update(zip(old, new, strict=False))
        free_before -= pairs.keys()
        free_after -= set(pairs.values())
    return pairs


_STAGES: tuple[tuple[Callable[[Fingerprint], Hashable], bool], ...] = (
    (lambda f: (f.function, f.name, f.location, f.text, f.producers), False),
    (lambda f: (f.function, f.name, f.location, f.text), False),
    (lambda f: (f.function, f.name, f.location), False),
    (lambda f: (f.name, f.location, f.text), False),
    (lambda f: (f.function, f.name, f.text, f.producers), True),
)
"""Keys by which ops are paired, and whether only ops that have one to themselves are."""
