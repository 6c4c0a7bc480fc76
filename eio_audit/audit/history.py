"""The states that the functions of a program pass through in a log, each audited once.

A dump shows the state of the functions it holds. A dump that is, to the byte, one of the last few shows the
same states, and nothing of it is read. A function that says the same as in the dump before keeps its audit and
is not even read; only its text is compared.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

from eio_audit.audit.check import AuditedDump, audit_dump
from eio_audit.audit.figures import BlockAudit
from eio_audit.audit.functions import functions_around, only_function
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.dumps import Dump
from eio_audit.mlir.functions import DumpText, FunctionText
from eio_audit.mlir.ir import IR
from eio_audit.mlir.source import InputError


RECENT_DUMPS = 4
"""Dumps of a program whose states are kept: passes print a module, and functions of it, in turns."""


@dataclass(frozen=True, slots=True)
class FunctionState:
    """A function as one dump shows it.

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


@dataclass(frozen=True, slots=True)
class DumpStates:
    """What one dump shows.

    Attributes:
        alone: symbol of the function that it is a dump of; None for a program with its functions.
        functions: by symbol, the functions in it; under None what is in no function of a program.
        blocks: the audits of all its blocks that hold an op with an index.
        unmatched: patterns of ops to be taken as pure that match none of its ops.
        dump: which.
    """

    alone: str | None
    functions: Mapping[str | None, FunctionState]
    blocks: tuple[BlockAudit, ...]
    unmatched: frozenset[str]
    dump: Dump

    def described(self, symbol: str | None, options: AuditOptions) -> tuple[BlockAudit, ...]:
        """The audits of a function's blocks, with the ops out of place: a state goes without these."""
        text = DumpText(self.dump, options.op_table)
        function = text.functions.get(symbol) if symbol is not None else None
        if function is None or options.order_from is not None:
            blocks = audit_dump(self.dump, options).audit.blocks
            return tuple(block for block in blocks if block.function == symbol)
        return _with_callees(text, function, options).blocks


@dataclass(frozen=True, slots=True)
class Difference:
    """What happened to functions between what was known of them and what a dump shows.

    Attributes:
        changed: one of them differs, has come or has gone.
        introduced: avoidable inversions that they have more, function by function. What a function that has
            come brings along counts as far as the others have not lost as many: it may have been theirs.
        lost: op indices that they had and no function has any more.
        grown: the function with most avoidable inversions more; of equals the first.
    """

    changed: bool
    introduced: int
    lost: int
    grown: str | None


@dataclass(slots=True)
class History:
    """The last known states of one program's functions.

    Attributes:
        functions: by symbol; under None what is in no function.
        is_complete: a dump of the whole program has been seen, so a function that is not here is new.
    """

    functions: dict[str | None, FunctionState] = field(default_factory=dict)
    is_complete: bool = False
    _matched: tuple[bytes, DumpStates] | None = None
    _recent: dict[bytes, DumpStates] = field(default_factory=dict)

    def states(self, dump: Dump, options: AuditOptions) -> DumpStates:
        """Audits what a dump shows, as far as it is not known; what is known of functions stays as it is.

        Args:
            dump: which.
            options: the same for all dumps of a history.

        Raises:
            InputError: the dump cannot be read.
        """
        digest = blake2b(dump.text, digest_size=16).digest()
        known = self._recent.pop(digest, None)
        states = self._new_states(dump, options) if known is None else replace(known, dump=dump)
        self._recent[digest] = states
        if len(self._recent) > RECENT_DUMPS:
            del self._recent[next(iter(self._recent))]
        return states

    def _new_states(self, dump: Dump, options: AuditOptions) -> DumpStates:
        text = DumpText(dump, options.op_table)
        if options.order_from is not None:
            return self._matched_states(text, options)
        try:
            around = audit_dump(text.around if text.aliases.are_unique else dump, options)
            functions = _grouped(text, around)
            for symbol, function in text.functions.items():
                functions[symbol] = self._state(text, function, options)
        except InputError:  # in a part of the dump: the dump as a whole may be sound, or tells the place
            around = audit_dump(dump, options)
            functions = _grouped(text, around)
        return _shown(text, around.ir, functions, options)

    def _matched_states(self, text: DumpText, options: AuditOptions) -> DumpStates:
        """Where another dump tells the order, all of a dump is matched with it at once, as ``check`` does."""
        if self._matched is None or self._matched[0] != text.key:
            audited = audit_dump(text.dump, options, describes_worst=False)
            functions = _grouped(text, audited)
            for symbol in functions.keys() & text.functions.keys():
                functions[symbol] = replace(functions[symbol], key=text.functions[symbol or ""].key)
            self._matched = text.key, _shown(text, audited.ir, functions, options)
        return replace(self._matched[1], dump=text.dump)

    def gone(self, shown: DumpStates) -> list[str | None]:
        """The known functions that a dump of the whole program does not have any more."""
        if not (self.is_complete and shown.alone is None):
            return []
        return [function for function in self.functions if function not in shown.functions]

    def difference(self, shown: DumpStates, functions: Collection[str | None]) -> Difference | None:
        """What happened to some of the functions shown or gone; None where nothing was known of them."""
        pairs = {f: (self.functions.get(f), shown.functions.get(f)) for f in functions}
        if not self.is_complete:
            pairs = {f: pair for f, pair in pairs.items() if pair[0] is not None}
        if not pairs:
            return None
        growth = {f: _avoidable(new) - _avoidable(old) for f, (old, new) in pairs.items()}
        come = sum(growth[f] for f, (old, _) in pairs.items() if old is None)
        shrunk = -sum(g for g in growth.values() if g < 0)
        return Difference(
            changed=any(old is None or new is None or old.key != new.key for old, new in pairs.values()),
            introduced=sum(g for g in growth.values() if g > 0) - min(come, shrunk),
            lost=self._lost(shown, pairs),
            grown=max(growth, key=lambda f: growth[f]),
        )

    def _lost(self, shown: DumpStates, pairs: Mapping[str | None, _Pair]) -> int:
        lost: set[int] = set()
        for old, new in pairs.values():
            if old is not None and old is not new:
                lost |= old.indices - new.indices if new is not None else old.indices
        after = dict(shown.functions) if shown.alone is None else {**self.functions, **shown.functions}
        for state in after.values() if lost else ():
            lost -= state.indices
        return len(lost)

    def remember(self, shown: DumpStates) -> None:
        """What a dump shows is known from now on."""
        for function in self.gone(shown):
            del self.functions[function]
        self.functions.update(shown.functions)
        self.is_complete = self.is_complete or shown.alone is None

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
    indices = audited.indices.keys(ir.nested_ops(0)) if len(ir) else []
    return FunctionState(
        key=function.key,
        blocks=tuple(blocks),
        indices=frozenset(index for index in indices if index is not None),
        unmatched=frozenset(audited.audit.unmatched),
        callees=callees,
        shown_as=function,
    )


def _shown(
    text: DumpText, ir: IR, functions: dict[str | None, FunctionState], options: AuditOptions
) -> DumpStates:
    """What a dump shows: ``ir`` is it, or what is around its functions."""
    states = functions.values()
    blocks = tuple(block for state in states for block in state.blocks)
    unmatched = frozenset(options.assume_pure).intersection(*(state.unmatched for state in states))
    alone = only_function(ir)
    if alone is not None:
        functions.setdefault(alone, functions.pop(None))  # a function without a body is in no block
    return DumpStates(alone, functions, blocks, unmatched, text.dump)


def _grouped(text: DumpText, audited: AuditedDump) -> dict[str | None, FunctionState]:
    """The states of the functions of an audited dump."""
    ir = audited.ir
    functions = functions_around(ir)
    ops: dict[str | None, list[int]] = {function: [] for function in functions}
    for op in range(len(ir)):
        ops[functions[ir.op_block[op]]].append(op)
    return {
        function: FunctionState(
            key=text.aliases.key_of(b"\n".join(ir.own_texts(members))),
            blocks=tuple(block for block in audited.audit.blocks if block.function == function),
            indices=frozenset(index for index in audited.indices.keys(members) if index is not None),
            unmatched=frozenset(audited.audit.unmatched),
        )
        for function, members in ops.items()
    }
