"""Tells values apart that have one name, once ops move.

A value in a nested region may have the name of a value that is defined around that region, but after it: the
name means nothing else yet. Moved up, the outer definition would clash with it. Where the outer one is before
it, what the name means depends on what is visible in the region: it is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.value_names import ValueNames
from eio_audit.mlir.traits import UNLISTED


def names_apart(values: ValueNames) -> bytes:
    """The dump's text with ``_`` and a number after names in regions that are defined after them too.

    Complexity: linear in the text, and in the values times how deep they are nested.
    """
    defined: dict[int, dict[str, int]] = {}  # by region and name: the offset
    for value, name in values.names.items():
        defined.setdefault(_region_of(values.ir, value), {})[name] = values.definitions[value]
    taken, others = set(values.names.values()), dict[int, str]()
    for value, name in values.names.items():
        around = [
            defined.get(region, {}) for region in _regions_around(values.ir, _region_of(values.ir, value))
        ]
        outer = [offset_of[name] for offset_of in around if name in offset_of]
        if value not in values.same and outer and min(outer) > values.definitions[value]:
            candidates = (f"{name}_{number}" for number in count())
            others[value] = next(candidate for candidate in candidates if candidate not in taken)
            taken.add(others[value])
    return values.text_with(others)


def _region_of(ir: IR, value: int) -> int:
    owner = ir.value_owner[value]
    return ir.block_region[ir.op_block[owner] if owner >= 0 else -1 - owner]


def _regions_around(ir: IR, region: int) -> Iterator[int]:
    """The regions around one whose values are visible in it, innermost first."""
    while (op := ir.region_op[region]) >= 0:
        if "isolated" in ir.op_table.rows.get(ir.name(op), UNLISTED).flags:
            return
        region = ir.block_region[ir.op_block[op]]
        yield region
