"""The trace of a log as text: a row for each pass that changed something, and the first that shuffled."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from eio_audit.audit.trace.trace import Culprit, Trace, TracedPass
from eio_audit.report.text.console import Console, print_line
from eio_audit.report.text.hyperlink import hyperlink
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording.order import block_name, contradicting, count, op_name, reason, side
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
            print_line(console, (folder or next(iter(sources)), "bold"))
        _print_passes(trace.passes, console, is_log=is_log, folder=folder, verbose=verbose)
        print_line(console)
    _print_conclusion(trace, console)
    if trace.mislabeller is not None:
        _print_mislabeller(trace.mislabeller, console)
    if trace.culprit is not None:
        _print_culprit(trace.culprit, console)


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the table; ``traced`` is the pass it shows, None for a line about several."""

    title: str
    traced: TracedPass | None


def _rows(passes: Iterable[TracedPass], *, verbose: bool) -> list[_Row]:
    def is_folded(traced: TracedPass) -> bool:
        return not verbose and traced.changed is False and not traced.failed

    rows: list[_Row] = []
    for folded, group in groupby(passes, key=is_folded):
        run = list(group)
        if folded:
            rows.append(_Row(f"... {count(len(run), 'pass', 'passes')} changed nothing", None))
        else:
            rows += [_Row(_title(traced), traced) for traced in run]
    return rows


def _title(traced: TracedPass) -> str:
    name = pass_title(traced)
    if traced.failed:
        return f"{name} (failed)"
    return f"{name} (no change)" if traced.changed is False else name


def _common_folder(sources: Iterable[str]) -> str:
    """The innermost folder that all files are in; empty where there is none to be named."""
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
    rows = _rows(passes, verbose=verbose)
    alone = [row.traced for row in rows]
    has_programs = len({traced.program for traced in passes}) > 1
    all_certified = all(traced.figures.certified for traced in passes)

    def cells(values: Iterable[object]) -> list[str]:
        return ["" if value is None else f"{value:,}" for value in values]

    def figure(name: str) -> list[str]:
        return cells(None if traced is None else getattr(traced.figures, name) for traced in alone)

    columns = [
        Column("line", [str(t.place.line) if t and is_log else "" for t in alone], right=True, optional=True),
        Column("pass", [row.title for row in rows]),
        Column("function", [t.function or "" if t else "" for t in alone]),
        Column("ops", figure("ops"), right=True, optional=True),
        Column("inversions", figure("inversions"), right=True, style="bold", optional=True),
        Column("forced", figure("forced"), right=True, optional=True),
        Column("avoidable", [_avoidable(t) if t else "" for t in alone], right=True),
        Column("introduced", [_if_any(t.introduced) if t else "" for t in alone], right=True, style="red"),
        Column("made wrong", [_if_any(t.mislabelled) if t else "" for t in alone], right=True, optional=True),
        Column("derived", figure("derived"), right=True, optional=True),
        Column("lost", [_if_any(t.lost) if t else "" for t in alone], right=True, optional=True),
        Column("program", [t.program if t and has_programs else "" for t in alone], optional=True),
        Column(
            "dump",
            ["" if t is None or is_log else _place(t, folder) for t in alone],
            style="dim",
            optional=True,
        ),
    ]
    print_table(console, columns, indent=2 if is_log or folder else 0)
    if not all_certified:
        print_line(console, ("+ not certified: perhaps more are avoidable", "yellow"))


def _avoidable(traced: TracedPass) -> str:
    return f"{traced.figures.avoidable:,}{'' if traced.figures.certified else '+'}"


def _if_any(number: int) -> str:
    return f"{number:,}" if number else ""


def _print_conclusion(trace: Trace, console: Console) -> None:
    passes = trace.passes
    changed = sum(1 for traced in passes if traced.changed)
    introduced = sum(traced.introduced for traced in passes)
    guilty = sum(1 for traced in passes if traced.introduced)
    if not trace.summary.dumps:
        what = ""
    elif not trace.summary.has_indices:
        what = ": no op carries an op index"
    elif not passes:
        what = ": no pass to be seen" + (f", {trace.initial:,} avoidable" if trace.initial else "")
    else:
        what = f", {count(len(passes), 'pass', 'passes')}, {changed:,} changed something: "
    line: list[str | tuple[str, str]] = [f"traced {count(trace.summary.dumps, 'dump')}{what}"]
    if passes and trace.summary.has_indices:
        found = f"{guilty:,} introduced {count(introduced, 'avoidable inversion')}"
        line.append((found, "red") if guilty else ("none introduced avoidable inversions", "green"))
        line.append(f" ({trace.initial:,} were there from the start)" if trace.initial else "")
    if trace.errors:
        line += ["; ", (f"{count(len(trace.errors), 'input')} could not be read", "red")]
    print_line(console, *line)


def _print_mislabeller(traced: TracedPass, console: Console) -> None:
    place = traced.place
    print_line(
        console,
        "most wrong indices by: ",
        (traced.pass_name or UNSEEN, "bold"),
        " (dump at ",
        (f"{place.source}:{place.line}", hyperlink(place.source, place.line)),
        f"), {contradicting(traced.mislabelled)}; see fix --relabel",
    )


def _print_culprit(culprit: Culprit, console: Console) -> None:
    place, block, worst = culprit.place, culprit.block, culprit.worst
    print_line(
        console,
        "first shuffled by: ",
        (culprit.pass_name or UNSEEN, "bold"),
        " (dump at ",
        (f"{place.source}:{place.line}", hyperlink(place.source, place.line)),
        f"), {culprit.introduced:,} avoidable",
    )
    print_line(
        console,
        "worst op: ",
        (op_name(worst.op), "cyan"),
        f" in {block_name(block.function, block.block)} is {side(worst)} at ",
        (f"line {worst.op.line}", hyperlink(place.source, worst.op.line)),
        f", in {count(worst.inversions, 'inversion')}",
        (f" ({worst.op.module})" if worst.op.module else "", "dim"),
        f": {reason(worst, block)}",
        indent=2,
    )
    print_line(console, "look closer: ", (look_closer(culprit), "bold"), indent=2)
