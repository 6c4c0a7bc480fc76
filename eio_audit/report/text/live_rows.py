"""The passes of a log, printed while it is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from eio_audit.report.wording import trace as words
from eio_audit.report.wording.diff import signed

if TYPE_CHECKING:
    from eio_audit.audit.log.scope_steps import ChangedOp, ScopeStep
    from eio_audit.audit.log.walk import PassRun
    from eio_audit.report.text.console import Console


class LiveRows:
    """Prints a row for each pass that changed ops, as soon as a dump shows it."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def watch(self, run: PassRun, program: str, step: ScopeStep, changes: Sequence[ChangedOp]) -> None:
        """Print the line of the dump, the pass, its function and what it did. ``trace`` calls this."""
        numbers = Counter(change.status for change in changes)
        done = signed(numbers, between="  ")
        name = words.pass_called(run.pass_name, step.after.dump.marker)
        where = " ".join(filter(None, (program, run.function)))
        rest = "".join(f"  {part}" for part in (where, done) if part)
        self._console.print((f"{step.after.dump.line:>7}  ", "dim"), (name, "bold"), rest)
