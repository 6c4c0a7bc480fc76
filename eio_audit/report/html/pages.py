"""The pages of ``check`` and ``diff``, and what all pages share: the Jinja2 templates in ``templates``.

All text from dumps is escaped, including control characters, in the data for scripts, too. A check of many
models can be a folder: a page with tables, and one for each model with inversions.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass
from eio_audit.audit.explain.order_picture import Dataflow, OrderPicture, pictures_of_model
from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Verdict
from eio_audit.audit.gate.rules import UNINDEXED
from eio_audit.mlir.source import STEERING, printable, printable_lines
from eio_audit.report.document import Cell, Figures, Listing, columns_if_any, columns_of, figures_of
from eio_audit.report.documents.diff import changes_by_function, inverse_ops
from eio_audit.report.graph import drawing_of
from eio_audit.report.html.data import Table, packed, pair_data
from eio_audit.report.html.order_section import (
    OPEN_FINDINGS,
    Section,
    block_sections,
    block_table,
    finding_cards,
)
from eio_audit.report.wording import advice, bisect, conclusion, diff, order, shortened_list, trace
from eio_audit.report.wording.diff import what_happened
from eio_audit.report.wording.order import CLASSES, pass_of, worst_of

if TYPE_CHECKING:
    from jinja2 import Environment

    from eio_audit.audit.diff.diff import Diff
    from eio_audit.mlir.input.dumps import Dump


SHOWN_FILES = 3  # how many files the title of a page names
PAGE_SCRIPTS = ("page.js",)  # the script of every page: tables, pictures, explained words

BROWSER_SCRIPTS = ("page.js", "ir_text.js", "ir_rows.js", "step_data.js", "pass_view.js", "pass_browser.js")
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
    """Return the page of a check. ``pictures`` are of the blocks that are shown op by op.

    Of several models, ``pages`` are the addresses of their pages, which have the blocks. The page of one of
    these models names it, and ``up`` is the address of the page of all.
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
        models=_model_table(verdict, pages or {}) if len(check.by_model) > 1 else None,
        passes=_pass_table(verdict) if len(check.by_model) > 1 else None,
    )


SORTING = "-avoidable, -findings, -inversions"  # how the tables of models and passes are sorted at first


def _model_table(verdict: Verdict, pages: Mapping[str, str]) -> Table:
    models = figures_by_model(verdict)
    lacking = {"errors": "not read", "unjudged": "files without an index"}
    columns = (
        f"model, ##avoidable, {columns_if_any(models, CLASSES)}##inversions, #minimum=not avoidable, "
        f"#findings, #dumps, {columns_if_any(models, lacking)}#ops, worst=worst dump"
    )
    links = ("model", [pages.get(one.model) for one in models])
    caption = "what the dumps of each model show"
    return Table("models", caption, figures_of(models, columns, {"worst": worst_of}), SORTING, links)


def _pass_table(verdict: Verdict) -> Table:
    passes = figures_by_pass(verdict)
    columns = (
        f"pass, #avoidable, {columns_if_any(passes, CLASSES)}#inversions, ##findings=new findings, "
        "#models_avoidable=models with avoidable, #models, #dumps"
    )
    caption = "what the dumps of each pass show, whichever pass brought it in"
    return Table("passes", caption, figures_of(passes, columns, {"pass": pass_of}), SORTING)


def diff_to_html(
    result: Diff, pictures: Callable[[], Sequence[OrderPicture]], version: str, *, verbose: bool = False
) -> str:
    """Return the page of a diff. ``pictures`` draws blocks when the texts need no memory any more."""
    data = packed(pair_data(result.comparison))
    sections = block_sections(pictures())
    return page(
        "diff.html",
        version,
        BROWSER_SCRIPTS,
        title=f"{files_of((result.before.source, result.after.source))}: what changed",
        data=data,
        result=result,
        functions=changes_by_function(result),
        inverse_ops=[part for part in inverse_ops(result).parts if isinstance(part, Listing)],
        verbose=verbose,
        all_changes=_change_table(result, sections),
        sections=sections,
        listed=(),
    )


def files_of(sources: Iterable[str]) -> str:
    """Return the names of files for a title: ``before.mlir, after.mlir``; of many, that of their folder."""
    files = [PurePath(source) for source in dict.fromkeys(sources)]
    if len(files) > SHOWN_FILES:
        shared = (folder for folder in files[0].parents if all(folder in file.parents for file in files))
        if folder := next(shared, PurePath()).name:
            return folder
    return shortened_list(list(dict.fromkeys(file.name for file in files)), SHOWN_FILES)


def page(template: str, version: str, scripts: Sequence[str] = PAGE_SCRIPTS, /, **context: object) -> str:
    """Return a page made of a template with its ``title`` and what else it needs."""
    script = "".join(map(text_of, scripts))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return render(
        template,
        version=version,
        script=script,
        script_hash=f"sha256-{digest}",
        style="".join(map(text_of, ("page.css", "pass_browser.css", "curve.css", "dataflow.css"))),
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
        for place, label in enumerate(section.picture.labels)
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
    return Table("changes", caption, Figures(columns, rows), "number", links=("after", links))


INDEX = "index.html"  # the page with the tables
LONGEST_NAME = 100  # the most characters of a model's name in the name of its page
_ODD = re.compile(r"[^A-Za-z0-9._-]+")


def check_to_pages(
    verdict: Verdict,
    pictures: Sequence[OrderPicture],
    version: str,
    read_dumps: Callable[[str], Sequence[Dump]],
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page. ``INDEX``, which links to the others, comes last.

    ``pictures`` are of the blocks to show if there is only one model. Else ``read_dumps`` gives the dumps of
    a file once more, right before the page of its model is yielded.
    """
    if len(verdict.check.by_model) < 2:
        drawn = pictures or pictures_of_model(verdict.check.dumps, read_dumps)
        yield INDEX, check_to_html(verdict, drawn, version)
        return
    findings = defaultdict[str, list[Finding]](list)
    for finding in verdict.findings:
        findings[verdict.check.model_of(finding.source)].append(finding)
    pages = page_names(one.model for one in figures_by_model(verdict) if not one.is_clean)
    for model, page in pages.items():
        own = _verdict_of(verdict, model, findings[model])
        drawn = pictures_of_model(own.check.dumps, read_dumps)
        yield page, check_to_html(own, drawn, version, model=model, up=INDEX)
    yield INDEX, check_to_html(verdict, (), version, pages=pages)


def page_names(models: Iterable[str]) -> dict[str, str]:
    """Return a file name for the page of each model: of letters and digits, unique in any case."""
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
        gate=verdict.gate._replace(max_inversions=None),
        findings=tuple(findings),
        failed=tuple(rule for rule in verdict.failed if rule in failing)
        + ((UNINDEXED,) if verdict.gate.fails_unindexed(check) else ()),
    )


def dataflow_to_svg(dataflow: Dataflow) -> str:
    """Return a standalone picture, light or dark as the viewer prefers."""
    drawing = drawing_of(dataflow, {}) | {"style": text_of("dataflow.css")}
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{render("dataflow.svg", drawing=drawing)}\n'


_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_UNSAFE_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(template: str, **context: object) -> str:
    """Return the rendered template. It can call the functions in the modules of ``wording``."""
    return _environment().get_template(template).render(context)


@cache
def text_of(name: str) -> str:
    """Return the text of a style or script file."""
    return files("eio_audit.report.html").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("eio_audit.report.html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_harmless,
    )
    from eio_audit.report import manual, wording

    modules = (advice, bisect, conclusion, diff, wording, order, manual, trace)
    environment.globals |= {module.__name__.rpartition(".")[2]: module for module in modules}
    environment.filters |= {"commas": "{:,}".format, "data": _data, "explained": _explained}
    return environment


def _harmless(value: Any) -> Any:
    """Return the value as a template shows it: None is empty, control characters are escaped."""
    if value is None:
        return ""
    return printable_lines(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _explained(text: str) -> object:
    macros: Any = _environment().get_template("parts.html").module
    return macros.explained(text)


def _data(members: Mapping[str, object]) -> str:
    text = _json(members).translate(_UNSAFE_IN_SCRIPT)
    return text if text.isprintable() else re.sub(STEERING, lambda match: "\\" + printable(match[0]), text)
