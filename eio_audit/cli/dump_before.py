"""Find the dump to compare with: the one before a pass, or the one whose order is the original one.

The first is what ``diff`` needs of a log or a folder. If there are several passes, the error lists their
runs. The second is the value of ``--order-from``.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click

from eio_audit.audit.programs.program_text import next_of_same, text_before
from eio_audit.cli.dump_choice import FIRST, DumpChoice, DumpPath, rerun, several_dumps
from eio_audit.cli.inputs import (
    LISTED_NAMES,
    NO_IR,
    dumps_of_run,
    is_one_file,
    keep_stdin,
    max_size,
    noted,
    read_dumps,
)
from eio_audit.mlir.input.dumps import Dump, stream
from eio_audit.mlir.input.folders import HOW_TO_NAME_STATES, DumpFile, Moment, find_dump_files
from eio_audit.mlir.input.function_texts import shown_op
from eio_audit.mlir.source import InputError, printable, source_name
from eio_audit.mlir.traits import OpTable
from eio_audit.report.wording import count, shortened_list

NO_EARLIER_DUMP = "there is no earlier dump to compare with: print the log with --mlir-print-ir-before-all"
"""The error for the first dump of a program."""
LISTED_PAIRS = 5  # the most pairs of files in a list

_Pair = tuple[str, DumpFile, DumpFile]  # a pass, and the files before and after it


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
        dump
        for file in files
        for dump in noted(stream(file.path, file.program, file.marker, max_unpacked_bytes=max_size()))
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
        raise several_dumps(name, pairs, "--dump", word=choice.word)
    [(_, old)] = pairs
    return old, following[old]


def _chosen(dumps: Sequence[Dump], name: str, choice: DumpChoice) -> Dump:
    """Return the chosen dump of a log. By its pass, it is the one after it."""
    chosen = choice.of(dumps, name)
    is_direct = choice.dump is not None and (choice.pass_name is None or choice.dump.line is not None)
    if is_direct and len(chosen) == 1:
        return chosen[0]
    # Beside passes a stage counts only if it is chosen.
    has_passes = any(dump.place.when is not None for dump in dumps)
    whens = ("after",) if has_passes and not choice.is_made else ("after", None)
    after = [
        (number, dump)
        for number, dump in choice.candidates(dumps, chosen)
        if dump.marker is not None and dump.marker.when in whens
    ]
    if not after:
        raise InputError(name, None, _no_dump_after(dumps, choice))
    first = {dump.program: dump for dump in reversed(dumps)}
    comparable = [(number, dump) for number, dump in after if dump != first[dump.program]]
    if not comparable:
        raise InputError(name, None, NO_EARLIER_DUMP)
    if len(comparable) > 1:
        which = f" after {_named(choice)}"
        raise several_dumps(name, comparable, choice.how, which, word=choice.word, shows_passes=True)
    [(_, new)] = comparable
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
    return f"there is no dump after {_named(choice)}: print the log with --mlir-print-ir-after-all"


def _named(choice: DumpChoice) -> str:
    return "a pass" if choice.pass_name is None else f"pass '{choice.pass_name}'"


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
    there = f"there {'is' if len(chosen) == 1 else 'are'} {count(len(chosen), 'pair')} of files"
    message = f"{there}: choose one"
    if wanted is not None and wanted.number is None:
        message = f"--dump {wanted.text} chooses in a log; {there} to choose from"
    elif wanted is not None:
        message = f"there is no --dump {wanted.text}: {there}"
    lines = []
    for number, (_, before, after) in enumerate(chosen[:LISTED_PAIRS], 1):
        names = f"{_name(before, path)} and {_name(after, path)}"
        lines += [f"  {printable(names)}:", f"    {rerun('--dump', str(number))}"]
    if (more := len(chosen) - LISTED_PAIRS) > 0:
        lines.append(f"  and {count(more, 'more pair')}")
    raise InputError(path, None, message, "\n".join(lines))


def _name(file: DumpFile, folder: str) -> str:
    return str(Path(file.path).relative_to(folder))


def _dump(file: DumpFile) -> Dump:
    dump = DumpChoice().only_one(read_dumps(file.path), source_name(file.path))
    return replace(dump, marker=dump.marker or (file.state.marker if file.state else None))


def original_dump(value: str) -> Dump:
    """Return the dump that a value of ``--order-from`` selects.

    ``first`` is the first dump of the command's own input. ``LOG:3`` is the third of a log or a folder, and
    so on, as in ``--dump``. Any other value is a file with one dump.

    Raises:
        InputError: the file cannot be read, has no such dump, or has several and no number is given; or the
            command would compare the dump with itself alone.
    """
    path = DumpPath.parse(value)
    number = path.dump.number if path.dump else None
    if value == FIRST:
        original = _nth_dump(_first_input(), 1)
    elif number is not None and number >= 0:
        original = _nth_dump(path, number + 1)
    elif path.dump is not None:
        original = DumpChoice().at(path).only_one(read_dumps(path), source_name(path))
    else:
        dumps = read_dumps(value, "take the original order from")
        if len(dumps) > 1:
            message = f"there are {len(dumps):,} dumps: choose one, as in --order-from {value}:1"
            raise InputError(source_name(value), None, message)
        [original] = dumps
    if _is_all_input(original, reads_stdin=value == FIRST):
        message = (
            "--order-from: this dump would be compared with itself; give the input a dump after it, or take "
            "the order from a dump before it"
        )
        raise InputError(original.source.name, None, message)
    return original


def _inputs() -> list[str]:
    """Return the files and folders that the current command reads: its arguments that are paths."""
    ctx = click.get_current_context()
    paths: list[str] = []
    for one in ctx.command.params:
        if isinstance(one, click.Argument) and isinstance(one.type, click.Path):
            value = ctx.params[one.name or ""]
            paths += value if one.nargs < 0 else filter(None, [value])
    return paths


def _is_all_input(original: Dump, *, reads_stdin: bool) -> bool:
    """Whether the command's input is this dump alone: compared with itself, it is always in order."""
    found = False
    try:
        for dump in _input_dumps(reads_stdin=reads_stdin):
            found = True
            if dump.line != original.line or not is_one_file(dump.source.name, original.source.name):
                return False
    except InputError:  # the command says so
        return False
    return found


def _input_dumps(*, reads_stdin: bool) -> Iterator[Dump]:
    """Yield the dumps of the command's input, one by one. Standard input is read again if it was saved."""
    values, paths = click.get_current_context().params, _inputs()
    choice = DumpChoice(values.get("pass_name"), values["dump"]) if "dump" in values else DumpChoice()
    is_pair = "before" in values and len(paths) == 1  # --pass names the pass between two dumps
    for path in paths:
        if path == "-" and not reads_stdin:
            raise InputError(source_name(path), None, "it can be read once")
        try:
            if choice.at(path).is_made and not is_pair:
                for file in find_dump_files(path):
                    yield from choice.at(path).of(read_dumps(file.path))
            else:
                yield from dumps_of_run(path)
        finally:
            if path == "-":
                sys.stdin.seek(0)


def _nth_dump(path: str, number: int) -> Dump:
    """Return a dump of a file or a folder, counted from 1. Later dumps are not read."""
    last = deque(enumerate(islice(dumps_of_run(path), number), 1), maxlen=1)
    if path == "-":
        sys.stdin.seek(0)
    if not last:
        raise InputError(source_name(path), None, NO_IR)
    [(found, dump)] = last
    if found < number:
        message = f"--order-from: there is no dump {number:,}, only {found:,}"
        raise InputError(source_name(path), None, message)
    return dump


def _first_input() -> str:
    """Return the command's first input. Standard input is saved to a file, so that it can be read twice."""
    path = next(iter(_inputs()), None)
    if path is None:
        why = "this command reads no file; name the compiler's input, as in --order-from in.mlir"
        raise click.UsageError(f"--order-from first: {why}")
    if path == "-":
        keep_stdin()
    if Path(path).is_fifo():
        message = (
            "--order-from first reads it twice, and a pipe can be read once: give it as standard input, -"
        )
        raise InputError(source_name(path), None, message)
    return path
