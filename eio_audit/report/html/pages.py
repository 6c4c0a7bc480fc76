"""The pages of ``check`` and ``diff``, and what all pages share: the content for their templates."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath

from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.explain.order_picture import OrderPicture
from eio_audit.audit.gate.gate import Verdict
from eio_audit.report.document import diff_document
from eio_audit.report.html.order_section import (
    OPEN_FINDINGS,
    Section,
    block_sections,
    block_table,
    finding_cards,
)
from eio_audit.report.html.page_steps import step_of
from eio_audit.report.html.stored_steps import packed, pair_data
from eio_audit.report.html.table import Cell, Table, columns_of
from eio_audit.report.template import render, text_of
from eio_audit.report.wording.diff import what_happened
from eio_audit.report.wording.numbers import shortened_list

SHOWN_FILES = 3
"""How many files the title of a page names."""

PAGE_SCRIPTS = ("page.js",)
"""The script of every page: tables, pictures, explained words."""

BROWSER_SCRIPTS = (
    *PAGE_SCRIPTS,
    "ir_text.js",
    "ir_rows.js",
    "step_data.js",
    "pass_view.js",
    "pass_browser.js",
)
"""The scripts of a page that shows the text before and after a pass. A later one uses the earlier ones."""


def check_to_html(
    verdict: Verdict,
    pictures: Sequence[OrderPicture],
    version: str,
    *,
    pages: Mapping[str, str] | None = None,
    model: str = "",
    up: str = "",
) -> str:
    """Return the page of a check.

    Args:
        verdict: what to show.
        pictures: of the blocks that are shown op by op.
        version: of eio-audit.
        pages: the addresses of the pages of models. They have the blocks, and this page has not.
        model: what it is the page of, if of one of several models.
        up: the address of the page of all models.
    """
    check = verdict.check
    sections = block_sections(pictures, verdict.findings)
    cards = finding_cards(verdict.findings, sections, check.dumps)
    listed = {card.name for card in cards}
    inverted = sum(1 for dump in check.dumps for block in dump.blocks if block.inversions)
    sources = [*(dump.source for dump in check.dumps), *(error.source for error in check.errors)]
    return page(
        "check.html",
        version,
        title=f"{model or files_of(sources)}: order of ops",
        result=check,
        verdict=verdict,
        up=up,
        findings=cards,
        open_findings=OPEN_FINDINGS,
        blocks=block_table(check.dumps, sections) if pages is None else None,
        left_out=pages is None and inverted > len(pictures),
        inverted=inverted,
        sections=sections,
        listed=listed,
        **_corpus(verdict, pages or {}),
    )


def _corpus(verdict: Verdict, pages: Mapping[str, str]) -> dict[str, object]:
    """Return the tables of models and of passes; None for a single model."""
    if len(verdict.check.by_model) < 2:
        return {"models": None, "passes": None}
    from eio_audit.report.html.corpus_tables import model_table, pass_table

    return {"models": model_table(verdict, pages), "passes": pass_table(verdict)}


def diff_to_html(
    result: Diff,
    pictures: Callable[[], Sequence[OrderPicture]],
    version: str,
    *,
    verbose: bool = False,
) -> str:
    """Return the page of a diff.

    Args:
        result: what to show.
        pictures: draws blocks of the later dump. It is called when the texts need no memory any more.
        version: of eio-audit.
        verbose: whether to show all differences of an op.
    """
    data = packed(pair_data(step_of(result.comparison)))
    sections = block_sections(pictures())
    return page(
        "diff.html",
        version,
        BROWSER_SCRIPTS,
        title=f"{files_of((result.before.source, result.after.source))}: what changed",
        data=data,
        result=result,
        document=diff_document(result),
        verbose=verbose,
        all_changes=_change_table(result, sections),
        sections=sections,
        listed=(),
    )


def files_of(sources: Iterable[str]) -> str:
    """Return the names of files for the title of a page: ``before.mlir, after.mlir``."""
    return shortened_list(list(dict.fromkeys(PurePath(source).name for source in sources)), SHOWN_FILES)


def page(template: str, version: str, scripts: Sequence[str] = PAGE_SCRIPTS, /, **context: object) -> str:
    """Return a page made of a template with its ``title`` and what else it needs."""
    script = "".join(map(text_of, scripts))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        template,
        version=version,
        script=script,
        script_hash=f"sha256-{digest}",
        style=text_of("page.css")
        + text_of("pass_browser.css")
        + text_of("curve.css")
        + text_of("dataflow.css"),
        **context,
    )


def _change_table(result: Diff, sections: Sequence[Section]) -> Table:
    columns = columns_of(
        "#number, change, what, function, before, #line_before=line, #place_before=place, "
        "after, #line_after=line, #place_after=place"
    )
    changes = [(kind, change) for kind, group in result.ops.groups.items() for change in group]
    lines = {change.after.line for _, change in changes if change.after}
    anchors = {
        label: section.id_of(place)
        for section in sections
        for place, label in enumerate(section.picture.ops.labels)
        if label.line in lines
    }
    rows: list[list[Cell]] = []
    for number, (kind, change) in enumerate(changes, 1):
        what = "; ".join(what_happened(change, verbose=False))
        rows.append([number, kind, what, change.function])
        for op, place in ((change.before, change.place_before), (change.after, change.place_after)):
            rows[-1] += [op.title, op.line, place] if op else [None, None, place]
    caption = "the ops that differ; places count from 0 in their block"
    names = [anchors.get(change.after) if change.after else None for _, change in changes]
    links = [name and f"#{name}" for name in names]
    return Table("changes", caption, columns, rows, "number", links=("after", links))
