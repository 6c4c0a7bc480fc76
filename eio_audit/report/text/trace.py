"""The trace of a log as text: a row for each pass that changed something, and the first that shuffled."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from eio_audit.audit.trace.trace import Culprit, DumpPlace, Trace, TracedPass
from eio_audit.report.text.console import Console, Piece, hyperlink
from eio_audit.report.text.order import displaced_pieces
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording.numbers import count, if_any
from eio_audit.report.wording.order import block_name, contradicting, reason
from eio_audit.report.wording.trace import look_closer, pass_title

UNSEEN = "passes that the log does not show"
"""How passes that a log does not show are called in a sentence."""


def print_trace(trace: Trace, console: Console, *, verbose: bool = False) -> None:
    """Prints a table in the order of the passes; unless verbose, those that changed nothing are folded."""
    sources = dict.fromkeys(traced.place.source for traced in trace.passes)
    if trace.passes:
        is_log = len(sources) == 1
        folder = "" if is_log else _common_folder(sources)
        if is_log or folder:
            console.print((folder or next(iter(sources)), "bold"))
        _print_passes(trace.passes, console, is_log=is_log, folder=folder, verbose=verbose)
        console.print()
    _print_conclusion(trace, console)
    if trace.mislabeller is not None:
        dump = _name_and_dump(trace.mislabeller.pass_name, trace.mislabeller.place)
        wrong = contradicting(trace.mislabeller.mislabelled)
        console.print("most wrong indices by: ", *dump, f"), {wrong}; see fix --relabel")
    if trace.culprit is not None:
        _print_culprit(trace.culprit, console)


def _rows(passes: Iterable[TracedPass], *, verbose: bool) -> Iterator[tuple[str, TracedPass | None]]:
    """The title of each row and the pass it shows; None for a row about several."""
    for is_same, group in groupby(passes, key=lambda one: one.changed is False and not one.failed):
        if is_same and not verbose:
            yield f"... {count(len(list(group)), 'pass', 'passes')} changed nothing", None
        else:
            yield from ((pass_title(traced) + " (no change)" * is_same, traced) for traced in group)


def _common_folder(sources: Iterable[str]) -> str:
    """The innermost folder that all files are in; empty where they share no folder with a name."""
    try:
        return os.path.commonpath([Path(source).parent for source in sources]).rstrip(os.sep)
    except ValueError:  # some paths are absolute
        return ""


def _place(traced: TracedPass, folder: str) -> str:
    """Where a dump is, from the folder on; without the folders that tell its program, which has a column."""
    source = traced.place.source
    name = source.removeprefix(folder + os.sep) if folder else source
    return f"{name.removeprefix(traced.program.rstrip('/') + '/')}:{traced.place.line}"


def _print_passes(
    passes: Sequence[TracedPass], console: Console, *, is_log: bool, folder: str, verbose: bool
) -> None:
    rows = list(_rows(passes, verbose=verbose))
    has_programs = len({traced.program for traced in passes}) > 1

    def column(title: str, text_of: Callable[[TracedPass], str], **layout: Any) -> Column:
        return Column(title, ["" if traced is None else text_of(traced) for _, traced in rows], **layout)

    number = partial(column, right=True)

    columns = [
        number("line", lambda t: str(t.place.line) if is_log else "", optional=True),
        Column("pass", [title for title, _ in rows]),
        column("function", lambda t: t.function or ""),
        number("ops", lambda t: f"{t.figures.ops:,}", optional=True),
        number("inversions", lambda t: f"{t.figures.inversions:,}", style="bold", optional=True),
        number("forced", lambda t: f"{t.figures.forced:,}", optional=True),
        number("avoidable", lambda t: f"{t.figures.avoidable:,}{'' if t.figures.certified else '+'}"),
        number("introduced", lambda t: if_any(t.introduced), style="red"),
        number("made wrong", lambda t: if_any(t.mislabelled), optional=True),
        number("derived", lambda t: f"{t.figures.derived:,}", optional=True),
        number("lost", lambda t: if_any(t.lost), optional=True),
        column("program", lambda t: t.program if has_programs else "", optional=True),
        column("dump", lambda t: "" if is_log else _place(t, folder), style="dim", optional=True),
    ]
    print_table(console, columns, indent=2 if is_log or folder else 0)
    if not all(traced.figures.certified for traced in passes):
        console.print(("+ not certified: perhaps more are avoidable", "yellow"))


def _print_conclusion(trace: Trace, console: Console) -> None:
    passes, summary = trace.passes, trace.summary
    line: list[Piece] = [f"traced {count(summary.dumps, 'dump')}"]
    if summary.dumps and not summary.has_indices:
        line.append(": no op carries an op index")
    elif summary.dumps and not passes:
        line.append(": no pass to be seen" + (f", {trace.initial:,} avoidable" if trace.initial else ""))
    elif passes:
        introduced = [traced.introduced for traced in passes if traced.introduced]
        found = f"{len(introduced):,} introduced {count(sum(introduced), 'avoidable inversion')}"
        changed = sum(1 for traced in passes if traced.changed)
        line += [
            f", {count(len(passes), 'pass', 'passes')}, {changed:,} changed something: ",
            (found, "red") if introduced else ("none introduced avoidable inversions", "green"),
            f" ({trace.initial:,} were there from the start)" if trace.initial else "",
        ]
    if trace.errors:
        line += ["; ", (f"{count(len(trace.errors), 'input')} could not be read", "red")]
    console.print(*line)


def _name_and_dump(name: str | None, place: DumpPlace) -> list[Piece]:
    at = (f"{place.source}:{place.line}", hyperlink(place.source, place.line))
    return [(name or UNSEEN, "bold"), " (dump at ", at]


def _print_culprit(culprit: Culprit, console: Console) -> None:
    block, source = culprit.block, culprit.place.source
    dump = _name_and_dump(culprit.pass_name, culprit.place)
    console.print("first shuffled by: ", *dump, f"), {culprit.introduced:,} avoidable")
    worst = displaced_pieces(culprit.worst, source, block_name(block.function, block.block))
    console.print("worst op: ", *worst, f": {reason(culprit.worst, block)}", indent=2)
    console.print("look closer: ", (look_closer(culprit), "bold"), indent=2)
