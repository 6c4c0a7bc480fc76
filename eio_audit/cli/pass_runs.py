"""The error of ``diff`` that lists the runs of passes to choose from, those that changed most first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from eio_audit.audit.log.text_changes import changed_lines
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.dump_list import LISTED_DUMPS, Numbered, table
from eio_audit.cli.inputs import pass_names
from eio_audit.cli.rerun import rerun
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.shown_op import shown_op
from eio_audit.mlir.printable import printable
from eio_audit.mlir.source import InputError
from eio_audit.report.wording.commands import argument
from eio_audit.report.wording.numbers import count

LISTED_RUNS = 5
"""The most runs of any passes in a list."""


def several_runs(
    name: str, runs: Sequence[Numbered], dumps: Sequence[Dump], pass_name: str | None
) -> InputError:
    """Return the error for several dumps after passes, or after the pass ``pass_name``.

    Its list has the dumps with the most changed lines, and ends with a complete command.
    """
    changed = dict(zip(dumps, changed_lines(dumps), strict=True))
    by_change = sorted(runs, key=lambda run: -changed[run[1]])
    changing = sum(changed[dump] > 0 for _, dump in runs)
    change = f"{changing:,} of them {'changes' if changing == 1 else 'change'} lines"
    if pass_name is None:
        passes = pass_names(dump for _, dump in runs)
        after = count(len(passes), "pass", "passes")
        how = "--pass NAME and --dump N"
        lines = [*_commands(by_change[:LISTED_RUNS], dumps, changed), *_all_passes(name)]
    else:
        after, how = f"pass '{pass_name}'", "--dump N"
        lines = [*_table(runs, by_change, changed), f"  help: {rerun('--dump', str(by_change[0][0]))}"]
    message = f"there are {count(len(runs), 'dump')} after {after}, {change}: choose one with {how}"
    return InputError(name, None, message, "\n".join(lines))


def _commands(runs: Sequence[Numbered], dumps: Sequence[Dump], changed: Mapping[Dump, int]) -> Iterator[str]:
    """Yield, for each of some runs of any passes, what it changed, and the command that shows it."""
    for _, dump in runs:
        assert dump.marker
        pass_name, op = dump.marker.pass_name, shown_op(dump).label
        number = next(n for n, other in DumpChoice(pass_name).numbered(dumps) if other == dump)
        what = f"{pass_name} on {op}" if op else pass_name
        yield f"  {printable(what)}, line {dump.line}: {count(changed[dump], 'changed line')}"
        yield f"    {rerun('--pass', pass_name, '--dump', str(number))}"


def _table(runs: Sequence[Numbered], by_change: Sequence[Numbered], changed: Mapping[Dump, int]) -> list[str]:
    """Return lines with the runs of one pass that changed most, in order, below a heading."""
    shown = set(by_change[:LISTED_DUMPS])
    if len(runs) > LISTED_DUMPS:
        shown = {run for run in shown if changed[run[1]]} or shown
    rows = [
        (f"{number}", f"{dump.line}", f"{changed[dump]:,}", shown_op(dump).label)
        for number, dump in runs
        if (number, dump) in shown
    ]
    lines = table([("N", "line", "changed lines", "function"), *rows], right=3)
    left_out = [changed[dump] for _, dump in by_change[len(rows) :]]
    if left_out:
        such = "none with more changed lines" if left_out[0] else "without changed lines"
        lines.append(f"  and {len(left_out):,} more, {such}")
    return lines


def _all_passes(name: str) -> list[str]:
    return [] if name.startswith("<") else [f"  help: eio-audit trace {argument(name)}"]
