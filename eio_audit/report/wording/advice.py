"""Sentences about what to change in a pass, without layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from eio_audit.report.wording import count

if TYPE_CHECKING:
    from eio_audit.audit.diff.advice import Advice, Change

ESTIMATE = "an estimate: to check, change the pass, rebuild the compiler, and run this again"
"""What to know about the advice."""


def sentences(advice: Advice, quote: Callable[[str], str] = str) -> list[str]:
    """Return what to change, each with the inversions then: at the end of the log, if they are known."""
    said, now = [], advice.now if advice.at_end is None else advice.at_end
    after = advice.now
    for change in advice.changes:
        after -= change.removed
        then = after if change.left is None else change.left
        said.append(sentence(change, now, then, at_most=advice.at_most, quote=quote))
        now = then
    return said


def sentence(
    change: Change, now: int, then: int, *, at_most: bool = False, quote: Callable[[str], str] = str
) -> str:
    """Return which ops carry a wrong location or stand at a wrong place, and what becomes of the inversions.

    ``39 permutes carry the index of a later op. With the index of the op that each was made for, 789
    inversions would become 3``
    """
    number = len(change.ops) or sum(change.made.values())
    verb = "s" if number == 1 else ""
    wrong, cure = (_place if change.kind == "place" else _location)(change, verb, quote)
    pattern = "" if change.pattern is None else f"{quote(change.pattern)}: "
    most = "at most " if at_most and then else ""
    become = f"{count(now, 'inversion')} would become {most}{then:,}"
    return f"{pattern}{ops_of(change, quote)} {wrong}. {cure}, {become}"


def _location(change: Change, verb: str, quote: Callable[[str], str]) -> tuple[str, str]:
    differs = [(op.index or 0) - index for op, index in zip(change.ops, change.indices, strict=True)]
    which = {"user": "a later", "operand": "an earlier"}.get(change.carries, "another")
    if any(differs):
        which = "a later" if sum(differs) > 0 else "an earlier"
    one, made = ("it", "was") if verb else ("each", "was")
    right = f"the op that {one} {made} made for"
    if change.pattern is not None:
        right = "the op that the pattern is applied to"
    elif change.is_moved:
        right = "the op that it now serves" if verb else "the op that each now serves"
    named = f", {quote(change.beside.title)}" if verb and change.beside else ""
    return f"carr{'ies' if verb else 'y'} the index of {which} op", f"With the index of {right}{named}"


def _place(change: Change, verb: str, quote: Callable[[str], str]) -> tuple[str, str]:
    where = f"behind {quote(change.beside.title)}" if change.beside else "to the start"
    if change.is_moved:
        return f"{'was' if verb else 'were'} moved {where}", f"Where {'it' if verb else 'they'} stood before"
    replaced = "op stood that it replaces" if verb else "ops stood that they replace"
    where = where.replace("to the", "at the")
    return f"stand{verb} {where}", f"Inserted where the {replaced}"


def ops_of(change: Change, quote: Callable[[str], str] = str) -> str:
    """Return ``39 permutes``, ``2 slice_static ops`` or, of few ops, ``#73 ttir.permute %22``."""
    names = Counter(op.name for op in change.ops) or change.made
    if 0 < len(change.ops) <= len(names):
        return ", ".join(quote(op.title) for op in change.ops)
    return " and ".join(_number_of(number, name) for name, number in names.items())


def _number_of(number: int, name: str) -> str:
    short = name.rpartition(".")[2]
    return count(number, short) if short.isalpha() else f"{number:,} {short} {'op' if number == 1 else 'ops'}"
