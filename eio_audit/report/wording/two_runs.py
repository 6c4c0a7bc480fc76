"""Sentences about two runs of one compiler, without layout."""

from __future__ import annotations

from collections.abc import Iterator

from eio_audit.audit.diff.two_runs import RunComparison
from eio_audit.mlir.input.dumps import Dump
from eio_audit.report.wording.diff import verdict
from eio_audit.report.wording.numbers import count


def summary(runs: RunComparison) -> str:
    """``12 of 110 dumps differ``; ``identical: 110 dumps``."""
    if runs.is_same:
        return f"identical: {count(runs.pairs, 'dump')}"
    return f"{runs.different:,} of {count(runs.pairs, 'dump')} in both runs differ"


def only_in_one_run(runs: RunComparison) -> Iterator[str]:
    """``1 dump is only in the second run: b.log:33 after cse of @main``, for each run with such dumps."""
    for which, (dump, number) in zip(("first", "second"), runs.only_in, strict=True):
        if dump is not None:
            verb = "is" if number == 1 else "are"
            yield f"{count(number, 'dump')} {verb} only in the {which} run, the first: {_moment(dump)}"


def first_difference(runs: RunComparison) -> str:
    """``they part after cse of @main: same program in another order``."""
    assert runs.first is not None
    assert runs.difference is not None
    return f"the first that differs: {_moment(runs.first[0])}: {verdict(runs.difference)}"


def _moment(dump: Dump) -> str:
    marker, place = dump.marker, f"{dump.source.name}:{dump.line}"
    if marker is None:
        return place
    symbol = f" of {marker.symbol}" if marker.symbol else ""
    return " ".join(filter(None, (place, marker.when, f"{marker.pass_name}{symbol}")))
