"""What can be cut out of a program, by kind: large before small."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from eio_audit.mlir.editing.constants import splat_of
from eio_audit.mlir.editing.control_flow import end_of_region, join, joints, remove_argument, taken_always
from eio_audit.mlir.editing.printing import signature
from eio_audit.mlir.editing.program import RETURNING, Op, Program
from eio_audit.mlir.editing.settling import Settling, Unused
from eio_audit.mlir.editing.values import block_of, same_types, values_before, without_result, without_yield

Item = tuple[int, ...]
"""What one step cuts: the number of an op, and numbers of what is cut of it."""
_NEEDED = frozenset({b"sym_name", b"function_type", b"operandSegmentSizes", b"resultSegmentSizes"})
Ops = dict[int, Op]
"""The ops of a program, by number."""


class Kind(NamedTuple):
    """One kind of steps."""

    items: Callable[[Program], list[Item]]  # what can be cut
    cut: Callable[[Program, Ops, Collection[Item]], None]  # cuts some of it
    unused: Unused = Unused.RETURN  # what happens to values that lose their last use
    # Whether one cut may make another impossible, so that they are tried one by one.
    is_single: bool = False
    others: tuple[Kind, ...] = ()  # other ways to cut the same, tried where the first fails

    def without(self, base: Program, items: Collection[Item]) -> Program:
        """Return a copy of a program without some of what can be cut."""
        program = base.copy()
        settling = Settling(program)
        self.cut(program, program.by_number(), items)
        settling.settle(self.unused)
        return program


def _parts(program: Program) -> list[Item]:
    return [(part.number,) for part in program.parts] if len(program.parts) > 1 else []


def _cut_parts(program: Program, ops: Ops, items: Collection[Item]) -> None:
    program.parts = [part for part in program.parts if (part.number,) not in items]


def _symbols(program: Program) -> list[Item]:
    return [(op.number,) for op in program.walk() if op.is_container and op not in program.parts]


def _bodies(program: Program) -> list[Item]:
    return [(op.number,) for op in program.walk() if op.is_function and op.regions[0]]


def _cut_bodies(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for (number,) in items:
        function = ops[number].edited()
        function.regions[0].clear()
        if function.name == "func.func":
            function.properties[b"sym_visibility"] = b'"private"'


def _ops(program: Program) -> list[Item]:
    last = {block.ops[-1] for op in program.walk() for block in op.blocks() if block.ops and not op.is_module}
    fixed = last | {*program.parts}
    return [(op.number,) for op in program.walk() if not (op in fixed or op.is_container or op.is_unwanted)]


def _cut_ops(program: Program, ops: Ops, items: Collection[Item]) -> None:
    """Remove ops, and those that use the symbols of the removed ones."""
    gone = {number for (number,) in items}
    if symbols := {ops[number].symbol for number in gone} - {None}:
        gone |= {number for (number,) in _ops(program) if ops[number].symbols_used & symbols}
    for op in program.walk():
        for block in op.blocks():
            block.ops = [one for one in block.ops if one.number not in gone]


def _regions(program: Program) -> list[Item]:
    return [
        (op.number, number)
        for op in program.walk()
        if not op.is_container
        for number, region in enumerate(op.regions)
        if len(region) == 1 and region[0].ops
    ]


def _cut_regions(program: Program, ops: Ops, items: Collection[Item]) -> None:
    """Replace ops by what is in one of their regions, and their results by what it yields."""
    for number, which in items:
        op = ops[number]
        block = block_of(program, op)
        (body,) = op.regions[which]
        *inner, last = body.ops
        place = block.ops.index(op)
        block.ops[place : place + 1] = inner
        yielded = same_types(op.results, last.operands)
        program.replace(yielded | same_types(body.arguments, op.operands))


def _branches(program: Program) -> list[Item]:
    """Return each branch with a successor to be always taken, or with -1 to return instead."""
    return [
        (block.ops[-1].number, way)
        for op in program.walk()
        for region in op.regions
        if len(region) > 1
        for block in region
        if block.ops and block.ops[-1].successors
        for way in (-1, *range(len(block.ops[-1].successors)))
        if way < 0 or len(block.ops[-1].successors) > 1
    ]


def _cut_branches(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, way in items:
        region, block = next(
            (region, block)
            for op in program.walk()
            for region in op.regions
            for block in region
            if ops[number] in block.ops
        )
        end = taken_always(ops[number], way) if way >= 0 else end_of_region(program, region)
        block.ops[-1:] = [end or ops[number]]


def _joints(program: Program) -> list[Item]:
    """Return the branches to blocks that nothing else branches to."""
    return [(end.number,) for op in program.walk() for region in op.regions for end in joints(region)]


def _cut_joints(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for region in [region for op in program.walk() for region in op.regions]:
        for block in region:
            while block.ops and (block.ops[-1].number,) in items:
                joined = join(program, block)
                region[:] = [other for other in region if other is not joined]


def _cut_ops_for_others(program: Program, ops: Ops, items: Collection[Item]) -> None:
    """Remove ops. Instead of their results, ops use the last value of the same type before."""
    program.replace(values_before(program, {number for (number,) in items}))
    _cut_ops(program, ops, items)


def _bypasses(program: Program) -> list[Item]:
    """Return ops with an operand that may stand for a result which is used."""
    uses = program.uses()
    return [
        (op.number,)
        for op in program.walk()
        if any(
            uses[result] and result.type == operand.type for result in op.results for operand in op.operands
        )
    ]


def _cut_bypasses(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for (number,) in items:
        op = ops[number]
        block_of(program, op).ops.remove(op)
        by_type = {operand.type: operand for operand in reversed(op.operands)}
        program.replace({one: by_type[one.type] for one in op.results if one.type in by_type})


def _returned(program: Program) -> list[Item]:
    return [
        (op.number, place)
        for op in program.walk()
        if op.name in RETURNING and op.regions[0]
        for place in range(len(signature(op)[1]))
    ]


def _cut_returned(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, place in sorted(items, reverse=True):
        function = ops[number]
        for block in function.regions[0]:
            if block.ops and block.ops[-1].name.endswith(".return"):
                del block.ops[-1].edited().operands[place]
        for call in program.walk():
            if function.symbol in call.symbols_used and len(call.results) > place:
                without_result(program, call, place)


def _arguments(program: Program) -> list[Item]:
    """Return the arguments of functions that nothing uses."""
    uses = program.uses()
    return [
        (op.number, place)
        for op in program.walk()
        if op.is_function and op.regions[0]
        for place, argument in enumerate(op.regions[0][0].arguments)
        if not uses[argument]
    ]


def _cut_arguments(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, place in sorted(items, reverse=True):
        function = ops[number]
        arguments = function.regions[0][0].arguments
        for call in program.walk():
            if function.symbol in call.symbols_used and len(call.operands) > place:
                call.remove_operand(call.group_of_call(len(arguments)), place)
        del arguments[place]


def _equal_arguments(program: Program) -> list[Item]:
    """Return the arguments of functions for which another of the same type may stand."""
    return [
        (op.number, place)
        for op in program.walk()
        if op.is_function and op.regions[0]
        for arguments in [op.regions[0][0].arguments]
        for place, argument in enumerate(arguments)
        if any(other.type == argument.type for other in arguments[:place])
    ]


def _cut_equal_arguments(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, place in sorted(items, reverse=True):
        arguments = ops[number].regions[0][0].arguments
        first = next(one for one in arguments if one.type == arguments[place].type)
        program.replace({arguments[place]: first})
    _cut_arguments(program, ops, items)


def _block_arguments(program: Program) -> list[Item]:
    return [
        (op.number, r, b, place)
        for op in program.walk()
        for r, region in enumerate(op.regions)
        for b, block in enumerate(region)
        if b
        for place in range(len(block.arguments))
    ]


def _cut_block_arguments(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, r, b, place in sorted(items, reverse=True):
        region = ops[number].regions[r]
        remove_argument(region, region[b], place)


def _yields(program: Program) -> list[Item]:
    """Return the results of ops with regions."""
    return [
        (op.number, place)
        for op in program.walk()
        if op.regions and not op.is_container
        for place in range(len(op.results))
    ]


def _cut_yields(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, place in sorted(items, reverse=True):
        without_yield(program, ops[number], place)


def _attributes(program: Program) -> list[Item]:
    return [
        (op.number, which, place)
        for op in program.walk()
        for which, entries in enumerate((op.properties, op.attributes))
        for place, name in enumerate(entries)
        if name not in _NEEDED
    ]


def _cut_attributes(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, which, place in sorted(items, reverse=True):
        entries = (ops[number].properties, ops[number].attributes)[which]
        name = [*entries][place]
        del entries[name]
        ops[number].edited()
        if name == b"arg_attrs":
            for argument in ops[number].regions[0][0].arguments if ops[number].regions[0] else ():
                argument.attributes = b""


def _locations(program: Program) -> list[Item]:
    return [(op.number,) for op in program.walk() if op.location is not None]


def _cut_locations(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for op in program.walk():
        if (op.number,) in items:
            op.location = None


def _constants(program: Program) -> list[Item]:
    return [
        (op.number, place)
        for op in program.walk()
        for place, value in enumerate(op.properties.values())
        if splat_of(value) not in {None, value}
    ]


def _cut_constants(program: Program, ops: Ops, items: Collection[Item]) -> None:
    for number, place in items:
        op = ops[number].edited()
        name = [*op.properties][place]
        op.properties[name] = splat_of(op.properties[name]) or op.properties[name]


KINDS = (
    Kind(_parts, _cut_parts),
    Kind(_symbols, _cut_ops),
    Kind(_bodies, _cut_bodies),
    Kind(
        _ops,
        _cut_ops,
        others=(Kind(_ops, _cut_ops_for_others, Unused.DROP), Kind(_ops, _cut_ops, Unused.DROP)),
    ),
    Kind(_regions, _cut_regions, is_single=True),
    Kind(_branches, _cut_branches, is_single=True),
    Kind(_joints, _cut_joints),
    Kind(_ops, _cut_ops, Unused.CALL),
    Kind(_bypasses, _cut_bypasses, is_single=True),
    Kind(_returned, _cut_returned, Unused.DROP),
    Kind(_yields, _cut_yields, is_single=True),
    Kind(_block_arguments, _cut_block_arguments),
    Kind(_arguments, _cut_arguments, Unused.DROP),
    Kind(_equal_arguments, _cut_equal_arguments, Unused.DROP),
    Kind(_attributes, _cut_attributes, Unused.DROP),
    Kind(_locations, _cut_locations, Unused.DROP),
    Kind(_constants, _cut_constants, Unused.DROP),
)
"""The kinds, in the order in which they are tried."""
