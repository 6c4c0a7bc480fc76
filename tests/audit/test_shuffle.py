from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, VerificationError, check, fix, read_text, shuffle, stamp
from eio_audit.audit.fix.fix import random_order, reordered
from tests.internals import Dependences, Precedence
from tests.judge import same_program
from tests.programs import loops, programs
from tests.reading import ir_of

THREE = """func.func @f() {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %2 = arith.constant 2 : i32
  return
}
"""


def shuffled(text: str, seed: int, options: AuditOptions | None = None) -> str:
    dumps = read_text(text)
    return shuffle(dumps, seed, options or AuditOptions()).decode()


def fixed(text: str) -> str:
    dumps = read_text(text)
    return fix(dumps).text.decode()


def stamped(text: str) -> str:
    dumps = read_text(text)
    return stamp(dumps).decode()


def test_a_seed_gives_one_order() -> None:
    assert shuffled(THREE, seed=3) == shuffled(THREE, seed=3)


def test_seeds_give_different_orders() -> None:
    assert len({shuffled(THREE, seed) for seed in range(20)}) == 6


def test_dependences_terminators_and_effects_stay() -> None:
    text = "func.func @f() {\n  my.a\n  my.b\n  %0 = arith.constant 0 : i32\n  %1 = arith.addi %0, %0 : i32\n  return\n}\n"
    orders = {tuple(shuffled(text, seed).splitlines()[1:-1]) for seed in range(60)}
    assert len(orders) == 6  # what is left: merge [a, b] with [x, y]
    assert {order[-1] for order in orders} == {"  return"}


def test_what_is_assumed_pure_may_move() -> None:
    text = "func.func @f() {\n  my.a\n  my.b\n  return\n}\n"
    assert {shuffled(text, seed) for seed in range(9)} == {text}
    assert len({shuffled(text, seed, AuditOptions(assume_pure=("my.*",))) for seed in range(9)}) == 2


def test_graph_regions_are_left_alone() -> None:
    text = "module {\n  func.func private @a()\n  func.func private @b()\n  func.func private @c()\n}\n"
    assert {shuffled(text, seed) for seed in range(9)} == {text}


def test_an_order_that_breaks_a_dependence_is_not_returned() -> None:
    ir = ir_of("func.func @f() {\n  my.a\n  my.b\n}\n")
    reordered(ir, {1: [0, 1]}, Dependences(ir))
    with pytest.raises(VerificationError):
        reordered(ir, {1: [1, 0]}, Dependences(ir))


@given(programs() | loops(), st.integers(0, 1000))
def test_mlir_sees_the_same_program(text: str, seed: int) -> None:
    assert same_program(stamped(text), shuffled(stamped(text), seed))


@given(programs() | loops(), st.integers(0, 1000))
def test_a_fix_brings_back_what_was_in_order(text: str, seed: int) -> None:
    in_order = stamped(text)
    assert check(read_text(in_order)).summary.inversions == 0
    assert fixed(shuffled(in_order, seed)) == in_order


@given(st.integers(0, 8), st.data())
def test_a_random_order_is_a_linear_extension(size: int, data: st.DataObject) -> None:
    edges = data.draw(
        st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda e: e[0] < e[1] < size))
    )
    precedence = Precedence.from_edges(size, [p for p, _ in edges], [u for _, u in edges])
    order = random_order(precedence, Random(data.draw(st.integers(0, 99))))
    assert sorted(order) == list(range(size))
    assert all(order.index(p) < order.index(u) for p, u in edges)
