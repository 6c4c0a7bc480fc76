"""Changes that repeat because a pass did the same in many layers."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from eio_audit.audit.diff.op_changes import OpChange

_NUMBER = re.compile(r"(\d+)")
_VALUE = re.compile(r"%[\w$.-]+(?:#\d+)?|argument \d+ of \^\w+")


@dataclass(frozen=True, slots=True)
class RepeatedChange:
    """Changes that differ only in names of values, indices and layer numbers.

    Attributes:
        places: their positions among the compared changes.
        changes: the changes, those in most inversions first.
    """

    places: tuple[int, ...]
    changes: tuple[OpChange, ...]

    @property
    def example(self) -> OpChange:
        """The first, worst change."""
        return self.changes[0]

    @property
    def modules(self) -> int:
        """The number of modules they are in. 0 if locations name none."""
        return len({change.op.module for change in self.changes} - {None})

    @property
    def module(self) -> str | None:
        """The module, with ``*`` for numbers that differ: ``BatchNorm2d[net.stages.*.norm]``."""
        modules = {change.op.module for change in self.changes}
        if None in modules:
            return None
        words = zip(*(_NUMBER.split(module or "") for module in modules), strict=True)
        return "".join(word[0] if len(set(word)) == 1 else "*" for word in words)


def repeated_changes(changes: Sequence[OpChange]) -> list[RepeatedChange]:
    """Group equal changes. Groups with moved ops and most inversions come first, then the most frequent.

    Two changes are equal if the same words of the same kind of op changed in the same way. Numbers in the
    words may differ, such as tensor sizes, if the ops are in the same module of different layers.
    """
    groups: dict[Hashable, list[int]] = {}
    for place, change in enumerate(changes):
        groups.setdefault(_kind(change), []).append(place)

    def badness(change: OpChange) -> tuple[bool, int]:
        return not change.moved, -(change.inversions_after or 0)

    repeated = [
        RepeatedChange(tuple(places), tuple(sorted((changes[k] for k in places), key=badness)))
        for places in groups.values()
    ]
    return sorted(repeated, key=lambda one: (*badness(one.example), -len(one.changes)))


def _kind(change: OpChange) -> Hashable:
    module = change.op.module
    return (
        change.function,
        change.status,
        change.moved,
        *(op and op.name for op in (change.before, change.after)),
        module and _NUMBER.sub("*", module),
        change.ancestor and (change.ancestor.relation, change.ancestor.op.name),
        *(
            (
                one.kind,
                one.name,
                *(_words(text, has_module=module is not None) for text in (one.before, one.after)),
            )
            if one.kind != "location"
            else one.kind
            for one in change.differences
        ),
    )


def _words(text: str, *, has_module: bool) -> str:
    text = _VALUE.sub("%", text)
    return _NUMBER.sub("*", text) if has_module else text
