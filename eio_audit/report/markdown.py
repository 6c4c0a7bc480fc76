"""Reports as GitHub Markdown: for the summary of a CI job, a comment on a change, or an issue.

Text from dumps is in code style, where ``#12`` is not a link to an issue and ``@main`` not a user. Long lists
are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from eio_audit.audit.bisect.bisect import Application, Bisection
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.corpus.models import figures_by_model, figures_by_pass
from eio_audit.audit.corpus.trace_models import ModelTraces
from eio_audit.audit.diff.advice import Advice
from eio_audit.audit.diff.diff import Diff
from eio_audit.audit.gate.gate import Gate, Verdict
from eio_audit.audit.log.trace import TracedPass
from eio_audit.mlir.input.time_table import TimeComparison, TimeTable
from eio_audit.mlir.source import printable
from eio_audit.report.document import (
    Cells,
    Changes,
    DiffSection,
    Figures,
    Listing,
    diff_document,
    figures_of,
    table_of_ops,
)
from eio_audit.report.log_tables import (
    common_folder,
    table_called,
    table_of_changes,
    table_of_passes,
    table_of_times,
    table_of_two_times,
    tables_of_models,
)
from eio_audit.report.wording import bisect, count, if_any, order, shortened
from eio_audit.report.wording import diff as words
from eio_audit.report.wording import trace as trace_words
from eio_audit.report.wording.advice import ESTIMATE, sentences
from eio_audit.report.wording.conclusion import Step, next_steps, reasons, status, steps_after

SHOWN_ROWS = 10  # the most rows of a table that is not folded
_ONE_LINE = str.maketrans("\t\r\n", "   ")
_BACKTICKS = re.compile(r"`+")


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table. Its first columns, so many, hold numbers."""
    rules = ["---:"] * numbers + ["---"] * (len(headings) - numbers)
    return [f"| {' | '.join(map(one_line, cells))} |" for cells in (headings, rules, *rows)]


def code(text: str) -> str:
    r"""Return text in code style for a table, where the pipe is special.

    >>> code("#12 a|b")
    '`#12 a\\|b`'
    """
    return literal(text).replace("|", "\\|")


def literal(text: str) -> str:
    """Return text in code style, outside tables. Longer fences enclose backticks."""
    text = one_line(text)
    if not text.strip():
        return ""
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def shell_block(steps: Iterable[Step]) -> list[str]:
    """Return commands to type as a code block of its own, with an empty line above; nothing without any."""
    commands = [one_line(step.explained) for step in steps]
    return ["", "```sh", *commands, "```"] if commands else []


def one_line(text: str) -> str:
    """Return text with spaces for line ends and tabs, and with control characters escaped."""
    return printable(text.translate(_ONE_LINE))


def to_markdown(verdict: Verdict, *, verbose: bool = False) -> str:
    """Return the verdict, the dumps with inversions and the findings, worst first.

    If several models have more dumps with inversions than a report names, it names models and passes instead.
    """
    check, said = verdict.check, "; ".join(reasons(verdict, verbose=verbose))
    lines = [
        f"### eio-audit: {status(verdict)}",
        "",
        literal(said) if check.unindexed or check.configuration else said,
    ]
    lines += shell_block(steps_after(verdict))
    errors = verdict.check.errors
    lines += [""] * bool(errors)
    lines += [
        f"- {_printable_code(order.place_of_error(one))}: {_printable_code(one.message)}" for one in errors
    ]
    broken = [dump for dump in verdict.check.dumps if dump.summary.inversions]
    if len(broken) > SHOWN_ROWS and len(verdict.check.by_model) > 1:
        lines += _corpus(verdict)
    else:
        lines += _dumps(sorted(broken, key=lambda dump: -dump.summary.inversions))
    lines += _findings(verdict, verbose=verbose)
    return "\n".join(map(printable, lines)) + "\n"


def _corpus(verdict: Verdict) -> list[str]:
    cells: Cells = {
        "model": lambda one: _printable_code(one.model),
        "pass": lambda one: _printable_code(order.pass_of(one)),
        "avoidable": lambda one: f"{one.avoidable:,}{order.told_apart_share(one)}",
        "where": order.models_of,
        "worst": lambda one: _printable_code(order.worst_of(one)),
    }
    of_model = "model, avoidable, #inversions, #findings, #dumps, worst=worst dump"
    of_pass = "pass, avoidable, where=in models, #inversions, #findings"
    models = [one for one in figures_by_model(verdict) if not one.is_clean]
    passes = [one for one in figures_by_pass(verdict) if not one.is_clean]
    return [
        *_first_rows(models, of_model, cells, "more model", "more models"),
        *_first_rows(passes, of_pass, cells, "more pass", "more passes"),
    ]


def _dumps(broken: Sequence[DumpAudit]) -> list[str]:
    cells: Cells = {
        "dump": lambda dump: _printable_code(order.heading_of(dump)),
        "inversions": lambda dump: order.sum_of(dump.summary),
        "wrong": lambda dump: dump.summary.wrong_indices,
    }
    nouns = "more dump with inversions", "more dumps with inversions"
    return _first_rows(broken, "dump, inversions, #wrong=wrong indices", cells, *nouns)


def _first_rows(things: Sequence[object], columns: str, cells: Cells, noun: str, plural: str) -> list[str]:
    figures, more = figures_of(things[:SHOWN_ROWS], columns, cells), len(things) - SHOWN_ROWS
    note = f"... and {count(more, noun, plural)}" if more > 0 else ""
    return _noted_table(figures.titles, figures.texts(), note)


def _findings(verdict: Verdict, *, verbose: bool) -> list[str]:
    shown = verdict.findings if verbose else verdict.findings[: order.SHOWN_FINDINGS]
    rows = [
        [f.rule.code, *map(_printable_code, (order.place(f), order.sentence(f), order.background(f)))]
        for f in shown
    ]
    return _noted_table(["code", "place", "finding", "from"], rows, order.rest(verdict.findings, len(shown)))


def _noted_table(titles: Sequence[str], rows: Sequence[Sequence[str]], more: str) -> list[str]:
    if not rows:
        return []
    return ["", *table(titles, rows), *(["", more] if more else [])]


def _printable_code(text: str) -> str:
    return code(printable(text))


def bisection_to_markdown(result: Bisection, *, verbose: bool = False) -> str:
    """Return the bisection as Markdown, ending in a newline."""
    lines = [f"### {literal(bisect.headline(result))}", "", f"**{literal(bisect.answer(result))}**", ""]
    if result.advice is not None:
        lines += _advice(result.advice, result)
    lines += [f"{bisect.effort(result)}.", ""]
    if not result.is_unchanged:
        lines += _patterns(result, verbose=verbose)
    worst = [one for one in result.worst if one.is_resolved]
    lines += _worst(result, worst if verbose else worst[:SHOWN_ROWS])
    if verbose and result.advice is not None and result.advice.alone:
        columns = f"#then={result.advice.now:,} inversions become, makes, carries=they carry, pattern"
        lines += _steps(result.advice.alone, columns, bisect.cells_of(result))
    if said := bisect.stopped(result):
        lines += [
            f"**{said}**",
            "",
            *(f"- {bisect.not_resolved(one, result)}" for one in result.unresolved),
            "",
        ]
    if worst and result.reproduction.is_kept:
        lines += [f"Before and after attempt {worst[0].last}:", "", "```sh"]
        lines += [result.reproduction.at(worst[0].last - 1), result.reproduction.at(worst[0].last), "```"]
    return "\n".join(lines).rstrip("\n") + "\n"


def _patterns(result: Bisection, *, verbose: bool) -> list[str]:
    shown = result.patterns if verbose else result.patterns[:SHOWN_ROWS]
    apart = "~left_apart=not counted, " * any(one.left_apart for one in shown)
    columns = f"{f'~made, ~left=left at the end, {apart}' * result.is_judged}>applied, ops, pattern"
    lines = _steps([*shown, result.without_patterns], columns, bisect.cells_of(result))
    if len(shown) < len(result.patterns):
        lines += [f"{len(result.patterns) - len(shown):,} more patterns.", ""]
    said = bisect.removed_of_others(result)
    return [*lines, f"{said}.", ""] if said else lines


def _steps(things: Sequence[object], columns: str, cells: Cells) -> list[str]:
    """Return a table of a bisection. What is from a dump is in code style."""
    figures = figures_of(things, columns, cells)
    coded = [column.key in ("root", "line", "pattern") for column in figures.columns]
    rows = [
        [
            code(cell) if is_coded and cell != bisect.WITHOUT_PATTERNS else cell
            for is_coded, cell in zip(coded, row, strict=True)
        ]
        for row in figures.texts()
    ]
    return [*table(figures.titles, rows, numbers=sum(bool(column.sign) for column in figures.columns)), ""]


def _advice(advice: Advice, result: Bisection) -> list[str]:
    said = [bisect.why_no_change(result), *sentences(advice, literal), ESTIMATE * bool(advice.changes)]
    return [*(f"- {one}" for one in said if one), ""]


def _worst(result: Bisection, steps: Sequence[Application]) -> list[str]:
    if not steps:
        return []
    did = "states=inversions, left" if result.is_judged else "ops"
    cells: Cells = {**bisect.cells_of(result), "left": lambda one: if_any(one.left)}
    return _steps(steps, f">attempt, {did}, root=root op, line=model, pattern", cells)


def traces_to_markdown(
    result: ModelTraces,
    gate: Gate,
    *,
    rows: Sequence[TracedPass] | None = None,
    only_table: str | None = None,
    verbose: bool = False,
) -> str:
    """Return the verdict on the passes of a log, and their table, or that of all models.

    ``rows`` are the only passes to show. ``only_table`` names the only table to show, of the whole log.
    """
    trace = result.merged
    lines = [f"### {literal(': '.join(trace_words.verdict_parts(result, gate)))}", ""]
    if only_table is not None:
        lines += _figures(table_called(only_table, result), verbose=verbose)
    elif len(result.models) < 2 or rows is not None:
        sources = dict.fromkeys(traced.place.source for traced in trace.passes)
        folder = None if len(sources) == 1 else common_folder(sources)
        passes = trace.passes if rows is None else rows
        lines += [f"{literal(next(iter(sources)))}", ""] if folder is None else []
        lines += _figures(table_of_passes(trace, passes, folder, verbose=verbose), verbose=verbose)
    elif trace.summary.has_indices:
        for figures, left_out in tables_of_models(result, verbose=verbose):
            lines += [*_figures(figures, verbose=verbose), *([f"... and {left_out}", ""] if left_out else [])]
    else:
        lines += _figures(table_of_changes(result.models), verbose=verbose)
    steps = (
        trace_words.next_steps(trace, rows)
        if len(result.models) < 2
        else trace_words.next_steps_of_all(result)
    )
    return "\n".join(["\n".join(lines).rstrip("\n"), *shell_block(steps)]) + "\n"


def times_to_markdown(times: TimeTable, *, verbose: bool = False) -> str:
    """Return the time of each pass, the longest first."""
    head = [f"### {literal(times.source)}: {times.total:.4f} s", ""]
    return "\n".join([*head, *_figures(table_of_times(times), verbose=verbose)]).rstrip("\n") + "\n"


def two_times_to_markdown(times: TimeComparison, *, verbose: bool = False) -> str:
    """Return the passes whose time changed, and the times of all passes."""
    head = [f"### {literal(words.change_of_time(times.times) or words.SAME_TIMES)}", ""]
    return "\n".join([*head, *_figures(table_of_two_times(times), verbose=verbose)]).rstrip("\n") + "\n"


FOLDED_ROWS = 40  # the most rows of a table unless verbose; comments on GitHub have up to 65,536 characters
LONGEST_CELL = 160  # the most characters of a cell unless verbose


def diff_to_markdown(diff: Diff, *, verbose: bool = False, only_table: str | None = None) -> str:
    """Return the comparison as Markdown, ending in a newline.

    With an ``only_table``, it says how many ops of each name there are, instead.
    """
    head = [f"### {_dump(diff.before)} to {_dump(diff.after)}", "", f"**{words.verdict(diff)}**", ""]
    if only_table is not None:
        counts = _figures(table_of_ops(*diff.op_counts, ("before", "after")), verbose=verbose)
        return "\n".join([*head, *counts]).rstrip("\n") + "\n"
    document = diff_document(diff, verbose=verbose)
    inversions, avoidable = words.order_summary(diff)
    lines = [
        *head,
        f"**{words.ops_summary(diff)}**" + (f"; {inversions}, **{avoidable}**" if inversions else ""),
        "",
    ]
    for said in filter(None, (*document.answers, words.implied_ops(diff))):
        lines += [said, ""]
    for section in document.functions:
        title = literal(section.title) if section.title else "Outside functions"
        lines += [f"#### {title}", "", *_parts(section, verbose=verbose)]
    lines += _order(diff)
    for section in (*document.advice, *document.details):
        lines += [f"#### {section.title}", ""]
        lines += [section.note, ""] if section.note and section.note not in document.answers else []
        lines += _parts(section, verbose=verbose)
    lines = ["\n".join(lines).rstrip("\n"), *shell_block(next_steps([diff.after]))]
    return "\n".join(lines) + "\n"


def _dump(dump: DumpAudit) -> str:
    return " ".join(filter(None, (literal(order.place_of(dump)), literal(dump.moment))))


def _parts(section: DiffSection, *, verbose: bool) -> list[str]:
    lines = []
    for part in section.parts:
        match part:
            case Changes():
                lines += _changes(part, verbose=verbose)
            case Listing():
                lines += _list(part, verbose=verbose)
            case Figures():
                lines += _figures(part, verbose=verbose)
            case str():
                lines += [part, ""]
    return lines


def _changes(part: Changes, *, verbose: bool) -> list[str]:
    def cut(text: str) -> str:
        return code(text if verbose else shortened(text, LONGEST_CELL))

    rows = []
    for change, repetition in part.examples(verbose=verbose):
        index, name, result, line, module = words.cells_of(change)
        what = [repetition, *words.what_happened(change, verbose=verbose)]
        cells = [code(index), code(name), code(result), line, cut(module)]
        rows.append([*cells, "<br>".join(map(cut, filter(None, what)))])
    headings = ["index", "op", "result", "line", "module", "what"]
    return _table(part.title + part.note, headings, rows, verbose=verbose)


def _figures(part: Figures, *, verbose: bool) -> list[str]:
    """Return a table, its names before its numbers."""
    columns = sorted(part.columns, key=lambda column: column.is_number)
    places = [part.columns.index(column) for column in columns]
    rows = [[code(cells[k]) if k == places[0] else cells[k] for k in places] for cells in part.texts()]
    note = [literal(part.note), ""] if part.note else []
    return [*_table("", [column.title for column in columns], rows, verbose=verbose), *note]


def _order(diff: Diff) -> list[str]:
    cells: Cells = {
        "block": lambda block: code(order.block_name(block.function, block.block)),
        "line": lambda block: str(block.line),
        "inversions": order.sum_of,
        "wrong": order.wrong_labels,
    }
    blocks = [block for block in diff.after.blocks if block.inversions]
    figures = figures_of(blocks, "block, line, inversions, wrong=wrong indices", cells)
    return ["#### Order", "", *_table("", figures.titles, figures.texts())] if blocks else []


def _table(
    title: str, headings: Sequence[str], rows: Sequence[Sequence[str]], *, verbose: bool = False
) -> list[str]:
    """Return a table under its title, folded if it is long. Columns without content are left out."""
    shown = rows if verbose else rows[:FOLDED_ROWS]
    kept = [k for k in range(len(headings)) if any(cells[k] for cells in rows)]
    lines = table([headings[k] for k in kept], ([cells[k] for k in kept] for cells in shown))
    lines += _rest(len(rows) - len(shown))
    is_long = len(rows) > SHOWN_ROWS
    return _folded(title or f"{len(rows):,} rows" * is_long, lines, is_long=is_long)


def _list(part: Listing, *, verbose: bool) -> list[str]:
    shown = part.items if verbose else part.items[:FOLDED_ROWS]
    lines = [f"- {literal(item)}" for item in shown] + _rest(len(part.items) - len(shown))
    return _folded(part.title, lines, is_long=len(part.items) > SHOWN_ROWS)


def _rest(number: int) -> list[str]:
    return ["", f"... and {number:,} more; `--verbose` shows all"] if number else []


def _folded(title: str, lines: Sequence[str], *, is_long: bool) -> list[str]:
    if is_long:
        return [f"<details><summary>{title or 'all rows'}</summary>", "", *lines, "", "</details>", ""]
    return [*([f"**{title}**", ""] if title else []), *lines, ""]
