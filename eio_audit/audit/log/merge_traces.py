"""The traces of several models as one trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain

from eio_audit.audit.check.figures import Summary, summarize_blocks
from eio_audit.audit.gate.gate import by_severity
from eio_audit.audit.log.left_findings import added_up
from eio_audit.audit.log.trace import Trace
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.source import InputError


def merge_traces(traces: Sequence[Trace], options: AuditOptions = DEFAULT_OPTIONS) -> Trace:
    """Return the trace of all dumps of several traces that have no program in common.

    It is the trace of the dumps of the first, followed by those of the second, and so on.

    Args:
        traces: what to merge. There may be none.
        options: what the dumps were audited with.
    """
    left = chain.from_iterable(one.left for one in traces)
    passes = chain.from_iterable(one.passes for one in traces)
    return Trace(
        left=tuple(sorted(left, key=lambda one: by_severity(one.finding))),
        repaired=added_up(chain.from_iterable(one.repaired for one in traces)),
        passes=tuple(replace(traced, index=index) for index, traced in enumerate(passes)),
        culprit=next((one.culprit for one in traces if one.culprit is not None), None),
        initial=sum(one.initial for one in traces),
        initial_left=sum(one.initial_left for one in traces),
        summary=_sum(one.summary for one in traces),
        once=_sum(one.once for one in traces),
        final=_sum(one.final for one in traces),
        errors=tuple(chain.from_iterable(one.errors for one in traces)),
        unmatched=tuple(p for p in options.assume_pure if all(p in one.unmatched for one in traces)),
        options=options,
        sources=tuple(dict.fromkeys(chain.from_iterable(one.sources for one in traces))),
        unindexed=sum(one.unindexed for one in traces),
    )


def unreadable(error: InputError, options: AuditOptions = DEFAULT_OPTIONS) -> Trace:
    """Return the trace of a model that could not be read."""
    return replace(merge_traces([], options), errors=(error,))


def _sum(figures: Iterable[Summary]) -> Summary:
    return reduce(Summary.plus, figures, summarize_blocks([], dumps=0))
