"""What can be cut out of a program, by kind: large before small."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from eio_audit.audit.reduce.printing import signature
from eio_audit.audit.reduce.program import RETURNING, Block, Op, Program, Value
from eio_audit.audit.reduce.settling import Settling, Unused

Item = tuple[int, ...]
"""What one step cuts: the number of an op, and numbers of what is cut of it."""
_BRANCH = {"cf": "cf.br", "llvm": "llvm.br"}
"""By dialect, the branch that is always taken."""
_DENSE = re.compile(rb"dense(?:_resource)?<.*>\s*:\s*(?P<type>(?:tensor|vector|memref)<.*>)", re.DOTALL)
_ELEMENT = re.compile(rb"(?:[\[\]0-9?x]+x)?(?P<element>.*?)(?:,.*)?>", re.DOTALL)
_FIRST = re.compile(rb"dense<[\[\s]*(?P<first>[^\[\]\s,<>\"]+)")
_NEEDED = frozenset({b"sym_name", b"function_type", b"operandSegmentSizes", b"resultSegmentSizes"})


class Kind(NamedTuple):
    """One kind of steps."""

    name: str
    items: Callable[[Program], list[Item]]  # what can be cut
    cut: Callable[[Program, Collection[Item]], None]  # cut some of it out of a copy of the program
    # Whether one cut may make another impossible, so that they are tried one by one.
    is_single: bool = False


def block_of(program: Program, op: Op) -> Block:
    """Return the block that an op is in."""
    return next(block for top in program.walk() for block in top.blocks() if op in block.ops)


def _parts(program: Program) -> list[Item]:
    return [(part.number,) for part in program.parts] if len(program.parts) > 1 else []


def _cut_parts(program: Program, items: Collection[Item]) -> None:
    program.parts = [part for part in program.parts if (part.number,) not in items]


def _symbols(program: Program) -> list[Item]:
    return [(op.number,) for op in program.walk() if op.is_container and op not in program.parts]


def _bodies(program: Program) -> list[Item]:
    return [(op.number,) for op in program.walk() if op.is_function and op.regions[0]]


def _cut_bodies(program: Program, items: Collection[Item]) -> None:
    settling, ops = Settling(program), program.by_number()
    for (number,) in items:
        function = ops[number].edited()
        function.regions[0].clear()
        if function.name == "func.func":
            function.properties[b"sym_visibility"] = b'"private"'
    settling.settle()


def _ops(program: Program) -> list[Item]:
    last = {block.ops[-1] for op in program.walk() for block in op.blocks() if block.ops and _has_end(op)}
    tops = {*program.parts}
    return [
        (op.number,)
        for op in program.walk()
        if not (op in last or op in tops or op.is_container or op.is_unwanted)
    ]


def _has_end(op: Op) -> bool:
    """Return whether the blocks of an op end with terminators."""
    return op.name.rpartition(".")[2] != "module"


def _erase(unused: Unused) -> Callable[[Program, Collection[Item]], None]:
    """Return what removes ops, and those that use the symbols of the removed ones."""

    def erase(program: Program, items: Collection[Item]) -> None:
        settling = Settling(program)
        gone = {number for (number,) in items}
        symbols = {op.symbol for op in program.walk() if op.number in gone and op.symbol}
        removable = {number for (number,) in _ops(program)} if symbols else set()
        gone |= {op.number for op in program.walk() if op.number in removable and op.symbols_used & symbols}
        for op in program.walk():
            for block in op.blocks():
                block.ops = [one for one in block.ops if one.number not in gone]
        settling.settle(unused)

    return erase


def _regions(program: Program) -> list[Item]:
    return [
        (op.number, number)
        for op in program.walk()
        if not op.is_container
        for number, region in enumerate(op.regions)
        if len(region) == 1 and region[0].ops
    ]


def _cut_regions(program: Program, items: Collection[Item]) -> None:
    """Replace ops by what is in one of their regions, and their results by what it yields."""
    settling, ops = Settling(program), program.by_number()
    for number, which in items:
        op = ops[number]
        block = block_of(program, op)
        (body,) = op.regions[which]
        *inner, last = body.ops
        yielded = last.operands[len(last.operands) - len(op.results) :]
        values = _same_types(op.results, yielded) | _same_types(
            body.arguments[-len(op.operands) :] if op.operands else [], op.operands[-len(body.arguments) :]
        )
        place = block.ops.index(op)
        block.ops[place : place + 1] = inner
        program.replace(values)
    settling.settle()


def _same_types(old: list[Value], new: list[Value]) -> dict[Value, Value]:
    """Return by what the last values are replaced, as far as the types are the same."""
    pairs = zip(reversed(old), reversed(new), strict=False)
    return {one: other for one, other in pairs if one.type == other.type}


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


def _cut_branches(program: Program, items: Collection[Item]) -> None:
    settling = Settling(program)
    wanted = dict(item for item in items if len(item) == 2)
    for op in [*program.walk()]:
        for region in op.regions:
            for block in region:
                if block.ops and (way := wanted.get(block.ops[-1].number)) is not None:
                    block.ops[-1:] = [_other_end(program, region, block.ops[-1], way)]
    settling.settle()


def _other_end(program: Program, region: list[Block], branch: Op, way: int) -> Op:
    if way >= 0:
        target = branch.successors[way]
        after = sum(len(block.arguments) for block in branch.successors[way:])
        first = len(branch.operands) - after
        name = _BRANCH.get(branch.name.partition(".")[0], branch.name)
        given = branch.operands[first : first + len(target.arguments)]
        return Op(name, given, [], [target], {}, {}, [], branch.location)
    ends = (block.ops[-1] for block in region if block.ops and not block.ops[-1].successors)
    end = next(ends, None)
    if end is None:
        return branch
    operands = [program.new_value(value.type) for value in end.operands]
    return Op(
        end.name,
        operands,
        [],
        [],
        dict(end.properties),
        dict(end.attributes),
        [],
        end.location,
        is_custom=end.is_custom,
    )


def _joints(program: Program) -> list[Item]:
    """Return the branches to blocks that nothing else branches to."""
    found: list[Item] = []
    for op in program.walk():
        for region in op.regions:
            ends = [block.ops[-1] for block in region if block.ops]
            for end in ends:
                others = [block for one in ends for block in one.successors]
                is_joint = len(end.successors) == 1 and others.count(end.successors[0]) == 1
                if is_joint and end.successors[0] is not region[0] and end not in end.successors[0].ops:
                    found.append((end.number,))
    return found


def _cut_joints(program: Program, items: Collection[Item]) -> None:
    settling = Settling(program)
    for op in [*program.walk()]:
        for region in op.regions:
            for block in region:
                while block.ops and (block.ops[-1].number,) in items and block.ops[-1].successors:
                    end = block.ops.pop()
                    target = end.successors[0]
                    given = end.operands[len(end.operands) - len(target.arguments) :]
                    program_values = dict(zip(target.arguments, given, strict=True))
                    block.ops += target.ops
                    target.ops = []
                    program.replace(program_values)
            region[:] = [block for number, block in enumerate(region) if block.ops or not number]
    settling.settle()


def _bypasses(program: Program) -> list[Item]:
    """Return ops with results that are used, and the number of a value that may stand for them."""
    uses = program.uses()
    return [
        (*item, way)
        for item in _ops(program)
        for op in [program.by_number()[item[0]]]
        if any(uses[result] for result in op.results)
        for way in range(2)
        if _stand_ins(program, op, way)
    ]


def _stand_ins(program: Program, op: Op, way: int) -> dict[Value, Value]:
    """Return values for the results of an op: its own operands, or the nearest ones before it."""
    values = op.operands
    if way:
        block = block_of(program, op)
        before = block.ops[: block.ops.index(op)]
        values = [*block.arguments, *(value for one in before for value in one.results)][::-1]
    found = {}
    for result in op.results:
        stand_in = next((value for value in values if value.type == result.type), None)
        if stand_in is not None:
            found[result] = stand_in
    return found


def _cut_bypasses(program: Program, items: Collection[Item]) -> None:
    settling, ops = Settling(program), program.by_number()
    for number, way in items:
        op = ops[number]
        values = _stand_ins(program, op, way)
        block_of(program, op).ops.remove(op)
        program.replace(values)
    settling.settle()


def _returned(program: Program) -> list[Item]:
    """Return what functions return."""
    return [
        (op.number, place)
        for op in program.walk()
        if op.name in RETURNING and op.regions[0]
        for place in range(len(signature(op)[1]))
    ]


def _cut_returned(program: Program, items: Collection[Item]) -> None:
    settling, ops = Settling(program), program.by_number()
    for number, place in sorted(items, reverse=True):
        function = ops[number]
        for block in function.regions[0]:
            if block.ops and block.ops[-1].name.endswith(".return"):
                del block.ops[-1].edited().operands[place]
        for call in program.walk():
            if function.symbol in call.symbols_used and len(call.results) > place:
                _without_result(program, call, place)
    settling.settle(Unused.DROP)


def _without_result(program: Program, op: Op, place: int) -> None:
    del op.edited().results[place]
    for value in op.results:
        value.name = program.new_value(b"").name


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


def _cut_arguments(program: Program, items: Collection[Item]) -> None:
    settling, ops = Settling(program), program.by_number()
    for number, place in sorted(items, reverse=True):
        function = ops[number]
        arguments = function.regions[0][0].arguments
        for call in program.walk():
            if function.symbol in call.symbols_used and len(call.operands) > place:
                call.remove_operand(call.group_of_call(len(arguments)), place)
        del arguments[place]
    settling.settle(Unused.DROP)


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


def _cut_equal_arguments(program: Program, items: Collection[Item]) -> None:
    ops = program.by_number()
    for number, place in sorted(items, reverse=True):
        arguments = ops[number].regions[0][0].arguments
        first = next(one for one in arguments if one.type == arguments[place].type)
        program.replace({arguments[place]: first})
    _cut_arguments(program, items)


def _block_arguments(program: Program) -> list[Item]:
    return [
        (op.number, r, b, place)
        for op in program.walk()
        for r, region in enumerate(op.regions)
        for b, block in enumerate(region)
        if b
        for place in range(len(block.arguments))
    ]


def _cut_block_arguments(program: Program, items: Collection[Item]) -> None:
    settling, ops = Settling(program), program.by_number()
    for number, r, b, place in sorted(items, reverse=True):
        region = ops[number].regions[r]
        for block in region:
            if block.ops and region[b] in (end := block.ops[-1]).successors:
                _without_successor_operand(end, region[b], place)
        del region[b].arguments[place]
    settling.settle()


def _without_successor_operand(end: Op, target: Block, place: int) -> None:
    groups = len(end.segments) - len(end.successors)  # before those of successors
    first = len(end.operands) - sum(len(block.arguments) for block in end.successors)
    for number, block in reversed([*enumerate(end.successors)]):
        if block is target and end.segments:
            end.remove_operand(groups + number, place)
        elif block is target:
            before = sum(len(one.arguments) for one in end.successors[:number])
            end.remove_operand(0, first + before + place)


def _yields(program: Program) -> list[Item]:
    """Return the results of ops with regions."""
    return [
        (op.number, place)
        for op in program.walk()
        if op.regions and not op.is_container
        for place in range(len(op.results))
    ]


def _cut_yields(program: Program, items: Collection[Item]) -> None:
    """Remove a result with what its regions yield for it, and what a loop begins with and carries."""
    settling, ops = Settling(program), program.by_number()
    for number, place in sorted(items, reverse=True):
        op = ops[number]
        from_end = len(op.results) - place
        _without_result(program, op, place)
        is_carried = (
            all(len(region[0].arguments) >= from_end for region in op.regions if region)
            and len(op.operands) >= from_end
        )
        for region in op.regions:
            for block in region:
                if block.ops and len(block.ops[-1].operands) >= from_end:
                    del block.ops[-1].edited().operands[-from_end]
            if is_carried and region:
                del region[0].arguments[-from_end]
        if is_carried:
            last = max(len(op.segments) - 1, 0)
            size = op.segments[last] if op.segments else len(op.operands)
            op.remove_operand(last, size - from_end)
    settling.settle()


def _attributes(program: Program) -> list[Item]:
    return [
        (op.number, which, place)
        for op in program.walk()
        for which, entries in enumerate((op.properties, op.attributes))
        for place, name in enumerate(entries)
        if name not in _NEEDED
    ]


def _cut_attributes(program: Program, items: Collection[Item]) -> None:
    ops = program.by_number()
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


def _cut_locations(program: Program, items: Collection[Item]) -> None:
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


def _cut_constants(program: Program, items: Collection[Item]) -> None:
    ops = program.by_number()
    for number, place in items:
        op = ops[number].edited()
        name = [*op.properties][place]
        op.properties[name] = splat_of(op.properties[name]) or op.properties[name]


def splat_of(value: bytes) -> bytes | None:
    """Return a constant of the same type with one number only; None for what is no such constant.

    >>> splat_of(b"dense<[1, 2]> : tensor<2xi32>")
    b'dense<1> : tensor<2xi32>'
    """
    match = _DENSE.fullmatch(value)
    if match is None:
        return None
    inside = match["type"].partition(b"<")[2]
    element = _ELEMENT.fullmatch(inside)
    first = _FIRST.match(value)
    if first is not None:
        number = first["first"]
    elif element is not None and re.match(rb"b?f\d|tf32", element["element"]):
        number = b"0.0"
    else:
        number = b"0"
    return b"dense<%s> : %s" % (number, match["type"])


KINDS = (
    Kind("parts", _parts, _cut_parts),
    Kind("symbols", _symbols, _erase(Unused.RETURN)),
    Kind("bodies", _bodies, _cut_bodies),
    Kind("ops", _ops, _erase(Unused.RETURN)),
    Kind("regions", _regions, _cut_regions, is_single=True),
    Kind("branches", _branches, _cut_branches, is_single=True),
    Kind("blocks", _joints, _cut_joints),
    Kind("ops without their values", _ops, _erase(Unused.DROP)),
    Kind("ops with calls", _ops, _erase(Unused.CALL)),
    Kind("values", _bypasses, _cut_bypasses, is_single=True),
    Kind("results", _returned, _cut_returned),
    Kind("yields", _yields, _cut_yields, is_single=True),
    Kind("block arguments", _block_arguments, _cut_block_arguments),
    Kind("arguments", _arguments, _cut_arguments),
    Kind("equal arguments", _equal_arguments, _cut_equal_arguments),
    Kind("attributes", _attributes, _cut_attributes),
    Kind("locations", _locations, _cut_locations),
    Kind("constants", _constants, _cut_constants),
)
"""The kinds, in the order in which they are tried."""
