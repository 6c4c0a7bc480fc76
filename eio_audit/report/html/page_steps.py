"""What a pass did, as a page shows it: the text before and after, and the changed ops."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.log.pass_steps import ChangedOp, PassStep, changed_ops
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.log.scope_text import ScopeText
from eio_audit.mlir.aliases import without_definitions
from eio_audit.mlir.files import Text
from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.source import Span, count_lines

_BLANK = re.compile(rb"\s*+")


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of the function, module or program that a pass ran on, before or after it.

    Attributes:
        source: the file that most of its lines are from.
        lines: its lines as printed, without line ends. They may be read only once.
        places: per line, its 1-based line in the file.
        ops: per line, the number of the op that begins there, -1 for none. An op keeps its number through
            the whole log, as far as the matching of the ops of each pass follows it. An op that a pass adds
            gets a new number.
        definitions: the definitions of its aliases, as lines, even if it has no such lines.
    """

    source: str
    lines: Iterable[bytes]
    places: Sequence[int]
    ops: Sequence[int]
    definitions: Sequence[bytes] = ()


@dataclass(frozen=True, slots=True)
class PageStep:
    """One run of a pass that changed something: the texts around it, and the changed ops.

    Attributes:
        index: the index of its TracedPass in Trace.passes.
        before: the text before it.
        after: the text after it.
        changes: the changed ops.
    """

    index: int
    before: PageText
    after: PageText
    changes: Sequence[ChangedOp]


def page_step(index: int, step: PassStep, changes: Sequence[ChangedOp]) -> PageStep:
    """Return what a pass is charged with, as a page shows it."""
    return PageStep(index, _page_text(step.before), _page_text(step.after), changes)


def step_of(comparison: DumpComparison) -> PageStep:
    """Return what an unknown pass did between two dumps. Its index is 0."""
    (before, old), (after, new) = _side(comparison.before), _side(comparison.after)
    count = len(old.op_lines)
    old.numbers = range(count)
    new.numbers = array("q", (comparison.was.get(op, count + op) for op in range(len(new.op_lines))))
    changes = [*changed_ops(ScopeStep(before, after, old, new, comparison))]
    return PageStep(0, _whole_text(before, old), _whole_text(after, new), changes)


def _side(side: ComparedDump) -> tuple[ScopeText, ScopeSide]:
    """Return a dump that was read as a whole, without its lines, and its ops with their lines."""
    dump = side.dump.dump
    data, span = dump.source.data, dump.span
    above = count_lines(data, 0, span.start) + count_lines(data, span.start, _start(data, span))
    lines = count_lines(data, span.start, span.end) + 1
    return ScopeText(dump, [], {}, None), ScopeSide(range(-above, lines), side)


def _whole_text(text: ScopeText, side: ScopeSide) -> PageText:
    """Return a dump as a page shows it, without blank lines around it. Its text is not copied."""
    dump = text.dump
    data, span = dump.source.data, dump.span
    start, end = _start(data, span), span.end
    while end > start and data[end - 1 : end].isspace():
        end -= 1
    blank = count_lines(data, span.start, start)
    count = count_lines(data, start, end) + 1 if end > start else 0
    first = dump.source.line_at(span.start) + blank
    ops = array("q", [-1]) * count
    for line, number in zip(reversed(side.op_lines), reversed(side.numbers), strict=True):
        ops[line] = number  # of several ops on a line, the first one stays
    definitions = Aliases(without_definitions(dump.text)[0]).definitions if _may_define(data, span) else {}
    return PageText(
        dump.source.name,
        _lines(data, data.rfind(b"\n", span.start, start) + 1 or span.start, span.end, count),
        range(first, first + count),
        ops,
        [b"%b = %b" % one for one in definitions.items()],
    )


def _start(data: Text, span: Span) -> int:
    """Return where the first character of a text is that is not blank; the end of a blank text."""
    found = _BLANK.match(data, span.start, span.end)
    assert found is not None
    return found.end()


def _may_define(data: Text, span: Span) -> bool:
    """Return whether a line of a text may begin with the definition of an alias."""
    if data[span.start : span.start + 1] in {b"#", b"!"}:
        return True
    return any(data.find(start, span.start, span.end) >= 0 for start in (b"\n#", b"\n!"))


def _lines(data: Text, offset: int, end: int, count: int) -> Iterator[bytes]:
    """Yield some lines of a text that ends at ``end``, without line ends."""
    for _ in range(count):
        line_end = data.find(b"\n", offset, end)
        yield data[offset : line_end if line_end >= 0 else end]
        offset = line_end + 1


def _page_text(text: ScopeText) -> PageText:
    lines, definitions = text.lines, dict[bytes, bytes]()
    for aliases in {id(line.aliases): line.aliases for line in lines}.values():
        definitions |= aliases.definitions
    return PageText(
        text.dump.source.name,
        [line.text for line in lines],
        [line.number for line in lines],
        [line.ops[0] if line.ops else -1 for line in lines],
        [b"%b = %b" % one for one in definitions.items()],
    )
