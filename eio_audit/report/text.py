"""Audits as text for people: what happened, where, because of which op, and what can be done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from eio_audit.audit.check import Check, DumpAudit, Summary
from eio_audit.report.conclusion import conclusion_pieces, in_graph_regions
from eio_audit.report.console import Column, Console, print_line, print_table
from eio_audit.report.text_order import print_heading, print_order
from eio_audit.report.wording import assumed_pure, count, moment_of, place_of

if TYPE_CHECKING:
    from eio_audit.audit.fix import Fix

SHOWN_FILES = 3
"""How many files to fix the last lines name."""


def print_check(check: Check, console: Console, *, verbose: bool = False) -> None:
    """Prints the order of every dump, most room for what is worst, and what can be done about it.

    Several dumps with inversions stand in a table; more is said about two of them at most, unless verbose.
    """
    broken = [dump for dump in check.dumps if dump.summary.inversions]
    if len(broken) > 1:
        _print_overview(check.dumps, console, verbose=verbose)
    for dump in _described(broken, verbose=verbose):
        print_heading(dump, console)
        print_order(dump, console, verbose=verbose)
        print_line(console)
    if len(broken) == 1 and len(check.dumps) > 1:
        _print_others([dump for dump in check.dumps if dump is not broken[0]], console)
    print_line(console, *conclusion_pieces(check))
    print_remedy(check.dumps, console)


def print_fix(fix: Fix, source_name: str, console: Console, *, is_dry: bool = False) -> None:
    """Prints what a fix moved, or with ``is_dry`` what it would move, what inversions remain and why."""
    before = fix.before
    remain = before.minimum
    would = "would be changed: " if is_dry and (fix.changed or fix.renumbered) else ""
    if not before.inversions:
        state = "in order" if before.has_indices else "no op indices"
        print_line(console, f"{source_name}: {would}{state}: {_unmoved(fix)}")
        return
    assumed = assumed_pure(sum((dump.assumed_pure for dump in fix.dumps), Counter()))
    if assumed:
        print_line(console, f"{source_name}: {assumed}")
    why = _why_they_remain(before)
    if not fix.changed:
        rest = f"{_unmoved(fix)} ({count(remain, 'inversion')}{why})"
        print_line(console, f"{source_name}: {would}nothing avoidable: {rest}")
        return
    if remain:
        removed = f"{before.avoidable:,} of {count(before.inversions, 'inversion')} removed"
        rest = f"{remain:,} {'remains' if remain == 1 else 'remain'}{why}"
    else:
        removed, rest = f"{count(before.inversions, 'inversion')} removed", "none remains"
    print_line(console, f"{source_name}: {would}{count(fix.moved, 'op')} moved, {removed}; {rest}")


def print_fixes(changed: int, unchanged: int, failed: int, console: Console, *, is_dry: bool = False) -> None:
    """Prints how many files have changed, or with ``is_dry`` would change, and how many have not."""
    groups = {"would be changed" if is_dry else "changed": changed, "unchanged": unchanged, "failed": failed}
    parts = [f"{number:,} {group}" for group, number in groups.items() if number]
    print_line(console, f"{count(changed + unchanged + failed, 'file')}: {', '.join(parts)}")


def _unmoved(fix: Fix) -> str:
    return "nothing moved, values renumbered" if fix.renumbered else "unchanged"


def _why_they_remain(before: Summary) -> str:
    """What the inversions are that a fix leaves: ``: 388 forced by dependences, 379 knock-on``."""
    remain, forced, knock_on = before.minimum, before.forced, before.knock_on
    if forced == remain:
        why = ", forced by a dependence" if remain == 1 else ", all forced by dependences"
    else:
        kinds = {
            "forced by dependences": forced,
            "knock-on": knock_on,
            "in graph regions": remain - forced - knock_on,
        }
        why = ": " + ", ".join(f"{number:,} {kind}" for kind, number in kinds.items() if number)
    if not before.certified:
        why += f"; not certified: perhaps {remain - before.lower_bound:,} more are avoidable"
    return why


@dataclass(frozen=True, slots=True)
class _Run:
    """Dumps that stand one after the other and are alike in order."""

    dumps: Sequence[DumpAudit]

    @property
    def title(self) -> str:
        """When the first of them was printed, and how many there are."""
        dump, more = self.dumps[0], len(self.dumps) - 1
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


def _runs(dumps: Iterable[DumpAudit]) -> list[_Run]:
    def likeness(dump: DumpAudit) -> tuple[object, ...]:
        figures = dump.summary
        if not figures.inversions:
            return (figures.has_indices,)
        return dump.source, figures.inversions, figures.forced, figures.minimum, figures.lower_bound

    return [_Run(list(run)) for _, run in groupby(dumps, key=likeness)]


def _print_overview(dumps: Sequence[DumpAudit], console: Console, *, verbose: bool) -> None:
    """A table of the dumps; of those alike in a row only the first, unless verbose."""
    runs = [_Run([dump]) for dump in dumps] if verbose else _runs(dumps)
    firsts = [run.dumps[0] for run in runs]
    is_log = len({dump.source for dump in dumps}) == 1
    titles = [run.title for run in runs]
    indent = 2 if is_log else 0
    if is_log:
        print_line(console, (dumps[0].source, "bold"))
    else:
        titles = [f"{place_of(dump)}  {title}".rstrip() for dump, title in zip(firsts, titles, strict=True)]
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
        Column("avoidable", [_avoidable(dump) for dump in firsts], right=True, style="red"),
        Column("in graphs", [_in_graphs(dump) for dump in firsts], right=True, optional=True),
        Column("ops", [f"{dump.summary.ops:,}" for dump in firsts], right=True, optional=True),
        Column("dump", titles),
    ]
    print_table(console, columns, indent)
    if not all(dump.summary.certified for dump in firsts):
        print_line(console, ("+ not certified: perhaps more are avoidable", "yellow"), indent=indent)
    print_line(console)


def _if_broken(dump: DumpAudit, number: int) -> str:
    return f"{number:,}" if dump.summary.inversions else ""


def _avoidable(dump: DumpAudit) -> str:
    return _if_broken(dump, dump.summary.avoidable) + ("" if dump.summary.certified else "+")


def _in_graphs(dump: DumpAudit) -> str:
    return f"{in_graph_regions(dump):,}" if in_graph_regions(dump) else ""


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
    print_line(console, ", ".join(notes))


def print_remedy(dumps: Sequence[DumpAudit], console: Console) -> None:
    """What can be done: the commands, or why there is nothing to do."""
    broken = [dump for dump in dumps if dump.summary.inversions]
    sources = list(dict.fromkeys(dump.source for dump in broken if dump.summary.avoidable))
    if sources:
        commands = [f"eio-audit fix {_argument(source)}" for source in sources]
        if len(commands) == 1:
            print_line(console, "to remove the avoidable ones: ", (commands[0], "bold"))
            return
        print_line(console, "to remove the avoidable ones:")
        for command in commands[:SHOWN_FILES]:
            print_line(console, (command, "bold"), indent=2)
        if len(commands) > SHOWN_FILES:
            print_line(console, f"... and {count(len(commands) - SHOWN_FILES, 'more file')}", indent=2)
    elif broken and all(in_graph_regions(dump) == dump.summary.inversions for dump in broken):
        print_line(console, "nothing to fix: graph regions have no order to keep")
    elif broken and all(dump.summary.certified for dump in broken):
        print_line(console, "nothing to fix: no legal order has fewer inversions")
    elif broken:
        print_line(console, "nothing to fix: no order with fewer inversions was found")


def _argument(source: str) -> str:
    """A file's name for a command line; what is no file, such as ``<stdin>``, in general."""
    import shlex  # noqa: PLC0415  (for a dump out of order)

    return "FILE" if source.startswith("<") else shlex.quote(source)
