"""The figures of a check by model and by pass, the worst first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

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
        wrong_indices: ops whose index is wrong.
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
    wrong_indices: int
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
        wrong_indices: ops whose index is wrong.
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
    wrong_indices: int
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
        wrong_indices=once.wrong_indices,
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
        wrong_indices=total.wrong_indices,
        findings=findings,
    )
