"""Two runs of one compiler as text: where they part, and what differs there."""

from __future__ import annotations

from eio_audit.audit.diff.two_runs import RunComparison
from eio_audit.report.text.console import Console, print_line
from eio_audit.report.text.diff import print_diff
from eio_audit.report.wording.two_runs import first_difference, only_in_one_run, summary


def print_two_runs(runs: RunComparison, console: Console, *, verbose: bool = False) -> None:
    """Prints how many dumps differ, which is the first, and the diff of that one."""
    print_line(console, (summary(runs), "bold green" if runs.is_same else "bold"))
    for said in only_in_one_run(runs):
        print_line(console, said)
    if runs.difference is not None:
        print_line(console, (first_difference(runs), "bold red"))
        print_line(console)
        print_diff(runs.difference, console, verbose=verbose)
