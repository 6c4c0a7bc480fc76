"""A document as text."""

from __future__ import annotations

from eio_audit.report.document import (
    Bars,
    Changes,
    Details,
    Document,
    Errors,
    Figures,
    Findings,
    Hunks,
    Listing,
    Part,
    Rest,
    Sentence,
    Steps,
    with_verdict_first,
)
from eio_audit.report.text.console import Console, print_figures, print_next
from eio_audit.report.text.findings import Excerpts, print_findings
from eio_audit.report.wording import count

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
