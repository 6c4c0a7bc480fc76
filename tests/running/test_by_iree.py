"""Programs over tensors and globals, compiled and run by IREE in orders that the model allows."""

import pytest

from tests.running.iree_judge import IREE, run
from tests.running.judging import judged
from tests.running.tensor_programs import TENSOR, Program

TWO_ORDERS = f"""ml_program.global private mutable @g(dense<[1, 2, 3, 4]> : {TENSOR}) : {TENSOR}
func.func @f(%a: {TENSOR}, %b: {TENSOR}) -> {TENSOR} {{
  %0 = ml_program.global_load @g : {TENSOR}
  %1 = arith.addi %a, %b : {TENSOR}
  ml_program.global_store @g = %1 : {TENSOR}
  %2 = arith.addi %0, %0 : {TENSOR}
  return %2 : {TENSOR}
}}
func.func @h(%a: {TENSOR}, %b: {TENSOR}) -> {TENSOR} {{
  %1 = arith.addi %a, %b : {TENSOR}
  ml_program.global_store @g = %1 : {TENSOR}
  %0 = ml_program.global_load @g : {TENSOR}
  %2 = arith.addi %0, %0 : {TENSOR}
  return %2 : {TENSOR}
}}
"""


def test_the_judge_sees_an_order() -> None:
    assert run(Program(TWO_ORDERS, ("f", "h"))) == {"f": [2, 4, 6, 8], "h": [80, 84, 88, 92]}


def test_every_order_does_the_same() -> None:
    verdict = judged(IREE, range(2), shuffles=1)
    assert verdict.judged == 2
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.slow
def test_many_orders_do_the_same() -> None:
    verdict = judged(IREE, range(80), shuffles=2, fixes=1)
    assert verdict.undecided == 0
    assert [str(difference) for difference in verdict.differences] == []
