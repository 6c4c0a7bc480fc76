"""A check of many models as a folder: a page with tables, and one for each model with inversions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from eio_audit.audit.corpus.corpus_figures import figures_by_model
from eio_audit.audit.explain.order_picture import OrderPicture
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import UNINDEXED
from eio_audit.report.html.pages import check_to_html

INDEX = "index.html"
"""The page with the tables."""

LONGEST_NAME = 100
"""The most characters of a model's name in the name of its page."""

_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def check_to_pages(
    verdict: Verdict,
    pictures: Sequence[OrderPicture],
    version: str,
    pictures_of: Callable[[str], Sequence[OrderPicture]],
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page. ``INDEX``, which links to the others, comes last.

    Args:
        verdict: what to show.
        pictures: of the blocks to show op by op if there is only one model.
        version: of eio-audit.
        pictures_of: returns those for the page of a model; called right before the page is yielded.
    """
    if len(verdict.check.by_model) < 2:
        drawn = pictures or [picture for model in verdict.check.by_model for picture in pictures_of(model)]
        yield INDEX, check_to_html(verdict, drawn, version)
        return
    findings = defaultdict[str, list[Finding]](list)
    for finding in verdict.findings:
        findings[verdict.check.model_of(finding.source)].append(finding)
    pages = page_names(one.model for one in figures_by_model(verdict) if not one.is_clean)
    for model, page in pages.items():
        own = _verdict_of(verdict, model, findings[model])
        yield page, check_to_html(own, pictures_of(model), version, model=model, up=INDEX)
    yield INDEX, check_to_html(verdict, (), version, pages=pages)


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
    check = verdict.check.by_model[model]
    failing = {finding.rule for finding in findings if verdict.fails_by(finding)}
    return Verdict(
        check=check,
        gate=replace(verdict.gate, max_inversions=None, max_avoidable=None),
        findings=tuple(findings),
        failed=tuple(rule for rule in verdict.failed if rule in failing)
        + ((UNINDEXED,) if verdict.gate.fails_unindexed(check) else ()),
    )
