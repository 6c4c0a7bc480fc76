"""An independent judge: MLIR itself parses, verifies and compares programs (iree-base-compiler's bindings).

Two texts are the same program if each block has the same ops up to order, and if the ops with memory effects
by MLIR are in the same order. Ops are the same if they have the same name, attributes, types, location,
regions and, through their operands, the same computation.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from iree.compiler import ir


@cache
def _context() -> ir.Context:
    """Return one context for all programs: making one takes longer than parsing most programs."""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    return context


def parse(text: str) -> ir.Module:
    module = ir.Module.parse(text, _context())
    assert module.operation.verify()
    return module


def same_program(before: str, after: str, *, but_for_locations: bool = False) -> bool:
    """Whether MLIR accepts both texts and finds the same program. Raises if MLIR rejects a text.

    With ``but_for_locations``, the ops may have other locations.
    """
    programs = (_Program(parse(text), has_locations=not but_for_locations) for text in (before, after))
    return next(programs).shape() == next(programs).shape()


class _Program:
    def __init__(self, module: ir.Module, *, has_locations: bool = True) -> None:
        self.module = module
        self.has_locations = has_locations
        self.values: dict[ir.Value, object] = {}

    def shape(self) -> object:
        return self._op(self.module.operation)

    def _op(self, op: ir.Operation) -> object:
        attributes = tuple(sorted((name, str(op.attributes[name])) for name in op.attributes))
        operands = tuple(self.values.get(_key(value), "outside") for value in op.operands)
        for number, region in enumerate(op.regions):
            for place, block in enumerate(region.blocks):
                for argument in block.arguments:
                    self.values[_key(argument)] = (number, place, argument.arg_number, str(argument.type))
        regions = tuple(tuple(self._block(block) for block in region.blocks) for region in op.regions)
        types = tuple(str(result.type) for result in op.results)
        location = ""
        if self.has_locations:  # except file positions, for an op without a location
            location = re.sub(r'"-":[0-9]+:[0-9]+', "", str(op.location))
        shape = hash((op.name, attributes, types, location, operands, regions))
        for result in op.results:
            self.values[_key(result)] = (shape, result.result_number)
        return shape

    def _block(self, block: ir.Block) -> object:
        ops = [op.operation for op in block.operations]
        shapes = [self._op(op) for op in ops]
        writes: list[object] = []
        reads: Counter[object] = Counter()
        for op, shape in zip(ops, shapes, strict=True):
            kinds = effects(op)
            if kinds & {"write", "free"}:
                writes.append((shape, sum(reads.values())))
            elif "read" in kinds:
                reads[shape, len(writes)] += 1
        return frozenset(Counter(shapes).items()), tuple(writes), frozenset(reads.items()), tuple(shapes[-1:])


def effects(op: ir.Operation) -> set[str]:
    """Return the op's memory effects by MLIR. An op that MLIR does not know writes if it has no result."""
    if not op.context.is_registered_operation(op.name):
        return set() if len(op.results) or op.name.endswith("return") else {"write"}
    kinds = set()
    if op.has_trait(ir.RecursiveMemoryEffectsTrait):
        kinds |= {
            kind
            for region in op.regions
            for block in region.blocks
            for o in block
            for kind in effects(o.operation)
        }
    with op.context:
        try:
            declared = list(ir.MemoryEffectsOpInterface(op).get_effects())
        except ValueError:
            return kinds if op.has_trait(ir.RecursiveMemoryEffectsTrait) else {"write"}
    for name in ("Read", "Write", "Free"):
        if any(effect.effect == getattr(ir.MemoryEffect, name) for effect in declared):
            kinds.add(name.lower())
    return kinds


def _key(value: ir.Value) -> object:
    owner = value.owner
    if isinstance(owner, ir.Block):
        return ("argument", hash(owner), ir.BlockArgument(value).arg_number)
    return ("result", hash(owner.operation), ir.OpResult(value).result_number)
