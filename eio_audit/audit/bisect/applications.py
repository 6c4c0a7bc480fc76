"""What one application of a pattern did, and what the applications did to one op."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

from eio_audit.audit.bisect.action_log import Attempt
from eio_audit.audit.bisect.bisection import Application, Bisection, Reproduction
from eio_audit.audit.bisect.pass_search import Request
from eio_audit.audit.diff.diff import Diff, diff
from eio_audit.audit.log.history import EventKind, History, OpEvent, OpHistory, history
from eio_audit.mlir.input.dumps import read_text
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class OneApplication:
    """An attempt of a pattern, with the IR before it and after it."""

    number: int  # the number of the attempt
    attempt: Attempt | None  # the attempt; None if the log of actions lacks it
    diff: Diff  # the IR with the attempts before it, and with it, too
    reproduction: Reproduction  # how to get both by hand


def one_application(request: Request, number: int) -> OneApplication:
    """Return what the attempt with a number did.

    Raises:
        InputError: as for ``bisect``; the pass makes no such attempt.
    """
    with request.search() as (found, search):
        if search.why_one_step:
            raise InputError(
                found.command.program, None, f"{search.question.pass_name}: {search.why_one_step}"
            )
        if not search.first < number <= search.last:
            why = f"{search.question.pass_name} makes attempts {search.first + 1} to {search.last}"
            raise InputError(found.command.program, None, f"there is no attempt {number}: {why}")
        states = search.states
        with ThreadPoolExecutor(1) as pool:
            logged = pool.submit(search.log_actions)
            before, after = states.at(number - 1), states.at(number)
            logged.result()
        [old] = read_text(states.text(before), f"<before attempt {number}>")
        [new] = read_text(states.text(after), f"<after attempt {number}>")
        return OneApplication(
            number,
            search.attempts([number]).get(number),
            diff(old, new, request.options),
            search.reproduction,
        )


@dataclass(frozen=True)
class OpSteps:
    """What happened to one op, or to several that have one name."""

    bisection: Bisection  # the steps of the pass
    history: History  # the op through its states, and the ops that were made from it

    @cached_property
    def _by_line(self) -> Mapping[int, Application]:
        return {one.traced.place.line: one for one in self.bisection.applications}

    def step_of(self, event: OpEvent) -> Application | None:
        """Return the step that an event belongs to; None for the state before the pass."""
        return self._by_line.get(event.place.line)

    def events(self, op: OpHistory) -> list[tuple[OpEvent, Application]]:
        """Return what steps did to an op: moved, made, changed or removed it."""
        told = (event for event in op.events if event.kind not in (EventKind.FIRST, EventKind.LAST))
        return [(event, step) for event in told if (step := self.step_of(event)) is not None]

    def placed_by(self, op: OpHistory) -> Application | None:
        """Return the step that put an op where it is: the last that made or moved it; None for none."""
        placing = [
            step
            for event, step in self.events(op)
            if event.kind is EventKind.MADE or (event.change is not None and event.change.moved)
        ]
        return placing[-1] if placing and op.removal is None else None

    def inversions_since(self, op: OpHistory) -> list[tuple[Application | None, int]]:
        """Return in how many pairs out of order an op is at the end, by the step that made them.

        None stands for the state before the pass.
        """
        return [
            (None if one.place is None else self._by_line.get(one.place.line), one.pairs)
            for one in op.inversions
        ]


def op_steps(bisection: Bisection, op: str) -> OpSteps:
    """Return what the steps of a bisection, whose log is kept, did to an op.

    Args:
        bisection: the steps.
        op: the op, as for ``history``.

    Raises:
        InputError: no state has such an op.
    """
    try:
        return OpSteps(bisection, history(bisection.dumps(), op, bisection.states.options))
    except InputError as error:
        raise InputError(bisection.command[0], None, error.message) from error
