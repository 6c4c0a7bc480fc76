"""Sentences about the models and passes of a corpus, without layout."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eio_audit.audit.corpus.corpus_figures import Trend
from eio_audit.report.wording.numbers import count, from_to

if TYPE_CHECKING:  # most checks have one model and no earlier report
    from eio_audit.audit.corpus.corpus_figures import CheckComparison, FigureChange, ModelFigures, PassFigures

PLURALS = {"model": "models", "pass": "passes"}
"""What figures are of."""

UNNAMED = "(no pass named)"
"""The dumps that no marker and no file name says the pass of."""


def pass_of(figures: PassFigures) -> str:
    """Return ``after canonicalize``."""
    return figures.moment or UNNAMED


def models_of(figures: PassFigures) -> str:
    """Return in how many models a pass leaves avoidable inversions: ``31 of 44``."""
    return f"{figures.models_avoidable:,} of {figures.models:,}"


def worst_of(figures: ModelFigures) -> str:
    """Return which dump of a model is the worst: ``after canonicalize``, or its line. Empty if none is."""
    worst = figures.worst
    return "" if worst is None else worst.moment or f"line {worst.line}"


def differences(comparison: CheckComparison) -> dict[str, list[tuple[str, FigureChange]]]:
    """Return the models and passes that differ from an earlier check, by ``model`` and ``pass``."""
    passes = (
        (" ".join(filter(None, (when, name))) or UNNAMED, change)
        for (name, when), change in comparison.passes.items()
    )
    groups = {"model": comparison.models.items(), "pass": passes}
    return {
        kind: [(name, change) for name, change in group if change.trend is not Trend.SAME]
        for kind, group in groups.items()
    }


def since(comparison: CheckComparison) -> str:
    """Return ``since old.json: 27 -> 22 avoidable inversions; 44 models: 1 better, 43 the same``."""
    number_of = Counter(change.trend for change in comparison.models.values())
    parts = [f"{number_of[trend]:,} {what}" for trend, what in TRENDS.items() if number_of[trend]]
    models = f"{count(len(comparison.models), 'model')}: {', '.join(parts)}" if parts else "no model"
    before, after = comparison.total.before, comparison.total.after
    assert before is not None
    assert after is not None
    numbers = from_to(before.avoidable, after.avoidable)
    return f"since {comparison.source}: {numbers} avoidable inversions; {models}"


TRENDS = {
    Trend.WORSE: "worse",
    Trend.BETTER: "better",
    Trend.NEW: "new",
    Trend.GONE: "gone",
    Trend.INCOMPLETE: "not checked as a whole",
    Trend.SAME: "the same",
}
"""What became of models, in a sentence."""


def changed(change: FigureChange) -> str:
    """Return ``22 -> 5 avoidable (better)``, with other figures where they tell what changed."""
    before, after, trend = change.before, change.after, TRENDS[change.trend]
    if before is None or after is None:
        there = before or after
        assert there is not None
        return f"{there.avoidable:,} avoidable ({trend})"
    parts = [f"{from_to(before.avoidable, after.avoidable)} avoidable"]
    if before.avoidable == after.avoidable and before.inversions != after.inversions:
        parts.insert(0, f"{from_to(before.inversions, after.inversions)} inversions")
    if before.dumps != after.dumps:
        parts.append(f"{from_to(before.dumps, after.dumps)} dumps")
    return f"{', '.join(parts)} ({trend})"
