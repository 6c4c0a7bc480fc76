"""EmitC programs compiled as C++ and run, in orders that the model allows; skipped without a compiler."""

import pytest

from tests.running.emitc_judge import EMITC, is_here, run
from tests.running.emitc_programs import PRELUDE
from tests.running.judging import Program, differs, judged
from tests.running.mutations import MUTATIONS

pytestmark = pytest.mark.skipif(not is_here(), reason="mlir-translate and g++ are not installed")

SWAP = """emitc.func @NAME(%x: i32, %y: i32) -> i32 {
  FIRST
  SECOND
  emitc.return %0 : i32
}
"""
LITERAL = '%l = emitc.literal "counter" : i32\n  %0 = emitc.add %l, %x : (i32, i32) -> i32'
CALL = 'emitc.call_opaque "tick"(%y) : (i32) -> ()'


def test_the_judge_sees_an_order() -> None:
    one, other = (
        SWAP.replace("NAME", name).replace("FIRST", a).replace("SECOND", b)
        for name, a, b in (("one", LITERAL, CALL), ("other", CALL, LITERAL))
    )
    assert run(Program(PRELUDE + one + other, ("one", "other"))) == {"one": "8 6 4", "other": "13 6 4"}


def test_every_order_does_the_same() -> None:
    verdict = judged(EMITC, range(20), shuffles=1, fixes=1)
    assert verdict.judged == 40
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, mutation in MUTATIONS.items() if mutation.judge == "emitc"])
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    assert differs(EMITC, range(200), shuffles=1)


@pytest.mark.slow
def test_many_orders_do_the_same() -> None:
    verdict = judged(EMITC, range(1000, 1200), shuffles=3, fixes=1)
    assert [str(difference) for difference in verdict.differences] == []
