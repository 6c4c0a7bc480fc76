"""What a compiler's errors about a rewritten text are about in the input."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from eio_audit.mlir.ir import IR

MOST_LINES, LONGEST_LINE = 12, 240
"""How much of a compiler's errors is shown: so many lines, of so many bytes each."""
MOST_PLACES = 5

_PLACE = re.compile(
    rb'(?:<stdin>|/dev/stdin|(?<![\w.-])-):(\d{1,9})(?::(\d{1,9}))?(?=:)|\bloc\(("(?:[^"\\\n]|\\.)*")'
)
"""``<stdin>:3:8:``, or an op's own location as MLIR prints it: ``loc("name")``."""


def shortened(errors: bytes) -> list[str]:
    """Return the first lines of a compiler's errors. Long lines are cut."""
    lines = errors.decode("utf-8", "replace").rstrip().split("\n")
    shown = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..." for line in lines[:MOST_LINES]
    ]
    if len(lines) > MOST_LINES:
        shown.append(f"... ({len(lines) - MOST_LINES:,} more lines)")
    return shown if errors.strip() else ["(it printed no error)"]


def lines_of_input(errors: bytes, new: IR, old: IR, ops: Sequence[int]) -> list[str]:
    """Return which ops of the input the errors name: ``<stdin>:3:8 is my.op, in the input at a.mlir:7``.

    Args:
        errors: what the compiler printed about the text of ``new``.
        new: the text that the compiler read.
        old: the input.
        ops: by op of ``new``, the same op of ``old``.
    """
    found: dict[int, bytes] = {}
    for place in _PLACE.finditer(errors):
        line, column, name = place.groups()
        for op in _ops_called(name, new) if name else _ops_at(int(line), int(column or 1), new):
            found.setdefault(ops[op], place[0].removeprefix(b"loc("))
        if len(found) >= MOST_PLACES:
            break
    return [
        f"{place.decode('utf-8', 'replace')} is {old.name(op)}, in the input at "
        f"{old.source.name}:{old.source.line_at(old.op_start[op])}"
        for op, place in list(found.items())[:MOST_PLACES]
    ]


def _ops_called(name: bytes, ir: IR) -> Iterator[int]:
    """Yield the ops with this name, quotes included, as the outermost of their location."""
    for op in range(len(ir)):
        location = ir.location_text(op) or b""
        if (ir.definition(location) or location).startswith(name):
            yield op


def _ops_at(line: int, column: int, ir: IR) -> Iterator[int]:
    """Yield the op at a place of the text, if there is one: a 1-based line, and a 1-based column in bytes."""
    data, offset = ir.source.data, 0
    for _ in range(line - 1):
        offset = data.find(b"\n", offset) + 1
        if not offset:
            return
    offset += column - 1
    op = bisect_right(ir.op_start, offset) - 1
    while op >= 0 and offset >= ir.op_end[op]:
        op = ir.parent_op(ir.op_block[op])
    if op >= 0:
        yield op
