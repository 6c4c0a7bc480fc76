"""The op table: effects and traits from the definitions of the dialects."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from eio_audit.mlir.pattern import pattern

KINDS = ("read", "write", "alloc", "free")  # kinds of memory effect
EFFECT_WORDS = ("pure", "recursive", "dynamic", "unknown")
"""The effects of an op that are not a list of kinds."""
STATES = ("stack", "environment", "files", "solver", "communication")
"""What ops read and write besides values and memory.

``files`` are also what a program prints to. ``environment`` is the floating-point environment, the default
device, and all that volatile accesses reach.
"""
ANY_NUMBER = sys.maxsize  # no limit to the number of an op's operands
GLOBAL = "global"
"""In the shipped table only: the global that the op's symbol names."""
EVERYTHING = "everything"
"""All memory and all buffers: the place of an effect that is bound to no other place."""
EFFECT_FLAGS = (
    *("allocates", "call", "convergent", "destination_style", "fence", "fresh"),
    *("may_not_return", "may_trap", "may_trap_if_dynamic", "shared"),
)
STRUCTURE_FLAGS = (
    *("constant", "function", "graph_region", "isolated"),
    *("placed", "symbol", "symbol_table", "terminator"),
)
"""Traits about an op's role in its block or about its regions, not about memory."""
FORM_FLAGS = ("aux", "divides", "numbers", "pasted", "recipes", "segments", "statistics", "total", "updates")
"""Of the shipped table only: what an op's text may show, or need not show, beside its row (``forms``)."""
FLAGS = frozenset(EFFECT_FLAGS + STRUCTURE_FLAGS + FORM_FLAGS)
"""The flags of a row. Other words in the files are not used."""
_SAFE_TO_RUN = frozenset(
    ("constant", "function", "may_trap", "symbol", "symbol_table", "terminator", "total")
)
"""An op with one of these flags traps whatever its shapes are, or not at all."""
_MAY_TRAP = frozenset(("convergent", "divides", "may_trap"))
_IDLE_FLAGS = frozenset(("convergent", "fresh", "may_trap", "may_trap_if_dynamic", *FORM_FLAGS))
"""Flags that add no effect on memory."""
_IN_PATTERNS = frozenset("*?[")
_CHANGE_TENSORS = frozenset(("mhlo", "stablehlo", "tt-mlir"))  # their ops may change a tensor in place
_ROW = pattern(r'\n"([^"]+)": (.+)')
_UNKNOWN = '{"effects": "unknown"}'
_PLACE = pattern(
    rf"operand (?:[0-9]{{1,6}}|\?)(?: itself)?|result [0-9]{{1,6}}|{'|'.join(STATES)}|{EVERYTHING}"
)


@dataclass(frozen=True, slots=True)
class OpTraits:
    """One row of the table."""

    effects: frozenset[str] = frozenset()  # kinds of memory effect the op declares
    # By operand or result (`operand 0`, `result 0`, `operand ?`), the kinds of effect on it.
    on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    recursive: bool = False  # the op has the effects of the ops in its regions
    # The op's C++ code decides its effects, so they are unknown. But a destination-style op touches
    # only memref-like operands.
    dynamic: bool = False
    unknown: bool = False  # the op declares nothing and may do anything
    flags: frozenset[str] = frozenset()  # the other traits, among `FLAGS`
    # By condition on the op's attributes (`name = value`, or a word), further effects as in `on`.
    when: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    # The greatest number of operands, `ANY_NUMBER` without a limit. None if it is unknown.
    operands: int | None = field(default=None, compare=False)

    @property
    def is_declaration(self) -> bool:
        """Whether the op and its nested ops do nothing in place, as for a function or a global."""
        return not self.flags.isdisjoint(("function", "symbol", "symbol_table"))

    @property
    def may_do_anything(self) -> bool:
        """Whether the effects of the op are unknown."""
        is_known = not self.unknown and (not self.dynamic or "destination_style" in self.flags)
        return not is_known and not self.is_declaration

    @property
    def is_harmless(self) -> bool:
        """Whether the op itself, without its regions, touches nothing that another op may change."""
        if self.is_declaration:
            return True
        touches = self.unknown or self.dynamic or self.when or self.effects - {"alloc"}
        return not (touches or self.flags & {"fence", "may_not_return"} or any(p in STATES for p in self.on))

    @property
    def only_frees(self) -> bool:
        """Whether the op does nothing but free its operands, as ``memref.dealloc`` does."""
        is_certain = not (self.recursive or self.dynamic or self.unknown or self.flags - _IDLE_FLAGS)
        bound = [item for on in (self.on, *self.when.values()) for item in on.items()]
        is_about_values = all(kinds == {"free"} and place not in STATES for place, kinds in bound)
        return is_certain and is_about_values and self.effects == {"free"}

    @property
    def may_trap(self) -> bool:
        """Whether executing the op where it was not executed before may be undefined."""
        touches = self.dynamic or self.effects - {"alloc"} or self.flags & _MAY_TRAP
        return not self.is_declaration and bool(touches)


UNLISTED = OpTraits(unknown=True)
"""The traits of an op that the table does not list. It may do anything."""


class _Table(Mapping[str, OpTraits]):
    """The shipped table. A row is made on first use, since a dump has only some of the ops.

    The effects of a reading replace those of the definition. Its flags are added. A reading under a full name
    has precedence over one under a pattern. An op may trap if a shape is known only at run time, unless its
    row says that it is total or leaves that to the ops in its regions.
    """

    def __init__(self, defined: Mapping[str, dict[str, str]], readings: Sequence[Mapping[str, Any]]) -> None:
        self._defined: dict[str, str] = {}  # the rows as written; of several sources, the first counts
        for rows in reversed([*defined.values()]):
            self._defined |= rows
        self._readings: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        self._patterns: dict[str, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
        for name, row in ((name, reading["row"]) for reading in readings for name in reading["ops"]):
            if is_pattern(name):
                self._patterns[name.partition(".")[0]].append((name, row))
            else:
                self._readings[name].append(row)
        self._rows: dict[str, OpTraits | None] = {}  # those made so far; None for a name without one

    def get(self, name: str, default: Any = None) -> Any:
        """Return the row of a name, or the default if it has none."""
        if name not in self._rows:
            is_listed = name in self._readings or name in self._defined
            self._rows[name] = _row(self._entry(name)) if is_listed else None
        row = self._rows[name]
        return default if row is None else row

    def __getitem__(self, name: str) -> OpTraits:
        row: OpTraits | None = self.get(name)
        if row is None:
            raise KeyError(name)
        return row

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter({**self._defined, **self._readings})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _entry(self, name: str) -> Mapping[str, Any]:
        """Return the row as written, with our own readings."""
        entry: dict[str, Any] = json.loads(self._defined.get(name, _UNKNOWN).rstrip(","))
        patterns = self._patterns.get(name.partition(".")[0], ())
        general = [row for pattern, row in patterns if fnmatchcase(name, pattern)]
        flags = set(entry.get("flags", ()))
        for row in [*general, *self._readings.get(name, ())]:
            if "effects" in row:
                entry |= {"effects": row["effects"], "on": row.get("on", {})}
            if "operands" in row:
                entry |= {"operands": row["operands"]}
            entry |= {"when": {**entry.get("when", {}), **row.get("when", {})}}
            flags |= set(row.get("flags", ()))
            # A definition may promise a fresh result that is a view, or an operand, all the same.
            flags -= set() if {"updates", "view"}.isdisjoint(row.get("flags", ())) else {"fresh"}
        if entry["effects"] != "recursive" and flags.isdisjoint(_SAFE_TO_RUN):
            flags.add("may_trap_if_dynamic")
        return entry | {"flags": flags & FLAGS}


@cache
def _defined() -> dict[str, dict[str, str]]:
    """Return the rows of ``op_traits.json`` as written, one on each line, by source and full name.

    A run needs a few dozen of its 5,000 rows, and parsing them all takes as long as reading a small dump.
    """
    text = (Path(__file__).parent / "op_traits.json").read_text("utf-8")
    parts = text.split('": {\n')
    sources = [part.rpartition('"')[2] for part in parts]
    return {source: dict(_ROW.findall("\n" + rows)) for source, rows in zip(sources, parts[1:], strict=False)}


@cache
def _own() -> Any:
    return json.loads((Path(__file__).parent / "own_traits.json").read_bytes())


@cache
def op_traits() -> Mapping[str, OpTraits]:
    """Return the shipped table, from full op name (``"ttir.permute"``) to traits.

    Source: the op definitions (ODS) of MLIR and nine other compilers in ``op_traits.json``, which gives their
    revisions. ``own_traits.json`` adds what only their descriptions state, each with its reason.
    """
    return _Table(_defined(), _own()["readings"])


@cache
def op_of_callee(callee: str) -> str | None:
    """Return the op of ``ttnn`` for which tt-mlir prints a call of this function, with dots for ``::``.

    >>> op_of_callee("ttnn.relu"), op_of_callee("ttnn.transformer.concatenate_heads")
    ('ttnn.relu', 'ttnn.concatenate_heads')
    >>> op_of_callee("arith.addf") is op_of_callee("ttnn.unheard_of") is None
    True
    """
    others: Mapping[str, str] = _own()["callees"]
    name = others.get(callee, callee)
    return name if name.startswith("ttnn.") and name in op_traits() else None


@cache
def onnx_functions() -> frozenset[str]:
    """Return the operators of the ONNX standard that do no more than to compute their results."""
    return frozenset(_own()["onnx"])


@cache
def types_of_kind(kind: str) -> frozenset[str]:
    """Return the dialect types of a kind: ``plain``, ``content`` of a buffer, or ``address`` of memory."""
    entries = _own()["types"]
    return frozenset(name for entry in entries if entry["kind"] == kind for name in entry["types"])


@cache
def listed_dialects() -> frozenset[str]:
    """Return the dialects with ops in the table."""
    return frozenset(name.partition(".")[0] for name in op_traits())


class OpTable:
    """The traits of ops by full name: the shipped table and a project's own rows.

    An own row under a full name replaces the shipped row. An own row under a shell pattern (``my.*``) gives
    the effects of ops that no row names. The first matching pattern counts.

    >>> table = OpTable({"my.*": OpTraits(), "my.store": OpTraits(effects=frozenset({"write"}))})
    >>> table.of("my.add").effects, table.of("my.store").effects, table.of("your.add") is UNLISTED
    (frozenset(), frozenset({'write'}), True)
    """

    def __init__(self, own: Mapping[str, OpTraits] | None = None) -> None:
        self._own = own or {}
        self._patterns = {name: row for name, row in self._own.items() if is_pattern(name)}
        named = {name: row for name, row in self._own.items() if name not in self._patterns}
        # The rows by full name. Only these say what an op's regions are and whether it is a
        # terminator.
        self.rows: Mapping[str, OpTraits] = {**op_traits(), **named} if named else op_traits()

    def of(self, name: str) -> OpTraits:
        """Return the row with an op's effects, or ``UNLISTED``."""
        if (row := self.rows.get(name)) is not None:
            return row
        return next((row for glob, row in self._patterns.items() if fnmatchcase(name, glob)), UNLISTED)

    def keeps_values(self, name: str) -> bool:
        """Whether tensors are values to the op, which has no row of a project.

        In the dialects of tt-mlir they are none. Custom calls of StableHLO and MHLO, and calls of EmitC, may
        change the tensors of a device.
        """
        sources = _defined().items()
        has_values = any(name in ops for source, ops in sources if source not in _CHANGE_TENSORS)
        return has_values and name not in self._own and not name.startswith("emitc.")

    def may_be_terminator(self, name: str) -> bool:
        """Whether the op is a terminator in the table, or unlisted."""
        row = self.rows.get(name, UNLISTED)
        return row is UNLISTED or "terminator" in row.flags

    @cached_property
    def function_names(self) -> frozenset[str]:
        """The names of the ops that are functions. No shipped row is made for it, since that takes long."""
        rows = (item for rows in _defined().values() for item in rows.items())
        shipped = {name for name, row in rows if '"function"' in row}
        own = {name for name, row in self._own.items() if "function" in row.flags}
        return frozenset(shipped - self._own.keys() | own)

    def flags(self, name: str) -> frozenset[str]:
        """Return the flags of the row under an op's full name. Empty without one."""
        return self.rows.get(name, UNLISTED).flags

    def is_own(self, name: str) -> bool:
        """Whether the op's effects come from a row of the project."""
        return name in self._own or (name not in self.rows and self.of(name) is not UNLISTED)


def is_pattern(name: str) -> bool:
    """Whether a row's name is a shell pattern, not an op's full name."""
    return not _IN_PATTERNS.isdisjoint(name)


def parse_op_traits(name: str, entry: object) -> OpTraits:
    """Parse a row of a project's own table. ``name`` is an op's full name or a shell pattern.

    Raises:
        ValueError: the row is invalid.

    >>> parse_op_traits("my.store", {"effects": ["write"], "on": {"operand 1": ["write"]}}).on
    {'operand 1': frozenset({'write'})}
    """
    if "." not in name and not is_pattern(name):
        raise ValueError('expected an op\'s full name in quotes, as in [ops."my.op"]')
    if not isinstance(entry, Mapping):
        raise ValueError('expected a table, as in { effects = "pure" }')
    for word in entry:
        _check_word(word, ("effects", "on", "flags", "when"), "key")
    effects = entry.get("effects")
    if isinstance(effects, str):
        _check_word(effects, EFFECT_WORDS, "effect")
    elif effects is None:
        raise ValueError("'effects' is missing: add what the op does to memory, as in effects = \"pure\"")
    else:
        _check_words(effects, KINDS, "effect")
    _check_places(entry.get("on", {}), effects if isinstance(effects, list) else ())
    if not isinstance(when := entry.get("when", {}), Mapping):
        example = 'when = { "in_place = true" = { "operand 0" = ["write"] } }'
        raise ValueError(f"expected a table for 'when', as in {example}")
    for on in when.values():
        _check_places(on, KINDS)
    _check_words(flags := entry.get("flags", []), EFFECT_FLAGS + STRUCTURE_FLAGS, "flag")
    if is_pattern(name) and (structure := [flag for flag in STRUCTURE_FLAGS if flag in flags]):
        raise ValueError(f"flag '{structure[0]}' needs an op's full name instead of a pattern")
    return _row(entry)


def _check_places(on: object, effects: Collection[str]) -> None:
    if not isinstance(on, Mapping):
        raise ValueError('expected a table for \'on\', as in on = { "operand 0" = ["read"] }')
    for place, kinds in on.items():
        if _PLACE.fullmatch(place) is None:
            raise ValueError(f"expected 'operand 0', 'operand ?' or 'result 0', not '{place}'")
        _check_words(kinds, effects, f"effect on {place}")


def _check_words(words: object, known: Collection[str], what: str) -> None:
    if not isinstance(words, list):
        raise ValueError(f"expected a list of words for '{what}', as in [\"{next(iter(known), 'read')}\"]")
    for word in words:
        _check_word(word, known, what)


def _check_word(word: object, known: Collection[str], what: str) -> None:
    if word in known:
        return
    import difflib

    close = difflib.get_close_matches(str(word), known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(known) or 'none'}"
    raise ValueError(f"unknown {what} '{word}'; {hint}")


def _row(entry: Mapping[str, Any]) -> OpTraits:
    effects, flags = entry["effects"], frozenset(entry.get("flags", ()))
    return OpTraits(
        effects=frozenset(effects) if isinstance(effects, list) else frozenset(),
        on=_kinds_by_place(entry.get("on", {})),
        recursive=effects == "recursive",
        dynamic=effects == "dynamic",
        unknown=effects == "unknown",
        flags=flags | {"updates"} if "destination_style" in flags else flags,
        when={condition: _kinds_by_place(on) for condition, on in entry.get("when", {}).items()},
        operands=ANY_NUMBER if entry.get("operands") == "any" else entry.get("operands"),
    )


def _kinds_by_place(on: Mapping[str, Collection[str]]) -> dict[str, frozenset[str]]:
    return {place: frozenset(kinds) for place, kinds in on.items()}
