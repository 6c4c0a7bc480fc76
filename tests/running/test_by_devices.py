"""Programs over tensors that a device changes in place, run in orders that the model allows."""

import pytest

from tests.running.device_judge import DEVICES, run
from tests.running.device_programs import PRELUDE, TENSOR
from tests.running.judging import Program, differs, judged
from tests.running.mutations import MUTATIONS

SEEDS = range(40)


def test_the_judge_sees_a_write_through_a_view() -> None:
    text = f"""{PRELUDE}func.func @f(%a: {TENSOR}, %b: {TENSOR}, %x: i32, %y: i32) -> {TENSOR} {{
  %0 = "ttnn.reshape"(%a) : ({TENSOR}) -> {TENSOR}
  "ttnn.fill_cache"(%0, %b) : ({TENSOR}, {TENSOR}) -> ()
  return %a : {TENSOR}
}}
"""
    assert run(Program(text, ("f",))) == {"f": [[14, 18, 22, 26], [14, 18, 22, 26], [11, 12, 13, 14]]}


def test_every_order_does_the_same() -> None:
    verdict = judged(DEVICES, SEEDS, shuffles=1, fixes=1)
    assert verdict.judged == 80
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name, mutation in MUTATIONS.items() if mutation.judge == "devices"]
)
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    assert differs(DEVICES, range(300), shuffles=2)
