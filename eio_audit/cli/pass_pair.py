"""The two dumps around a pass: in a log, or in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eio_audit import (
    HOW_TO_NAME_STATES,
    Dump,
    DumpFile,
    InputError,
    Moment,
    find_dump_files,
    source_name,
    stream,
)
from eio_audit.cli.options import LISTED_NAMES, listed, max_size, only_dump, read_dumps, select
from eio_audit.report.wording.order import count

_Pair = tuple[DumpFile, DumpFile]


def around_pass(path: str, pass_name: str | None, dump_number: int | None) -> tuple[Dump, Dump]:
    """The dumps before and after a pass of a log or a folder.

    Raises:
        InputError: there are none, or several to choose from.
    """
    if not Path(path).is_dir():
        return _in_log(read_dumps(path), source_name(path), pass_name, dump_number)
    files = find_dump_files(path)
    pairs = _pairs(files)
    if pairs:
        before, after = _only_pair(pairs, path, pass_name, dump_number)
        return _dump(before), _dump(after)
    dumps = [
        dump for file in files for dump in stream(file.path, file.program, max_unpacked_bytes=max_size())
    ]
    if not any(dump.marker for dump in dumps):
        names = listed([_name(file, path) for file in files])
        raise InputError(
            path, None, f"no two files are the states before and after a pass: {names}; {HOW_TO_NAME_STATES}"
        )
    return _in_log(dumps, path, pass_name, dump_number)


def _in_log(
    dumps: Sequence[Dump], name: str, pass_name: str | None, dump_number: int | None
) -> tuple[Dump, Dump]:
    """The dumps around a pass; without a dump before it, the last one before that of the same program."""
    afters = [
        dump
        for dump in select(dumps, pass_name, None, name)
        if dump.marker is not None
        and (dump.marker.when == "after" or (dump.marker.when is None and pass_name is not None))
    ]
    if dump_number is not None:
        afters = afters[dump_number:][:1]
    if len(afters) != 1:
        raise InputError(
            name,
            None,
            f"{len(afters)} dumps after a pass: say which pass with --pass, and which of them with --dump",
        )
    new = afters[0]
    assert new.marker
    earlier = [dump for dump in dumps[: dumps.index(new)] if dump.program == new.program]
    same_pass = [
        d
        for d in earlier
        if d.marker and d.marker.when == "before" and d.marker.pass_name == new.marker.pass_name
    ]
    if not earlier:
        raise InputError(name, None, "there is no dump before this one to compare with")
    return (same_pass or earlier)[-1], new


def _pairs(files: Sequence[DumpFile]) -> list[_Pair]:
    """The files before and after each pass, where names tell; in the order in which they are read."""
    before = {file.program: file for file in files if file.state and file.state.moment is Moment.BEFORE}
    after = [file for file in files if file.state and file.state.moment is Moment.AFTER]
    return [(before[file.program], file) for file in after]


def _only_pair(pairs: list[_Pair], path: str, pass_name: str | None, dump_number: int | None) -> _Pair:
    chosen = [pair for pair in pairs if pass_name in (None, _pass(pair))]
    if not chosen:
        passes = listed(sorted({_pass(pair) or "a pass without a name" for pair in pairs}))
        raise InputError(path, None, f"no pair of files of pass '{pass_name}'; there are {passes}")
    numbered = chosen if dump_number is None else chosen[dump_number:][:1]
    if len(numbered) == 1:
        return numbered[0]
    there = f"{count(len(chosen), 'pair')} of files to choose from: {_numbered(chosen, path)}"
    if not numbered:
        raise InputError(path, None, f"there are not so many: {there}")
    raise InputError(path, None, f"{there}; say which with --pass or --dump N, or name the two files")


def _numbered(pairs: Sequence[_Pair], path: str) -> str:
    shown = [
        f"{number}: {_name(before, path)} and {_name(after, path)}"
        for number, (before, after) in enumerate(pairs[:LISTED_NAMES], 1)
    ]
    more = len(pairs) - len(shown)
    return ", ".join([*shown, *([f"and {more:,} more"] if more else [])])


def _name(file: DumpFile, folder: str) -> str:
    return str(Path(file.path).relative_to(folder))


def _pass(pair: _Pair) -> str:
    state = pair[1].state
    assert state is not None
    return state.pass_name


def _dump(file: DumpFile) -> Dump:
    assert file.state is not None
    dump = only_dump(file.path)
    return replace(dump, marker=dump.marker or file.state.marker)
