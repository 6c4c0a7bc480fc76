"""Programs lowered by MLIR and run by the machine, in orders that the model allows; skipped without MLIR's tools."""

from functools import partial

import pytest

from tests.running.judging import Judge, differs, judged
from tests.running.mutations import MUTATIONS
from tests.running.native_judge import NATIVE, is_here, run
from tests.running.native_programs import STATES, native_program

pytestmark = pytest.mark.skipif(not is_here(), reason="mlir-opt and mlir-runner are not installed")


def test_every_order_does_the_same() -> None:
    verdict = judged(NATIVE, range(5), shuffles=1, fixes=1)
    assert verdict.judged == 10
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param(
            ("guarded_division", "store", "say"), id="an op that must not run", marks=pytest.mark.slow
        ),
        pytest.param(("stack_saved",), id="a stack that is given back", marks=pytest.mark.slow),
        pytest.param(("round_", "convert"), id="a mode of the machine"),
    ],
)
def test_what_no_declared_effect_tells(kinds: tuple[str, ...]) -> None:
    assert set(kinds) & set(STATES)
    judge = Judge(partial(native_program, size=4, kinds=kinds), run, at_once=100)
    assert judged(judge, range(5), shuffles=1).functions() == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name, mutation in MUTATIONS.items() if mutation.judge == "machine"]
)
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    kinds = MUTATIONS[name].kinds
    program = partial(native_program, kinds=kinds) if kinds else native_program
    assert differs(Judge(program, run, at_once=20), range(200), shuffles=2)


@pytest.mark.slow
def test_many_orders_do_the_same() -> None:
    verdict = judged(NATIVE, range(1000, 1100), shuffles=1, fixes=1)
    assert [str(difference) for difference in verdict.differences] == []
