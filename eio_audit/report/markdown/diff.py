"""The difference of two dumps as GitHub Markdown, for a pull request: tables, long lists folded."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.diff.diff import Diff
from eio_audit.report.document import Changes, DiffSection, Figures, Listing, diff_document
from eio_audit.report.markdown.code import code, literal, shell_block, table
from eio_audit.report.wording import diff as words
from eio_audit.report.wording import order
from eio_audit.report.wording.conclusion import next_steps
from eio_audit.report.wording.numbers import shortened

SHOWN_ROWS = 10
"""The most rows of a table that is not folded."""

FOLDED_ROWS = 40
"""The most rows of a table unless verbose. GitHub accepts comments of up to 65,536 characters."""

LONGEST_CELL = 160
"""The most characters of a cell unless verbose."""


def diff_to_markdown(diff: Diff, *, verbose: bool = False) -> str:
    """Return the comparison as Markdown, ending in a newline.

    All text from the dumps is in code style, where ``#12`` is not an issue and ``@main`` not a user.
    """
    document = diff_document(diff, verbose=verbose)
    inversions, avoidable = words.order_summary(diff)
    lines = [
        f"### {_dump(diff.before)} to {_dump(diff.after)}",
        "",
        f"**{words.verdict(diff)}**",
        "",
        f"**{words.ops_summary(diff)}**" + (f"; {inversions}, **{avoidable}**" if inversions else ""),
        "",
    ]
    for said in filter(None, (*document.answers, words.implied_ops(diff))):
        lines += [said, ""]
    for section in document.functions:
        title = literal(section.title) if section.title else "Outside functions"
        lines += [f"#### {title}", "", *_parts(section, verbose=verbose)]
    lines += _order(diff)
    for section in document.details:
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
    if not part.rows:
        return []
    columns = [*range(part.numbers, len(part.headings)), *range(part.numbers)]
    rows = [[code(cells[k]) if k == columns[0] else cells[k] for k in columns] for cells in part.rows]
    return _table("", [part.headings[k] for k in columns], rows, verbose=verbose)


def _order(diff: Diff) -> list[str]:
    rows = [
        [
            code(order.block_name(block.function, block.block)),
            str(block.line),
            order.sum_of(block),
            order.wrong_labels(block),
        ]
        for block in diff.after.blocks
        if block.inversions
    ]
    headings = ["block", "line", "inversions", "wrong indices"]
    return ["#### Order", "", *_table("", headings, rows)] if rows else []


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
