"""The error of ``diff`` that lists the runs of passes to choose from: those that changed most."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eio_audit.audit.log.text_changes import changed_lines
from eio_audit.cli.dump_choice import DumpChoice
from eio_audit.cli.dump_list import LISTED_DUMPS, Numbered, table, with_command
from eio_audit.cli.inputs import pass_names
from eio_audit.cli.rerun import rerun
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.shown_op import shown_op
from eio_audit.mlir.printable import printable
from eio_audit.mlir.source import InputError
from eio_audit.report.wording.numbers import count

NO_EARLIER_DUMP = "there is no earlier dump to compare with"
"""The error for the first dump of a program."""

LISTED_RUNS = 5
"""The most runs of any passes in a list."""


class _Run(NamedTuple):
    """A dump after a pass: its number from 1, its changed lines, and its file if there are several."""

    number: int
    dump: Dump
    lines: int
    file: str

    @property
    def op(self) -> str:
        return shown_op(self.dump).label


def several_runs(
    name: str, runs: Sequence[Numbered], dumps: Sequence[Dump], pass_name: str | None
) -> InputError:
    """Return the error for several dumps after passes, or after the pass ``pass_name``.

    Its list has the dumps with the most changed lines, and ends with a complete command.
    """
    lines = dict(zip(dumps, changed_lines(dumps), strict=True))
    first_of = {dump.program: dump for dump in reversed(dumps)}
    is_folder = len({dump.source.name for dump in dumps}) > 1
    among = [_Run(n, dump, lines[dump], dump.source.name if is_folder else "") for n, dump in runs]
    comparable = [run for run in among if run.dump != first_of[run.dump.program]]
    if not comparable:
        return InputError(name, None, NO_EARLIER_DUMP)
    by_change = sorted(comparable, key=lambda run: -run.lines)
    changing = [run for run in by_change if run.lines]
    best = changing or by_change
    if pass_name is None:
        passes = pass_names(run.dump for run in among)
        after, how = count(len(passes), "pass", "passes"), "--pass NAME and --dump N"
        listed = "\n".join(_commands(name, best[:LISTED_RUNS], dumps))
    else:
        after, how = f"pass '{pass_name}'", "--dump N"
        rows = _table(among, among if len(among) <= LISTED_DUMPS else best[:LISTED_DUMPS])
        listed = with_command(name, rows, str(best[0].number), "shows the one that changes most lines")
    few = "one changes" if changing else "none changes"
    change = f"{len(changing):,} of them change" if len(changing) > 1 else few
    message = f"there are {count(len(runs), 'dump')} after {after}, {change} lines: choose one with {how}"
    return InputError(name, None, message, listed)


def _commands(name: str, runs: Sequence[_Run], dumps: Sequence[Dump]) -> Iterator[str]:
    """Yield, for each of some runs of any passes, what it changed, and the command that shows it.

    Of an input that cannot be read again, these are the options alone. Else the last is the command for all.
    """
    from eio_audit.report.wording.commands import Step, argument, is_kept, next_lines

    for run in runs:
        assert run.dump.marker
        pass_name = run.dump.marker.pass_name
        number = next(n for n, dump in DumpChoice(pass_name).numbered(dumps) if dump == run.dump)
        what = f"{pass_name} on {run.op}" if run.op else pass_name
        where = run.file or f"line {run.dump.line}"
        yield printable(f"  {what}, {where}: {count(run.lines, 'changed line')}")
        chosen = "--pass", pass_name, "--dump", str(number)
        yield f"    {rerun(*chosen) if is_kept(name) else shlex.join(chosen)}"
    if is_kept(name):
        yield from next_lines([Step(f"eio-audit trace {argument(name)}", "shows what each pass did")])


def _table(runs: Sequence[_Run], listed: Sequence[_Run]) -> list[str]:
    """Return lines with some runs of one pass, in order, below a heading, and a count of the others."""
    kept = {run.number for run in listed}
    rows = [
        (f"{run.number}", f"{run.dump.line}", f"{run.lines:,}", run.op, run.file)
        for run in runs
        if run.number in kept
    ]
    lines = table([("N", "line", "changed lines", "function", "file"), *rows], right=3)
    left_out = [run.lines for run in runs if run.number not in kept]
    if left_out:
        such = "none with more changed lines" if any(left_out) else "without changed lines"
        lines.append(f"  and {len(left_out):,} more, {such}")
    return lines
