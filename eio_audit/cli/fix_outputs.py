"""Where ``eio-audit fix`` writes its results, and the compiler of ``--verify-with`` that reads them first."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eio_audit.cli.jobs import ENOUGH_BYTES, Jobs
from eio_audit.cli.output import is_regular_file, write_atomically, write_bytes
from eio_audit.mlir.source import InputError

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.audit.fix.compiler import Compiler
    from eio_audit.audit.fix.fix import Fix


Write = Callable[[str, "Fix"], None]
"""Writes the fix of a file, given its path."""

PACKED_SUFFIXES = (".gz", ".bz2", ".xz")


def without_links(files: Sequence[str]) -> list[str]:
    """Return the files without symbolic links to others of them, since each file is rewritten once."""
    names: dict[str, str] = {}
    for file in files:
        names.setdefault(os.path.realpath(file), file)
    return list(names.values())


def write_in_place(path: str, result: Fix, *, quiet: bool) -> None:
    """Replace the file if it changes. Warn of other hard links unless ``quiet``.

    Raises:
        InputError: the file is compressed, is not a regular file or cannot be written.
    """
    if not is_regular_file(Path(path)):
        raise InputError(path, None, "cannot change in place: not a regular file")
    if result.source.is_compressed:
        raise InputError(path, None, "cannot change a compressed file in place: use --output")
    if result.changed or result.renumbered:
        has_other_names = Path(path).stat().st_nlink > 1
        write_atomically(path, result.pieces)
        if has_other_names and not quiet:
            from eio_audit.report.text.console import Console

            warning = f"{result.source.name}: warning: other hard links keep the old content"
            Console(sys.stderr).print(warning)


def print_diff(path: str, result: Fix) -> None:
    """Print a unified diff to standard output, in colour on a terminal, else exact to the byte."""
    from eio_audit.report.text.console import Console
    from eio_audit.report.text.unified_diff import print_unified_diff, unified_diff

    diff = unified_diff(result.source.file.data[:], result.text, result.source.name)
    if sys.stdout.isatty() or os.environ.get("FORCE_COLOR"):
        print_unified_diff(diff, Console(sys.stdout))
    else:
        write_bytes(None, diff)


def write_to(output: str | None, paths: Sequence[str], files: Sequence[str]) -> Write:
    """Return a writer of one file to ``output`` (None: standard output), or of several into that folder.

    ``files`` are the files that the ``paths`` on the command line name or contain.

    Raises:
        UsageError: there are several files and no folder for them, or two of them would have one name.
    """
    if output is not None and output != "-" and (len(files) > 1 or Path(output).is_dir()):
        targets = _targets_in(output, paths, files)
        return lambda path, result: _write_in_folder(targets[path], result.pieces)
    if len(files) > 1:
        raise click.UsageError(f"{len(files):,} files require --in-place, --check, --diff or --output FOLDER")
    return lambda path, result: write_bytes(output, result.pieces)


def _targets_in(output: str, paths: Sequence[str], files: Sequence[str]) -> dict[str, str]:
    """Return the path of each file in the folder ``output``: relative to its own folder, or its name."""
    if Path(output).exists() and not Path(output).is_dir():
        raise click.UsageError(f"{len(files):,} files require a folder as --output, but '{output}' is a file")
    folders = [path for path in paths if Path(path).is_dir()]
    origins: dict[Path, str] = {}
    for file in files:
        if file == "-":
            raise click.UsageError("cannot write standard input to a folder, because it has no file name")
        above = next((folder for folder in folders if Path(folder) in Path(file).parents), Path(file).parent)
        target = Path(output) / Path(file).relative_to(above)
        if target.suffix in PACKED_SUFFIXES:
            target = target.with_suffix("")
        if target in origins:
            raise click.UsageError(f"'{origins[target]}' and '{file}' would both be written to '{target}'")
        origins[target] = file
    return {file: str(target) for target, file in origins.items()}


def _write_in_folder(target: str, pieces: Sequence[bytes | memoryview]) -> None:
    try:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(target, None, f"cannot write: {error.strerror or error}") from error
    write_atomically(target, pieces)


def _command(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    """Split the command as a shell does."""
    if text is None:
        return None
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise click.BadParameter(f"{text!r} has {str(error).lower()}") from error
    if not command:
        raise click.BadParameter("expected a command, such as 'mlir-opt -'")
    return tuple(command)


verify_with_option = click.option(
    "--verify-with",
    callback=_command,
    metavar="COMMAND",
    help="A compiler that reads each dump that changes on its standard input, such as 'mlir-opt -'. Unless "
    "it accepts them all, the file is not written, and the exit code is 3.",
)


def compiler_of(command: tuple[str, ...] | None, timeout: float | None) -> Compiler | None:
    """Return the compiler, which for one text has the time that a file has (``--timeout``).

    Raises:
        UsageError: there is no such program.
    """
    if command is None:
        return None
    if shutil.which(command[0]) is None:
        raise click.UsageError(f"--verify-with: cannot find the program '{command[0]}'")
    from eio_audit.audit.fix.compiler import Compiler

    return Compiler(command) if timeout is None else Compiler(command, timeout)


def workers_of(
    parallel: Jobs, total_bytes: int | None, file_count: int, compiler: Compiler | None
) -> AbstractContextManager[Workers | None]:
    """Return who fixes the files.

    A compiler takes time for small files too. It may read both the result and the input of a file.
    """
    if compiler is not None:
        if parallel.timeout is not None:
            parallel = parallel._replace(timeout=3 * parallel.timeout)
        if total_bytes is not None and file_count > 1:
            total_bytes = max(total_bytes, ENOUGH_BYTES)
    return parallel.workers(total_bytes)
