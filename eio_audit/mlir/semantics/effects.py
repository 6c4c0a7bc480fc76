"""What the operations of a dump touch: the effects that keep them in order.

An op keeps its order unless it is proven harmless. An op touches *resources*:

- a buffer: the content of a tensor and of all values that may share it (``Buffers``);
- the handle of one value: an op that frees it leaves the buffer to other values that share it;
- ``MEMORY``: all that addresses point to, memrefs and pointers alike;
- an *allocation*: the memory of one ``memref.alloc`` or stack allocation. It is a part of ``MEMORY``. One of
  the ``ACCESSES`` through the result of the allocation, or through a view of it, touches nothing else. All
  that arguments of functions point to is like one more allocation: no allocation of the function is there;
- a *global*: the memory or the value that a symbol names. It is a part of what arguments point to;
- an *element* of one of these: a load or a store at constant indices in the bounds of a memref without layout
  touches nothing else, if the dump has no globals and no other argument of the function is accessed;
- ``EVERYTHING``: all memory and all buffers, for an effect that is bound to no value;
- a *state* of the machine that is not a value, such as the stack or files (``STATES``);
- ``CONTROL``: an op that may trap reads it, an op that may not return writes it.

Two ops keep their order if they touch one resource and one of them writes or frees it. An op that the table
does not list touches everything and every state, and its operands are in memory from then on. So does a
symbol in a region that no row describes, where the order of symbols may mean something. A *fence* is an op
that no other op of its block may cross.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import chain, compress
from math import prod

from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.semantics.accesses import (
    ACCESSES,
    GET_GLOBAL,
    Places,
    Touch,
    destinations,
    elements,
    source,
)
from eio_audit.mlir.semantics.calls import OUTSIDE, Calls, called_ops, described_operators
from eio_audit.mlir.semantics.forms import Forms, is_newest_allocation, ops_with_places, pastes_text
from eio_audit.mlir.semantics.resources import (
    CHANGES,
    MEMORY,
    Buffers,
    Resource,
    Touches,
    handle,
    operands_at,
)
from eio_audit.mlir.semantics.value_types import DynamicShapes, cannot_trap, extents_of
from eio_audit.mlir.tokens import COMMENT, STRING, SYMBOL, closing_end, symbol_of
from eio_audit.mlir.traits import EVERYTHING, GLOBAL, STATES, UNLISTED, OpTraits

_OUTSIDE = -1  # what arguments and globals may be
_NAME_OF_GLOBAL = pattern(
    rb"(?P<symbol>" + SYMBOL + rb")|\bname\s*=\s*(?P<name>" + STRING + rb")|" + STRING + rb"|" + COMMENT
)
CONTROL = "control"  # whether execution continues
ANY = frozenset({"read", "write", "free"})  # every kind of effect that keeps ops in order
_READ, _READ_WRITE = frozenset({"read"}), frozenset({"read", "write"})
_ATTRIBUTE_WORD = pattern(rb"[\w$.-]+|[=,\"]")
_INSIDE = pattern(rb"(?:=\s*|[\w$.-])[<{\[(]")  # the bracket of an attribute's value or of a type
_HEXADECIMAL = pattern(rb"\b0x[0-9a-fA-F]+\Z")
_ALIAS = pattern(rb"(?<![\w$.-])#[\w$-]+(?![\w$.<-])")
NOTHING: Touches = {}
ANYTHING: Touches = {EVERYTHING: ANY, **dict.fromkeys((CONTROL, *STATES), _READ_WRITE)}
NOT_RETURNING: Touches = {CONTROL: _READ_WRITE, EVERYTHING: _READ}
"""Of an op that may not return: earlier ops must have written, and may have trapped."""
_ASSUMED = OpTraits(flags=frozenset({"fresh"}))


class EffectSource(StrEnum):
    """How the effects of an op are known. UNKNOWN and UNLISTED ops may do anything."""

    LISTED = "listed"
    CONFIGURED = "configured"
    CONTENTS = "contents"
    CALLEE = "callee"
    UNKNOWN = "unknown"
    UNLISTED = "unlisted"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of one op, including its regions. Kinds are ``read``, ``write``, ``free``."""

    anywhere: frozenset[str] = frozenset()  # effects on all memory, tensors included
    memory: frozenset[str] = frozenset()  # effects on what memrefs and pointers point to
    tensors: frozenset[str] = frozenset()  # effects on the buffers of tensors
    # Effects on each of `STATES`, and on `CONTROL`.
    states: Mapping[str, frozenset[str]] = field(default_factory=dict)


class EffectTable:
    """What every op of one dump touches.

    An op whose full name matches a shell pattern (``my.*``) of ``assume_pure`` is assumed to do nothing. The
    ops in its regions still count.

    Attributes:
        fences: the ops that no other op of their block may cross.

    Complexity: almost linear in ops, operands and values.
    """

    def __init__(self, ir: IR, assume_pure: Sequence[str] = ()) -> None:
        self._ir = ir
        self._assumed = [next((p for p in assume_pure if fnmatchcase(name, p)), None) for name in ir.names]
        self._listed = [ir.op_table.of(name) for name in ir.names]
        self._rows = [
            _ASSUMED if pattern is not None else row
            for row, pattern in zip(self._listed, self._assumed, strict=True)
        ]
        self._row_of: Sequence[int] = ir.op_name
        self._row_names = list(ir.names)
        self._add_rows_of_texts(assume_pure)
        self._accesses = [ACCESSES.fullmatch(name) is not None for name in self._row_names]
        self._allocates = ["allocates" in row.flags for row in self._rows]
        self.fences = set(ir.undefined_names)  # what such a name means is unknown
        # By full name, how often an op occurs that may do anything.
        self.unknown_ops: Counter[str] = Counter()
        # By pattern, how many ops are assumed to do nothing that otherwise would do something.
        self.assumed_pure: Counter[str] = Counter()
        self._globals: dict[str, int] = {}
        self._gotten: dict[int, Resource] = {}  # by op that returns the address of a global, where that is
        self._own: dict[int, Touches] = {}
        self._reads: dict[int, set[Resource]] = {}
        self._summaries: dict[int, tuple[Touches, frozenset[str], bool]] = {}
        for number, (key, row) in enumerate(zip(self._assumed, self._listed, strict=True)):
            if key is not None and not row.is_harmless:
                self.assumed_pure[key] += ir.op_name.count(number)
        shipped = [
            None if pattern is not None or ir.op_table.is_own(name) else row
            for name, pattern, row in zip(ir.names, self._assumed, self._listed, strict=False)
        ]
        self._forms = Forms(ir, shipped)
        has_rows = all(name in ir.op_table.rows for name in ir.names)
        is_harmless = has_rows and all(row.is_harmless for row in self._rows)
        if self._forms.others or not is_harmless or any(self._loops()):
            self._fill()

    def _add_rows_of_texts(self, assume_pure: Sequence[str]) -> None:
        """Add the rows of ops whose text tells what they do, behind those of the names of ops."""
        ir, described = self._ir, called_ops(self._ir, assume_pure)
        described |= {op: (ir.name(op), row) for op, row in described_operators(ir, assume_pure)}
        if not described:
            return
        self._row_of = array(ir.op_name.typecode, ir.op_name)
        numbers: dict[tuple[str, int], int] = {}
        for op, (name, row) in described.items():
            if (name, id(row)) not in numbers:
                numbers[name, id(row)] = len(self._rows)
                self._row_names.append(name)
                self._listed.append(row)
                self._rows.append(row)
                self._assumed.append(None)
            self._row_of[op] = numbers[name, id(row)]

    def touching_ops(self) -> list[int]:
        """Return the ops that touch anything, in ascending order."""
        return sorted(self._own.keys() | self._reads.keys())

    def touches(self, op: int) -> Touches:
        """Return what an op itself touches, without its regions. The buffers of its operands count."""
        touches = dict(self._own.get(op, NOTHING))
        for resource in self._reads.get(op, ()):
            _add(touches, resource, _READ)
        return touches

    def of(self, op: int) -> Effects:
        """Return the effects of the op and of the ops nested in it."""
        total: dict[Resource, frozenset[str]] = {}
        for inner in self._executed_with(op):
            for resource, kinds in self._own.get(inner, NOTHING).items():
                _add(total, resource, kinds)
        none = frozenset[str]()
        tensors = [kinds for one, kinds in total.items() if isinstance(one, int)]
        memory = [kinds for one, kinds in total.items() if isinstance(one, tuple) or one == MEMORY]
        states = {state: total[state] for state in (*STATES, CONTROL) if state in total}
        return Effects(total.get(EVERYTHING, none), none.union(*memory), none.union(*tensors), states)

    def certain_touches(self, op: int) -> Iterator[Touch]:
        """Yield what the op and the ops nested in it touch for certain, by rows that list their effects."""
        listed = (EffectSource.LISTED, EffectSource.CONFIGURED)
        for inner in self._executed_with(op):
            if inner in self._own and self.source_of(inner) in listed:
                yield from self._certain(inner, self._rows[self._row_of[inner]])

    def _certain(self, op: int, row: OpTraits) -> Iterator[Touch]:
        if row.dynamic:  # it touches its memrefs: a destination-style op changes the last
            memrefs = list(filter(self._buffers.is_address, self._ir.operands_of(op)))
            is_read = self._ir.name(op) == "vector.transfer_read"
            changed = memrefs[-1:] if "destination_style" in row.flags and not is_read else []
            for value in memrefs if changed or is_read else ():
                yield self._places_of.touch(op, value, changes=value in changed, is_address=True)
        for where, kinds in chain.from_iterable(on.items() for on in self._on(op)):
            changes = not kinds.isdisjoint(CHANGES)
            if where in STATES:
                yield Touch(where, changes, where)
            elif where.startswith("operand") and kinds & ANY:
                operands = operands_at(self._ir, op, where)
                stored = [value for value in operands if self._buffers.resource(value) is not None]
                if len(stored) == 1:  # it is certain which operand the row means
                    is_address = self._buffers.is_address(stored[0])
                    yield self._places_of.touch(op, stored[0], changes=changes, is_address=is_address)

    @cached_property
    def _places_of(self) -> Places:
        return Places(self._ir, self._is_pure)

    def _is_pure(self, op: int) -> bool:
        row = self._rows[self._row_of[op]]
        return row.is_harmless and not row.effects and op not in self._ir.regions_of

    def source_of(self, op: int) -> EffectSource:
        """Return how the op's effects are known."""
        number = self._row_of[op]
        row = self._listed[number]
        if self._assumed[number] is not None and not row.is_harmless:
            return EffectSource.ASSUMED
        if row is UNLISTED:
            return EffectSource.UNLISTED
        if op in self._calls.callee:
            return EffectSource.CALLEE
        if row.is_declaration or row.recursive:
            return EffectSource.CONTENTS
        if row.may_do_anything or op in self._forms.others:
            return EffectSource.UNKNOWN
        is_own = self._ir.op_table.is_own(self._row_names[number])
        return EffectSource.CONFIGURED if is_own else EffectSource.LISTED

    @cached_property
    def _calls(self) -> Calls:
        return Calls(self._ir)

    @cached_property
    def _buffers(self) -> Buffers:
        return Buffers(self._ir, self._row_of, self._rows, self._calls, self._is_unknown, self._on)

    def _is_unknown(self, op: int) -> bool:
        may_do_anything = self._rows[self._row_of[op]].may_do_anything or op in self._forms.others
        return may_do_anything and op not in self._calls.callee

    def _fill(self) -> None:
        ir, callee = self._ir, self._calls.callee
        is_acting = [not row.is_harmless or "call" in row.flags for row in self._rows]
        others = self._forms.others
        for op, name in enumerate(self._row_of):
            if (is_acting[name] or op in others) and op not in callee:
                self._note(op, self._own_touches(op, self._rows[name]))
        self._add_symbols()
        for op in ops_with_places(ir):
            if is_newest_allocation(ir, op):
                self._note(op, {"stack": _READ_WRITE})
        self._add_control()
        self._add_reads({MEMORY})  # before the calls, whose summaries count what their callees do there
        self._add_updates()
        for call in chain.from_iterable(self._calls.by_function.values()):
            if call in callee and is_acting[ir.op_name[call]]:
                self._note(call, self._call_touches(call, callee[call]))
        changed = {
            resource
            for touches in self._own.values()
            for resource, kinds in touches.items()
            if isinstance(resource, int) and kinds & CHANGES
        }
        if changed:
            self._add_reads(changed)

    def _note(self, op: int, touches: Touches) -> None:
        if touches:
            self._own[op] = _joined(self._own[op], touches) if op in self._own else touches

    def _add_symbols(self) -> None:
        """Let symbols keep their order where it may mean something: in an op whose regions no row describes.

        A row under a pattern describes the effects of an op, but not its regions.
        """
        ir = self._ir
        for block, ops in enumerate(ir.block_ops):
            parent = ir.parent_op(block)
            if parent >= 0 and ir.name(parent) not in ir.op_table.rows:
                for op in ops:
                    if self._listed[ir.op_name[op]].is_declaration:
                        self._note(op, ANYTHING)

    def _add_control(self) -> None:
        """Add touches of ``CONTROL`` by loops and, if any op may not return, by the ops that may trap."""
        ir = self._ir
        for op in self._loops():
            self._note(op, NOT_RETURNING)
        functions = (function for function in self._calls.by_function if function != OUTSIDE)
        if not any(CONTROL in touches for touches in self._own.values()) and not any(
            self._may_loop(ir.regions_of.get(function, ())) for function in functions
        ):
            return
        may_trap = [row.may_trap for row in self._rows]
        if_dynamic = ["may_trap_if_dynamic" in row.flags for row in self._rows]
        shapes = DynamicShapes(ir)
        for op, name in enumerate(self._row_of):
            may = may_trap[name] or (if_dynamic[name] and shapes.shown_by(op))
            if may and not cannot_trap(ir, op, shapes):
                self._note(op, {CONTROL: _READ})

    def _loops(self) -> Iterator[int]:
        """Yield the ops, other than functions, that control flow may not leave."""
        for op, regions in self._ir.regions_of.items():
            if not self._rows[self._ir.op_name[op]].is_declaration and self._may_loop(regions):
                yield op

    def _may_loop(self, regions: Iterable[int]) -> bool:
        """Whether a region has several blocks, so that control flow may loop forever."""
        return any(len(self._ir.region_blocks[region]) > 1 for region in regions)

    def _add_reads(self, resources: Container[int | str]) -> None:
        ir, contents = self._ir, self._buffers.contents(resources)
        if not contents:
            return
        starts = ir.operand_start
        for op in range(len(ir)):
            for value in ir.operands[starts[op] : starts[op + 1]]:
                if value in contents:
                    self._reads.setdefault(op, set()).update(contents[value])
        for op, values in ir.late_operands.items():
            self._reads.setdefault(op, set()).update(*(contents[v] for v in values if v in contents))

    def _add_updates(self) -> None:
        """Let an op that gives a tensor in memory other elements write that memory, as bufferization does."""
        for op in self._reads:
            if "updates" in self._rows[self._row_of[op]].flags:
                self._note(op, {MEMORY: _READ_WRITE})

    def _own_touches(self, op: int, row: OpTraits) -> Touches:
        """Return what an op itself touches, unless it calls a function of the dump."""
        if "fence" in row.flags or (row is UNLISTED and pastes_text(self._ir.name(op))):
            self.fences.add(op)
        if self._is_unknown(op):
            self.unknown_ops[self._ir.name(op)] += 1
            return ANYTHING
        touches: dict[Resource, frozenset[str]] = {}
        written = destinations(self._ir, op) if row.dynamic else ()
        for value in filter(self._buffers.is_address, self._ir.operands_of(op)) if row.dynamic else ():
            for resource in self._places(op, value):
                _add(touches, resource, _READ_WRITE if value in written else _READ)
        bound: frozenset[str] = frozenset().union(*row.on.values())
        unbound = (row.effects - bound) & ANY
        if unbound & CHANGES:  # name the buffers, too: so ``_fill`` adds the reads of what has changed
            for resource in self._resources(op, "operand ?"):
                _add(touches, resource, unbound)
        _add(touches, EVERYTHING, unbound)
        for on in self._on(op):
            self._add_bound(touches, op, on)
        if "aux" in row.flags and self._forms.may_be_volatile(op):
            _add(touches, "environment", _READ_WRITE)
        for value in self._forms.written_statistics(op) if "statistics" in row.flags else ():
            for statistic in self._places(op, value):
                _add(touches, statistic, _READ_WRITE)
        if "may_not_return" in row.flags:
            touches = _joined(touches, NOT_RETURNING)
        return touches

    def _on(self, op: int) -> list[Mapping[str, frozenset[str]]]:
        """Return the effects on places that the op's row gives, also those under a condition that holds."""
        row = self._rows[self._row_of[op]]
        attributes = self._attributes(op) if row.when else None
        holds = [attributes is None or condition_holds(condition, attributes) for condition in row.when]
        return [row.on, *compress(row.when.values(), holds)]

    def _add_bound(
        self, touches: dict[Resource, frozenset[str]], op: int, on: Mapping[str, frozenset[str]]
    ) -> None:
        for where, kinds in on.items():
            if where in STATES:
                _add(touches, where, frozenset("read" if kind == "alloc" else kind for kind in kinds))
            elif where == EVERYTHING:
                _add(touches, EVERYTHING, kinds & ANY)
            elif where == GLOBAL:
                _add(touches, self._global(op), kinds & ANY)
            elif where.endswith(" itself"):
                for value in operands_at(self._ir, op, where.removesuffix(" itself")):
                    _add(touches, handle(value), kinds & ANY)
            elif kinds & ANY:
                for resource in self._resources(op, where):
                    _add(touches, resource, kinds & ANY)

    def _resources(self, op: int, where: str) -> list[Resource]:
        """Return where the content of an operand or result is. A plain value counts as an address."""
        values = (
            self._ir.result_values(op) if where.startswith("result") else operands_at(self._ir, op, where)
        )
        found = chain.from_iterable(self._places(op, value) for value in values)
        return list(dict.fromkeys(found)) or [MEMORY]

    def _places(self, op: int, value: int) -> list[Resource]:
        """Return where the content of an operand or result of an op is. Nowhere for a plain value."""
        ir, resource = self._ir, self._buffers.resource(value)
        if resource is None or resource != MEMORY or not self._accesses[ir.op_name[op]]:
            return [] if resource is None else [resource]
        whole = source(ir, value)
        owner, indices = ir.value_owner[whole], elements(ir, op) if whole == value else ()
        if whole in self._arguments:
            indices = indices if self._arguments[whole] else ()
            return [(_OUTSIDE, *index) for index in indices] or [(_OUTSIDE,)]
        if owner >= 0 and self._allocates[ir.op_name[owner]]:
            return [(whole, *index) for index in indices] or [(whole,)]
        is_global = owner >= 0 and ir.name(owner) == GET_GLOBAL
        return [self._memory_of_global(owner) if is_global else MEMORY]

    def _memory_of_global(self, op: int) -> Resource:
        """Return where a global is, given an op that returns its address. Many accesses may use one."""
        if op not in self._gotten:
            has_elements = prod(extents_of(self._ir, op, 0) or ()) > 1
            self._gotten[op] = self._global(op) if has_elements else MEMORY
        return self._gotten[op]

    def _global(self, op: int) -> Resource:
        """Return the global that the op's only symbol names, or its attribute ``name``."""
        text = self._ir.alias_texts.expanded(self._ir.bare_text(op))
        names = (match["symbol"] or match["name"] for match in _NAME_OF_GLOBAL.finditer(text))
        symbols = {symbol_of(name) for name in names if name}
        if len(symbols) != 1:
            return EVERYTHING
        return (_OUTSIDE, -1 - self._globals.setdefault(symbols.pop(), len(self._globals)))

    @cached_property
    def _arguments(self) -> dict[int, bool]:
        """By argument of a function that accesses use, whether nothing else outside is accessed in it."""
        ir, found = self._ir, dict[int, bool]()
        accesses = (op for op, name in enumerate(ir.op_name) if self._accesses[name])
        operands = set(chain.from_iterable(map(ir.operands_of, accesses)))
        accessed = {source(ir, value) for value in filter(self._buffers.is_address, operands)}
        has_globals = any(name == GET_GLOBAL or GLOBAL in ir.op_table.of(name).on for name in ir.names)
        for op, name in enumerate(ir.op_name):
            if {"function", "isolated"} <= ir.op_table.flags(ir.names[name]):
                used = accessed.intersection(self._buffers.arguments(op))
                found |= dict.fromkeys(used, len(used) == 1 and not has_globals)
        return found

    def _attributes(self, op: int) -> bytes | None:
        """Return the op's text as far as it names attributes. None if an alias is unknown."""
        text = self._ir.attribute_text(op)
        return None if _ALIAS.search(text) else text

    def _call_touches(self, call: int, callee: int) -> Touches:
        if callee not in self._summaries:
            self._summaries[callee] = self._summary(callee)
        touches, on_arguments, is_fence = self._summaries[callee]
        if is_fence:
            self.fences.add(call)
        if on_arguments:
            resources = map(self._buffers.resource, self._ir.operands_of(call))
            touches = _joined(touches, {one: on_arguments for one in resources if one is not None})
        return touches

    def _summary(self, function: int) -> tuple[Touches, frozenset[str], bool]:
        """Return what a function touches outside, its effects on arguments, and whether it has a fence."""
        outside: dict[Resource, frozenset[str]] = {}
        on_arguments: frozenset[str] = frozenset()
        values = self._buffers.arguments(function)
        tensors = [value for value in values if not self._buffers.is_address(value)]
        arguments = {*map(self._buffers.resource, tensors), *map(handle, values)}
        is_fence = False
        for op in self._executed_with(function):
            is_fence |= op in self.fences
            for resource, kinds in self.touches(op).items() if op in self._own or op in self._reads else ():
                if isinstance(resource, tuple) and min(resource[1:], default=0) >= 0:  # no global
                    _add(outside, MEMORY, kinds)
                elif not isinstance(resource, int):
                    _add(outside, resource, kinds)
                if resource in arguments:
                    on_arguments |= kinds
        outside.pop("stack", None)  # a function restores the stack
        if not self._ir.nested_ops(function):  # a declaration does not say whether the function may trap
            outside[CONTROL] = _READ
        if self._may_loop(self._ir.regions_of.get(function, ())):
            outside = _joined(outside, NOT_RETURNING)
        return outside, on_arguments, is_fence

    def _executed_with(self, op: int) -> Iterator[int]:
        inner, end = op, self._ir.subtree_end[op]
        while inner < end:
            if inner > op and self._rows[self._ir.op_name[inner]].is_declaration:
                inner = self._ir.subtree_end[inner]
                continue
            yield inner
            inner += 1


def condition_holds(condition: str, attributes: bytes) -> bool:
    """Whether an op's attributes contain ``name = value`` or a bare word. ``not`` negates the condition.

    Any value but ``false`` may be true (``1 : i1``). If a name has several values, each may count. Under
    ``not`` only an attribute of the op itself counts, none inside another attribute or a type.
    """
    wanted = condition.removeprefix("not ").encode().split()
    if condition.startswith("not "):
        attributes = _of_the_op(attributes)
    in_decimal = partial(_HEXADECIMAL.sub, lambda number: b"%d" % int(number[0], 16))
    words = [*map(in_decimal, _ATTRIBUTE_WORD.findall(attributes))]
    name = wanted[:-1]
    values = [words[k + len(name)] for k in range(len(words) - len(name)) if words[k : k + len(name)] == name]
    if condition.startswith("not "):
        return not values or any(value != wanted[-1] for value in values)
    if wanted[-1] == b"true" and name:
        return any(value != b"false" for value in values)
    return wanted[-1] in values


def _of_the_op(attributes: bytes) -> bytes:
    """Return the text without what is in the brackets of values and types."""
    kept, offset = list[bytes](), 0
    while (match := _INSIDE.search(attributes, offset)) is not None:
        kept.append(attributes[offset : match.end() - 1])
        offset = closing_end(attributes, match.end() - 1)
    return b" ".join((*kept, attributes[offset:]))


def _add(touches: dict[Resource, frozenset[str]], resource: Resource, kinds: frozenset[str]) -> None:
    if kinds:
        touches[resource] = touches.get(resource, frozenset()) | kinds


def _joined(touches: Touches, others: Touches) -> dict[Resource, frozenset[str]]:
    joined = dict(touches)
    for resource, kinds in others.items():
        _add(joined, resource, kinds)
    return joined
