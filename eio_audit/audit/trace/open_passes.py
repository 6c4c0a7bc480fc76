"""The passes that are at work between two dumps: those that have begun and not ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from eio_audit.audit.trace.modules import Part


@dataclass(slots=True, eq=False)
class PassRun:
    """One run of a pass: its name, and the symbol of the function it runs on; None for a whole program.

    A run without a name is what passes did that the log does not show.
    """

    pass_name: str | None
    function: str | None


Run = TypeVar("Run", bound=PassRun)


class OpenPasses(Generic[Run]):
    """The passes that have begun and not ended, one inside the other."""

    def __init__(self) -> None:
        self._runs: list[Run] = []  # the innermost last

    def begin(self, run: Run) -> None:
        """A dump before a pass: it begins."""
        self._runs.append(run)

    def innermost(self, part: Part) -> Run | None:
        """The pass that is at work on a function or module."""
        return next((run for run in reversed(self._runs) if run.function in (None, part)), None)

    def end(self, pass_name: str, function: str | None) -> Run | None:
        """The pass that began last of those with this name; it ends, with all that began in it."""
        for k in range(len(self._runs) - 1, -1, -1):
            run = self._runs[k]
            if (run.pass_name, run.function) == (pass_name, function):
                self._runs[k:] = [r for r in self._runs[k:] if function not in (None, r.function)]
                return run
        return None
