"""Edits of values: what may stand for another, and results that go."""

from __future__ import annotations

from collections.abc import Collection

from eio_audit.mlir.editing.program import Block, Op, Program, Value


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
    for value in op.results:
        value.name = program.new_value(b"").name


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
