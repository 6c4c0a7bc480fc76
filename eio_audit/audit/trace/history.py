"""The states that the functions of a program pass through in a log, each audited once.

A dump shows the state of the functions it holds. A dump that is, to the byte, one of the last few shows the
same states, and nothing of it is read. A function that says the same as in the dump before keeps its audit
and is not even read; only its text is compared. So does what is around the functions.

A dump may show a program, or only a module or a function of it. What it cannot show is not gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import TypeAlias

from eio_audit.audit.check.check import AuditedDump, audit_dump
from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.functions import only_function
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.trace.modules import KnownModules, Module, Parts, parts_of
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import InputError

RECENT_DUMPS = 4
"""Dumps of a program whose states are kept: some passes print a module, some a function of it, in turns."""

_INDENTATION = re.compile(rb"\n[ \t]+")


@dataclass(frozen=True, slots=True)
class FunctionState:
    """A function, or a module without its functions and modules, as one dump shows it.

    Attributes:
        key: equal for states that are the same, aliases and what stands around the function apart.
        callees: the keys of the functions whose effects its figures depend on.
        blocks: the audits of its blocks that hold an op with an index.
        indices: the op indices in it, at any depth.
        unmatched: patterns of ops to be taken as pure that match none of its ops.
        shown_as: the text that showed it, and the aliases it may use; None where there is no text of its own.
    """

    key: bytes
    blocks: tuple[BlockAudit, ...]
    indices: frozenset[int]
    unmatched: frozenset[str]
    callees: tuple[bytes, ...] = ()
    shown_as: FunctionText | None = None

    def is_shown_by(self, text: FunctionText) -> bool:
        """Whether a text shows this very state."""
        own = self.shown_as
        if own is not None and own.raw == text.raw and own.aliases.definitions == text.aliases.definitions:
            return True
        return self.key == text.key


Part: TypeAlias = str | int | None
"""The symbol of a function, the number of a module; None for what is in neither."""


@dataclass(frozen=True, slots=True)
class DumpStates:
    """What one dump shows.

    Attributes:
        alone: symbol of the function that it is a dump of; None for a program or a module.
        functions: the functions and modules in it; a module without them.
        homes: by function or module that of the module around it; None for an outermost one.
        modules: the modules, each with its number, in textual order.
        blocks: the audits of all its blocks that hold an op with an index.
        unmatched: patterns of ops to be taken as pure that match none of its ops.
        dump: which.
    """

    alone: str | None
    functions: Mapping[Part, FunctionState]
    homes: Mapping[Part, int | None]
    modules: tuple[tuple[int, Module], ...]
    blocks: tuple[BlockAudit, ...]
    unmatched: frozenset[str]
    dump: Dump

    @property
    def has_no_module(self) -> bool:
        """Whether it shows functions that stand in no module."""
        return self.alone is None and not self.modules

    @property
    def is_named(self) -> bool:
        """Whether the outermost module has a symbol."""
        return bool(self.modules) and self.modules[0][1].label[1] is not None

    def described(self, part: Part, options: AuditOptions) -> tuple[BlockAudit, ...]:
        """The audits of a function's blocks, with the ops out of place: a state goes without these."""
        text = DumpText(self.dump, options.op_table)
        symbol = part if isinstance(part, str) else None
        function = text.functions.get(symbol) if symbol is not None else None
        if function is None or options.order_from is not None:
            blocks = audit_dump(self.dump, options).audit.blocks
            return tuple(block for block in blocks if block.function == symbol)
        return _with_callees(text, function, options).blocks


@dataclass(frozen=True, slots=True)
class StateChange:
    """What happened to functions between what was known of them and what a dump shows.

    Attributes:
        changed: one of them differs, has come or has gone.
        introduced: avoidable inversions that they have more, function by function. What a function that has
            come brings along counts as far as the others have not lost as many: it may have been theirs.
        mislabelled: wrong indices that they have more, function by function.
        lost: op indices that they had and no function has any more.
        grown: the function with most avoidable inversions more; of equals the first.
    """

    changed: bool
    introduced: int
    mislabelled: int
    lost: int
    grown: Part


@dataclass(frozen=True, slots=True)
class _Read:
    """What is read in a dump: as ``DumpStates``, but modules by their place in it."""

    alone: str | None
    functions: Mapping[str | None, FunctionState]
    homes: Mapping[str, int | None]
    modules: tuple[Module, ...]
    module_states: tuple[FunctionState, ...]
    unmatched: frozenset[str]


class _Recent:
    """What was read last, by its text or a key of it; the oldest is forgotten."""

    def __init__(self) -> None:
        self._read: dict[bytes, _Read] = {}

    def get(self, text: bytes, read: Callable[[], _Read]) -> _Read:
        """What is known of a text, or else read now."""
        key = blake2b(text, digest_size=16).digest()
        found = self._read.pop(key, None) or read()
        self._read[key] = found
        if len(self._read) > RECENT_DUMPS:
            del self._read[next(iter(self._read))]
        return found


@dataclass(slots=True)
class History:
    """The last known states of one program's functions and modules.

    Attributes:
        functions: the last known states.
    """

    functions: dict[Part, FunctionState] = field(default_factory=dict)
    _homes: dict[Part, int | None] = field(default_factory=dict)
    _modules: KnownModules = field(default_factory=KnownModules)
    _shows_no_module: bool = False
    _last: tuple[bytes, _Read] | None = None
    _recent: _Recent = field(default_factory=_Recent)
    _recent_around: _Recent = field(default_factory=_Recent)
    _recent_matched: _Recent = field(default_factory=_Recent)

    def states(self, dump: Dump, options: AuditOptions) -> DumpStates:
        """Audits what a dump shows, as far as it is not known; what is known of functions stays as it is.

        Args:
            dump: which.
            options: the same for all dumps of a history.

        Raises:
            InputError: the dump cannot be read.
        """
        if self._last is None or not dump.has_text(self._last[0]):
            text = dump.text
            self._last = text, self._recent.get(text, lambda: self._read(dump, options))
        return self._located(self._last[1], dump)

    def _located(self, read: _Read, dump: Dump) -> DumpStates:
        """What is read, with the modules that are known."""
        numbers = self._modules.identify(read.modules)
        homes: dict[Part, int | None] = {
            symbol: None if place is None else numbers[place] for symbol, place in read.homes.items()
        }
        for module, number in zip(read.modules, numbers, strict=True):
            homes[number] = None if module.parent is None else numbers[module.parent]
        states = (*read.functions.values(), *read.module_states)
        return DumpStates(
            alone=read.alone,
            functions=dict([*read.functions.items(), *zip(numbers, read.module_states, strict=True)]),
            homes=homes if read.alone is None else {},
            modules=tuple(zip(numbers, read.modules, strict=True)),
            blocks=tuple(block for state in states for block in state.blocks),
            unmatched=read.unmatched,
            dump=dump,
        )

    def _read(self, dump: Dump, options: AuditOptions) -> _Read:
        text = DumpText(dump, options.op_table)
        if options.order_from is not None:
            return self._read_matched(text, options)
        try:
            around = self._read_around(text, options)
            functions = {**around.functions}
            for symbol, function in text.functions.items():
                functions[symbol] = self._state(text, function, options)
        except InputError:  # in a part of the dump: the dump as a whole may be sound, or tells the place
            return _grouped(text, audit_dump(dump, options), options)
        return _with_functions(around, functions, options)

    def _read_around(self, text: DumpText, options: AuditOptions) -> _Read:
        """What is around the functions, which are empty in it."""
        if not text.aliases.are_unique:
            return _grouped(text, audit_dump(text.dump, options), options)
        return self._recent_around.get(
            text.around_key, lambda: _grouped(text, audit_dump(text.around, options), options)
        )

    def _read_matched(self, text: DumpText, options: AuditOptions) -> _Read:
        """Where another dump tells the order, all of a dump is matched with it at once, as ``check`` does."""

        def read() -> _Read:
            matched = _grouped(text, audit_dump(text.dump, options, describes_worst=False), options)
            functions = {
                symbol: replace(state, key=text.functions[symbol].key) if symbol in text.functions else state
                for symbol, state in matched.functions.items()
            }
            return replace(matched, functions=functions)

        return self._recent_matched.get(text.key, read)

    def gone(self, shown: DumpStates) -> list[Part]:
        """The known functions and modules that a dump does not show, though it shows what was around them."""
        holders = {part for part in shown.functions if isinstance(part, int)}
        gone: dict[Part, None] = {}
        if shown.alone is not None:
            return []
        while True:
            found = [
                part
                for part, home in self._homes.items()
                if part not in shown.functions
                and part not in gone
                and (home in holders if home is not None else shown.has_no_module and isinstance(part, str))
            ]
            if not found:
                return [*gone]
            gone.update(dict.fromkeys(found))
            holders.update(part for part in found if isinstance(part, int))

    def is_new(self, part: Part, shown: DumpStates) -> bool:
        """Whether a function or module came with a dump: what is around it was known, and it was not."""
        if part in self.functions or part not in shown.homes:
            return False
        home = shown.homes[part]
        if home is None:
            return self._shows_no_module and isinstance(part, str)
        return home in self.functions or self.is_new(home, shown)

    def difference(
        self, shown: DumpStates, parts: Collection[Part], *, may_wrap: bool = False
    ) -> StateChange | None:
        """What happened to some of the functions and modules shown or gone; None where none was known.

        Args:
            shown: what a dump shows.
            parts: which of it.
            may_wrap: the dump is one after a pass, which may have put a module around the outermost one. A
                dump of another kind may just show more of the program.
        """
        pairs = {part: (self.functions.get(part), shown.functions.get(part)) for part in parts}
        pairs = {p: pair for p, pair in pairs.items() if pair[0] is not None or self.is_new(p, shown)}
        if not pairs:
            return None
        growth = {f: _avoidable(new) - _avoidable(old) for f, (old, new) in pairs.items()}
        come = sum(growth[f] for f, (old, _) in pairs.items() if old is None)
        shrunk = -sum(g for g in growth.values() if g < 0)
        is_wrapped = may_wrap and not shown.is_named and any(map(partial(self._is_inside, shown), pairs))
        return StateChange(
            changed=is_wrapped
            or any(old is None or new is None or old.key != new.key for old, new in pairs.values()),
            introduced=sum(g for g in growth.values() if g > 0) - min(come, shrunk),
            mislabelled=sum(max(_wrong_labels(new) - _wrong_labels(old), 0) for old, new in pairs.values()),
            lost=self._lost(shown, pairs),
            grown=max(growth, key=lambda f: growth[f]),
        )

    def _is_inside(self, shown: DumpStates, part: Part) -> bool:
        """Whether a module that was always outermost has another one around it."""
        return (
            isinstance(part, int) and self._homes.get(part, 0) is None and shown.homes.get(part) is not None
        )

    def _lost(self, shown: DumpStates, pairs: Mapping[Part, _Pair]) -> int:
        lost: set[int] = set()
        for old, new in pairs.values():
            if old is not None and old is not new:
                lost |= old.indices - new.indices if new is not None else old.indices
        after = {**self.functions, **shown.functions}
        for part in self.gone(shown) if lost else ():
            del after[part]
        for state in after.values() if lost else ():
            lost -= state.indices
        return len(lost)

    def remember(self, shown: DumpStates) -> None:
        """What a dump shows is known from now on."""
        for part in self.gone(shown):
            del self.functions[part]
            del self._homes[part]
            if isinstance(part, int):
                self._modules.forget(part)
        self.functions.update(shown.functions)
        for part, home in shown.homes.items():
            if home is not None or part not in self._homes:
                self._homes[part] = home
        self._modules.remember(shown.modules)
        self._shows_no_module = self._shows_no_module or shown.has_no_module

    def _state(self, text: DumpText, function: FunctionText, options: AuditOptions) -> FunctionState:
        known = self.functions.get(function.symbol)
        if known is None or not known.is_shown_by(function):
            state = _audited(
                function, audit_dump(text.function_dump(function), options, describes_worst=False)
            )
            is_inverted = any(block.inversions for block in state.blocks)
            calls = is_inverted and text.reached_from(function)
            return _with_callees(text, function, options) if calls else state
        callees = tuple(callee.key for callee in text.reached_from(function)) if known.callees else ()
        return known if known.callees == callees else _with_callees(text, function, options)


_Pair = tuple[FunctionState | None, FunctionState | None]


def _avoidable(state: FunctionState | None) -> int:
    """Inversions that a fix removes; none where there is no function."""
    return sum(block.avoidable for block in state.blocks) if state is not None else 0


def _wrong_labels(state: FunctionState | None) -> int:
    """Indices that contradict the dependences."""
    return sum(block.wrong_labels for block in state.blocks) if state is not None else 0


def _with_callees(text: DumpText, function: FunctionText, options: AuditOptions) -> FunctionState:
    """A function's state, its calls having the effects of the functions they call."""
    callees = text.reached_from(function)
    audited = audit_dump(text.function_dump(function, callees), options)
    return _audited(function, audited, tuple(callee.key for callee in callees))


def _audited(function: FunctionText, audited: AuditedDump, callees: tuple[bytes, ...] = ()) -> FunctionState:
    """The state of the first op of an audited dump, with the blocks in it."""
    ir = audited.ir
    next_line = function.line + function.text.count(b"\n") + 1
    blocks = (b for b in audited.audit.blocks if b.function is not None and b.line < next_line)
    indices = audited.indices.keys(range(ir.subtree_end[0])) if len(ir) else []
    return FunctionState(
        key=function.key,
        blocks=tuple(blocks),
        indices=frozenset(index for index in indices if index is not None),
        unmatched=frozenset(audited.audit.unmatched),
        callees=callees,
        shown_as=function,
    )


def _with_functions(
    around: _Read, functions: dict[str | None, FunctionState], options: AuditOptions
) -> _Read:
    """What is read around functions, and these."""
    states = (*functions.values(), *around.module_states)
    unmatched = frozenset(options.assume_pure).intersection(*(state.unmatched for state in states))
    return replace(around, functions=functions, unmatched=unmatched)


def _grouped(text: DumpText, audited: AuditedDump, options: AuditOptions) -> _Read:
    """What an audited dump shows: all of a dump, or what is around its functions."""
    ir = audited.ir
    parts = parts_of(ir)
    ops: dict[Part, list[int]] = {place: [] for place in range(len(parts.modules))}
    for op, part in enumerate(parts.of_op):
        ops.setdefault(part, []).append(op)
    blocks: dict[Part, list[BlockAudit]] = {}
    home_of_line = _module_lines(ir, parts) if audited.audit.blocks else {}
    for block in audited.audit.blocks:
        part = block.function if block.function is not None else home_of_line.get((block.line, block.block))
        blocks.setdefault(part, []).append(block)
        ops.setdefault(part, [])
    states = {
        part: FunctionState(
            key=text.aliases.key_of(_as_outermost(b"\n".join(ir.own_texts(members)))),
            blocks=tuple(blocks.get(part, ())),
            indices=frozenset(index for index in audited.indices.keys(members) if index is not None),
            unmatched=frozenset(audited.audit.unmatched),
        )
        for part, members in ops.items()
    }
    functions = {part: state for part, state in states.items() if not isinstance(part, int)}
    alone = only_function(ir)
    if alone is not None and None in functions:
        functions.setdefault(alone, functions.pop(None))  # a function without a body is in no block
    read = _Read(
        alone=alone,
        functions={},
        homes=parts.homes,
        modules=parts.modules,
        module_states=tuple(states[place] for place in range(len(parts.modules))),
        unmatched=frozenset(),
    )
    return _with_functions(read, functions, options)


def _as_outermost(text: bytes) -> bytes:
    """A module's text, and that of ops in it, as it is printed where no other module is around it."""
    return _INDENTATION.sub(b"\n", text.removeprefix(b"builtin."))


def _module_lines(ir: IR, parts: Parts) -> dict[tuple[int, str], Part]:
    """By line and name of a block that is in no function, the place of the module around it."""
    lines = {}
    for block in range(ir.block_count):
        parent = ir.parent_op(block)
        if ir.block_ops[block]:
            line = ir.source.line_at(ir.block_offset(block))
            lines[line, ir.block_name(block)] = parts.of_op[parent] if parent >= 0 else None
    return lines
