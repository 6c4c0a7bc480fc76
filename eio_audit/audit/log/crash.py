"""The pass that comes next in the pipeline of a compiler, such as the one that crashed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from eio_audit.mlir.input.messages import PipelinePass


class Crash(NamedTuple):
    """A crash at the end of a log."""

    line: int  # the 1-based line of the last dump above it
    command: tuple[str, ...]  # the compiler with its arguments, as it printed them; empty if it did not
    pass_: PipelinePass | None  # the pass that comes next in the pipeline; None if that is not known


def next_pass(
    pipeline: Sequence[PipelinePass],
    ended: Iterable[tuple[str, str | None]],
    functions: Collection[str] = (),
) -> PipelinePass | None:
    """Return the pass that follows the last one that ended; None if the pipeline does not tell.

    The k-th run of a pass on a function is its k-th place in the pipeline. Passes that run inside another one
    are not in the pipeline.

    Args:
        pipeline: the passes.
        ended: those that ended, in order, each with the symbol of its function, None for a program.
        functions: the functions of the program. A nested pipeline runs on one after another.
    """
    places = defaultdict[tuple[str, bool | None], list[int]](list)  # by name, and whether on a function
    for place, one in enumerate(pipeline):
        for is_nested in [len(one.anchors) > 1] if one.anchors else [False, True]:
            places[one.name, is_nested].append(place)
    times, last = Counter[tuple[str, str | None]](), -1
    for name, function in ended:
        own = places[name, function is not None]
        if times[name, function] < len(own):
            last = own[times[name, function]]
        times[name, function] += 1
    if last < 0:
        return None
    anchors, start = pipeline[last].anchors, last
    following = pipeline[last + 1] if last + 1 < len(pipeline) else None
    if len(anchors) > 1 and (following is None or following.anchors != anchors):
        while start and pipeline[start - 1].anchors == anchors:
            start -= 1
        first = pipeline[start]
        number = places[first.name, True].index(start)
        if any(times[first.name, symbol] <= number for symbol in functions):
            return first
    return following
