"""The figures of a check by model and by pass, the worst first, and what changed since an earlier check."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeVar

from eio_audit.audit.check.check import Check
from eio_audit.audit.check.figures import DumpAudit, summarize
from eio_audit.audit.gate.gate import Verdict


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """The figures of one model.

    Attributes:
        model: its name.
        dumps: how many dumps of it could be read.
        errors: how many could not.
        unjudged: how many of its files could not be judged, because nothing in them is indexed.
        ops: the ops of all its dumps.
        inversions: what several dumps of a log show counts once, in this figure and in those that follow.
        forced: inversions that a dependence forces.
        minimum: inversions that no order avoids.
        avoidable: inversions that a fix removes.
        avoidable_constants: those of these that hoisted constants cause.
        avoidable_splits: those of these that splits cause.
        certified: whether the minimum is proven.
        findings: how many findings it has.
        worst: the first of its dumps with most avoidable inversions, then with most of any kind; None if no
            dump has inversions.
    """

    model: str
    dumps: int
    errors: int
    unjudged: int
    ops: int
    inversions: int
    forced: int
    minimum: int
    avoidable: int
    avoidable_constants: int
    avoidable_splits: int
    certified: bool
    findings: int
    worst: DumpAudit | None

    @property
    def is_clean(self) -> bool:
        """Whether all of it could be read and is in order."""
        return not (self.inversions or self.findings or self.errors)


@dataclass(frozen=True, slots=True)
class PassFigures:
    """The figures of all dumps before or after a pass: what they show, whichever pass brought it in.

    Attributes:
        pass_name: the pass; None for dumps without a marker.
        when: ``"before"`` or ``"after"`` it; None if only the name of a file says which pass it is.
        dumps: how many there are.
        models: of how many models.
        models_avoidable: and in how many of these models they have avoidable inversions.
        inversions: added up over the dumps, like the figures that follow.
        avoidable: inversions that a fix removes.
        avoidable_constants: those of these that hoisted constants cause.
        avoidable_splits: those of these that splits cause.
        findings: findings that these dumps are the first to show.
    """

    pass_name: str | None
    when: str | None
    dumps: int
    models: int
    models_avoidable: int
    inversions: int
    avoidable: int
    avoidable_constants: int
    avoidable_splits: int
    findings: int

    @property
    def moment(self) -> str:
        """Which dumps they are: ``after canonicalize``. Empty for dumps without a marker."""
        return " ".join(filter(None, (self.when, self.pass_name)))

    @property
    def is_clean(self) -> bool:
        """Whether these dumps are in order."""
        return not (self.inversions or self.findings)


def figures_by_model(verdict: Verdict) -> list[ModelFigures]:
    """Return the figures of every model, those with most avoidable inversions first, then by findings."""
    check = verdict.check
    findings = Counter(check.model_of(finding.source) for finding in verdict.findings)
    figures = [_of_model(name, own, findings[name]) for name, own in check.by_model.items()]
    return sorted(figures, key=lambda one: (-one.avoidable, -one.findings, -one.inversions, -one.errors))


def _of_model(model: str, check: Check, findings: int) -> ModelFigures:
    once = check.each_inversion_once
    worst = max(check.dumps, key=_badness, default=None)
    return ModelFigures(
        model=model,
        dumps=len(check.dumps),
        errors=len(check.errors),
        unjudged=len(check.unjudged),
        ops=check.summary.ops,
        inversions=once.inversions,
        forced=once.forced,
        minimum=once.minimum,
        avoidable=once.avoidable,
        avoidable_constants=once.avoidable_constants,
        avoidable_splits=once.avoidable_splits,
        certified=once.certified,
        findings=findings,
        worst=worst if worst is not None and worst.summary.inversions else None,
    )


def _badness(dump: DumpAudit) -> tuple[int, int]:
    return dump.summary.avoidable, dump.summary.inversions


def figures_by_pass(verdict: Verdict) -> list[PassFigures]:
    """Return the figures of every pass, those with most avoidable inversions first, then by findings."""
    check = verdict.check
    dumps = defaultdict[tuple[str | None, str | None], list[DumpAudit]](list)
    pass_of = {}
    for dump in check.dumps:
        pass_of[dump.source, dump.line] = dump.pass_name, dump.when
        dumps[dump.pass_name, dump.when].append(dump)
    findings = Counter(pass_of.get((one.source, one.place.line)) for one in verdict.findings)
    figures = [_of_pass(check, own, findings[key]) for key, own in dumps.items()]
    return sorted(figures, key=lambda one: (-one.avoidable, -one.findings, -one.inversions))


def _of_pass(check: Check, dumps: Sequence[DumpAudit], findings: int) -> PassFigures:
    total = summarize(dumps)
    return PassFigures(
        pass_name=dumps[0].pass_name,
        when=dumps[0].when,
        dumps=len(dumps),
        models=len({check.model_of(dump.source) for dump in dumps}),
        models_avoidable=len({check.model_of(dump.source) for dump in dumps if dump.summary.avoidable}),
        inversions=total.inversions,
        avoidable=total.avoidable,
        avoidable_constants=total.avoidable_constants,
        avoidable_splits=total.avoidable_splits,
        findings=findings,
    )


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
