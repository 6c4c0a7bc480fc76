"""Two runs of one compiler as text: where they part, and what differs there."""

from __future__ import annotations

from eio_audit.audit.diff.two_runs import RunComparison
from eio_audit.report.text.console import Console
from eio_audit.report.text.diff import print_diff
from eio_audit.report.wording.two_runs import first_difference, only_in_one_run, summary


def print_two_runs(
    runs: RunComparison, console: Console, *, verbose: bool = False, context: int | None = None
) -> None:
    """Prints how many dumps differ, which is the first, and the diff of that one."""
    console.print((summary(runs), "bold green" if runs.is_same else "bold"))
    for said in only_in_one_run(runs):
        console.print(said)
    if runs.difference is not None:
        console.print((first_difference(runs), "bold red"))
        console.print()
        print_diff(runs.difference, console, verbose=verbose, context=context)
