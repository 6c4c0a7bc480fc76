"""The passes at work between two dumps: those that have begun and not ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from eio_audit.audit.log.modules import Part


@dataclass(slots=True, eq=False)
class PassRun:
    """One run of a pass: its name, and the symbol of the function it runs on; None for a whole program.

    A run without a name stands for passes that the log does not show.
    """

    pass_name: str | None
    function: str | None


Run = TypeVar("Run", bound=PassRun)


class OpenPasses(Generic[Run]):
    """The passes that have begun and not ended, nested."""

    def __init__(self) -> None:
        self._runs: list[Run] = []  # the innermost last

    def begin(self, run: Run) -> None:
        """Begin a pass, at a dump before it."""
        self._runs.append(run)

    def innermost(self, part: Part) -> Run | None:
        """Return the innermost pass at work on a function or module; None if there is none."""
        return next((run for run in reversed(self._runs) if run.function in (None, part)), None)

    def end(self, pass_name: str, function: str | None) -> Run | None:
        """End the last pass that began with this name, and all that began in it; return it, or None."""
        for k in range(len(self._runs) - 1, -1, -1):
            run = self._runs[k]
            if (run.pass_name, run.function) == (pass_name, function):
                self._runs[k:] = [r for r in self._runs[k:] if function not in (None, r.function)]
                return run
        return None
