"""Programs with ops whose types are hidden, run by xdsl's interpreter in orders that the model allows."""

import pytest

from tests.running.hidden_judge import HIDDEN, hidden_program
from tests.running.judging import differs, judged
from tests.running.mutations import MUTATIONS


def test_types_are_hidden() -> None:
    assert hidden_program(range(20)).text.count("my.op ") > 50


def test_every_order_does_the_same() -> None:
    verdict = judged(HIDDEN, range(20), shuffles=1, fixes=1)
    assert verdict.judged == 40
    assert [str(difference) for difference in verdict.differences] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, mutation in MUTATIONS.items() if mutation.judge == "hidden"])
def test_a_rule_that_is_switched_off_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTATIONS[name].patch(monkeypatch)
    assert differs(HIDDEN, range(400), shuffles=2)


@pytest.mark.slow
def test_many_orders_do_the_same() -> None:
    verdict = judged(HIDDEN, range(1000, 1400), shuffles=3, fixes=1)
    assert [str(difference) for difference in verdict.differences] == []
