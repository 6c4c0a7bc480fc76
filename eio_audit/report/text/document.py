"""A document as text. On a terminal, a finding has at most two lines, below the name of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from eio_audit.mlir.source import EXCERPT_WIDTH, cut_excerpt
from eio_audit.report.document import (
    Bars,
    Changes,
    Details,
    Document,
    Errors,
    Figures,
    Findings,
    Hunks,
    Link,
    Listing,
    Part,
    Piece,
    Rest,
    Sentence,
    Shown,
    Steps,
    with_verdict_first,
)
from eio_audit.report.text.console import ELLIPSIS, HANGING, SHORTENED, Console, print_figures, print_next
from eio_audit.report.wording import count, more, order

if TYPE_CHECKING:  # a check of dumps in order does not import these
    from rich.text import Text

    from eio_audit.audit.gate.findings import Finding

SHOWN = 10  # the most findings that a report names unless verbose
SHOWN_ON_TERMINAL = 5  # the most findings that it names on a terminal
LINES = 2  # the most lines of a finding on a terminal
EXCERPT = 2  # the lines of an excerpt: the line of the IR and the caret
INDENT = 2

Excerpts: TypeAlias = Callable[[Sequence["Finding"]], Mapping[tuple[str, int], str]]
"""Returns the line of the IR for each finding that it can be read for, by file and 1-based line."""


def print_findings(findings: Sequence[Shown], console: Console, excerpts: Excerpts | None = None) -> None:
    """Print the first findings, or all if verbose.

    Each file is named above its findings. If verbose, or on a terminal with room for them, ``excerpts``
    returns the lines of the IR to print with a caret.
    """
    most = SHOWN_ON_TERMINAL if console.wraps else SHOWN
    shown = findings if console.verbose else findings[:most]
    of_file: dict[str, list[Shown]] = {}
    for one in shown:
        of_file.setdefault(one.finding.source, []).append(one)
    lines: Mapping[tuple[str, int], str] = {}
    # The findings, their excerpts, and as much again of the report fit on a terminal.
    has_room = console.wraps and 2 * (len(shown) * (LINES + EXCERPT) + len(of_file)) <= console.height
    if excerpts is not None and (console.verbose or has_room):
        lines = excerpts([one.finding for one in shown])
    for source, members in of_file.items():
        console.print((source, "bold"))
        for one in members:
            _print_finding(one, console)
            if line := lines.get((source, one.finding.line)):
                _print_excerpt(one.finding, line, console)
    console.print_rest(more(len(findings) - len(shown)))


def _print_finding(one: Shown, console: Console) -> None:
    finding = one.finding
    start: list[Piece] = [
        Link(f"{finding.line}:{finding.column}", finding.source, finding.line, "bold"),
        " ",
        (finding.rule.code, one.style),
    ]
    said, origin = f" {order.sentence(finding)}{one.note}", order.background(finding)
    whole: list[Piece] = [*start, said, (f" ({origin})" if origin else "", "dim")]
    if not console.wraps:
        console.print(*whole, indent=INDENT)
        return
    width = console.width - INDENT - HANGING

    def wrapped(text: str) -> list[Text]:
        return console.wrapped(console.styled([*start, text]), width)

    parts = console.wrapped(console.styled(whole), width)
    if len(parts) > LINES:
        end = f"; {order.lifetime(finding)}{one.note}" if order.lifetime(finding) else one.note
        parts = _with_origin(_shortened(wrapped, said.removesuffix(end), end), origin, width)
    for number, part in enumerate(parts):
        console.print_styled(part, INDENT + (HANGING if number else 0))


def _shortened(wrapped: Callable[[str], list[Text]], text: str, end: str) -> list[Text]:
    """Return at most LINES lines of a text and its end, which is complete as far as it fits."""
    parts, words = wrapped(text + end), text.split(" ")
    while len(parts) > LINES and len(words) > 1:
        words.pop()
        parts = wrapped(f"{' '.join(words)}{ELLIPSIS}{end}")
    return parts[:LINES]


def _with_origin(parts: list[Text], origin: str, width: int) -> list[Text]:
    room = width - parts[-1].cell_len - len(f" ({ELLIPSIS})")
    if origin and len(parts) == LINES and room >= SHORTENED:
        parts[-1].append(f" ({ELLIPSIS}{origin[-room:]})", "dim")
    return parts


def _print_excerpt(finding: Finding, line: str, console: Console) -> None:
    """Print the line of the IR, without its indentation, and a caret below the op."""
    number = str(finding.line)
    start = min(len(line) - len(line.lstrip()), finding.column - 1)
    before = line[start : finding.column - 1]
    caret = "".join(c if c == "\t" else " " for c in before) + "^"
    gutter = " " * (INDENT + HANGING)
    width = (console.width if console.wraps else EXCERPT_WIDTH) - len(f"{gutter}{number} | ")
    text, _, caret = cut_excerpt(f"{line[start:]}\n{caret}", width).expandtabs().partition("\n")
    for label, shown, style in ((number, text, ""), (" " * len(number), caret, "bold red")):
        pieces = [(f"{gutter}{label} | ", "dim"), (shown, style)]
        if console.wraps:
            console.print_styled(console.styled(pieces))
        else:
            console.print(*pieces)


SHOWN_LINES = 2  # the most lines of a list that a report shows unless verbose


def print_document(document: Document, console: Console, excerpts: Excerpts | None = None) -> None:
    """Print all sections, with an empty line between two. ``excerpts`` are of its findings."""
    hidden, is_first = 0, True
    for section in with_verdict_first(document) if console.wraps else document:
        parts = [part for part in section.parts if _is_shown(part, hidden)]
        if not parts:
            continue
        if not is_first:
            console.print()
        is_first = False
        if section.title:
            console.print((section.title, "bold"), f"  {section.note}" if section.note else "")
        for part in parts:
            hidden += _print_part(part, console, excerpts, hidden)


def _is_shown(part: Part, hidden: int) -> bool:
    """Whether there is something to print. Standard error has the errors."""
    if isinstance(part, Details):
        return bool(hidden or part.titles)
    return not isinstance(part, Errors)


def _print_part(part: Part, console: Console, excerpts: Excerpts | None, hidden: int) -> int:
    """Print a part. Return how many ops or lines it left out without saying so."""
    match part:
        case Sentence():
            console.print(*part.pieces, indent=part.indent)
        case Rest():
            console.print_rest(part.text, indent=part.indent, hints=part.is_in_verbose)
        case Figures():
            print_figures(part, console)
        case Listing():
            return _print_list(part, console)
        case Steps():
            print_next(part, console)
        case Bars():
            _print_bars(part, console)
        case Findings():
            print_findings(part, console, excerpts)
        case Details():
            titles = [*([count(hidden, "more change")] if hidden else []), *part.titles]
            console.print((f"--verbose shows {', '.join(titles)}", "dim"))
        case _:
            return _print_ops(part, console)
    return 0


BARS = "▁▂▃▄▅▆▇█"


def _print_bars(part: Bars, console: Console) -> None:
    """Draw one bar for each number, where a terminal can."""
    if console.wraps and console.escaped(BARS) == BARS:
        drawn = "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in part.heights)
        console.print(f"{part.title}  ", (drawn, "cyan"), indent=part.indent)


def _print_list(part: Listing, console: Console) -> int:
    if part.title:
        console.print((part.title, part.style), indent=2)
    shown = part.items if console.verbose else part.items[:SHOWN_LINES]
    for item in shown:
        console.print(item, indent=4)
    return len(part.items) - len(shown)


def _print_ops(part: Part, console: Console) -> int:
    """Print what only some reports have. Return how many ops it left out."""
    from eio_audit.report.text.changes import print_changes, print_hunks

    match part:
        case Changes():
            return print_changes(part, console)
        case Hunks():
            print_hunks(part, console)
    return 0
