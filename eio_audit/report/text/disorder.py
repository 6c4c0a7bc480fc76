"""The dumps that are out of order as text: a table of several, and more about the worst of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.report.text.console import Console
from eio_audit.report.text.order import print_heading, print_order
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording.order import count, in_graph_regions, moment_of, place_of


def print_disorder(
    dumps: Sequence[DumpAudit], broken: Sequence[DumpAudit], console: Console, *, verbose: bool
) -> None:
    """Prints what is out of order, most room for what is worst.

    Args:
        dumps: all that were audited.
        broken: those of them that have inversions, one at least. Several are in a table, and at most two
            of them are described, unless verbose.
        console: where.
        verbose: about each of them.
    """
    if len(broken) > 1:
        _print_overview(dumps, console, verbose=verbose)
    for dump in _described(broken, verbose=verbose):
        print_heading(dump, console)
        print_order(dump, console, verbose=verbose)
        console.print()
    if len(broken) == 1 and len(dumps) > 1:
        _print_others([dump for dump in dumps if dump is not broken[0]], console)


def _print_overview(dumps: Sequence[DumpAudit], console: Console, *, verbose: bool) -> None:
    """A table of the dumps; of those alike in a row only the first, unless verbose."""
    runs = [[dump] for dump in dumps] if verbose else _runs(dumps)
    firsts = [run[0] for run in runs]
    is_log = len({dump.source for dump in dumps}) == 1
    titles = list(map(_title, runs))
    indent = 2 if is_log else 0
    if is_log:
        console.print((dumps[0].source, "bold"))
    else:
        titles = [f"{place_of(dump)}  {title}".rstrip() for dump, title in zip(firsts, titles, strict=True)]
    wrong = [_if_any(dump.summary.wrong_labels) for dump in firsts]
    avoidable = [
        _if_broken(dump, dump.summary.avoidable) + ("" if dump.summary.certified else "+") for dump in firsts
    ]
    columns = [
        Column("line", [str(dump.line) if is_log else "" for dump in firsts], right=True),
        Column("inversions", [f"{dump.summary.inversions:,}" for dump in firsts], right=True, style="bold"),
        Column("forced", [_if_broken(dump, dump.summary.forced) for dump in firsts], right=True),
        Column(
            "knock-on",
            [_if_broken(dump, dump.summary.knock_on) for dump in firsts],
            right=True,
            optional=True,
        ),
        Column("avoidable", avoidable, right=True, style="red"),
        Column("wrong indices", wrong, right=True, optional=True),
        Column("in graphs", [_if_any(in_graph_regions(dump)) for dump in firsts], right=True, optional=True),
        Column("ops", [f"{dump.summary.ops:,}" for dump in firsts], right=True, optional=True),
        Column("dump", titles),
    ]
    print_table(console, columns, indent)
    if not all(dump.summary.certified for dump in firsts):
        console.print(("+ not certified: perhaps more are avoidable", "yellow"), indent=indent)
    console.print()


def _if_broken(dump: DumpAudit, number: int) -> str:
    return f"{number:,}" if dump.summary.inversions else ""


def _if_any(number: int) -> str:
    return f"{number:,}" if number else ""


def _runs(dumps: Iterable[DumpAudit]) -> list[list[DumpAudit]]:
    """Consecutive dumps that are alike in order."""

    def likeness(dump: DumpAudit) -> tuple[object, ...]:
        figures = dump.summary
        if not figures.inversions:
            return (figures.has_indices,)
        return dump.source, figures.inversions, figures.forced, figures.minimum, figures.lower_bound

    return [list(run) for _, run in groupby(dumps, key=likeness)]


def _title(run: Sequence[DumpAudit]) -> str:
    """When the first dump of a run was printed, and how many there are."""
    dump, more = run[0], len(run) - 1
    if not dump.summary.has_indices:
        note = f"{more + 1:,} dumps without op indices" if more else "no op indices"
    elif not dump.summary.inversions:
        note = f"{more + 1:,} dumps in order" if more else "in order"
    elif more:
        note = f"next {more:,} alike" if more > 1 else "next dump alike"
    else:
        note = ""
    moment = moment_of(dump)
    return f"{moment} ({note})" if moment and note else moment or note


def _described(broken: Sequence[DumpAudit], *, verbose: bool) -> Sequence[DumpAudit]:
    """The dumps to tell more about: that of most inversions and that of most avoidable ones."""
    if verbose or len(broken) < 2:
        return broken
    worst = max(broken, key=lambda dump: dump.summary.inversions)
    most_avoidable = max(broken, key=lambda dump: dump.summary.avoidable)
    return [dump for dump in broken if dump is worst or (dump is most_avoidable and dump.summary.avoidable)]


def _print_others(dumps: Sequence[DumpAudit], console: Console) -> None:
    indexed = sum(1 for dump in dumps if dump.summary.has_indices)
    notes = [f"{count(indexed, 'other dump')} in order"] if indexed else []
    if indexed < len(dumps):
        notes.append(f"{count(len(dumps) - indexed, 'dump')} without op indices")
    console.print(", ".join(notes))
