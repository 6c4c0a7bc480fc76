"""The lines of a file that a fix replaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from eio_audit.audit.fix.fix import fix
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump


class Replacement(NamedTuple):
    """The lines from ``first`` to before ``end``, 1-based, become ``text``, which has whole lines."""

    first: int
    end: int
    text: str


def replacement_of(dumps: Sequence[Dump], options: AuditOptions) -> Replacement | None:
    """Return what a fix changes in the file of one dump. The fix is verified.

    None if nothing moves, if the file has several dumps, as a log, is compressed or not text in UTF-8.

    Raises:
        InputError: the dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
    """
    if len(dumps) != 1 or dumps[0].source.is_compressed:
        return None
    fixed = fix(dumps, options)
    if not fixed.changed:
        return None
    before = dumps[0].source.data[:].split(b"\n")
    after = fixed.text.split(b"\n")
    first = _shared(before, after)
    last = min(_shared(before[::-1], after[::-1]), len(before) - first, len(after) - first)
    changed = after[first : len(after) - last]
    try:
        text = b"".join(line + b"\n" for line in changed).decode()
    except UnicodeDecodeError:
        return None
    return Replacement(first + 1, len(before) - last + 1, text)


def _shared(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    """Return how many lines at the start are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
