"""What the dialects' own definitions say of an operation: its effects and the traits that matter here."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OpTraits:
    """One row of the table.

    Attributes:
        effects: kinds of memory effect the op declares: ``read``, ``write``, ``alloc``, ``free``.
        on: the operand or result (``operand 0``, ``result 0``, ``operand ?``) an effect is bound to,
            with the kinds of effect on it.
        recursive: the op has the effects of the ops in its regions.
        dynamic: the effects are computed by the op's C++ code, so they are unknown here, except that
            a destination-style op touches memref-like operands only.
        unknown: the op declares nothing and may do anything.
        flags: the remaining traits, as listed in the table's legend.
    """

    effects: frozenset[str] = frozenset()
    on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    recursive: bool = False
    dynamic: bool = False
    unknown: bool = False
    flags: frozenset[str] = frozenset()


UNLISTED = OpTraits(unknown=True)
"""The traits of an op that the table does not list: it may do anything."""


class _Table(Mapping[str, OpTraits]):
    """The table as it is shipped; a row is made when it is asked for, since a dump has few of the ops."""

    def __init__(self, entries: Mapping[str, Mapping[str, object]], views: Collection[str]) -> None:
        self._entries = entries
        self._views = views
        self._rows: dict[str, OpTraits] = {}

    def __getitem__(self, name: str) -> OpTraits:
        if name not in self._rows:
            row = _row(self._entries[name])
            self._rows[name] = replace(row, flags=row.flags | {"view"}) if name in self._views else row
        return self._rows[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


@cache
def op_traits() -> Mapping[str, OpTraits]:
    """The shipped table, from full op name (``"ttir.permute"``) to traits.

    Source: the op definitions (ODS) of MLIR 22.1, tt-mlir and StableHLO; ``op_traits.json`` names the
    revisions, and lists as ``additions`` what those definitions leave out.
    """
    table = json.loads(Path(__file__).with_name("op_traits.json").read_bytes())
    return _Table(table["ops"], table["additions"]["view"])


@cache
def listed_dialects() -> frozenset[str]:
    """The dialects of which the table lists ops."""
    return frozenset(name.partition(".")[0] for name in op_traits())


def _row(entry: Mapping[str, object]) -> OpTraits:
    effects = entry["effects"]
    on = entry.get("on", {})
    flags = entry.get("flags", ())
    assert isinstance(on, dict) and isinstance(flags, (list, tuple))
    return OpTraits(
        effects=frozenset(effects) if isinstance(effects, list) else frozenset(),
        on={place: frozenset(kinds) for place, kinds in on.items()},
        recursive=effects == "recursive",
        dynamic=effects == "dynamic",
        unknown=effects == "unknown",
        flags=frozenset(flags),
    )
