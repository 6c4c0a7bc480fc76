"""Edits of the blocks of a region, and of the branches between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from eio_audit.mlir.editing.program import Block, Op, Program

_BRANCH = {"cf": "cf.br", "llvm": "llvm.br"}
"""By dialect, the branch that is always taken."""


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
