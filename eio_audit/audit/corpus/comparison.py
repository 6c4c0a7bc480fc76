"""What became better and worse since an earlier check, by model and by pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from eio_audit.audit.corpus.corpus_figures import figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict

Key = TypeVar("Key")
Moment = tuple[str | None, str | None]
"""A pass, and whether it is before or after it; see ``PassFigures``."""


class ComparedFigures(NamedTuple):
    """The figures by which models and passes are compared, as in ``ModelFigures`` and ``PassFigures``."""

    dumps: int
    errors: int
    inversions: int
    avoidable: int
    unjudged: int = 0


class EarlierCheck(NamedTuple):
    """The figures of a check by model, and by pass."""

    models: Mapping[str, ComparedFigures]
    passes: Mapping[Moment, ComparedFigures]


class Trend(StrEnum):
    """What became of a model or a pass, in the order in which reports list it."""

    WORSE = "worse"
    """It has more avoidable inversions, or as many and more inversions."""
    INCOMPLETE = "incomplete"
    """One of the checks could not read or judge all of it, so its figures cannot be compared."""
    NEW = "new"
    """The earlier check did not have it."""
    GONE = "gone"
    """Only the earlier check has it."""
    BETTER = "better"
    """It has fewer avoidable inversions, or as many and fewer inversions."""
    SAME = "same"
    """Both numbers of inversions are the same."""


@dataclass(frozen=True, slots=True)
class FigureChange:
    """The figures of a model or a pass in two checks; None in the check that does not have it."""

    before: ComparedFigures | None
    after: ComparedFigures | None

    @property
    def trend(self) -> Trend:
        """Whether it became better or worse."""
        before, after = self.before, self.after
        if before is None:
            return Trend.NEW
        if after is None:
            return Trend.GONE
        if before.errors or after.errors or before.unjudged != after.unjudged:
            return Trend.INCOMPLETE
        was, is_ = (before.avoidable, before.inversions), (after.avoidable, after.inversions)
        return Trend.SAME if was == is_ else Trend.WORSE if is_ > was else Trend.BETTER

    @property
    def growth(self) -> tuple[int, int]:
        """By how much the avoidable inversions and all inversions grew."""
        before, after = self.before or _NOTHING, self.after or _NOTHING
        return after.avoidable - before.avoidable, after.inversions - before.inversions


@dataclass(frozen=True, slots=True)
class CheckComparison:
    """A check and an earlier one.

    Attributes:
        source: the name of the earlier report.
        models: by name, those that became worse first, then in the order of ``Trend``.
        passes: by moment, in the same order.
        total: the figures of all models.
    """

    source: str
    models: Mapping[str, FigureChange]
    passes: Mapping[Moment, FigureChange]
    total: FigureChange


_NOTHING = ComparedFigures(0, 0, 0, 0, 0)


def compare_checks(source: str, earlier: EarlierCheck, verdict: Verdict) -> CheckComparison:
    """Compare a check with an earlier one. ``source`` is the name of the earlier report."""
    models = {
        one.model: ComparedFigures(one.dumps, one.errors, one.inversions, one.avoidable, one.unjudged)
        for one in figures_by_model(verdict)
    }
    passes = {
        (one.pass_name, one.when): ComparedFigures(one.dumps, 0, one.inversions, one.avoidable)
        for one in figures_by_pass(verdict)
    }
    return CheckComparison(
        source,
        _changes(earlier.models, models),
        _changes(earlier.passes, passes),
        FigureChange(_total(earlier.models.values()), _total(models.values())),
    )


def _changes(
    before: Mapping[Key, ComparedFigures], after: Mapping[Key, ComparedFigures]
) -> dict[Key, FigureChange]:
    changes = {key: FigureChange(before.get(key), after.get(key)) for key in {**after, **before}}
    order = list(Trend)

    def rank(key: Key) -> tuple[int, int, int]:
        avoidable, inversions = changes[key].growth
        return order.index(changes[key].trend), -abs(avoidable), -abs(inversions)

    return {key: changes[key] for key in sorted(changes, key=rank)}


def _total(figures: Iterable[ComparedFigures]) -> ComparedFigures:
    return ComparedFigures(*map(sum, zip(_NOTHING, *figures, strict=True)))
