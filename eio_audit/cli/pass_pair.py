"""Find the two dumps around a pass, in a log or in a folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from eio_audit.cli.inputs import LISTED_NAMES, DumpChoice, max_size, pass_names
from eio_audit.mlir.input.dumps import Dump, stream
from eio_audit.mlir.input.folders import DumpFile, find_dump_files
from eio_audit.mlir.input.states import HOW_TO_NAME_STATES, Moment
from eio_audit.mlir.source import InputError, source_name
from eio_audit.report.wording.numbers import count, shortened_list

_Pair = tuple[str, DumpFile, DumpFile]
"""A pass, and the files before and after it."""


def around_pass(path: str, choice: DumpChoice) -> tuple[Dump, Dump]:
    """Return the dumps before and after a pass of a log or a folder.

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
    return _in_log(dumps, source_name(path), choice)


def _in_log(dumps: Sequence[Dump], name: str, choice: DumpChoice) -> tuple[Dump, Dump]:
    """Return the dumps around a pass. Without a dump before it, the previous dump of the program counts."""
    whens = ("after",) if choice.pass_name is None else ("after", None)
    of_pass = DumpChoice(choice.pass_name).of(dumps, name)
    afters = [dump for dump in of_pass if dump.marker is not None and dump.marker.when in whens]
    numbered = afters if choice.dump_number is None else afters[choice.dump_number :][:1]
    if len(numbered) != 1:
        raise InputError(name, None, _which_dump(dumps, afters))
    [new] = numbered
    earlier = [dump for dump in dumps[: dumps.index(new)] if dump.program == new.program]
    if not earlier:
        raise InputError(name, None, "there is no earlier dump to compare with")
    assert new.marker
    of_same_pass = [
        dump
        for dump in earlier
        if dump.marker and dump.marker.when == "before" and dump.marker.pass_name == new.marker.pass_name
    ]
    if choice.is_made:  # by number among all dumps of the pass, as other commands choose it
        of_pass = DumpChoice(new.marker.pass_name).of(dumps, name)
        new = replace(new, selected=(new.marker.pass_name, str(of_pass.index(new) + 1)))
    return (of_same_pass or earlier)[-1], new


def _which_dump(dumps: Sequence[Dump], afters: Sequence[Dump]) -> str:
    if not any(dump.marker for dump in dumps):
        return "AFTER is missing: type 'eio-audit diff BEFORE AFTER', or give a log of passes"
    if not afters:
        return "there is no dump after a pass: print the log with --mlir-print-ir-after-all"
    passes = Counter(pass_names([after])[0] for after in afters)
    listed = [name if times == 1 else f"{name} ({times} dumps)" for name, times in passes.items()]
    there = f"there are {count(len(afters), 'dump')} after passes: {shortened_list(listed, LISTED_NAMES)}"
    return f"{there}; choose one with --pass NAME, and with --dump N if a pass has several"


def _only_pair(pairs: list[_Pair], path: str, choice: DumpChoice) -> _Pair:
    chosen = [pair for pair in pairs if choice.pass_name in (None, pair[0])]
    if not chosen:
        passes = sorted({pass_name or "a pass without a name" for pass_name, _, _ in pairs})
        there = f"the passes are {shortened_list(passes, LISTED_NAMES)}"
        raise InputError(path, None, f"no pair of files of pass '{choice.pass_name}'; {there}")
    number = choice.dump_number
    numbered = chosen if number is None else chosen[number:][:1]
    if len(numbered) == 1:
        return numbered[0]
    names = [f"{n}: {_name(a, path)} and {_name(b, path)}" for n, (_, a, b) in enumerate(chosen, 1)]
    more = [f"and {len(names) - LISTED_NAMES:,} more"] if len(names) > LISTED_NAMES else []
    there = f"{count(len(chosen), 'pair')} of files to choose from: {', '.join(names[:LISTED_NAMES] + more)}"
    if number is not None:
        raise InputError(path, None, f"there is no pair {number + 1}: {there}")
    raise InputError(path, None, f"{there}; choose one with --pass or --dump N, or name the two files")


def _name(file: DumpFile, folder: str) -> str:
    return str(Path(file.path).relative_to(folder))


def _dump(file: DumpFile) -> Dump:
    dump = DumpChoice().only_dump(file.path)
    return replace(dump, marker=dump.marker or (file.state.marker if file.state else None))
