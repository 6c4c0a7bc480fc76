"""Progress of a bisection on standard error: how many steps are found, and the worst application so far."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eio_audit.audit.bisect.pass_search import PassSearch, SearchResult


@contextmanager
def bisect_progress() -> Iterator[Callable[[PassSearch, SearchResult], None] | None]:
    """Yield what to call after each run; None if standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from eio_audit.report.text.progress import Status

    with Status("running the compiler") as status:

        def advance(search: PassSearch, result: SearchResult) -> None:
            order, worst = search.states.order, (0, 0)
            steps = list(result.halving.changes)
            for step in steps:
                if step.is_one:
                    old, new = result.halving.states[step.first], result.halving.states[step.last]
                    made = order(new).inversions - order(old).inversions
                    worst = max(worst, (made, step.last), key=itemgetter(0))  # of equals, the first
            said = f"{search.states.runs.number:,} runs, {sum(step.is_one for step in steps):,} steps found"
            if worst[0] > 0:
                said += f", worst: attempt {worst[1]:,} (+{worst[0]:,} inversions)"
            status.show(f"{said}; reading the states" if result.is_ended else said)

        yield advance
