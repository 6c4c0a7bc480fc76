"""What the dialects' own definitions say of an operation: its effects and the traits that matter here."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path

KINDS = ("read", "write", "alloc", "free")
"""Kinds of memory effect."""
EFFECT_WORDS = ("pure", "recursive", "dynamic", "unknown")
"""What an op's effects may be instead of a list of kinds."""
EFFECT_FLAGS = ("call", "destination_style", "view")
STRUCTURE_FLAGS = (
    "constant",
    "function",
    "graph_region",
    "isolated",
    "symbol",
    "symbol_table",
    "terminator",
)
"""Traits that say what an op is in its block or what its regions are, not what it does to memory."""

_PLACE = re.compile(r"operand (?:[0-9]{1,6}|\?)|result [0-9]{1,6}")


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
    """The table as it is shipped; a row is made when it is asked for, since a dump has few of the ops.

    Args:
        entries: the rows as they are written, by full name.
        additions: ops that need more than their definitions say: ``view``, results share operand 0's buffer;
            ``hidden_state``, they read and write what no operand shows.
    """

    def __init__(
        self, entries: Mapping[str, Mapping[str, object]], additions: Mapping[str, Collection[str]]
    ) -> None:
        self._entries = entries
        self._additions = additions
        self._rows: dict[str, OpTraits] = {}

    def __getitem__(self, name: str) -> OpTraits:
        if name not in self._rows:
            row = _row(self._entries[name])
            if name in self._additions["view"]:
                row = replace(row, flags=row.flags | {"view"})
            if name in self._additions["hidden_state"]:
                row = replace(row, effects=frozenset({"read", "write"}))
            self._rows[name] = row
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
    return _Table(table["ops"], table["additions"])


@cache
def listed_dialects() -> frozenset[str]:
    """The dialects of which the table lists ops."""
    return frozenset(name.partition(".")[0] for name in op_traits())


class OpTable:
    """The traits of ops by full name: the shipped table and a project's own rows.

    Args:
        own: the project's rows. Under a full name, a row takes the place of the shipped one; under a shell
            pattern (``my.*``), it tells the effects of ops that no row names. The first pattern that
            matches counts.

    Attributes:
        rows: the rows by full name. Only they say what an op's regions are and whether it is a terminator.

    Example:
        >>> table = OpTable({"my.*": OpTraits(), "my.store": OpTraits(effects=frozenset({"write"}))})
        >>> table.of("my.add").effects, table.of("my.store").effects, table.of("your.add") is UNLISTED
        (frozenset(), frozenset({'write'}), True)
    """

    def __init__(self, own: Mapping[str, OpTraits] | None = None) -> None:
        self._own = own or {}
        self._patterns = {name: row for name, row in self._own.items() if is_pattern(name)}
        named = {name: row for name, row in self._own.items() if name not in self._patterns}
        self.rows: Mapping[str, OpTraits] = {**op_traits(), **named} if named else op_traits()

    def of(self, name: str) -> OpTraits:
        """The row that tells an op's effects; ``UNLISTED`` without one."""
        if (row := self.rows.get(name)) is not None:
            return row
        return next((row for glob, row in self._patterns.items() if fnmatchcase(name, glob)), UNLISTED)

    def may_be_terminator(self, name: str) -> bool:
        """Whether the table calls the op a terminator, or does not know it."""
        row = self.rows.get(name, UNLISTED)
        return row is UNLISTED or "terminator" in row.flags

    @cached_property
    def function_names(self) -> frozenset[str]:
        """The ops that are functions."""
        return frozenset(name for name, row in self.rows.items() if "function" in row.flags)

    def flags(self, name: str) -> frozenset[str]:
        """What an op is by the row under its full name; nothing without one."""
        return self.rows.get(name, UNLISTED).flags

    def is_own(self, name: str) -> bool:
        """Whether a row of the project tells the op's effects."""
        return name in self._own or (name not in self.rows and self.of(name) is not UNLISTED)


def is_pattern(name: str) -> bool:
    """Whether a row stands under a shell pattern instead of an op's full name."""
    return not set("*?[").isdisjoint(name)


def parse_op_traits(name: str, entry: object) -> OpTraits:
    """A row of a project's own table, in the words of the shipped one.

    Args:
        name: an op's full name, or a shell pattern.
        entry: ``effects``, and ``on`` and ``flags`` where there are any.

    Raises:
        ValueError: the row says what no row can say.

    Example:
        >>> parse_op_traits("my.store", {"effects": ["write"], "on": {"operand 1": ["write"]}}).on
        {'operand 1': frozenset({'write'})}
    """
    if "." not in name and not is_pattern(name):
        raise ValueError('expected an op\'s full name in quotes, as in [ops."my.op"]')
    if not isinstance(entry, Mapping):
        raise ValueError('expected a table, as in { effects = "pure" }')
    for word in entry:
        _check_word(word, ("effects", "on", "flags"), "key")
    effects = entry.get("effects")
    if isinstance(effects, str):
        _check_word(effects, EFFECT_WORDS, "effect")
    elif effects is None:
        raise ValueError("'effects' is missing: say what the op does to memory, as in effects = \"pure\"")
    else:
        _check_words(effects, KINDS, "effect")
    _check_places(entry.get("on", {}), effects)
    _check_words(flags := entry.get("flags", []), EFFECT_FLAGS + STRUCTURE_FLAGS, "flag")
    if is_pattern(name) and (structure := [flag for flag in STRUCTURE_FLAGS if flag in flags]):
        raise ValueError(f"flag '{structure[0]}' needs an op's full name instead of a pattern")
    return _row(entry)


def _check_places(on: object, effects: object) -> None:
    """Checks what effects are bound to."""
    if not isinstance(on, Mapping):
        raise ValueError('\'on\' is no table, as in on = { "operand 0" = ["read"] }')
    for place, kinds in on.items():
        if _PLACE.fullmatch(place) is None:
            raise ValueError(f"'{place}' is no place: expected 'operand 0', 'operand ?' or 'result 0'")
        _check_words(kinds, effects if isinstance(effects, list) else (), f"effect on {place}")


def _check_words(words: object, known: Collection[str], what: str) -> None:
    if not isinstance(words, list):
        raise ValueError(f"expected a list of words for '{what}', as in [\"{next(iter(known), 'read')}\"]")
    for word in words:
        _check_word(word, known, what)


def _check_word(word: object, known: Collection[str], what: str) -> None:
    if word in known:
        return
    import difflib  # noqa: PLC0415  (slow to import; needed for a message only)

    close = difflib.get_close_matches(str(word), known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known) or 'none'}"
    raise ValueError(f"unknown {what} '{word}'; {hint}")


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
