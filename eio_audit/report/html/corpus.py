"""The pages of a check of many models: one with tables, and one for each model with inversions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from eio_audit.audit.corpus.comparison import CheckComparison, FigureChange, Trend
from eio_audit.audit.corpus.corpus_figures import figures_by_model, figures_by_pass
from eio_audit.audit.explain.order_picture import OrderPicture
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.html.pages import check_to_html
from eio_audit.report.html.table import Cell, Table, columns_of
from eio_audit.report.wording.corpus import TRENDS, moment_name, pass_of, worst_of

INDEX = "index.html"
"""The page with the tables, in a folder of pages."""

LONGEST_NAME = 100
"""The most characters of a model's name in the name of its page."""

SORTING = "-avoidable, -findings, -inversions"
"""How the tables of models and passes are sorted at first."""

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def check_to_pages(
    verdict: Verdict,
    pictures: Sequence[OrderPicture],
    version: str,
    comparison: CheckComparison | None,
    pictures_of: Callable[[str], Sequence[OrderPicture]],
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page. ``INDEX``, which links to the others, comes last.

    Args:
        verdict: what to show.
        pictures: of the blocks to show op by op if there is only one model.
        version: of eio-audit.
        comparison: the one with an earlier check.
        pictures_of: returns those for the page of a model; called right before the page is yielded.
    """
    if len(verdict.check.by_model) < 2:
        yield INDEX, check_to_html(verdict, pictures, version, comparison)
        return
    findings = defaultdict[str, list[Finding]](list)
    for finding in verdict.findings:
        findings[verdict.check.model_of(finding.source)].append(finding)
    pages = page_names(one.model for one in figures_by_model(verdict) if not one.is_clean)
    for model, page in pages.items():
        own = _verdict_of(verdict, model, findings[model])
        yield page, check_to_html(own, pictures_of(model), version, model=model, up=INDEX)
    yield INDEX, check_to_html(verdict, (), version, comparison, pages=pages)


def page_names(models: Iterable[str]) -> dict[str, str]:
    """Return a file name for the page of each model: of letters and digits, different in any case of letters.

    It does not depend on the order of the models.
    """
    names: dict[str, str] = {}
    taken = {INDEX}
    for model in sorted(models):
        stem = _ODD.sub("_", model).strip(".")[:LONGEST_NAME] or "_"
        number, name = 1, f"{stem}.html"
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}.html"
        taken.add(name.lower())
        names[model] = name
    return names


def _verdict_of(verdict: Verdict, model: str, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict on one model. Ceilings are for all models together, so it names none."""
    failing = {finding.rule for finding in findings if verdict.fails_by(finding)}
    return Verdict(
        check=verdict.check.by_model[model],
        gate=replace(verdict.gate, max_inversions=None, max_avoidable=None),
        findings=tuple(findings),
        failed=tuple(rule for rule in verdict.failed if rule in failing),
    )


def model_table(verdict: Verdict, pages: Mapping[str, str]) -> Table:
    """Return the figures of every model. Each links to its page, if it has one."""
    models = figures_by_model(verdict)
    has_errors = any(one.errors for one in models)
    columns = columns_of(
        "model, ##avoidable, ##inversions, #minimum=not avoidable, #findings, #dumps, "
        f"{'#errors=not read, ' * has_errors}#ops, worst=worst dump"
    )
    rows: list[list[Cell]] = []
    for one in models:
        rows.append([one.model, one.avoidable, one.inversions, one.minimum, one.findings, one.dumps])
        rows[-1] += [*([one.errors] if has_errors else []), one.ops, worst_of(one)]
    links = ("model", [pages.get(one.model) for one in models])
    return Table("models", "what the dumps of each model show", columns, rows, SORTING, links=links)


def pass_table(verdict: Verdict) -> Table:
    """Return the figures of the dumps of every pass."""
    passes = figures_by_pass(verdict)
    columns = columns_of(
        "pass, ##avoidable, ##inversions, #findings=new findings, #models_avoidable=models with avoidable, "
        "#models, #dumps"
    )
    rows: list[list[Cell]] = []
    for one in passes:
        rows.append([pass_of(one), one.avoidable, one.inversions, one.findings])
        rows[-1] += [one.models_avoidable, one.models, one.dumps]
    caption = "what the dumps of each pass show, whichever pass brought it in"
    return Table("passes", caption, columns, rows, SORTING)


def change_table(comparison: CheckComparison) -> Table | None:
    """Return the models and passes that differ from an earlier check. None if none differs."""
    passes = {moment_name(when, name): one for (name, when), one in comparison.passes.items()}
    changes = [
        (kind, name, change)
        for kind, group in (("model", comparison.models), ("pass", passes))
        for name, change in group.items()
        if change.trend is not Trend.SAME
    ]
    columns = columns_of(
        "trend=change, kind=of, name, #growth, "
        "#avoidable_before=avoidable before, #avoidable=avoidable now, "
        "#inversions_before=inversions before, #inversions=inversions now, "
        "#dumps_before=dumps before, #dumps=dumps now"
    )
    rows: list[list[Cell]] = [
        [TRENDS[change.trend], kind, name, *_numbers(change)] for kind, name, change in changes
    ]
    caption = "the models and passes that differ; growth is that of the avoidable inversions"
    return Table("changes", caption, columns, rows, "-growth, -inversions") if rows else None


def _numbers(change: FigureChange) -> list[Cell]:
    before, after = change.before, change.after
    cells: list[Cell] = [change.growth[0]]
    for name in ("avoidable", "inversions", "dumps"):
        cells += [None if figures is None else getattr(figures, name) for figures in (before, after)]
    return cells
