"""Choose passes of a trace by name, by function, by the ops that they changed, and by changed lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from eio_audit.audit.log.scope_steps import ChangedOp, PassStep
from eio_audit.audit.log.trace import Trace, TracedPass
from eio_audit.audit.log.walk import PassRun


@dataclass(frozen=True, slots=True)
class PassChoice:
    """What passes are chosen by. None chooses all. A pass must match everything that is given."""

    pass_name: str | None = None  # the name of the pass, with `*` for any characters
    function: str | None = None  # the symbol of a function that it ran on or changed ops in
    changed_op: str | None = None  # the name of an op that it changed in any way, with `*` for any characters
    pattern: re.Pattern[str] | None = None  # is found in the line of a changed op, before or after the pass
    _found: set[tuple[str, int]] = field(default_factory=set)

    @property
    def is_all(self) -> bool:
        """Whether every pass is chosen."""
        return (self.pass_name, self.function, self.changed_op, self.pattern) == (None,) * 4

    def only(self, name: str) -> PassChoice:
        """Return the choice by one of the attributes alone."""
        return PassChoice(**{name: getattr(self, name)}, _found=self._found)

    def watch(self, run: PassRun, program: str, step: PassStep, changes: Sequence[ChangedOp]) -> None:
        """Look for the pattern in what a pass changed. ``trace`` calls this if there is a pattern."""
        assert self.pattern is not None
        if any(map(self.pattern.search, _changed_lines(step, changes))):
            self._found.add((program, run.number))

    def chosen(self, trace: Trace) -> list[TracedPass]:
        """Return the chosen passes of a trace."""
        return [traced for traced in trace.passes if self._is_chosen(traced)]

    def _is_chosen(self, traced: TracedPass) -> bool:
        if self.pass_name is not None and not fnmatchcase(traced.pass_name or "", self.pass_name):
            return False
        if self.function is not None:
            symbol = "@" + self.function.removeprefix("@")
            if symbol != traced.function and symbol not in traced.functions:
                return False
        if self.changed_op is not None and not any(
            fnmatchcase(name, self.changed_op) for name in traced.ops or ()
        ):
            return False
        return self.pattern is None or (traced.program, traced.run) in self._found


def _changed_lines(step: PassStep, changes: Sequence[ChangedOp]) -> Iterator[str]:
    for change in changes:
        for text, line in ((step.before, change.before), (step.after, change.after)):
            if line is not None:
                yield text.lines[line].text.decode("utf-8", "replace")
