"""Programs over buffers, run by xdsl's interpreter in orders that the model allows."""

import pytest
from iree.compiler import ir
from xdsl.utils.exceptions import InterpretationError

from tests.running.judging import Program, differs, judged
from tests.running.memref_programs import FLAT, PRELUDE
from tests.running.mutations import MUTATIONS
from tests.running.xdsl_judge import XDSL, run

SEEDS = range(200)
SWAP = (
    PRELUDE
    + f"""func.func @f(%a: {FLAT}, %b: {FLAT}, %x: i32, %y: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  FIRST
  SECOND
  return %0 : i32
}}
"""
)
LOAD, STORE = f"%0 = memref.load %a[%c0] : {FLAT}", f"memref.store %x, %a[%c0] : {FLAT}"


def test_the_judge_sees_an_order() -> None:
    texts = [SWAP.replace("FIRST", a).replace("SECOND", b) for a, b in ((LOAD, STORE), (STORE, LOAD))]
    before, after = (run(Program(text, ("f",)))["f"] for text in texts)
    assert (before[0], after[0]) == ((10,), (1003,))  # type: ignore[index]


def test_a_freed_buffer_is_not_there() -> None:
    text = SWAP.replace("FIRST", f"memref.dealloc %a : {FLAT}").replace("SECOND", LOAD)
    assert str(run(Program(text, ("f",)))["f"]).startswith("failed: ValueError: ")


def test_an_op_that_the_judge_does_not_know_is_no_verdict() -> None:
    text = SWAP.replace("FIRST", LOAD).replace("SECOND", "%1 = index.constant 1")
    with pytest.raises(InterpretationError, match="interpretation function"):
        run(Program(text, ("f",)))


@pytest.mark.parametrize(
    "quarter", [0, *(pytest.param(quarter, marks=pytest.mark.slow) for quarter in (1, 2, 3))]
)
def test_every_order_does_the_same(quarter: int) -> None:
    verdict = judged(XDSL, SEEDS[quarter * 50 : quarter * 50 + 50])
    assert verdict.judged == 250
    assert [str(difference) for difference in verdict.differences] == []


def test_every_fix_does_the_same() -> None:
    verdict = judged(XDSL, SEEDS[:30], shuffles=0, fixes=1)
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, mutation in MUTATIONS.items() if mutation.judge == "xdsl"])
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    try:
        is_missed = differs(XDSL, range(400), shuffles=2)
    except ir.MLIRError:  # it is no program any more
        return
    assert is_missed
