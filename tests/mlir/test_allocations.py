"""Which memory a load or store touches: that of one allocation, one element of it, or any."""

import pytest

from tests.internals import Allocations
from tests.reading import ir_of

M = "memref<4xf32>"


def part(body: str) -> tuple[int, ...] | None:
    """What the last store of a function touches; the function has no results before %a."""
    ir = ir_of(f"func.func @f(%x: f32, %i: index, %m: {M}) {{\n{body}\nreturn\n}}\n")
    store = max(op for op in range(len(ir)) if ir.name(op) == "memref.store")
    rows = [ir.op_table.of(name) for name in ir.names]
    found = Allocations(ir, rows).part(store, ir.operands_of(store)[1])
    first = min((value for value, owner in enumerate(ir.value_owner) if owner >= 0), default=0)
    return None if found is None else (found[0] - first, *found[1:])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"%a = memref.alloc() : {M}\nmemref.store %x, %a[%i] : {M}", (0,)),
        (f"%a = memref.alloc() : {M}\n%c = arith.constant 3 : index\nmemref.store %x, %a[%c] : {M}", (0, 3)),
        (f"%a = memref.alloc() : {M}\n%v = memref.cast %a : {M} to {M}\nmemref.store %x, %v[%i] : {M}", (0,)),
        (f"%v = memref.cast %m : {M} to {M}\nmemref.store %x, %v[%i] : {M}", None),
        (f"memref.store %x, %m[%i] : {M}", None),
        (f'%v = "memref.cast"() : () -> {M}\nmemref.store %x, %v[%i] : {M}', None),
        (f"%v = func.call @g() : () -> {M}\nmemref.store %x, %v[%i] : {M}", None),
        ("%a = memref.alloc() : memref<f32>\nmemref.store %x, %a[] : memref<f32>", (0,)),
    ],
)
def test_the_memory_of_a_store(body: str, expected: tuple[int, ...] | None) -> None:
    assert part(body) == expected


def test_views_that_lead_back_to_themselves_are_any_memory() -> None:
    ir = ir_of(
        f'"my.g"() ({{\n%a = "memref.cast"(%b) : ({M}) -> {M}\n%b = "memref.cast"(%a) : ({M}) -> {M}\n'
        f'"my.in"() ({{\n^bb0(%x: f32, %i: index):\n"memref.store"(%x, %a, %i) : (f32, {M}, index) -> ()\n'
        '"my.end"() : () -> ()\n}) : () -> ()\n}) : () -> ()\n'
    )
    store = ir.names.index("memref.store")
    op = list(ir.op_name).index(store)
    rows = [ir.op_table.of(name) for name in ir.names]
    assert Allocations(ir, rows).part(op, ir.operands_of(op)[1]) is None
