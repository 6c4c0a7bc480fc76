"""What became of models and passes since an earlier check."""

from __future__ import annotations

import pytest

from tests.audit.corpus.made import judged_corpus
from tests.audit.test_trace import function
from tests.internals import ComparedFigures, EarlierCheck, FigureChange, Trend, compare_checks

ORDERED, ONE, THREE = function("f", 1, 2, 3), function("f", 2, 1, 3), function("f", 3, 2, 1)


def figures(avoidable: int, inversions: int = 9, dumps: int = 1, errors: int = 0) -> ComparedFigures:
    return ComparedFigures(dumps, errors, inversions, avoidable)


@pytest.mark.parametrize(
    ("before", "after", "trend"),
    [
        (figures(2), figures(1), Trend.BETTER),
        (figures(1), figures(2), Trend.WORSE),
        (figures(1), figures(1), Trend.SAME),
        (figures(1, inversions=9), figures(1, inversions=8), Trend.BETTER),
        (figures(1, inversions=8), figures(1, inversions=9), Trend.WORSE),
        (figures(1, inversions=9), figures(2, inversions=8), Trend.WORSE),
        (figures(1, dumps=4), figures(1, dumps=5), Trend.SAME),
        (None, figures(1), Trend.NEW),
        (figures(1), None, Trend.GONE),
        (figures(9), figures(1, errors=1), Trend.INCOMPLETE),
        (figures(1, errors=1), figures(9), Trend.INCOMPLETE),
    ],
)
def test_a_trend(before: ComparedFigures | None, after: ComparedFigures | None, trend: Trend) -> None:
    assert FigureChange(before, after).trend is trend


def test_what_became_worse_comes_first() -> None:
    earlier = EarlierCheck(
        {"a": figures(1, 1), "b": figures(3, 3), "gone": figures(7, 7), "same": figures(1, 1)},
        {("cse", None): figures(0, 0), ("inline", None): figures(5, 5)},
    )
    now = {
        "a/1_cse.mlir": THREE,
        "b/1_cse.mlir": ONE,
        "new/1_cse.mlir": ORDERED,
        "same/1_cse.mlir": ONE,
        "broken/1_cse.mlir": "",
    }
    result = compare_checks("old.json", earlier, judged_corpus(now))
    assert [(name, one.trend.value) for name, one in result.models.items()] == [
        ("a", "worse"),
        ("broken", "new"),
        ("new", "new"),
        ("gone", "gone"),
        ("b", "better"),
        ("same", "same"),
    ]
    assert [(name, one.trend.value) for name, one in result.passes.items()] == [
        (("cse", None), "worse"),
        (("inline", None), "gone"),
    ]
    assert result.total == FigureChange(ComparedFigures(4, 0, 12, 12), ComparedFigures(4, 1, 5, 5))


def test_a_check_is_the_same_as_itself() -> None:
    verdict = judged_corpus({"a/1_cse.mlir": ONE, "b/1_cse.mlir": ORDERED})
    models = {"a": ComparedFigures(1, 0, 1, 1), "b": ComparedFigures(1, 0, 0, 0)}
    earlier = EarlierCheck(models, {("cse", None): ComparedFigures(2, 0, 1, 1)})
    result = compare_checks("old.json", earlier, verdict)
    assert {one.trend for one in (*result.models.values(), *result.passes.values())} == {Trend.SAME}
