"""Values are named as MLIR's printer would name them in the new order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, fix, read_text
from tests.internals import IR, Dependences, OpTable, Source, ValueNames, in_orders, read_ir, renumber
from tests.judge import parse
from tests.programs import programs
from tests.test_samples import DUMP_FILES

DATA = Path(__file__).parent.parent / "data"
FILES = [*DUMP_FILES, DATA / "custom_assembly.mlir", DATA / "shuffled_loops.mlir"]


def renumbered(text: str, orders: dict[int, list[int]]) -> str:
    source = Source("test.mlir", text.encode())
    ir = read_ir(source)
    named = renumber(ValueNames(source, ir.span, OpTable()), orders)
    return in_orders(read_ir(Source("test.mlir", named)), orders).decode()


def printed(text: str, *, generic: bool) -> str:
    """The program as MLIR prints it."""
    return parse(text).operation.get_asm(
        print_generic_op_form=generic, use_local_scope=True, enable_debug_info=True
    )


def any_orders(ir: IR, seed: int) -> dict[int, list[int]]:
    """An order of every block that keeps producers before users."""
    choose = random.Random(seed)
    blocks = [b for b, ops in enumerate(ir.block_ops) if ops and ir.has_order(b)]
    orders = {}
    for block, graph in Dependences(ir, ["*"]).of(blocks).items():
        left, order = {k: set(graph.precedence.predecessors(k)) for k in range(len(graph.ops))}, list[int]()
        while left:
            order.append(choose.choice([k for k, before in left.items() if before.isdisjoint(left)]))
            del left[order[-1]]
        orders[block] = order
    return orders


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.name, marks=pytest.mark.slow if "alias" in path.name else [])
        for path in FILES
    ],
)
@pytest.mark.parametrize("generic", [True, False], ids=["generic", "custom"])
def test_mlir_prints_the_same_names_in_any_order(path: Path, generic: bool) -> None:
    for dump in read_text(path.read_bytes()):
        text = printed(dump.source.data[dump.span.start : dump.span.end].decode(), generic=generic)
        after = renumbered(text, any_orders(read_ir(Source("test.mlir", text.encode())), seed=1))
        assert after.rstrip() == printed(after, generic=generic).rstrip()


@given(programs(), st.booleans())
def test_mlir_prints_the_same_names_in_whatever_is_fixed(text: str, generic: bool) -> None:
    before = printed(text, generic=generic)
    options = AuditOptions(assume_pure=["*"])
    after = fix(read_text(before), options, renumber=True).text.decode()
    assert after.rstrip() == printed(after, generic=generic).rstrip()


def swap_first_two(text: str) -> str:
    """The text with the first two ops of the last op's block in the other order, renumbered."""
    ir = read_ir(Source("test.mlir", text.encode()))
    block = ir.op_block[len(ir) - 1]
    return renumbered(text, {block: [1, 0, *range(2, len(ir.block_ops[block]))]})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            '%0 = "a.a"() : () -> i32\n%1 = "b.b"() : () -> i32\n"c.c"(%0, %1) : (i32, i32) -> ()',
            '%0 = "b.b"() : () -> i32\n%1 = "a.a"() : () -> i32\n"c.c"(%1, %0) : (i32, i32) -> ()',
            id="numbers",
        ),
        pytest.param(
            '%0:2 = "a.a"() : () -> (i32, i32)\n%1 = "b.b"() : () -> i32\n"c.c"(%0#1, %1) : (i32, i32) -> ()',
            '%0 = "b.b"() : () -> i32\n%1:2 = "a.a"() : () -> (i32, i32)\n"c.c"(%1#1, %0) : (i32, i32) -> ()',
            id="several results",
        ),
        pytest.param(
            '%cst = "a.a"() : () -> i32\n%cst_0 = "b.b"() : () -> i32\n"c.c"(%cst, %cst_0) : (i32, i32) -> ()',
            '%cst = "b.b"() : () -> i32\n%cst_0 = "a.a"() : () -> i32\n"c.c"(%cst_0, %cst) : (i32, i32) -> ()',
            id="names that ops give",
        ),
        pytest.param(
            '%x = "a.a"() : () -> i32\n%x_7 = "b.b"() : () -> i32\n"c.c"(%x, %x_7) : (i32, i32) -> ()',
            '%x_7 = "b.b"() : () -> i32\n%x = "a.a"() : () -> i32\n"c.c"(%x, %x_7) : (i32, i32) -> ()',
            id="names of one's own",
        ),
        pytest.param(
            '%5 = "a.a"() {s = "%5"} : () -> i32 // %5\n%y = "b.b"() : () -> i32 loc("%5")\n"c.c"(%5) : (i32) -> ()',
            '%y = "b.b"() : () -> i32 loc("%5")\n%0 = "a.a"() {s = "%5"} : () -> i32 // %5\n"c.c"(%0) : (i32) -> ()',
            id="strings and comments",
        ),
    ],
)
def test_names_in_a_new_order(before: str, after: str) -> None:
    assert swap_first_two(before) == after


def test_a_region_goes_on_from_the_one_around_it() -> None:
    text = """func.func @f(%arg0: i32) {
  %0 = "a.a"() : () -> i32
  %1 = "b.b"() ({
  ^bb0(%arg1: i32):
    %2 = "c.c"(%arg1, %0) : (i32, i32) -> i32
  }) : () -> i32
  %3 = "d.d"(%1) : (i32) -> i32
}
"""
    assert renumbered(text, {}) == text.replace("%3", "%9").replace("%2", "%3").replace("%9", "%2")


def test_numbers_that_no_printer_gave_are_made_new() -> None:
    text = (
        'func.func @f(%a: i32, %7: i32) {\n  %3 = "a.a"(%7, %a) : (i32, i32) -> i32\n  return %3 : i32\n}\n'
    )
    assert renumbered(text, {}) == (
        'func.func @f(%a: i32, %arg0: i32) {\n  %0 = "a.a"(%arg0, %a) : (i32, i32) -> i32\n  return %0 : i32\n}\n'
    )
