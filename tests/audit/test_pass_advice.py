"""Advice on the passes of a log is made for those that show it, and is the same whenever it is made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from eio_audit import Trace, read, read_text, trace
from eio_audit.audit.diff import advice as advice_module
from tests.logs import dump, function, logs

RESNET = Path(__file__).parent.parent.parent / "sample_irs" / "resnet" / "all_passes_alias.log"


def with_advice_on_the_worst(result: Trace) -> Trace:
    passes = tuple(row if row == result.culprit else replace(row, advice=None) for row in result.passes)
    return replace(result, passes=passes)


@given(logs())
def test_only_the_pass_that_left_most_has_advice_if_not_all_do(text: str) -> None:
    assert trace(read_text(text), advises_all=False) == with_advice_on_the_worst(trace(read_text(text)))


@pytest.mark.parametrize("most_bytes", [0, 100_000])
def test_advice_is_the_same_if_little_is_kept(most_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dumps = list(read(RESNET))
    expected = with_advice_on_the_worst(trace(dumps))
    monkeypatch.setattr(advice_module, "MOST_BYTES", most_bytes)
    result = trace(dumps, advises_all=False)
    assert result == expected
    assert result.culprit is not None
    assert result.culprit.advice is not None


def test_a_pass_whose_pairs_others_put_in_order_needs_no_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it did is let go when the next pass comes, and not looked at."""
    asked = []
    monkeypatch.setattr(advice_module, "MOST_BYTES", 0)
    monkeypatch.setattr(advice_module, "advise_step", asked.append)
    orders = [(1, 2, 3, 4), (2, 1, 3, 4), (1, 2, 4, 3), (1, 2, 3, 4)]
    texts = (dump("After", f"p{k}", function("f", *order)) for k, order in enumerate(orders))
    trace(read_text("".join(texts)), advises_all=False)
    assert asked == []
