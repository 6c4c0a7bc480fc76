"""Two runs of one compiler as text: the first dump that differs, and its diff."""

from __future__ import annotations

from eio_audit.audit.diff.two_runs import RunComparison
from eio_audit.mlir.input.dumps import Dump
from eio_audit.report.text.console import Console
from eio_audit.report.text.diff import print_diff
from eio_audit.report.wording.diff import SAMENESS, verdict
from eio_audit.report.wording.numbers import count


def print_two_runs(
    runs: RunComparison, console: Console, *, verbose: bool = False, context: int | None = None
) -> None:
    """Print how many dumps differ, the first that differs, and its diff."""
    pairs = count(runs.pairs, "dump")
    if runs.is_same:
        console.print((f"identical: {pairs}", "bold green"))
    else:
        console.print((f"{runs.different:,} of {pairs} in both runs differ", "bold"))
    for which, (dump, number) in zip(("first", "second"), runs.only_in, strict=True):
        if dump is not None:
            verb = "is" if number == 1 else "are"
            only = f"{count(number, 'dump')} {verb} only in the {which} run"
            console.print(f"{only}, the first: {_moment(dump)}")
    if runs.first is not None and runs.difference is not None:
        first = f"first difference: {_moment(runs.first[0])}: {verdict(runs.difference)}"
        console.print((first, "bold red"))
        if runs.unlike is not None and runs.unlike.first is not runs.first[0]:
            found = runs.unlike.verdict
            unlike = SAMENESS.get(found.sameness) or f"different: {found.reason}"
            console.print((f"not the same: {_moment(runs.unlike.first)}: {unlike}", "bold red"))
        console.print()
        print_diff(runs.difference, console, verbose=verbose, context=context)


def _moment(dump: Dump) -> str:
    """Return ``b.log:33 after cse of @main``."""
    marker, place = dump.marker, f"{dump.source.name}:{dump.line}"
    if marker is None:
        return place
    symbol = f" of {marker.symbol}" if marker.symbol else ""
    return " ".join(filter(None, (place, marker.when, f"{marker.pass_name}{symbol}")))
