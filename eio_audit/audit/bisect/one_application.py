"""What one application of a pattern did: the IR before it and after it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from eio_audit.audit.bisect.action_log import Attempt
from eio_audit.audit.bisect.bisection import Reproduction
from eio_audit.audit.bisect.request import Request
from eio_audit.audit.diff.diff import Diff, diff
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import read_text
from eio_audit.mlir.source import InputError


@dataclass(frozen=True, slots=True)
class OneApplication:
    """An attempt of a pattern, with the IR before it and after it.

    Attributes:
        number: the number of the attempt.
        attempt: the attempt; None if the log of actions lacks it.
        diff: the IR with the attempts before it, and with it, too.
        reproduction: how to get both by hand.
    """

    number: int
    attempt: Attempt | None
    diff: Diff
    reproduction: Reproduction


def application_diff(number: int, before: bytes, after: bytes, options: AuditOptions) -> Diff:
    """Return the diff of the IR before an attempt and after it.

    Raises:
        InputError: one of the texts cannot be read.
    """
    [old] = read_text(before, f"<before attempt {number}>")
    [new] = read_text(after, f"<after attempt {number}>")
    return diff(old, new, options)


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
        return OneApplication(
            number,
            search.attempts([number]).get(number),
            application_diff(number, states.text(before), states.text(after), request.options),
            search.reproduction,
        )
