"""The input of commands: files, the dumps chosen from them, and notes about them on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from eio_audit.mlir.source import InputError, decoded, read_all, source_name
from eio_audit.report.wording import count, shortened_list

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import DumpAudit
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.mlir.input.folders import DumpFile
    from eio_audit.mlir.traits import OpTable

File = TypeVar("File")

NO_IR = "the input is empty"
UNINDEXED = "no op carries an op index, so there is no original order to compare with"
REPLACED = "no op of {} is left: every op was replaced, so the order cannot be judged"
EARLIER = "compare an earlier dump; for a log, check --order-from first LOG tells which is the last"
PRINT_LOCATIONS = "print the locations, which hold the indices, with --mlir-print-debuginfo"
NO_LOCATIONS = "no locations: print with --mlir-print-debuginfo"
OTHER_FORM = "--index-pattern REGEX reads indices that are written in another form"
FROM_FIRST = "--order-from first takes the first dump's order as the original order"
FROM_BEFORE = "--order-from takes the order of another dump as the original order: the one before the pass"
NUMBER = "the command stamp numbers the ops of any IR; tt-xla numbers its own with XLA_HLO_DEBUG=1"
LISTED_NAMES = 20  # the most passes or files that an error lists
SHOWN_ERRORS = 5  # the most errors of one file that are printed
WRAPPED_BYTES = 1 << 20  # how much of a file is looked at for lines of one width
SKIPPED_NAMES = 3  # the most skipped files that a note lists


def max_size() -> int:
    """Return the key ``max-size`` for the current command."""
    size: int = click.get_current_context().params["max_size"]
    return size


def read_dumps(path: str, purpose: str = "") -> list[Dump]:
    """Return the dumps of a file, of a folder, or of standard input for ``-``. With a purpose, at least one.

    Raises:
        InputError: the file cannot be read, unpacks to over ``max-size``, or has no dump for the purpose.
    """
    from eio_audit.mlir.input.dumps import read

    is_folder = os.path.isdir(path)  # noqa: PTH112  (any text; reading it is the error)
    dumps = list(dumps_of_run(path)) if is_folder else read(path, max_size())
    if any(dump.above for dump in dumps):
        from eio_audit.mlir.input.messages import notes_above

        show_notes({(dump.source.name, line): said for dump in dumps for line, said in notes_above(dump)})
    if not dumps and purpose:
        raise InputError(source_name(path), None, f"nothing to {purpose}: {NO_IR}")
    return dumps


def excerpts(findings: Sequence[Finding]) -> dict[tuple[str, int], str]:
    """Return the line of each finding, by file and number, if it can be read again and has no colours."""
    from eio_audit.mlir.source import UnreadableFileError, numbered_lines

    wanted: dict[str, set[int]] = {}
    for finding in findings:
        if Path(finding.source).is_file():
            wanted.setdefault(finding.source, set()).add(finding.line)
    found: dict[tuple[str, int], str] = {}
    for source, numbers in wanted.items():
        with suppress(UnreadableFileError):
            for number, line in numbered_lines(source, numbers, max_size()):
                if b"\x1b" not in line:
                    found[source, number] = decoded(line)
    return found


def dumps_of_run(path: str) -> Iterator[Dump]:
    """Yield the dumps of a log or a folder, which are one run of a compiler."""
    from eio_audit.mlir.input.dumps import stream
    from eio_audit.mlir.input.folders import find_dump_files, name_in_any_run

    for file in find_dump_files(path):
        program = name_in_any_run(str(Path(file.path).relative_to(path))) if Path(path).is_dir() else ""
        yield from noted(stream(file.path, program, file.marker, max_unpacked_bytes=max_size()))


def is_run(path: str) -> bool:
    """Whether a path is a folder or a file of several dumps. A pipe is not: it can be read only once."""
    if path == "-" or not Path(path).is_file():
        return Path(path).is_dir()
    return len(list(islice(dumps_of_run(path), 2))) > 1


def keep_stdin() -> None:
    """Save standard input to a file that nobody sees, unless it is one, so that it can be read twice."""
    if sys.stdin.seekable():
        return
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
        kept.seek(0)
        os.dup2(kept.fileno(), sys.stdin.fileno())
    sys.stdin = os.fdopen(sys.stdin.fileno(), closefd=False)


def pass_names(dumps: Iterable[Dump]) -> list[str]:
    """Return the passes of a log in order of appearance."""
    return list(dict.fromkeys(dump.marker.pass_name for dump in dumps if dump.marker))


def find_all(
    paths: Sequence[str], find: Callable[[str, Callable[[str], None]], list[File]]
) -> tuple[list[tuple[str, File]], list[InputError], list[str]]:
    """Return all files, each with the path it was found at, the errors of paths, and the skipped files."""
    errors: list[InputError] = []
    skipped: list[str] = []
    files = read_all(paths, lambda path: [(path, file) for file in find(path, skipped.append)], errors)
    return list(files), errors, skipped


def size(path: str) -> int:
    """Return the size of a file in bytes. 0 for a pipe or an unreadable file."""
    try:
        return os.stat(path).st_size  # noqa: PTH116  (several times as fast, for thousands of files)
    except OSError:
        return 0


def total_size(paths: Sequence[str]) -> int | None:
    """Return the size of all files in bytes. None if one of them is a pipe."""
    sizes = [size(path) for path in paths]
    return None if 0 in sizes else sum(sizes)


def is_one_file(name: str, other: str) -> bool:
    """Return whether two names lead to one file. Two pipes have one name only if they are one."""
    try:
        return name == other or Path(name).samefile(other)
    except OSError:
        return False


def is_given(option: str) -> bool:
    """Return whether the command line or the configuration sets an option of the current command."""
    source = click.get_current_context().get_parameter_source(option)
    return source in {ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP}


def no_order(dump_count: int, dumps: Sequence[DumpAudit], *paths: str) -> InputError:
    """Return the error for dumps without an original order, with the remedies that fit their audits."""
    message, cures = UNINDEXED, [FROM_FIRST if dump_count > 1 else FROM_BEFORE, NUMBER]
    if not dump_count:
        message, cures = NO_IR, []
    elif dumps and dumps[0].options.order_from is not None:
        message, cures = REPLACED.format(dumps[0].options.order_from.name), [EARLIER]
    elif any(dump.located for dump in dumps):
        cures.append(OTHER_FORM)
    else:
        cures.insert(0, NO_LOCATIONS if dumps else PRINT_LOCATIONS)
    help_ = "\n".join(f"  help: {cure}" for cure in cures)
    return InputError(", ".join(dict.fromkeys(map(source_name, paths))), None, message, help_)


def show_errors(errors: Iterable[InputError]) -> None:
    """Print errors with their lines and carets, cut to the width of a terminal: of a file the first five."""
    of_file: dict[str, list[InputError]] = {}
    for error in errors:
        of_file.setdefault(error.source, []).append(error)
    columns = sys.maxsize
    if of_file and sys.stderr.isatty():
        from eio_audit.report.text.console import Console

        columns = Console(sys.stderr).width
    for name, found in of_file.items():
        for error in found[:SHOWN_ERRORS]:
            click.echo(error.fitted(columns), err=True)
        if (more := len(found) - SHOWN_ERRORS) > 0:
            click.echo(f"{name}: {count(more, 'more error')}", err=True)
        if len(found) > 1 and (width := _wrapped_at(name)):
            hint = f"its lines seem to be wrapped at {width} columns: write the log to a file"
            click.echo(f"{name}: help: {hint}", err=True)


def _wrapped_at(name: str) -> int | None:
    """Return the width at which a terminal seems to wrap a file: several lines end there, not later."""
    try:
        with Path(name).open("rb") as file:
            lines = set(file.read(WRAPPED_BYTES).splitlines())
    except (OSError, ValueError):
        return None
    width = max(map(len, lines), default=0)
    return width if width >= 60 and sum(len(line) == width for line in lines) >= 3 else None


def note(text: str) -> None:
    """Print a note on standard error."""
    click.echo(f"note: {text}", err=True)


def _listed(names: Sequence[str], noun: str, which: str = "") -> str:
    """Return ``4 files without IR: a.txt, b.txt, c.txt and 1 more``."""
    return f"{count(len(names), noun)}{which}: {shortened_list(names, SKIPPED_NAMES)}"


def show_notes(notes: Mapping[tuple[str, int], str]) -> None:
    """Print notes about places of files, of equal ones the first: what else compilers printed."""
    context = click.get_current_context()
    shown = context.meta.setdefault("eio_audit.notes", set())
    for (source, line), said in notes.items():
        if (source, said) not in shown and not context.params.get("quiet"):
            note(f"{source}:{line}: {said}")
        shown.add((source, said))


def noted(dumps: Iterable[Dump]) -> Iterator[Dump]:
    """Yield the dumps of a log, and print notes about what the compiler printed besides them."""
    from eio_audit.mlir.input.dumps import closed_end, text_below
    from eio_audit.mlir.input.messages import notes_on

    for dump in dumps:
        notes = notes_on(dump, text_below(dump, closed_end(dump)))
        show_notes({(dump.source.name, line): said for line, said in notes})
        yield dump


def note_skipped(files: Sequence[str]) -> None:
    """Note which files of folders were skipped: archives, those without IR, and dumps of single rewrites."""
    if not files:
        return
    from eio_audit.mlir.input.folders import SINGLE_REWRITES, is_archive, is_rewrite

    archives = [file for file in files if is_archive(file)]
    if archives:
        them = "it" if len(archives) == 1 else "them"
        note(f"skipped {_listed(archives, 'archive')}; unpack {them} first")
    files = [file for file in files if not is_archive(file)]
    without_ir = [file for file in files if not is_rewrite(file)]
    if without_ir:
        note(f"skipped {_listed(without_ir, 'file', ' without IR')}")
    if rewrites := len(files) - len(without_ir):
        note(f"left out: {count(rewrites, 'dump')} of single rewrites ({', '.join(SINGLE_REWRITES)})")


def note_apart(files: Sequence[DumpFile]) -> None:
    """Note which files beside before-and-after pairs belong to no pair, and how to name them."""
    names = [Path(file.path).name for file in files if file.is_apart]
    if names:
        from eio_audit.mlir.input.folders import HOW_TO_NAME_STATES

        note(f"{_listed(names, 'file', ' without a pair')}; {HOW_TO_NAME_STATES}")


def note_order_of_names(files: Sequence[DumpFile]) -> None:
    """Note of which programs the stages are in the order of their names, as these tell no other."""
    unordered: dict[str, list[str]] = {}
    for file in files:
        if not file.is_in_order:
            unordered.setdefault(file.program, []).append(Path(file.path).name)
    names = [name for same in unordered.values() if len(same) > 1 for name in same]
    if names:
        note(f"stages in the order of their names: {shortened_list(names, SKIPPED_NAMES)}")


def note_unlike(paths: Sequence[str], op_table: OpTable) -> None:
    """Note that files are followed as the stages of one program, if two in a row have nothing in common.

    Standard input can be read only once, so it is not looked at.
    """
    from eio_audit.audit.corpus.models import are_unlike
    from eio_audit.mlir.input.dumps import stream

    before: Dump | None = None
    for path in paths if len(paths) > 1 and all(Path(path).is_file() for path in paths) else ():
        with suppress(InputError):  # the command says so
            dump = next(stream(path, max_unpacked_bytes=max_size()), None)
            if before is not None and dump is not None and are_unlike(before, dump, op_table):
                note(
                    f"{before.source.name} and {path} have no location and no function in common, and are "
                    "followed as stages of one program; to trace several models, put each into a folder of "
                    "its own, as in MODELS/a/ and MODELS/b/: eio-audit trace MODELS"
                )
                return
            before = dump


def note_undefined_names(dumps: Iterable[DumpAudit]) -> None:
    """Note that nothing moves past ops which name what nothing defines, in dumps with inversions."""
    concerned = (dump for dump in dumps if dump.undefined_names and dump.summary.inversions)
    named = [(dump.source, op) for dump in concerned for op in dump.undefined_names]
    if named:
        source, first = named[0]
        more = f"; nor past {count(len(named) - 1, 'op')} like it" if len(named) > 1 else ""
        what = f"{first.op} names {first.name}, which nothing defines: no op moves past it{more}"
        note(f"{source}:{first.line}:{first.column}: {what}")


def warn_of_unmatched(patterns: Iterable[str]) -> None:
    """Warn of globs of ``--assume-pure`` that match no op. They may be misspelt.

    Globs of a configuration file need not match: they apply to all dumps of a project.
    """
    context = click.get_current_context()
    is_option = context.get_parameter_source("assume_pure") is ParameterSource.COMMANDLINE
    is_typed = is_option or context.params["config"].is_typed("assume-pure")
    for pattern in patterns if is_typed else ():
        click.echo(f"warning: --assume-pure {pattern!r} matches no op of the input", err=True)
