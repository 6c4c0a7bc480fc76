"""``--verify-with``: the user's compiler reads each result before it is written."""

from __future__ import annotations

import shlex
import shutil
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

from eio_audit.cli.jobs import ENOUGH_BYTES, Jobs

if TYPE_CHECKING:
    from eio_audit.audit.corpus.workers import Workers
    from eio_audit.audit.fix.compiler import Compiler


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
