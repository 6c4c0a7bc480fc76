"""What a bisection is asked for: the compiler, the pass, and how to run and read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from eio_audit.audit.bisect.compiler_command import CompilerCommand, CompilerRuns
from eio_audit.audit.bisect.pass_search import PassSearch, search_of
from eio_audit.audit.bisect.survey import Survey, choose_pass, survey
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class Request:
    """What to bisect.

    Attributes:
        command: the compiler with its arguments. No shell runs it.
        options: how the IR is read, and what counts as out of order.
        pass_name: the pass; None for the one that made most inversions, else changed most ops.
        number: which run of the pass, from 0; None for the one that did most.
        timeout: the seconds that one run may take; None for no limit.
        folder: a folder to keep the states and the log of actions in; None to keep nothing.
        scratch: a folder for all that is not kept, which outlasts the request; None for one that does not.
        stdin: a file that the compiler reads on standard input; None for none.
    """

    command: tuple[str, ...]
    options: AuditOptions = DEFAULT_OPTIONS
    pass_name: str | None = None
    number: int | None = None
    timeout: float | None = None
    folder: str | PathLike[str] | None = None
    scratch: Path | None = None
    stdin: Path | None = None

    @contextmanager
    def surveyed(self) -> Iterator[tuple[Survey, CompilerRuns]]:
        """Run the compiler for the first time; yield its passes and what runs it. At the end, nothing runs.

        Raises:
            InputError: as for ``survey``.
        """
        kept = None if self.folder is None else Path(self.folder)
        if kept is not None:
            try:
                kept.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(str(kept), None, f"cannot make the folder: {error.strerror}") from error
        with TemporaryDirectory(prefix="eio-audit-", dir=self.scratch) as temporary:
            runs = CompilerRuns(Path(temporary), self.scratch, kept, self.timeout, self.stdin)
            with runs.running.ended_at_exit():
                yield survey(CompilerCommand(self.command), runs, self.options), runs

    @contextmanager
    def search(self) -> Iterator[tuple[Survey, PassSearch]]:
        """Yield the passes of the compiler, and the search in the pass in question.

        Raises:
            InputError: as for ``survey``, ``choose_pass`` and ``search_of``.
        """
        with self.surveyed() as (found, runs):
            yield found, search_of(found, choose_pass(found, self.pass_name, self.number), runs, self.options)
