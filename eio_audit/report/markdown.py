"""A document as GitHub Markdown: for the summary of a CI job, a comment on a change, or an issue.

Text with characters that mean something to Markdown or GitHub is in code style, where ``#12`` is not a link
to an issue and ``@main`` not a user. Long lists are folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from eio_audit.mlir.source import printable
from eio_audit.report.document import (
    Changes,
    Document,
    Errors,
    Figures,
    Findings,
    Link,
    Listing,
    Part,
    Piece,
    Rest,
    Sentence,
    Steps,
    plain,
    with_verdict_first,
)
from eio_audit.report.wording import IN_VERBOSE, more, order, shortened
from eio_audit.report.wording import diff as words

if TYPE_CHECKING:
    pass

SHOWN_ROWS = 10  # the most rows of a table that is not folded
FOLDED_ROWS = 40  # the most rows of a table unless verbose; comments on GitHub have up to 65,536 characters
LONGEST_CELL = 160  # the most characters of a cell unless verbose
_ONE_LINE = str.maketrans("\t\r\n", "   ")
_BACKTICKS = re.compile(r"`+")
_MARKS = re.compile(
    r"[^\w .,;:()'\"/%=>?!+-]|_|:\w+:|://|www\.|\bGH-\d|\b[0-9a-f]{7,40}\b", re.ASCII | re.IGNORECASE
)
"""What Markdown or GitHub read in any text: marks, emoji, addresses, names of issues and commits."""

_STARTS = re.compile(r"[-=+>]|\d+[.)]\s")  # what they read at the start of a line


def to_markdown(document: Document, command: str, *, verbose: bool = False) -> str:
    """Return the document of a command as Markdown, ending in a newline."""
    lines = [f"### eio-audit {command}", ""]
    for section in with_verdict_first(document):
        if section.title:
            lines += [f"#### {quoted(section.title)}", ""]
        if section.note:
            lines += [quoted(section.note), ""]
        for is_item, parts in groupby(section.parts, _is_item):
            written = [line for part in parts for line in _part(part, verbose=verbose)]
            lines += [*written, ""] if is_item else written
    return "\n".join(map(printable, lines)).rstrip("\n") + "\n"


def _is_item(part: Part) -> bool:
    return isinstance(part, Sentence | Rest) and part.indent > 0


def _part(part: Part, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of a part, and an empty one below it unless it is an item of a list."""
    match part:
        case Sentence() | Rest():
            said = _sentence(part) if isinstance(part, Sentence) else _left_out(part.text)
            yield from [f"{' ' * (part.indent - 2)}- {said}"] if part.indent else [said, ""]
        case Figures():
            yield from _figures(part, verbose=verbose)
        case Listing():
            yield from _list(part, verbose=verbose)
        case Changes():
            yield from _changes(part, verbose=verbose)
        case Findings():
            yield from _findings(part, verbose=verbose)
        case Errors():
            yield from (f"- {literal(order.place_of_error(one))}: {literal(one.message)}" for one in part)
            yield ""
        case Steps():
            yield from ("```sh", *(one_line(step.explained) for step in part), "```", "")


def _sentence(part: Sentence) -> str:
    """Return a line. What needs it is in code style, and what is bold on a terminal is bold."""
    kinds = groupby(part.pieces, lambda piece: (_is_bold(piece), needs_code(plain(piece))))
    return "".join(_marked("".join(map(plain, pieces)), *kind) for kind, pieces in kinds).strip()


def _is_bold(piece: Piece) -> bool:
    return not isinstance(piece, str) and "bold" in (piece.style if isinstance(piece, Link) else piece[1])


def _marked(text: str, is_bold: bool, is_code: bool) -> str:
    """Return text with marks, which have no space inside."""
    words = text.strip(" :;,")
    if not words:
        return text
    start, _, end = text.partition(words)
    marks = "**" * is_bold
    return f"{start}{marks}{quoted(words) if is_code else one_line(words)}{marks}{end}"


def needs_code(text: str) -> bool:
    """Whether Markdown or GitHub would read a line as more than text."""
    return bool(_MARKS.search(text) or _STARTS.match(text))


def quoted(text: str) -> str:
    """Return text with the words in code style that need it, and neighbours of these together."""
    words, depth, coded = one_line(text).split(" "), 0, list[bool]()
    for word in words:  # what is in brackets stays together
        coded.append(depth > 0 or bool(_MARKS.search(word)))
        depth = max(depth + sum(map("[<".count, word)) - sum(map("]>".count, word)), 0)
    coded[0] |= bool(_STARTS.match(text))
    groups = groupby(zip(words, coded, strict=True), itemgetter(1))
    said = ((" ".join(word for word, _ in group), is_code) for is_code, group in groups)
    return " ".join(_in_code(text) if is_code else text for text, is_code in said)


def _in_code(words: str) -> str:
    """Return words in code style, without the punctuation around them."""
    inside = words.lstrip("(").rstrip(";,." if words.startswith(":") else ":;,.")
    if inside.endswith(")") and inside.count(")") > inside.count("("):
        inside = inside[:-1]
    start, _, end = words.partition(inside)
    return f"{start}{literal(inside)}{end}"


def literal(text: str) -> str:
    """Return text in code style, outside tables. Longer fences enclose backticks."""
    text = one_line(text)
    if not text.strip():
        return ""
    fence = "`" * (max(map(len, _BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code(text: str) -> str:
    r"""Return text in code style for a table, where the pipe is special.

    >>> code("#12 a|b")
    '`#12 a\\|b`'
    """
    return literal(text).replace("|", "\\|")


def one_line(text: str) -> str:
    """Return text with spaces for line ends and tabs, and with control characters escaped."""
    return printable(text.translate(_ONE_LINE))


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: int = 0) -> list[str]:
    """Return the lines of a table. Its last columns, so many, hold numbers."""
    rules = ["---"] * (len(headings) - numbers) + ["---:"] * numbers
    return [f"| {' | '.join(cells)} |" for cells in (headings, rules, *rows)]


def _figures(part: Figures, *, verbose: bool) -> Iterator[str]:
    """Yield the lines of a table, its names before its numbers, without columns that have no content."""
    cells = [list(column) for column in zip(*part.texts(), strict=True)]
    kept = [k for k, column in enumerate(cells) if any(column)]
    kept.sort(key=lambda k: bool(part.columns[k].sign))
    coded = {k for k in kept if k == kept[0] or any(map(_MARKS.search, cells[k]))}
    rows = [[code(row[k]) if k in coded else row[k] for k in kept] for row in part.texts()]
    numbers = sum(bool(part.columns[k].sign) for k in kept)
    yield from _table("", [part.columns[k].title for k in kept], rows, numbers=numbers, verbose=verbose)
    for note in part.notes:
        yield from (quoted(note), "")
    if part.left_out:
        yield from (_left_out(part.left_out), "")


def _findings(part: Findings, *, verbose: bool) -> Iterator[str]:
    shown = part if verbose else part[: order.SHOWN_FINDINGS]
    rows = [
        [one.rule.code, *map(code, (order.place(one), f"{order.sentence(one)}{note}", order.background(one)))]
        for one, _, note in shown
    ]
    yield from _table("", ["code", "place", "finding", "from"], rows, folds=False, verbose=True)
    if rest := order.rest([one.finding for one in part], len(shown)):
        yield from (_left_out(rest), "")


def _changes(part: Changes, *, verbose: bool) -> Iterator[str]:
    def cut(text: str) -> str:
        return code(text if verbose else shortened(text, LONGEST_CELL))

    rows = []
    for change, group in part.examples(verbose=verbose):
        index, name, result, line, module = words.cells_of(change)
        repetition = "" if group is None else words.repetition(group)
        what = filter(None, [repetition, *words.what_happened(change, verbose=verbose)])
        rows.append([code(index), code(name), code(result), line, cut(module), "<br>".join(map(cut, what))])
    headings = ["index", "op", "result", "line", "module", "what"]
    yield from _table(part.title + part.note, headings, rows, verbose=verbose)


def _table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers: int = 0,
    folds: bool = True,
    verbose: bool = False,
) -> list[str]:
    """Return a table under its title, folded if it is long."""
    if not rows:
        return []
    shown = rows if verbose else rows[:FOLDED_ROWS]
    lines = [*table(headings, shown, numbers), *_rest(len(rows) - len(shown))]
    return _folded(title, lines, len(rows) if folds else 0)


def _list(part: Listing, *, verbose: bool) -> list[str]:
    shown = part.items if verbose else part.items[:FOLDED_ROWS]
    lines = [f"- {quoted(item)}" for item in shown]
    return _folded(part.title, [*lines, *_rest(len(part.items) - len(shown))], len(part.items))


def _left_out(said: str) -> str:
    return quoted(said) + IN_VERBOSE


def _rest(number: int) -> list[str]:
    return ["", _left_out(more(number))] if number else []


def _folded(title: str, lines: Sequence[str], size: int) -> list[str]:
    if size > SHOWN_ROWS:
        return [f"<details><summary>{title or f'{size:,} rows'}</summary>", "", *lines, "", "</details>", ""]
    return [*([f"**{title}**", ""] if title else []), *lines, ""]
