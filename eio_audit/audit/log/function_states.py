"""The states of a program's functions in a log, each audited once.

A dump shows the state of its functions. If it is byte for byte equal to the last dump, it shows the same
states and is not read. A function with the same text as in the dump before keeps its audit and is not read
either. The same holds for the text around the functions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

from eio_audit.audit.check.check import audit_dump, audit_keyed
from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.check.keyed_dump import AuditedDump, KeyedDump, SharedWork, read_dump
from eio_audit.audit.log.followed_pairs import LastAudit
from eio_audit.audit.log.program_log import ProgramLog
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.programs.modules import FunctionOrModule, find_places, parts_of
from eio_audit.audit.programs.scope_text import OutsideText, Scope, ShownText
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, FunctionText
from eio_audit.mlir.ir import IR, Fault
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.functions import find_without_order, only_function
from eio_audit.mlir.source import InputError

_INDENTATION = pattern(rb"\n[ \t]+")


class FunctionState(NamedTuple):
    """A function, or a module without its functions and modules, as one dump shows it."""

    # A value that is equal for equal states, whatever their aliases and the text around the function.
    key: bytes
    blocks: tuple[BlockAudit, ...]  # the audits of its blocks that have an op with an index
    indices: frozenset[int]  # the op indices in it, at any depth
    unmatched: frozenset[str]  # the patterns of `--assume-pure` that match none of its ops
    callees: tuple[bytes, ...] = ()  # the keys of the functions whose effects its figures depend on
    text: FunctionText | None = None  # its text; None if it is not a function with a text of its own
    audit: AuditedDump | None = None  # the audit of that text in its dump, if it is out of order
    is_unindexed: bool = False  # whether it has ops that could carry an index, and none carries one
    names: Mapping[str, int] = {}  # how many ops of each name, and itself
    faults: tuple[Fault, ...] = ()  # what is invalid in it, after a pass that failed
    forward_uses: tuple[Fault, ...] = ()  # what may be: uses before definitions in unlisted ops

    @property
    def size(self) -> int:
        """The number of ops in it, at any depth, and itself."""
        return sum(self.names.values())

    def is_shown_by(self, text: FunctionText) -> bool:
        """Return whether a text shows this state."""
        return self.key == text.key if self.text is None else self.text.is_same_as(text)


_NOTHING = FunctionState(b"", (), frozenset(), frozenset())  # the figures of a missing function


@dataclass(frozen=True)
class DumpStates:
    """The states that one dump shows."""

    # Symbol of the function if the dump shows only that; None for a program or a module.
    only_function: str | None
    # Per function or module in it, its state. A module's state excludes those in it.
    parts: Mapping[FunctionOrModule, FunctionState]
    # Per function or module, where it is in the program.
    places: Mapping[FunctionOrModule, Scope] = field(default_factory=dict)
    is_known: bool = False  # whether the dumps before showed the same, or what is around it
    # The functions and modules that it omits though it shows what was around them.
    vanished: Collection[FunctionOrModule] = ()
    # The modules that it shows in another one for the first time, by what they were called so far.
    moved: Mapping[FunctionOrModule, FunctionOrModule] = field(default_factory=dict)

    @cached_property
    def faults(self) -> list[tuple[FunctionOrModule, Fault]]:
        """What is invalid in it, after a pass that failed, each with the function or module."""
        return [(part, fault) for part, state in self.parts.items() for fault in state.faults]

    @cached_property
    def blocks(self) -> tuple[BlockAudit, ...]:
        """The audits of all blocks that have an op with an index. Those of an invalid dump do not count."""
        states = [] if self.faults else self.parts.values()
        return tuple(block for state in states for block in state.blocks)

    @property
    def is_unjudged(self) -> bool:
        """Whether its order cannot be judged: it is invalid, or no op carries an index and some could."""
        return bool(self.faults) or self.is_unindexed

    @cached_property
    def is_unindexed(self) -> bool:
        """Whether it is valid and has ops that could carry an index, and none carries one."""
        return any(state.is_unindexed for state in self.parts.values()) and not (self.blocks or self.faults)


class StateChange(NamedTuple):
    """The change of functions from their known states to those in a dump."""

    changed: bool  # whether one of them differs, is new or has vanished
    differs: bool  # whether that is so, or one has other figures because a function that it calls has changed
    mislabelled: int  # additional wrong indices, function by function
    lost: int  # op indices that they had and that no function has any more


class ProgramStates:
    """The last known states of one program's functions and modules.

    What is read of a dump is shared with the comparison of texts.
    """

    def __init__(self, options: AuditOptions, log: ProgramLog) -> None:
        # Per function or module, its last known state.
        self.functions: dict[FunctionOrModule, FunctionState] = {}
        self.work = SharedWork(0)  # what the audits of its dumps share
        self._options = options
        self._steps = log.steps
        # The last text that was read, and what it shows.
        self._last: tuple[Dump, ShownText, DumpStates] | None = None
        self.places: dict[FunctionOrModule, Scope] = {}  # where these functions and modules are
        self._outside = WeakKeyDictionary[OutsideText, DumpStates]()
        self._states: DumpStates | None = None  # those of another dump with the last text

    def observe(self, dump: Dump, *, is_said_invalid: bool = False) -> DumpStates:
        """Audit the states in a dump that are not known. The known states do not change.

        A use before its definition in an unlisted op is invalid after a pass that failed, if there was none
        before, or the compiler says that it is.

        Raises:
            InputError: the dump cannot be read.
        """
        last = self._last if self._last is not None and dump.has_text_of(self._last[0]) else None
        if last is None or (last[2].faults and not dump.has_failed):
            self._last, self._states = (dump, self._steps.show(dump), self._read(dump)), None
            last = self._last
        states = self._states or self._placed(last[2], last[1])
        if not dump.has_failed:
            return states
        invalid = {
            part: state._replace(faults=state.faults + state.forward_uses)
            for part, state in states.parts.items()
            if is_said_invalid or (part in self.functions and not self.functions[part].forward_uses)
        }
        return replace(states, parts={**states.parts, **invalid})

    def last_audits(self, dump: Dump, functions: Iterable[str | None]) -> list[LastAudit]:
        """Return the audits of functions that are out of order, from the dump that showed them last.

        A function with a text that was audited before is not audited again, unless it was audited alone.
        """
        texts = self._steps.show(dump).divided.functions
        known, others = dict[tuple[int, int], LastAudit](), list[str | None]()
        for function in functions:
            state, text = self.functions.get(function), texts.get(function or "")
            if not state or not state.text or not state.audit or not text or not text.is_equal_to(state.text):
                others.append(function)
            else:
                lines = text.line - state.text.line
                one = LastAudit(dump, [], state.audit, lines)
                known.setdefault((id(state.audit), lines), one).functions.append(function)
        if others:
            audited = audit_dump(dump, self._options, self.work)
            return [*known.values(), LastAudit(dump, others, audited, 0)]
        return [*known.values()]

    def same_in(self, shown: DumpStates) -> set[FunctionOrModule]:
        """Return the functions and modules that a dump shows as they are known."""
        known = self.functions
        return {part for part, state in shown.parts.items() if part in known and known[part].key == state.key}

    def _placed(self, read: DumpStates, shown: ShownText) -> DumpStates:
        """Return the states of a dump where they are in the program, and what it omits of that."""
        root = self._steps.before(shown).root
        found = find_places(read.parts, shown.outline.scopes, root, self.places)
        parts = {name: read.parts[part] for part, name in found.names.items()}
        if read.only_function is not None:
            return DumpStates(read.only_function, parts)
        return DumpStates(None, parts, found.places, root is not None, found.vanished, found.moved)

    def _read(self, dump: Dump) -> DumpStates:
        shown = self._steps.show(dump)
        text = shown.divided

        def read(part: Dump, ir: IR | None = None) -> DumpStates:
            keyed = read_dump(part, self._options, ir, may_be_invalid=dump.has_failed)
            return _grouped(text, audit_keyed(keyed, self.work), self._options)

        if self._options.order_from is not None:  # only whole dumps are matched
            return read(dump)
        try:
            same = {
                symbol: known
                for symbol, function in text.functions.items()
                if (known := self.functions.get(symbol)) and not known.faults and known.is_shown_by(function)
            }
            known_outside = self._outside.get(shown.outside)
            if not text.aliases.are_unique:
                outside = read(dump)
            elif known_outside is not None:
                outside = known_outside
            elif (
                not dump.has_failed
                and (len(text.functions) != 1 or not same)  # what is read is compared, too
                and (around := self._steps.read_without(dump, same)) is not None
            ):
                others = {*around.functions} - text.functions.keys()
                audited = audit_keyed(around, self.work, others)
                outside = _grouped(text, audited, self._options, text.functions)
                self._outside[shown.outside] = outside
            else:
                outside = read(text.outside, shown.ir_outside_functions)
                if dump.has_failed and any(one.faults + one.forward_uses for one in outside.parts.values()):
                    return read(dump)  # the lines of the text around functions are not the file's
                self._outside[shown.outside] = outside
            found = {} if dump.has_failed else self._read_at_once(text, same)
            functions = {**outside.parts}
            for symbol, function in text.functions.items():
                state = found.get(symbol) or self._state(text, function, same.get(symbol))
                if state is None:  # it is no function, though it looks like one
                    return read(dump)
                functions[symbol] = state
        except InputError:  # in a part: the whole tells, with the position
            return read(dump)
        return replace(outside, parts=functions)

    def _read_at_once(self, text: DumpText, same: Collection[str]) -> dict[str, FunctionState]:
        """Read what is compared of a dump. Return the states of its functions but the ``same`` ones.

        The figures of a function with inversions depend on those that it calls, which are read, too.
        """
        wanted = text.functions.keys() - same
        if not wanted:
            return {}
        compared = self._steps.read(text.dump, same)
        keyed: KeyedDump | None = compared.dump
        disordered = {compared.functions[block] for block in compared.dump.keys.disordered_blocks}
        callees = {one: text.reached_from(text.functions[one]) for one in wanted & disordered}
        needed = {callee.symbol for called in callees.values() for callee in called}
        if not needed.isdisjoint(same):
            keyed = self._steps.read_without(text.dump, {*same} - needed)
        if keyed is None:
            return {}  # each function is read alone
        audited = audit_keyed(keyed, self.work.of_functions(), wanted)
        if keyed is compared.dump and disordered <= wanted:
            compared.dump = audited  # the advice on what to change needs the same audit
        found = _states_in(audited, text, wanted)
        for symbol in callees.keys() & found.keys():
            keys = tuple(callee.key for callee in callees[symbol])
            found[symbol] = found[symbol]._replace(callees=keys, audit=audited)
        return found

    def _state(
        self, text: DumpText, function: FunctionText, known: FunctionState | None
    ) -> FunctionState | None:
        """Return the state of a function, which has the text of its ``known`` state, if that is given."""
        callees = text.reached_from(function) if known is None or known.callees else []
        keys = tuple(callee.key for callee in callees)
        if known is not None and known.callees == keys:
            return known
        part, may_be_invalid = text.function_dump(function, callees), text.dump.has_failed
        audited = audit_dump(part, self._options, self.work, may_be_invalid=may_be_invalid)
        state = _states_in(audited, text, [function.symbol]).get(function.symbol)
        return state and state._replace(callees=keys)

    def is_new(self, part: FunctionOrModule, shown: DumpStates) -> bool:
        """Return whether a dump added a function or module: it is unknown, but what is around it is known."""
        return shown.is_known and part is not None and part not in self.functions

    def change(self, shown: DumpStates, parts: Collection[FunctionOrModule]) -> StateChange | None:
        """Return the change of some functions and modules, observed or vanished; None if none was known."""
        known = [part for part in parts if part in self.functions or self.is_new(part, shown)]
        pairs = [(self.functions.get(part), shown.parts.get(part)) for part in known]
        if not pairs:
            return None
        differing = [] if shown.faults else [(old, new) for old, new in pairs if old is not new]
        figures = [(old or _NOTHING, new or _NOTHING) for old, new in differing]
        changed = any(not old or not new or old.key != new.key for old, new in pairs)
        return StateChange(
            changed=changed,
            differs=changed or any(_sum(old, "avoidable") != _sum(new, "avoidable") for old, new in figures),
            mislabelled=sum(max(_sum(n, "wrong_indices") - _sum(o, "wrong_indices"), 0) for o, n in figures),
            lost=self._lost(shown, figures),
        )

    def _lost(self, shown: DumpStates, pairs: Collection[tuple[FunctionState, FunctionState]]) -> int:
        lost = set[int]().union(*(old.indices - new.indices for old, new in pairs))
        if lost:
            after = {**self.functions, **shown.parts}
            lost = lost.difference(
                *(state.indices for part, state in after.items() if part not in shown.vanished)
            )
        return len(lost)

    def remember(self, shown: DumpStates) -> None:
        """Store the states that a dump shows as known."""
        for part in shown.vanished:
            del self.functions[part], self.places[part]
        self.functions.update(shown.parts)
        self.places.update(shown.places)
        self._states = None if shown.faults else replace(shown, is_known=True, vanished=(), moved={})


def _sum(state: FunctionState, figure: str) -> int:
    return sum(getattr(block, figure) for block in state.blocks)


def _indices(audited: AuditedDump, ops: Sequence[int]) -> frozenset[int]:
    return frozenset(index for index in audited.indices.keys(ops) if index is not None)


def _states_in(audited: AuditedDump, text: DumpText, wanted: Collection[str]) -> dict[str, FunctionState]:
    """Return the states of some functions of a text in an audited part of it."""
    ir, ops = audited.ir, range(0)
    figures = dict(zip(audited.blocks, audited.audit.blocks, strict=True))
    found: list[tuple[str, range, list[BlockAudit]]] = []
    for block, symbol in enumerate(audited.functions):
        parent = ir.parent_op(block)
        if symbol is not None and symbol in wanted and parent not in ops:
            ops = range(parent, ir.subtree_end[parent])
            found.append((symbol, ops, []))
        if parent in ops and block in figures:
            found[-1][-1].append(figures[block])
    fixed = set[int]() if all(blocks for *_, blocks in found) else find_without_order(ir)
    times = Counter(symbol for symbol, *_ in found)
    return {
        symbol: FunctionState(
            key=text.functions[symbol].key,
            blocks=tuple(blocks),
            indices=_indices(audited, ops),
            unmatched=frozenset(audited.audit.unmatched),
            text=text.functions[symbol],
            is_unindexed=not blocks and not fixed.issuperset(ops[1:]),
            names=ir.count_names(ops),
            faults=tuple(fault for fault in ir.faults if fault.op in ops or fault.op < 0),
            forward_uses=tuple(fault for fault in ir.forward_uses if fault.op in ops),
        )
        for symbol, ops, blocks in found
        if times[symbol] == 1
    }


def _grouped(
    text: DumpText,
    audited: AuditedDump,
    options: AuditOptions,
    left_out: Collection[str] = (),
) -> DumpStates:
    """Return the states that an audited dump shows, without some functions."""
    ir = audited.ir
    part_of = parts_of(ir, audited.functions)
    ops: dict[FunctionOrModule, list[int]] = defaultdict(list)
    op = 0
    while op < len(ir):
        is_left_out = part_of[op] in left_out  # the op is that function
        if not is_left_out:
            ops[part_of[op]].append(op)
        op = ir.subtree_end[op] if is_left_out else op + 1
    blocks: dict[FunctionOrModule, list[BlockAudit]] = defaultdict(list)
    for number, block in zip(audited.blocks, audited.audit.blocks, strict=True):
        parent = ir.parent_op(number)
        home = part_of[parent] if parent >= 0 else None
        part = block.function if block.function is not None else home
        blocks[part].append(block)
        ops.setdefault(part, [])
    fixed = find_without_order(ir) if audited.audit.is_unindexed else set(range(len(ir)))
    states: dict[FunctionOrModule, FunctionState] = {
        part: FunctionState(
            key=text.aliases.key_of(_as_outermost(b"\n".join(ir.own_texts(members)))),
            blocks=tuple(blocks[part]),
            indices=_indices(audited, members),
            unmatched=frozenset(audited.audit.unmatched),
            is_unindexed=not fixed.issuperset(members),
            names=ir.count_names(members),
            faults=tuple(fault for fault in ir.faults if part_of[fault.op] == part),
            forward_uses=tuple(fault for fault in ir.forward_uses if part_of[fault.op] == part),
        )
        for part, members in ops.items()
    }
    symbol = only_function(ir)
    if symbol is not None and None in states:
        states.setdefault(symbol, states.pop(None))  # a function without a body has no block
    if options.order_from is not None:
        for shared in states.keys() & text.functions.keys():
            function = text.functions[str(shared)]
            states[shared] = states[shared]._replace(key=function.key, text=function)
    return DumpStates(symbol, states)


def _as_outermost(text: bytes) -> bytes:
    """Return the text of a module and its ops as it is printed if no other module is around it."""
    return _INDENTATION.sub(b"\n", text.removeprefix(b"builtin."))
