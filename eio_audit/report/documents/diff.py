"""What ``diff`` reports: two dumps, two runs of a compiler, two reports of times, or the lines of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from eio_audit.audit.check.location_health import HealthChange, LocationRule
from eio_audit.audit.diff.check_lines import CheckComparison, CheckOrder
from eio_audit.audit.diff.dump_comparison import OpChange, repeated_changes
from eio_audit.audit.diff.sameness import Sameness
from eio_audit.audit.gate.rules import LOCATION_RULES
from eio_audit.report.document import (
    Cells,
    Changes,
    Details,
    Document,
    Hunks,
    Listing,
    Part,
    Section,
    Steps,
    document,
    figures_of,
    heading_of,
    line,
)
from eio_audit.report.documents.check import order_of
from eio_audit.report.documents.trace import table_of_ops, table_of_two_times
from eio_audit.report.wording import count, more
from eio_audit.report.wording import diff as words
from eio_audit.report.wording.advice import sentences
from eio_audit.report.wording.conclusion import next_steps

if TYPE_CHECKING:
    from eio_audit.audit.corpus.two_runs import RunComparison
    from eio_audit.audit.diff.diff import Diff, Fragmentation
    from eio_audit.audit.diff.inverse_ops import LayoutOp, LayoutPair
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.mlir.input.time_table import TimeComparison

OUTSIDE = "outside functions"  # the title of what is in none


def diff_document(
    diff: Diff,
    *,
    verbose: bool = False,
    has_room: bool = False,
    context: int | None = None,
    only_table: str | None = None,
) -> Document:
    """Return what happened to the ops and to the order, and the details if ``verbose`` or if it ``has_room``.

    With a ``context``, changes are in textual order with so many unchanged ops around each, not by kind,
    unless it ``has_room``. With an ``only_table``, it says how many ops of each name there are, instead.
    """
    is_same = diff.sameness.is_at_least(Sameness.ORDER)
    verdict = words.verdict(diff), "bold green" if is_same else "bold red"
    dumps = heading_of(diff.before, "before  "), heading_of(diff.after, "after   ")
    if only_table is not None:
        return document([verdict, *dumps, table_of_ops(*diff.op_counts, ("before", "after"))])
    inversions, avoidable = words.order_summary(diff)
    plain = {Sameness.BYTES, Sameness.NAMES} if diff.ignored else {Sameness.BYTES}
    if diff.sameness.sameness in plain and not verbose:
        return document([line(verdict, f"; {inversions}, {avoidable}" * bool(diff.after.summary.inversions))])
    sums = [line((f"ops: {words.ops_summary(diff)}", "bold"))]
    if inversions:
        style = "red" if diff.after.summary.avoidable else ""
        sums.append(line(("order: ", "bold"), f"{inversions}, ", (avoidable, style)))
    if said := words.implied_ops(diff):
        sums.append(line((said, "dim")))
    has_details = verbose or has_room
    is_shuffled = diff.after.summary.inversions > 0
    after = diff.after_in_full if verbose else diff.after
    details: list[Section] = []
    if has_details:
        locations = _locations(diff.locations, verbose=verbose)
        details = [inverse_ops(diff), _modules(diff.fragmentation), locations]
    return document(
        [verdict, *dumps, *sums],
        *(changes_by_function(diff) if context is None or has_room else _changes_in_order(diff, context)),
        Section("order", [*order_of(after, before=diff.before, verbose=verbose)] if is_shuffled else []),
        *_advice(diff),
        *details,
        [Details([] if has_details else _titles(diff)), Steps(next_steps([diff.after]))],
    )


def _advice(diff: Diff) -> list[Section]:
    changes = [] if diff.advice is None else sentences(diff.advice)
    return [Section("what to change", [Listing("", "", changes)], "an estimate")] if changes else []


def _titles(diff: Diff) -> list[str]:
    """Return the titles of the details. Whether modules are torn is known without counting all runs."""
    found = {
        INVERSE: bool(inverse_ops(diff).parts),
        MODULES: diff.tears_modules,
        LOCATIONS: bool(_locations(diff.locations).parts),
    }
    return [title for title, is_there in found.items() if is_there]


INVERSE, MODULES, LOCATIONS = "inverse ops", "modules", "locations"


def changes_by_function(diff: Diff) -> list[Section]:
    """Return what happened to the ops of each function."""
    sections: dict[str | None, list[Changes]] = {}
    for kind, found in diff.ops.found.items():
        for function, changes in _by_function(found, diff.comparison.function_of).items():
            repeated = repeated_changes(diff.comparison, changes)
            part = Changes(f"{len(changes):,} {kind}", words.kinds_of(changes), repeated)
            sections.setdefault(function, []).append(part)
    return [Section(function or OUTSIDE, parts) for function, parts in sections.items()]


def _changes_in_order(diff: Diff, context: int) -> list[Section]:
    of_function = _by_function(diff.pairs(), attrgetter("function"))
    hunks = {name: _hunks(ops, context) for name, ops in of_function.items()}
    return [Section(name or OUTSIDE, [Hunks(found)]) for name, found in hunks.items() if found]


def _by_function(changes: Iterable[Any], key: Callable[[Any], str | None]) -> dict[str | None, list[Any]]:
    of_function: dict[str | None, list[Any]] = {}
    for change in changes:
        of_function.setdefault(key(change), []).append(change)
    return of_function


def _hunks(ops: Sequence[OpChange], context: int) -> list[Sequence[OpChange]]:
    hunks: list[range] = []
    for place, op in enumerate(ops):
        if op.status == "unchanged":
            continue
        around = range(max(0, place - context), min(len(ops), place + context + 1))
        if hunks and around.start <= hunks[-1].stop:
            around = range(hunks.pop().start, around.stop)
        hunks.append(around)
    return [ops[hunk.start : hunk.stop] for hunk in hunks]


def inverse_ops(diff: Diff) -> Section:
    """Return what happened to each permute, transpose and reshape."""
    inverse, moved = diff.inverse_ops, len(diff.inverse_ops.moved)
    misplaced = f"a pass should not move {'it' if moved == 1 else 'them'}"
    still_there = f"{count(len(inverse.remaining), 'inverse pair')} still there"
    moves = (f"{one.before.op} -> {', '.join(str(op.op) for op in one.after)}" for one in inverse.moved)
    gone = f"{len(inverse.gone):,} removed without an inverse: merged or folded"
    lists = [
        (words.cancelled(inverse), "green", map(_pair, inverse.cancelled)),
        (f"{moved:,} moved and not cancelled: {misplaced}", "red", moves),
        (gone, "", map(_layout_op, inverse.gone)),
        (f"{len(inverse.added):,} new, not made from earlier ones", "", map(_layout_op, inverse.added)),
        (still_there, "yellow", map(_pair, inverse.remaining)),
    ]
    parts: list[Part] = [
        Listing(title, style, items) for title, style, lines in lists if (items := list(lines))
    ]
    if parts and inverse.inversions:
        total = diff.after.summary.inversions
        share = f"{inverse.inversions:,} of {count(total, 'inversion')}"
        verb = "involves" if inverse.inversions == 1 else "involve"
        parts.append(line(f"{share} {verb} moved or copied ops", indent=2))
    return Section(INVERSE, parts, words.inverse_summary(inverse))


def _pair(one: LayoutPair) -> str:
    between = f"{count(one.between, 'elementwise op')} between" if one.between else "one feeds the other"
    return f"{one.first.op} and {one.second.op}: {one.first.does}, {between}"


def _layout_op(one: LayoutOp) -> str:
    return f"{one.op}: {one.does}"


def _modules(fragmentation: Fragmentation) -> Section:
    torn = [one for one in (*fragmentation.modules, *fragmentation.functions) if one.after > one.before > 0]
    columns = "#before, #pieces=after, #fixed=after fix, #relabelled=after fix --relabel, name=pieces of"
    table = figures_of(torn, columns, {"pieces": lambda one: one.after})
    return Section(MODULES, [table], words.runs_summary(fragmentation))


MEANINGS = {rule.name: rule.summary.removesuffix(".") for rule in LOCATION_RULES}


def _locations(locations: HealthChange, *, verbose: bool = False) -> Section:
    before, after = locations.before.counts, locations.after.counts
    if before == after and not locations.lost:
        return Section(LOCATIONS, [])
    rules = [rule for rule in LocationRule if before[rule] or after[rule]]
    cells: Cells = {"before": before.__getitem__, "after": after.__getitem__, "meaning": MEANINGS.__getitem__}
    table = figures_of(rules, "#before, #after, value=rule, meaning", cells)
    new = [f"{finding.op}: {finding.message}" for finding in locations.new] if verbose else []
    note = f"{count(len(locations.lost), 'op')} lost the index" if locations.lost else ""
    return Section(LOCATIONS, [table, *([Listing("", "", new)] if new else [])], note)


def runs_document(runs: RunComparison, *, verbose: bool = False, context: int | None = None) -> Document:
    """Return how many dumps differ, the first that differs, and its diff."""
    pairs, slower = count(runs.pairs, "dump"), words.change_of_time(runs.times)
    difference = runs.difference
    if difference and difference.ignored and runs.is_same_as_asked and not runs.is_same:
        return document([(f"same{words.up_to(difference.ignored)}: {pairs}", "bold green")])
    verdict = f"{runs.different:,} of {pairs} in both runs differ", "bold"
    if runs.is_same:
        verdict = f"identical: {pairs}", "bold green"
    said = [line(verdict, f"; {slower}" if slower else "")]
    for which, (dump, number) in zip(("first", "second"), runs.only_in, strict=True):
        if dump is not None:
            verb = "is" if number == 1 else "are"
            only = f"{count(number, 'dump')} {verb} only in the {which} run"
            said.append(line(f"{only}, the first: {_moment(dump)}"))
    if runs.first is None or difference is None:
        return document(said)
    first = f"first difference: {_moment(runs.first[0])}: {words.verdict(difference)}"
    said.append(line((first, "bold red")))
    if runs.unlike is not None and runs.unlike.first is not runs.first[0]:
        found = runs.unlike.verdict
        unlike = words.same_in(found.sameness, ()) or f"different: {found.reason}"
        said.append(line((f"not the same: {_moment(runs.unlike.first)}: {unlike}", "bold red")))
    return document(said, *diff_document(difference, verbose=verbose, context=context))


def _moment(dump: Dump) -> str:
    """Return ``b.log:33 after cse of @main``."""
    symbol = f" of {dump.marker.symbol}" if dump.marker is not None and dump.marker.symbol else ""
    return f"{dump.place.source}:{dump.place.line} {dump.place.moment}{symbol}".rstrip()


def two_times_document(times: TimeComparison) -> Document:
    """Return the passes whose time changed, and the times of all passes."""
    changed = words.change_of_time(times.times) or words.SAME_TIMES, "bold"
    files = f"before  {times.before.source}", f"after   {times.after.source}"
    return document([changed, *files], [table_of_two_times(times)])


SHOWN_CHECKS = 10  # the most lines of a test that a report shows unless verbose


def checks_document(checks: CheckComparison, *, verbose: bool = False) -> Document:
    """Return whether the lines of a test are found in another order, and which."""
    verdict = words.verdict_of_checks(checks), "bold green" if checks.is_in_order else "bold red"
    of_order = {CheckOrder.OTHER: checks.displaced, CheckOrder.MISSING: checks.missing}
    found = of_order.get(checks.order, [])
    shown = found if verbose else found[:SHOWN_CHECKS]
    cells: Cells = {
        "test": lambda one: str(one.check.line),
        "output": lambda one: str(one.line or ""),
        "text": lambda one: one.check.text,
    }
    table = figures_of(shown, ">test, >output, text=line", cells)
    return document(
        [verdict, words.note_on_checks(checks), f"test    {checks.check_file}", f"output  {checks.source}"],
        [table._replace(left_out=more(len(found) - len(shown), "line"))],
        [Steps(words.next_steps_of_checks(checks))],
    )
