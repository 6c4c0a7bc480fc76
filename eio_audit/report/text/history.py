"""One op through all passes as text: what happened to it, and a row for each pass that changed it."""

from __future__ import annotations

from collections.abc import Callable

from eio_audit.audit.log.history import History, OpEvent, OpHistory, OpState
from eio_audit.mlir.tokens import after_arrow
from eio_audit.report.text.console import Console, Piece
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording import history as words
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.word_diff import shortened

SHOWN_OPS = 8
"""The most ops that a report shows unless verbose."""


def print_history(history: History, console: Console, *, verbose: bool = False) -> None:
    """Print the requested ops, then those that passes made from them."""
    shown = history.ops if verbose else history.ops[:SHOWN_OPS]
    sources = {event.place.source for op in history.ops for event in op.events}
    if len(sources) == 1 and not all(op.is_unchanged for op in history.ops):
        console.print((next(iter(sources)), "bold"))
    for number, op in enumerate(shown):
        if number:
            console.print()
        said: list[Piece] = [(words.title(op), "bold"), ": ", words.summary(history, number)]
        if op.is_unchanged:
            console.print(*said, f": {words.places(op, history.dumps)}")
        else:
            console.print(*said)
            _print_events(op, console, is_one_file=len(sources) == 1, verbose=verbose)
    if len(history.ops) > len(shown):
        console.print()
        console.print((f"--verbose shows {count(len(history.ops) - len(shown), 'more op')}", "dim"))


def _print_events(op: OpHistory, console: Console, *, is_one_file: bool, verbose: bool) -> None:
    def column(title: str, text_of: Callable[[OpState], str], *, optional: bool = True) -> Column:
        cells = ["" if event.state is None else text_of(event.state) for event in op.events]
        return Column(title, cells if verbose else list(map(shortened, cells)), optional=optional)

    def line(event: OpEvent) -> str:
        place = words.place(event)
        return place.removeprefix(f"{event.place.source}:") if is_one_file else place

    columns = [
        Column("line", list(map(line, op.events)), right=is_one_file),
        Column("pass", list(map(words.pass_of, op.events)), style="cyan"),
        column("result", lambda state: state.op.result or "", optional=False),
        column("place", lambda state: f"{state.place + 1:,} of {state.ops:,}"),
        column("operands", lambda state: ", ".join(state.operands)),
        column("type", lambda state: after_arrow(state.types)),
        column("location", lambda state: state.location if verbose else ""),
        Column("what", [words.what(event, verbose=verbose) for event in op.events]),
    ]
    print_table(console, columns, indent=2)
