"""What the proof refuses although the texts are the same, and although the dependences allow it."""

from collections.abc import Collection
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import VerificationError, read_text
from eio_audit.audit.fix.fix import corrected
from eio_audit.audit.fix.verification import verify
from eio_audit.mlir.reading.builder import Scopes
from tests.audit.test_fix import SHUFFLED, fixed
from tests.internals import (
    DependenceGraph,
    Dependences,
    OpTable,
    OpTraits,
    Source,
    audit_dump,
    in_orders,
    read_ir,
)
from tests.mlir.test_places import DEOPTIMIZE, INALLOCA, LANDINGPAD, MUSTTAIL
from tests.reading import ir_of


@pytest.mark.parametrize("pair", [(0, 1), (1, 2)])
def test_effects_that_only_the_new_text_has(pair: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    dump = audit_dump(read_text(SHUFFLED)[0])
    corrected(dump)
    by_effect = Dependences.by_effect

    def with_another(self: Dependences, blocks: list[int]) -> dict[int, DependenceGraph]:
        graphs = by_effect(self, blocks)
        graphs[1].add(*pair, "effect")
        return graphs

    monkeypatch.setattr(Dependences, "by_effect", with_another)
    with pytest.raises(VerificationError, match="the dependences changed in \\^bb0"):
        corrected(dump)


class NoDependences(Dependences):
    """A witness that knows of no dependence, and so allows every order."""

    def of(self, blocks: Collection[int]) -> dict[int, DependenceGraph]:
        return {block: DependenceGraph(self._ir.block_ops[block]) for block in blocks}

    by_effect = of


@pytest.fixture
def _no_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Dependences, "by_effect", NoDependences.of)


def verify_order(text: str, order: list[int], inside: str = "") -> None:
    """Verify that the ops of the last block, or of the one in an op of this name, may be in this order."""
    ir = ir_of(text)
    blocks = [b for b in range(ir.block_count) if not inside or ir.name(max(ir.parent_op(b), 0)) == inside]
    orders = {blocks[-1]: order}
    verify(ir, orders, NoDependences(ir), in_orders(ir, orders))


USED = """func.func @f(%a: i32) {
  my.op {
    %0 = "ttir.neg"(%a) : (i32) -> i32
    %1 = "ttir.abs"(%a) : (i32) -> i32
    USE
    my.end
  }
  return
}
"""
USE = '"ttir.use"(%0) : (i32) -> ()'
NESTED_USE = f"scf.execute_region {{\n{USE}\nscf.yield\n}}"


@pytest.mark.usefixtures("_no_effects")
@pytest.mark.parametrize("use", [USE, NESTED_USE])
def test_a_use_before_its_definition_in_an_op_without_a_row(use: str) -> None:
    text = USED.replace("USE", use)
    verify_order(text, [1, 0, 2, 3], "my.op")
    with pytest.raises(VerificationError, match="only in one of the texts|before one whose result it uses"):
        verify_order(text, [1, 2, 0, 3], "my.op")


@pytest.mark.usefixtures("_no_effects")
def test_a_use_before_its_definition_that_the_reader_lets_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scopes, "_use_before_definition", lambda *_: None)
    with pytest.raises(
        VerificationError, match=r"before one whose result it uses: ttir\.use at test\.mlir:5"
    ):
        verify_order(USED.replace("USE", USE), [1, 2, 0, 3], "my.op")
    with pytest.raises(
        VerificationError, match=r"before one whose result it uses: ttir\.use at test\.mlir:6"
    ):
        verify_order(USED.replace("USE", NESTED_USE), [1, 2, 0, 3], "my.op")


@pytest.mark.usefixtures("_no_effects")
def test_a_use_before_its_definition_in_an_op_with_a_row() -> None:
    text = USED.replace("USE", USE).replace("my.op", "scf.execute_region").replace("my.end", "scf.yield")
    with pytest.raises(VerificationError, match="use of value '%0' before its definition"):
        verify_order(text, [1, 2, 0, 3], "scf.execute_region")


@given(
    st.lists(st.lists(st.integers(0, 7), max_size=2), min_size=2, max_size=6).flatmap(
        lambda uses: st.tuples(st.just(uses), st.permutations(range(len(uses))), st.booleans())
    )
)
def test_exactly_the_orders_with_definitions_before_uses_are_accepted(
    case: tuple[list[list[int]], list[int], bool],
) -> None:
    given_uses, order, is_nested = case
    uses = [sorted({use % op for use in given} if op else ()) for op, given in enumerate(given_uses)]
    lines = []
    for op, used in enumerate(uses):
        operands, types = ", ".join(f"%{use}" for use in used), ", ".join("i32" for _ in used)
        use = f'"my.use"({operands}) : ({types}) -> ()'
        lines.append(f'%{op} = "my.op"() ({{{use}}}) : () -> i32' if is_nested else f"%{op} = {use[:-2]}i32")
    text = "my.region {\n" + "\n".join([*lines, "my.end"]) + "\n}\n"
    place = {op: k for k, op in enumerate(order)}
    is_legal = all(place[use] < place[op] for op, used in enumerate(uses) for use in used)
    with mock.patch.object(Dependences, "by_effect", NoDependences.of):
        try:
            verify_order(text, [*order, len(uses)], "my.region")
        except VerificationError:
            assert not is_legal
        else:
            assert is_legal


@pytest.mark.usefixtures("_no_effects")
def test_a_definition_in_a_block_printed_later() -> None:
    text = """func.func @f(%a: i32) {
  cf.br ^bb2
^bb1:
  %1 = "ttir.neg"(%0) : (i32) -> i32
  return
^bb2:
  %0 = "ttir.neg"(%a) : (i32) -> i32
  %2 = "ttir.abs"(%a) : (i32) -> i32
  cf.br ^bb1
}
"""
    verify_order(text, [1, 0, 2])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("func.func private @f()\nfunc.func private @g()\n", id="top level"),
        pytest.param("module {\n  func.func private @f()\n  func.func private @g()\n}\n", id="module"),
        pytest.param(
            'my.op {\n  %1 = "my.use"(%0) : (i32) -> i32\n  %0 = "my.use"(%1) : (i32) -> i32\n}\n',
            id="by its uses",
        ),
    ],
)
@pytest.mark.usefixtures("_no_effects")
def test_nothing_moves_in_a_graph_region(text: str) -> None:
    verify_order(text, [0, 1])
    with pytest.raises(VerificationError, match="ops of a graph region moved, in \\^bb0"):
        verify_order(text, [1, 0])


def test_a_region_that_is_no_longer_a_graph_region() -> None:
    table = OpTable({"my.graph": OpTraits(flags=frozenset({"graph_region"}))})
    text = b'my.graph {\n  "my.op"() : () -> ()\n}\n'
    ir = read_ir(Source("test.mlir", text), None, table)
    verify(ir, {}, NoDependences(ir), text)
    ir.op_table = OpTable()
    with pytest.raises(VerificationError, match="a graph region only in one of the texts"):
        verify(ir, {}, NoDependences(ir), text)


@pytest.mark.usefixtures("_no_effects")
@pytest.mark.parametrize("end", ["scf.yield", "my.end"])
def test_a_terminator_that_would_not_be_last(end: str) -> None:
    op = "scf.execute_region" if end == "scf.yield" else "my.op"
    text = USED.replace("USE", USE).replace("my.op", op).replace("my.end", end)
    with pytest.raises(VerificationError, match=rf"the terminator would not be last: {end} at test\.mlir:6"):
        verify_order(text, [0, 1, 3, 2], op)


TWO_ALLOCATIONS = INALLOCA.replace("  %a =", "  %c = llvm.alloca %n x i64 : (i32) -> !llvm.ptr\n  %a =")
ALLOCATION_INSIDE = """func.func @f(%n: i32, %q: i1) {
  %a = llvm.alloca inalloca %n x i32 : (i32) -> !llvm.ptr
  scf.if %q {
    llvm.call @g(%a) : (!llvm.ptr) -> ()
  }
  scf.if %q {
    %b = llvm.alloca %n x i32 : (i32) -> !llvm.ptr
  }
  return
}
"""


@pytest.mark.usefixtures("_no_effects")
@pytest.mark.parametrize(
    ("text", "order", "message"),
    [
        pytest.param(
            LANDINGPAD, [1, 0, 2], r"before one that must be first: llvm\.landingpad", id="landingpad"
        ),
        pytest.param(MUSTTAIL, [1, 0, 2], r"between the terminator and .*: llvm\.call", id="musttail"),
        pytest.param(DEOPTIMIZE, [1, 0, 2], r"between the terminator and .*: llvm\.call_in", id="deoptimize"),
        pytest.param(TWO_ALLOCATIONS, [1, 0, 2, 3, 4], "an allocation would pass one", id="made before"),
        pytest.param(
            TWO_ALLOCATIONS, [0, 1, 3, 2, 4], "an allocation would pass one", id="made after the call"
        ),
        pytest.param(ALLOCATION_INSIDE, [0, 2, 1, 3], "an allocation would pass one", id="inside other ops"),
    ],
)
def test_another_op_in_between(text: str, order: list[int], message: str) -> None:
    inside = "func.func" if "func.func" in text and "llvm.func" not in text else ""
    with pytest.raises(VerificationError, match=message):
        verify_order(text, order, inside)


@pytest.mark.usefixtures("_no_effects")
def test_an_op_that_leaves_the_place_to_another() -> None:
    constant = "  %c = llvm.mlir.constant(1 : i32) : i32\n"
    behind = MUSTTAIL.replace("  llvm.return", constant + "  llvm.return")
    verify_order(behind, [2, 0, 1, 3])
    verify_order(LANDINGPAD.replace("  llvm.resume", constant + "  llvm.resume"), [0, 2, 1, 3])


def test_a_constant_behind_a_musttail_call_stays_there() -> None:
    text = """llvm.func @g(i32) -> i32
llvm.func @main(%a: i32) -> i32 {
  %r = llvm.call musttail @g(%a) : (i32) -> i32 loc("5|m")
  %c = llvm.mlir.constant(1 : i32) : i32 loc("3|m")
  llvm.return %r : i32
}
"""
    assert fixed(text) == text
