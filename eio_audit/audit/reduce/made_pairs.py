"""Whether a pass, or a pattern of it, puts pairs of ops out of order."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.bisect.bisect import Bisection
from eio_audit.audit.bisect.survey import short_pattern
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.gate.rules import RULE_OF
from eio_audit.audit.log.trace import trace
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump


def makes_pairs(
    dumps: Sequence[Dump], pass_name: str, number: int | None, gate: Gate, options: AuditOptions
) -> bool:
    """Return whether a pass puts a pair out of order that a gate fails: in all of its runs, or in one.

    The runs are counted from 0. What passes after the last of them do does not count.
    """
    after = "after", pass_name
    ends = [place for place, dump in enumerate(dumps) if (dump.place.when, dump.place.pass_name) == after]
    if number is not None:
        ends = ends[number : number + 1]
    if not ends:
        return False
    passes = trace(dumps[: ends[-1] + 1], options, advises_all=False).passes
    rows = [row for row in passes if row.pass_name == pass_name]
    classes = [row.left_classes for row in (rows if number is None else rows[-1:])]
    return any(pairs and RULE_OF[one] in gate.rules for row in classes for one, pairs in row.items())


def patterns_that_left(result: Bisection) -> set[str]:
    """Return the patterns that left pairs out of order, with and without their namespaces."""
    names = {one.pattern for one in result.patterns if one.left and one.pattern}
    return names | {short_pattern(name) for name in names}
