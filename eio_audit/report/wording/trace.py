"""Sentences about the passes of a log, without layout."""

from __future__ import annotations

import shlex

from eio_audit.audit.trace.trace import Culprit, Trace, TracedPass
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.markers import Marker
from eio_audit.report.wording.numbers import count
from eio_audit.report.wording.order import argument, contradicting

NOT_SHOWN = "(not in the log)"
"""How passes that a log does not show are called."""


def pass_title(traced: TracedPass) -> str:
    """What a pass is called; what passes did that the log does not show is called by the pass after them."""
    name = pass_called(traced.pass_name, traced.place.marker)
    return f"{name} (failed)" if traced.failed else name


def pass_called(name: str | None, marker: Marker | None) -> str:
    """The name of a pass; of passes that a log does not show, that of the pass after them."""
    if name is not None:
        return name
    return f"(before {marker.pass_name})" if marker is not None else NOT_SHOWN


def verdict(trace: Trace) -> str:
    """Which passes introduced avoidable inversions, in a sentence or two."""
    if not trace.summary.has_indices:
        return "No op carries an op index: there is no original order to compare with."
    said = f"{count(len(trace.passes), 'pass', 'passes')}: none introduced avoidable inversions."
    if trace.culprit is not None:
        introduced = [traced.introduced for traced in trace.passes if traced.introduced]
        avoidable = count(sum(introduced), "avoidable inversion")
        of, first = count(len(trace.passes), "pass", "passes"), trace.culprit.pass_name or NOT_SHOWN
        said = f"{len(introduced):,} of {of} introduced {avoidable}, first {first}."
    if trace.mislabeller is not None:
        made = contradicting(trace.mislabeller.mislabelled)
        name = trace.mislabeller.pass_name or NOT_SHOWN
        said += f" Most wrong indices by {name}: {made}; see eio-audit fix --relabel."
    return said


def look_closer(culprit: Culprit) -> str:
    """The command that shows more of what the pass did: the two dumps compared, or its worst op explained."""
    place, before = culprit.place, culprit.before
    source = argument(place.source)
    if culprit.is_pair:
        chosen = f"--pass {shlex.quote(culprit.pass_name or '')} --dump {place.occurrence + 1}"
        return f"eio-audit diff {source} {chosen}"
    if before is not None and before.source != place.source and place.occurrence == before.occurrence == 0:
        return f"eio-audit diff {argument(before.source)} {source}"
    return f"eio-audit explain {source} {culprit.worst.op.line}"


def diff_command(before: Dump, after: Dump, occurrence: int) -> str:
    """The command that shows what a pass did; ``occurrence`` counts the dumps after that pass, from 1."""
    source, marker = argument(after.source.name), after.marker
    if before.source.name != after.source.name:
        return f"eio-audit diff {argument(before.source.name)} {source}"
    if marker is None or marker.when == "before":
        return ""
    return f"eio-audit diff {source} --pass {shlex.quote(marker.pass_name)} --dump {occurrence}"
