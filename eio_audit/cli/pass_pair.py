"""Find the two dumps around a pass, in a log or in a folder, or list the runs to choose from."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from eio_audit.audit.log.program_text import next_of_same, text_before
from eio_audit.audit.log.text_changes import changed_lines
from eio_audit.cli.dump_choice import (
    LISTED_DUMPS,
    DumpChoice,
    Numbered,
    rerun,
    several_dumps,
    table,
    with_command,
)
from eio_audit.cli.inputs import LISTED_NAMES, max_size, pass_names
from eio_audit.mlir.input.dumps import Dump, stream
from eio_audit.mlir.input.folders import DumpFile, find_dump_files
from eio_audit.mlir.input.shown_op import shown_op
from eio_audit.mlir.input.states import HOW_TO_NAME_STATES, Moment
from eio_audit.mlir.printable import printable
from eio_audit.mlir.source import InputError, source_name
from eio_audit.mlir.traits import OpTable
from eio_audit.report.wording.numbers import count, shortened_list

NO_EARLIER_DUMP = "there is no earlier dump to compare with"
"""The error for the first dump of a program."""

LISTED_PAIRS = 5
"""The most pairs of files in a list."""

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


_Pair = tuple[str, DumpFile, DumpFile]
"""A pass, and the files before and after it."""


def around_pass(path: str, choice: DumpChoice, op_table: OpTable) -> tuple[Dump, Dump]:
    """Return the dumps before and after a pass of a log or a folder. ``op_table`` tells functions.

    If a log has dumps before a pass only, the next dump of the same op is the one after it.

    Raises:
        InputError: there are none, or several to choose from.
    """
    files = find_dump_files(path)
    before = {file.program: file for file in files if file.state and file.state.moment is Moment.BEFORE}
    pairs = [
        (file.state.pass_name, before[file.program], file)
        for file in files
        if file.state and file.state.moment is Moment.AFTER
    ]
    if pairs:
        _, first, second = _only_pair(pairs, path, choice)
        return _dump(first), _dump(second)
    dumps = [
        dump for file in files for dump in stream(file.path, file.program, max_unpacked_bytes=max_size())
    ]
    if Path(path).is_dir() and not any(dump.marker for dump in dumps):
        names = shortened_list([_name(file, path) for file in files], LISTED_NAMES)
        message = f"no pair of files before and after a pass among {names}; {HOW_TO_NAME_STATES}"
        raise InputError(path, None, message)
    if choice.pass_name is not None and all(d.place.when == "before" for d in choice.counted(dumps)):
        return _only_before(dumps, source_name(path), choice, op_table)
    new = _chosen(dumps, source_name(path), choice)
    return _dump_before(new, dumps, source_name(path), op_table), new


def _only_before(
    dumps: Sequence[Dump], name: str, choice: DumpChoice, op_table: OpTable
) -> tuple[Dump, Dump]:
    """Return the chosen dump before a pass that has no dump after it, and the next dump of the same op."""
    chosen = choice.candidates(dumps, choice.of(dumps, name))
    following = next_of_same(dumps, op_table)
    pairs = [(number, dump) for number, dump in chosen if dump in following]
    if not pairs:
        raise InputError(name, None, _no_dump_after(dumps, choice))
    if len(pairs) > 1:
        raise several_dumps(name, pairs, "--dump")
    [(_, old)] = pairs
    return old, following[old]


def _chosen(dumps: Sequence[Dump], name: str, choice: DumpChoice) -> Dump:
    """Return the chosen dump of a log. By its pass, it is the one after it."""
    chosen = choice.of(dumps, name)
    is_direct = choice.dump is not None and (choice.pass_name is None or choice.dump.line is not None)
    if is_direct and len(chosen) == 1:
        return chosen[0]
    whens = ("after", None) if choice.is_made else ("after",)  # a stage counts only if it is chosen
    after = [
        (number, dump)
        for number, dump in choice.candidates(dumps, chosen)
        if dump.marker is not None and dump.marker.when in whens
    ]
    if not after:
        raise InputError(name, None, _no_dump_after(dumps, choice))
    if len(after) > 1:
        raise several_runs(name, after, dumps, choice.pass_name)
    [(_, new)] = after
    return new if choice.is_made else replace(new, selected=(None, ""))


def _dump_before(new: Dump, dumps: Sequence[Dump], name: str, op_table: OpTable) -> Dump:
    """Return what to compare a dump with: the dump before its pass, else what the dumps before it show."""
    earlier = [dump for dump in dumps[: dumps.index(new)] if dump.program == new.program]
    if not earlier:
        raise InputError(name, None, NO_EARLIER_DUMP)
    op, place = shown_op(new), new.place
    of_pass = [
        dump
        for dump in earlier
        if (dump.place.when, dump.place.pass_name) == ("before", place.pass_name) and shown_op(dump) == op
    ]
    if place.when == "after" and of_pass:
        return of_pass[-1]
    return text_before(earlier, new, op_table) or earlier[-1]


def _no_dump_after(dumps: Sequence[Dump], choice: DumpChoice) -> str:
    if not any(dump.marker for dump in dumps):
        return "AFTER is missing: give a second dump, or a log of passes"
    of_pass = "a pass" if choice.pass_name is None else f"pass '{choice.pass_name}'"
    return f"there is no dump after {of_pass}: print the log with --mlir-print-ir-after-all"


def _only_pair(pairs: list[_Pair], path: str, choice: DumpChoice) -> _Pair:
    chosen = [pair for pair in pairs if choice.pass_name in (None, pair[0])]
    if not chosen:
        passes = sorted({pass_name or "a pass without a name" for pass_name, _, _ in pairs})
        there = f"the passes are {shortened_list(passes, LISTED_NAMES)}"
        raise InputError(path, None, f"no pair of files of pass '{choice.pass_name}'; {there}")
    wanted = choice.dump
    if wanted is None and len(chosen) == 1:
        return chosen[0]
    if wanted is not None and wanted.number is not None and wanted.number < len(chosen):
        return chosen[wanted.number]
    names = [f"{_name(a, path)} and {_name(b, path)}" for _, a, b in chosen]
    if wanted is None:
        message = f"there are {count(len(chosen), 'pair')} of files: choose one"
    elif wanted.number is None:
        message = f"--dump {wanted.text} chooses in a log; there {_are(chosen)} of files to choose from"
    else:
        message = f"there is no --dump {wanted.text}: there {_are(chosen)} of files"
    raise InputError(path, None, message, _pair_commands(names))


def _pair_commands(names: Sequence[str]) -> str:
    """Return lines with the command for each of several pairs of files, and their names above it."""
    lines = []
    for number, pair in enumerate(names[:LISTED_PAIRS], 1):
        lines += [f"  {printable(pair)}:", f"    {rerun('--dump', str(number))}"]
    more = len(names) - LISTED_PAIRS
    return "\n".join([*lines, f"  and {count(more, 'more pair')}"] if more > 0 else lines)


def _are(pairs: Sequence[_Pair]) -> str:
    return f"{'is' if len(pairs) == 1 else 'are'} {count(len(pairs), 'pair')}"


def _name(file: DumpFile, folder: str) -> str:
    return str(Path(file.path).relative_to(folder))


def _dump(file: DumpFile) -> Dump:
    dump = DumpChoice().only_dump(file.path)
    return replace(dump, marker=dump.marker or (file.state.marker if file.state else None))
