"""Cut parts of a program, and make it whole again.

A value that is used but no longer defined becomes an argument of the function around its user. A value that
lost its last use is returned, so that the compiler does not remove it as dead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from enum import StrEnum

from eio_audit.mlir.editing.program import (
    DECLARED,
    RETURNING,
    SOURCE,
    Block,
    Op,
    Program,
    Value,
    list_of_attributes,
    signature,
)
from eio_audit.mlir.pattern import pattern

_DENSE = pattern(rb"dense(?:_resource)?<.*>\s*:\s*(?P<type>(?:tensor|vector|memref)<.*>)", re.DOTALL)
_FLOATS = pattern(rb"[<x](?:b?f\d|tf32)")
_FIRST = pattern(rb"dense<[\[\s]*([^\[\]\s,<>\"]+)")
_BRANCH = {"cf": "cf.br", "llvm": "llvm.br"}
"""By dialect, the branch that is always taken."""


class Unused(StrEnum):
    """What happens to values that lose their last use."""

    RETURN = "return"
    """Functions return them, as far as they can."""
    CALL = "call"
    """A declared function gets them, where they cannot be returned."""
    DROP = "drop"
    """Nothing."""


class Settling:
    """One program, before and after a cut."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._used_before = program.uses().keys()
        self._functions = {op: _attributions(op) for op in program.walk() if op.is_function}

    def settle(self, unused: Unused = Unused.RETURN) -> None:
        """Make the program whole."""
        self._remove_unreachable()
        self._around = dict(self._op_around())
        self._calls: dict[bytes | None, list[Op]] = {}
        for op in self._program.walk():
            for symbol in op.symbols_used:
                self._calls.setdefault(symbol, []).append(op)
        self._give_missing()
        if unused is not Unused.DROP:
            self._keep_unused(by_call=unused is Unused.CALL)
        for op in self._program.walk():
            if op.is_function:
                write_signature(op, self._functions.get(op, 0))

    def _op_around(self) -> Iterator[tuple[Op, tuple[Op | None, Block]]]:
        """Yield each op with the function around it and the outermost block there that holds it."""

        def inside(
            op: Op, function: Op | None, top: Block | None
        ) -> Iterator[tuple[Op, tuple[Op | None, Block]]]:
            for block in op.blocks():
                inner = block if top is None or op.is_container else top
                around = op if op.is_function else function
                for one in block.ops:
                    yield one, (around, inner)
                    yield from inside(one, around, inner)

        for part in self._program.parts:
            yield from inside(part, None, None)

    def _remove_unreachable(self) -> None:
        for op in self._program.walk():
            for region in op.regions:
                if len(region) > 1:
                    reached, pending = set[int](), region[:1]
                    while pending:
                        if id(block := pending.pop()) not in reached:
                            reached.add(id(block))
                            pending += block.ops[-1].successors if block.ops else []
                    region[:] = [block for block in region if id(block) in reached]

    def _give_missing(self) -> None:
        defined = self._defined = set[Value]()
        for op in self._program.walk():
            defined |= {*op.results}
            for block in op.blocks():
                defined |= {*block.arguments}
        sources: dict[tuple[Op | None, Value], Value] = {}
        for op in [*self._program.walk()]:
            if defined.issuperset(op.operands):
                continue
            function, block = self._around[op]
            if self._is_free_return(op, function):
                op.operands = [value for value in op.operands if value in defined]
                op.edited()
                continue
            for value in op.operands:
                if value not in defined and (function, value) not in sources:
                    sources[function, value] = self._source(function, block, value.type)
            op.operands = [value if value in defined else sources[function, value] for value in op.operands]

    def _is_free_return(self, op: Op, function: Op | None) -> bool:
        """Return whether an op is the return of a function that nothing calls."""
        return function is not None and op is self.return_of(function)

    def return_of(self, function: Op) -> Op | None:
        """Return the only return of a function whose results may change; else None."""
        if function.name not in RETURNING or self._calls.get(function.symbol) or not function.regions[0]:
            return None
        returns = [block.ops[-1] for block in function.regions[0] if _is_return(block)]
        return returns[0] if len(returns) == 1 else None

    def _source(self, function: Op | None, block: Block, type_: bytes) -> Value:
        """Return a new value of a type: an argument of the function, which its calls get from their own."""
        value = self._program.new_value(type_)
        self._defined.add(value)
        if function is None:
            cast = Op(SOURCE, [], [value], [], {}, {}, [])
            block.ops.insert(0, cast)
            return value
        arguments = function.regions[0][0].arguments
        place = len(arguments) - self._functions.get(function, 0)
        arguments.insert(place, value)
        for call in self._calls.get(function.symbol, ()):
            caller, around = self._around[call]
            given = value if caller is function else self._source(caller, around, type_)
            call.insert_operand(call.group_of_call(place), place, given)
        return value

    def _keep_unused(self, *, by_call: bool) -> None:
        uses = self._program.uses()
        declared: dict[tuple[str, bytes], bytes] = {}
        for op in [*self._program.walk()]:
            kept = [value for value in op.results if value in self._used_before and not uses[value]]
            if not kept:
                continue
            function, _ = self._around[op]
            if function is None:
                continue
            last = self.return_of(function)
            for value in kept:
                if last is not None and self._may_return(op, function, last):
                    last.operands.append(value)
                    last.edited()
                elif by_call and function.name in RETURNING:
                    self._call_with(value, op, function, declared)

    def _may_return(self, op: Op, function: Op, last: Op) -> bool:
        """Return whether a function has room to return a value of an op that its return sees.

        It does if the op is directly in the block of the return, or in the first block.
        """
        return len(last.operands) < RETURNING[function.name] and any(
            op in block.ops
            for number, block in enumerate(function.regions[0])
            if not number or last in block.ops
        )

    def _call_with(
        self, value: Value, op: Op, function: Op, declared: dict[tuple[str, bytes], bytes]
    ) -> None:
        dialect = function.name.partition(".")[0]
        key = dialect, value.type
        if key not in declared:
            declared[key] = DECLARED + b"%d" % len(declared)
            home = block_of(self._program, function)
            home.ops.insert(0, _declaration(dialect, declared[key], value.type))
        call = Op(f"{dialect}.call", [value], [], [], {b"callee": b"@" + declared[key]}, {}, [])
        if dialect == "llvm":
            call.properties[b"operandSegmentSizes"] = b"array<i32: 1, 0>"
            call.properties[b"op_bundle_sizes"] = b"array<i32>"
        block = block_of(self._program, op)
        block.ops.insert(block.ops.index(op) + 1, call)


def _declaration(dialect: str, name: bytes, type_: bytes) -> Op:
    is_llvm = dialect == "llvm"
    function_type = b"!llvm.func<void (%s)>" % type_ if is_llvm else b"(%s) -> ()" % type_
    properties = {b"sym_name": b'"%s"' % name, b"function_type": function_type}
    if not is_llvm:
        properties[b"sym_visibility"] = b'"private"'
    return Op(f"{dialect}.func", [], [], [], properties, {}, [[]], is_custom=not is_llvm)


def _is_return(block: Block) -> bool:
    return bool(block.ops) and block.ops[-1].name.endswith(".return")


def _attributions(function: Op) -> int:
    """Return how many arguments of a function are not in its type, such as the memory of a ``gpu.func``."""
    arguments = function.regions[0][0].arguments if function.regions[0] else []
    return max(len(arguments) - len(signature(function)[0]), 0)


def write_signature(function: Op, attributions: int) -> None:
    """Let a function's type be that of its arguments and of what it returns."""
    if not function.regions[0]:
        return
    results = signature(function)[1]
    arguments = function.regions[0][0].arguments
    arguments = arguments[: len(arguments) - attributions]
    last = next((block.ops[-1] for block in function.regions[0] if _is_return(block)), None)
    if last is not None and function.name in RETURNING:
        results = [value.type for value in last.operands]
    new = [value.type for value in arguments], results
    if new == signature(function):
        return
    function.edited()
    text = function.properties[b"function_type"]
    if text.startswith(b"!llvm.func<"):
        result = results[0] if results else b"void"
        function.properties[b"function_type"] = b"!llvm.func<%s (%s)>" % (result, b", ".join(new[0]))
    else:
        given, returned = b", ".join(new[0]), b", ".join(results)
        function.properties[b"function_type"] = b"(%s) -> (%s)" % (given, returned)
    if any(value.attributes for value in arguments):
        dictionaries = b", ".join(value.attributes or b"{}" for value in arguments)
        function.properties[b"arg_attrs"] = b"[%s]" % dictionaries
    else:
        function.properties.pop(b"arg_attrs", None)
    if list_of_attributes(function.properties.get(b"res_attrs"), len(results)) == [b""] * len(results):
        function.properties.pop(b"res_attrs", None)


def block_of(program: Program, op: Op) -> Block:
    """Return the block that an op is in."""
    return next(block for top in program.walk() for block in top.blocks() if op in block.ops)


def same_types(old: list[Value], new: list[Value]) -> dict[Value, Value]:
    """Return by what the last values are replaced, as far as the types are the same."""
    pairs = zip(reversed(old), reversed(new), strict=False)
    return {one: other for one, other in pairs if one.type == other.type}


def values_before(program: Program, gone: Collection[int]) -> dict[Value, Value]:
    """Return for the results of some ops, by number, the last values of the same type that dominate them."""
    values: dict[Value, Value] = {}

    def visit(region: list[Block], around: dict[bytes, Value]) -> None:
        for block in region:
            known = around | {argument.type: argument for argument in block.arguments}
            for op in block.ops:
                if op.number in gone:
                    values.update({one: known[one.type] for one in op.results if one.type in known})
                    continue
                for inner in op.regions:
                    visit(inner, {} if op.is_container else known)
                known |= {result.type: result for result in op.results}
            around = known if block is region[0] else around  # the first block dominates the others

    for part in program.parts:
        visit([Block(b"", is_labelled=False, ops=[part])], {})
    return values


def without_result(program: Program, op: Op, place: int) -> None:
    """Remove a result of an op."""
    del op.edited().results[place]
    program.rename(op.results)


def without_yield(program: Program, op: Op, place: int) -> None:
    """Remove a result with what regions yield for it, and what a loop begins with and carries."""
    from_end = len(op.results) - place
    without_result(program, op, place)
    entries = [region[0] for region in op.regions if region]
    is_carried = all(len(block.arguments) >= from_end for block in entries) and len(op.operands) >= from_end
    for block in (block for region in op.regions for block in region):
        if block.ops and len(block.ops[-1].operands) >= from_end:
            del block.ops[-1].edited().operands[-from_end]
    if is_carried:
        for block in entries:
            del block.arguments[-from_end]
        last = max(len(op.segments) - 1, 0)
        size = op.segments[last] if op.segments else len(op.operands)
        op.remove_operand(last, size - from_end)


def taken_always(branch: Op, way: int) -> Op:
    """Return the branch to one of the successors only."""
    target = branch.successors[way]
    first = _first_operand(branch, way)
    given = branch.operands[first : first + len(target.arguments)]
    name = _BRANCH.get(branch.name.partition(".")[0], branch.name)
    return Op(name, given, [], [target], {}, {}, [], branch.location)


def _first_operand(branch: Op, way: int) -> int:
    """Return which operand is the first that a successor gets: those of successors are the last ones."""
    return len(branch.operands) - sum(len(block.arguments) for block in branch.successors[way:])


def end_of_region(program: Program, region: list[Block]) -> Op | None:
    """Return what leaves a region as one of its blocks does, with undefined values; None if none does."""
    for block in region:
        if block.ops and not (end := block.ops[-1]).successors:
            operands = [program.new_value(value.type) for value in end.operands]
            return replace(end, operands=operands, properties=dict(end.properties), number=-1)
    return None


def joints(region: list[Block]) -> Iterator[Op]:
    """Yield the branches to blocks that nothing else branches to. All blocks are reachable."""
    ends = [block.ops[-1] for block in region if block.ops]
    targets = [*region[:1], *(target for end in ends for target in end.successors)]
    for end in ends:
        if len({*end.successors}) == 1 and targets.count(end.successors[0]) == 1:
            yield end


def join(program: Program, block: Block) -> Block:
    """Append the only successor of a block to it, and return that, which is empty then."""
    end = block.ops.pop()
    (target,) = end.successors
    given = end.operands[_first_operand(end, 0) :]
    block.ops += target.ops
    target.ops = []
    program.replace(dict(zip(target.arguments, given, strict=True)))
    return target


def remove_argument(region: list[Block], target: Block, place: int) -> None:
    """Remove an argument of a block, and what branches to it give for it."""
    for end in (block.ops[-1] for block in region if block.ops):
        for way, block in reversed([*enumerate(end.successors)]):
            if block is target and end.segments:
                end.remove_operand(len(end.segments) - len(end.successors) + way, place)
            elif block is target:
                end.remove_operand(0, _first_operand(end, way) + place)
    del target.arguments[place]


def splat_of(value: bytes) -> bytes | None:
    """Return a constant of the same type with one number only; None for what is no such constant.

    >>> splat_of(b"dense<[1, 2]> : tensor<2xi32>")
    b'dense<1> : tensor<2xi32>'
    """
    match = _DENSE.fullmatch(value)
    if match is None:
        return None
    first = _FIRST.match(value)
    zero = b"0.0" if _FLOATS.search(match["type"]) else b"0"
    return b"dense<%s> : %s" % (zero if first is None else first[1], match["type"])
