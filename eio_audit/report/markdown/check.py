"""A check as Markdown, for the summary of a CI job or a comment on a change."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.corpus.corpus_figures import figures_by_model, figures_by_pass
from eio_audit.audit.gate.gate import Verdict
from eio_audit.mlir.printable import printable
from eio_audit.report.ci.finding import SHOWN_FINDINGS, background, place, place_of_error, rest, sentence
from eio_audit.report.markdown.code import code, literal, shell_block, table
from eio_audit.report.wording.conclusion import reasons, status, steps_after
from eio_audit.report.wording.corpus import models_of, pass_of, worst_of
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import heading_of, sum_of, told_apart_share

SHOWN_DUMPS = 10
"""The most dumps, models and passes that a report names."""


def to_markdown(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the verdict, the dumps with inversions and the findings, worst first.

    If several models have more dumps with inversions than a report names, it names models and passes instead.
    """
    said = "; ".join(reasons(verdict, verbose=verbose))
    lines = [f"### eio-audit: {status(verdict)}", "", literal(said) if verdict.check.unindexed else said]
    lines += shell_block(steps_after(verdict))
    lines += _errors(verdict)
    lines += _figures(verdict)
    lines += _findings(verdict, verbose=verbose)
    return "\n".join(map(printable, lines)) + "\n"


def _errors(verdict: Verdict) -> list[str]:
    errors = verdict.check.errors
    lines = [f"- {_code(place_of_error(error))}: {_code(error.message)}" for error in errors]
    return ["", *lines] if lines else []


def _figures(verdict: Verdict) -> list[str]:
    broken = [dump for dump in verdict.check.dumps if dump.summary.inversions]
    if len(broken) > SHOWN_DUMPS and len(verdict.check.by_model) > 1:
        return _models(verdict) + _passes(verdict)
    return _dumps(sorted(broken, key=lambda dump: -dump.summary.inversions))


def _models(verdict: Verdict) -> list[str]:
    models = [one for one in figures_by_model(verdict) if not one.is_clean]
    rows = []
    for one in models[:SHOWN_DUMPS]:
        rows.append([_code(one.model), f"{one.avoidable:,}{told_apart_share(one)}", f"{one.inversions:,}"])
        rows[-1] += [f"{one.findings:,}", f"{one.dumps:,}", _code(worst_of(one))]
    titles = ["model", "avoidable", "inversions", "findings", "dumps", "worst dump"]
    return _table(titles, rows, _more(len(models) - len(rows), "model", "models"))


def _passes(verdict: Verdict) -> list[str]:
    passes = [one for one in figures_by_pass(verdict) if not one.is_clean]
    rows = []
    for one in passes[:SHOWN_DUMPS]:
        rows.append([_code(pass_of(one)), f"{one.avoidable:,}{told_apart_share(one)}", models_of(one)])
        rows[-1] += [f"{one.inversions:,}", f"{one.findings:,}"]
    titles = ["pass", "avoidable", "in models", "inversions", "findings"]
    return _table(titles, rows, _more(len(passes) - len(rows), "pass", "passes"))


def _more(number: int, noun: str, plural: str) -> str:
    return f"... and {count(number, f'more {noun}', f'more {plural}')}" if number else ""


def _dumps(broken: Sequence[DumpAudit]) -> list[str]:
    rows = [
        [_code(heading_of(dump)), sum_of(dump.summary), f"{dump.summary.wrong_indices:,}"]
        for dump in broken[:SHOWN_DUMPS]
    ]
    more = _more(len(broken) - len(rows), "dump with inversions", "dumps with inversions")
    return _table(["dump", "inversions", "wrong indices"], rows, more)


def _findings(verdict: Verdict, *, verbose: bool) -> list[str]:
    shown = verdict.findings if verbose else verdict.findings[:SHOWN_FINDINGS]
    rows = [[f.rule.code, *map(_code, (place(f), sentence(f), background(f)))] for f in shown]
    return _table(["code", "place", "finding", "from"], rows, rest(verdict.findings, len(shown)))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], more: str) -> list[str]:
    """Return an empty line, the table and a note on what it leaves out. Nothing without rows."""
    if not rows:
        return []
    return ["", *table(titles, rows), *(["", more] if more else [])]


def _code(text: str) -> str:
    return code(printable(text))
