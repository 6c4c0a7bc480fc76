"""Sentences about the passes of a log, without layout."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator

from eio_audit.audit.gate.findings import Finding
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.log.left_findings import Arrival, Repair
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.report.wording.commands import argument, command, explain_command
from eio_audit.report.wording.conclusion import limits, unread
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import of_constants, sum_of

NOT_SHOWN = "(not in the log)"
"""The name of passes that a log does not show."""

UNSEEN = "passes that the log does not show"
"""Their name in a sentence."""


START = "(there from the start)"
"""The row of inversions that no pass of the log introduced."""


def pass_title(traced: TracedPass) -> str:
    """Return the title of a pass. Changes by passes not in the log have the title of the next pass."""
    name = pass_called(traced.pass_name, traced.place.marker)
    return f"{name} (failed)" if traced.failed else name


def pass_called(name: str | None, marker: Marker | None) -> str:
    """Return the name of a pass. Passes not in the log have the name of the next pass."""
    if name is not None:
        return name
    return f"(before {marker.pass_name})" if marker is not None else NOT_SHOWN


def _compare(shown: Arrival, trace: Trace) -> str:
    """Return the command that compares the dumps around a pass. Empty if there are not two dumps."""
    place, before = shown.place, shown.before
    if shown.is_pair:
        chosen = "--pass", shlex.quote(shown.pass_name or ""), "--dump", str(place.occurrence + 1)
        return command("diff", trace, place.source, *chosen)
    if before is not None and before.source != place.source and place.occurrence == before.occurrence == 0:
        return command("diff", trace, before.source, argument(place.source))
    return ""


def left_at_the_end(trace: Trace) -> str:
    """Return what is left: ``22 avoidable inversions, brought in by canonicalize (passes.log:12)``."""
    if not trace.final.avoidable:
        return sum_of(trace.final) if trace.final.inversions else "no inversion"
    total = count(trace.final.avoidable, "avoidable inversion") + of_constants(trace.final)
    numbers = left_by_arrival(trace)
    if len(numbers) == 1:
        return f"{total}, {came_in(*numbers)}"
    return f"{total}: {', '.join(f'{number:,} {came_in(one)}' for one, number in numbers.items())}"


def left_by_arrival(trace: Trace) -> dict[Arrival, int]:
    """Return how many avoidable inversions are left, by how they came in, most first."""
    numbers = Counter[Arrival]()
    for one in trace.left:
        for arrival, number in one.shares:
            numbers[arrival] += number
    return {arrival: number for arrival, number in numbers.most_common() if number}


def came_in(arrival: Arrival) -> str:
    """Return ``brought in by canonicalize (passes.log:12)``."""
    place = f"({arrival.place.source}:{arrival.place.line})"
    if arrival.is_initial:
        return f"there from the start {place}"
    return f"brought in by {arrival.pass_name or UNSEEN} {place}"


def repaired(repair: Repair) -> str:
    """Return ``33 avoidable inversions of canonicalize, by cse``."""
    what = count(repair.inversions, "avoidable inversion")
    origin = "there from the start" if repair.is_initial else f"of {repair.pass_name or UNSEEN}"
    return f"{what} {origin}, by {repair.by or UNSEEN}"


def conclusion(trace: Trace, gate: Gate, where: str = "") -> tuple[str, str]:
    """Return ``failed`` or ``passed``, and why: ``22 avoidable inversions left at the end of 8 passes``.

    ``where`` replaces the number of passes.
    """
    files = trace.sources if len(trace.sources) > 1 else trace.sources * trace.summary.dumps
    unread_files = unread(trace.errors, files) if trace.errors else ""
    if not trace.summary.has_indices and (unread_files or trace.is_unjudged or not trace.summary.dumps):
        is_allowed = gate.allows_unindexed and not unread_files and trace.is_unjudged
        return "passed" if is_allowed else "could not run", unread_files or "no op carries an op index"
    if not trace.summary.has_indices:
        return "passed", "no op to check"
    failed = gate.failed_rules(trace.final if gate.is_final else trace.once)
    passes = where or count(len(trace.passes), "pass", "passes")
    said = list(limits(gate, failed, trace.once, trace.final, lambda _: f"in {passes}"))
    if not said:
        number = trace.final.avoidable
        avoidable = count(number, "avoidable inversion") if number else "no avoidable inversion"
        avoidable += of_constants(trace.final)
        end = passes if where or trace.passes else count(trace.summary.dumps, "dump")
        said = [f"{avoidable} left at the end of {end}"]
    if trace.unindexed and not where:
        said.append(checked_dumps(trace.summary.dumps, trace.unindexed))
    if unread_files:
        return "incomplete", "; ".join([unread_files, *said])
    return "failed" if failed else "passed", "; ".join(said)


def checked_dumps(dumps: int, unindexed: int) -> str:
    """Say how many dumps carry no op index: ``2 of 3 dumps checked; 1 carries no op index``."""
    verb = "carries" if unindexed == 1 else "carry"
    return f"{dumps - unindexed:,} of {dumps:,} dumps checked; {unindexed:,} {verb} no op index"


def next_steps(trace: Trace) -> Iterator[tuple[str, str]]:
    """Yield the commands to type next, and what they show: the pass that brought in most, and the fix."""
    for arrival in list(left_by_arrival(trace))[:1]:
        theirs = [one.finding for one in trace.left if arrival in dict(one.shares)]
        worst = theirs[0]
        if compare := _compare(arrival, trace):
            yield compare, "shows what the pass did"
        else:
            yield f"{explain_command(trace, worst.source)} {worst.line}", "shows why the worst is there"
        last = " --dump last" if _is_in_last_dump(worst, trace) else ""
        yield command(f"fix --diff{last}", trace, worst.source), "shows the fix"


def _is_in_last_dump(finding: Finding, trace: Trace) -> bool:
    """Whether the finding is in the last of several dumps in a log."""
    places = [traced.place for traced in trace.passes]
    is_log = trace.summary.dumps > 1 and {place.source for place in places} == {finding.source}
    return is_log and finding.place.line >= max(place.line for place in places)


def diff_command(before: Dump, after: Dump, occurrence: int) -> str:
    """Return the command that shows what a pass did. ``occurrence`` counts the dumps after it, from 1."""
    source, marker = argument(after.source.name), after.marker
    if before.source.name != after.source.name:
        return f"eio-audit diff {argument(before.source.name)} {source}"
    if marker is None or marker.when == "before":
        return ""
    return f"eio-audit diff {source} --pass {shlex.quote(marker.pass_name)} --dump {occurrence}"
