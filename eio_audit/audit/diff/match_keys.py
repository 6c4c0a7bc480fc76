"""What two dumps are matched by: what of an op both show, whatever their printing forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from eio_audit.audit.diff.refinement import ComparedOps, RefinementClasses
from eio_audit.audit.locations.location_numbers import NO_LOCATION


class MatchKeys:
    """What two ops are compared by, as far as both dumps show it.

    Attributes:
        same_form: names of ops that are printed in the same form on both sides.
        labels: by side and op, a number equal for equal names, locations and symbols.
        locations: by side and op, the location number; NO_LOCATION everywhere when the dumps have none in
            common.
        scopes: by side and block, the symbol of the function around it, a renamed function's under its old
            name.
        contents: by side and op, a number equal for equal texts; None where the printing forms differ.
        classes: by side, those of the ops.
    """

    def __init__(self, before: ComparedOps, after: ComparedOps) -> None:
        sides = (before, after)
        self.same_form = _names_of_one_form(before, after)
        shared = set(before.locations) & set(after.locations) - {NO_LOCATION}
        self.locations = [ops.locations if shared else [NO_LOCATION] * len(ops) for ops in sides]
        renamed = _renamed_functions(before, after)
        symbols = [before.symbols, [renamed.get(symbol, symbol) for symbol in after.symbols]]
        self.scopes = [before.functions, [renamed.get(symbol, symbol) for symbol in after.functions]]
        self.contents = [[self._content(ops, op) for op in range(len(ops))] for ops in sides]
        self.labels = [
            list(map(ops.interned.number, zip(ops.names, self.locations[side], symbols[side], strict=True)))
            for side, ops in enumerate(sides)
        ]
        self.classes = [
            RefinementClasses(ops, list(zip(self.labels[side], self.contents[side], strict=True)), scopes)
            for side, (ops, scopes) in enumerate(zip(sides, self.scopes, strict=True))
        ]

    def _content(self, ops: ComparedOps, op: int) -> int | None:
        if ops.names[op] in self.same_form:
            return ops.interned.number(ops.texts[op].text)
        if "constant" in ops.ir.op_table.flags(ops.names[op]):
            return ops.interned.number(ops.texts[op].literals)
        return None


def _names_of_one_form(before: ComparedOps, after: ComparedOps) -> frozenset[str]:
    forms: dict[str, set[bool]] = {}
    for ops in (before, after):
        for name, text in zip(ops.names, ops.texts, strict=True):
            forms.setdefault(name, set()).add(text.is_generic)
    return frozenset(name for name, seen in forms.items() if len(seen) == 1)


def _renamed_functions(before: ComparedOps, after: ComparedOps) -> dict[str | None, str | None]:
    """By new symbol, the old one of a function that was only renamed: most of its ops are in no other."""
    old = set(before.functions) - set(after.functions)
    new = set(after.functions) - set(before.functions)
    if not old or not new:
        return {}
    places: dict[Hashable, tuple[set[str | None], set[str | None]]] = {}
    for side, (ops, symbols) in enumerate(((before, old), (after, new))):
        for op in range(len(ops)):
            symbol = ops.functions[ops.ir.op_block[op]]
            if symbol in symbols:
                key = (ops.names[op], ops.locations[op], ops.texts[op].text)
                places.setdefault(key, (set(), set()))[side].add(symbol)
    sizes = Counter(symbol for was, _ in places.values() for symbol in was)
    votes = Counter((*was, *now) for was, now in places.values() if len(was) == len(now) == 1)
    renamed: dict[str | None, str | None] = {}
    taken = set()
    for (was, now), number in votes.most_common():
        if now not in renamed and was not in taken and number * 2 >= sizes[was]:
            renamed[now] = was
            taken.add(was)
    return renamed
