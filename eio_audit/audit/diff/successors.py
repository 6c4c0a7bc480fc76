"""Which ops of a dump stand in the place of ops of the text before it.

A pass that replaces an op, converts it or inlines it puts one or more ops in its place. They have its index,
or its users now use them. Of several such ops, those with corresponding users and operands belong together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property

from eio_audit.audit.diff.dump_comparison import DumpComparison, Relation
from eio_audit.audit.diff.pairs import Value, groups_of
from eio_audit.audit.locations.parsed_locations import NO_LOCATION

Keys = Sequence[int | None]  # by op, its key in the original order; None if it does not count


class Successors:
    """The ops of a later dump that stand in the place of ops of an earlier one.

    Args:
        comparison: of the two dumps.
        origins: by added op, the earlier op that it was made from and how, if that is known.
        keys: those of the ops of both dumps.
    """

    def __init__(
        self,
        comparison: DumpComparison,
        origins: Mapping[int, tuple[int, Relation]],
        keys: tuple[Keys, Keys],
    ) -> None:
        self._comparison = comparison
        self._before, self._after = comparison.before, comparison.after
        self._was_keys, self._keys = keys
        self._gone = [
            op
            for op in range(len(self._before))
            if op not in comparison.became and self._was_keys[op] is not None
        ]
        self._added = [op for op in comparison.added if self._keys[op] is not None]
        self._became = dict(
            comparison.became
        )  # by op of the earlier dump, the op that it is or that goes on as it
        self.of_removed = dict[int, int]()  # by removed op, the added op that goes on as it
        self._taken = set[int]()
        if self._gone and self._added:
            self._pair_by_origin(origins)
            self._pair_by_users()
            self._pair_by_operands()
            for place in (self._block_of, self._function_of):
                self._pair_in_order(place)

    def _pair(self, old: int, new: int) -> None:
        if old not in self.of_removed and new not in self._taken:
            self.of_removed[old] = self._became[old] = new
            self._taken.add(new)

    def _pair_by_origin(self, origins: Mapping[int, tuple[int, Relation]]) -> None:
        """Pair an added op with the op that it was made from, and ops that are alone at their location."""
        was, now = self._comparison.location_numbers
        gone, added = {*self._gone}, {*self._added}
        made = [
            (relation is not Relation.CONVERTED, now[op] != was[source], op, source)
            for op, (source, relation) in origins.items()
            if source in gone and op in added
        ]
        for _, _, op, source in sorted(made):
            self._pair(source, op)
        for old, new in groups_of(
            (self._open(self._gone), [op for op in self._open_added() if op not in origins]),
            lambda side, op: (was, now)[side][op] if (was, now)[side][op] != NO_LOCATION else None,
        ):
            if len(old) == len(new) == 1:
                self._pair(old[0], new[0])

    def _open(self, ops: Iterable[int]) -> list[int]:
        return [op for op in ops if op not in self.of_removed]

    def _open_added(self) -> list[int]:
        return [op for op in self._added if op not in self._taken]

    def _pair_by_users(self) -> None:
        """Pair a removed op with the added op that all its users now use. Users come before what they use."""
        added = {*self._added}
        for old in reversed(self._open(self._gone)):
            used = {*self._used_instead(old)}
            if len(used) == 1 and not used.isdisjoint(added):
                self._pair(old, *used)

    def _used_instead(self, old: int) -> Iterator[int]:
        """Yield the ops that the users of an op now use where they used it."""
        before, after = self._before.producers, self._after.producers
        for user, place in self._before.users[old]:
            new = self._became.get(user, -1)
            if new >= 0 and len(before[user]) == len(after[new]):
                yield after[new][place][0]

    def _pair_by_operands(self) -> None:
        """Pair ops with one key whose operands correspond, if only these two have them."""
        waiting: dict[Hashable, list[int]] = defaultdict(list)
        for op in self._open_added():
            if used := self._after.producers[op]:
                waiting[self._keys[op], used].append(op)
        for old in self._open(self._gone) if waiting else ():
            used_now = (*map(self._value_now, self._before.producers[old]),)
            new = waiting.get((self._was_keys[old], used_now), ())
            if len(new) == 1:
                self._pair(old, new[0])

    def _value_now(self, value: Value) -> Value | None:
        owner, number = value
        if owner < 0:
            return self._comparison.matching.arguments.get(value)
        return (self._became[owner], number) if owner in self._became else None

    def _pair_in_order(self, place: Callable[[int, int], Hashable]) -> None:
        """Pair ops with one key in one place, in the order of the text, if there are as many of either."""

        def kind(side: int, op: int) -> Hashable:
            return place(side, op), (self._was_keys, self._keys)[side][op]

        for old, new in groups_of((self._open(self._gone), self._open_added()), kind):
            if len(old) == len(new):
                for one, other in zip(old, new, strict=True):
                    self._pair(one, other)

    def _block_of(self, side: int, op: int) -> Hashable:
        block = (self._before, self._after)[side].ir.op_block[op]
        return block if side else self._comparison.matching.blocks.get(block)

    def _function_of(self, side: int, op: int) -> Hashable:
        dump = (self._before, self._after)[side]
        return dump.functions[dump.ir.op_block[op]]

    def replaced(self, wanted: AbstractSet[int]) -> dict[int, set[int]]:
        """Return, by op of the later dump, those of some ops of the earlier dump in whose place it stands.

        They are removed ops that had its index, those in its block or function if there are any, and ops
        whose users now use it. An op that goes on as another one has its place there only. An op that stayed
        counts if no op of its index was removed and it has its index, also if it now uses the op. Added ops
        of one index that use one another stand in one place.
        """
        found = {op: self._of_its_key(op) & wanted for op in (*self._added, *self._with_other_keys())}
        places = self._places_by_dataflow(wanted)
        for op in self._added:
            found[op] |= places.get(self._group_of[op], set())
        return {op: replaced for op, replaced in found.items() if replaced}

    def _with_other_keys(self) -> Iterator[int]:
        for op, was in self._comparison.was.items():
            if self._keys[op] is not None and self._keys[op] != self._was_keys[was]:
                yield op

    def _of_its_key(self, op: int) -> set[int]:
        """Return the removed ops that had the key of an op of the later dump and are as near as possible."""
        gone = self._gone_by_key.get(self._keys[op], ())
        for place_of in (self._block_of, self._function_of):
            if near := [old for old in gone if place_of(0, old) == place_of(1, op)]:
                gone = near
                break
        return {old for old in gone if op not in self._taken or old not in self.of_removed}

    @cached_property
    def _gone_by_key(self) -> dict[int | None, list[int]]:
        found: dict[int | None, list[int]] = defaultdict(list)
        for op in self._gone:
            found[self._was_keys[op]].append(op)
        return found

    @cached_property
    def _group_of(self) -> dict[int, int]:
        """By added op, the first of the added ops of its key that use one another."""
        group_of = {op: op for op in self._added}

        def first(op: int) -> int:
            while group_of[op] != op:
                group_of[op] = op = group_of[group_of[op]]
            return op

        for op in self._added:
            for owner, _ in self._after.producers[op]:
                if owner in group_of and self._keys[owner] == self._keys[op]:
                    one, other = sorted((first(owner), first(op)))
                    group_of[other] = one
        return {op: first(op) for op in group_of}

    def _places_by_dataflow(self, wanted: AbstractSet[int]) -> dict[int, set[int]]:
        """Return, by group of added ops, the ops of the earlier dump that they replace by their uses."""
        groups, became = self._group_of, self._comparison.became
        places: dict[int, set[int]] = defaultdict(set)
        for old in wanted:
            near = [*self._used_instead(old)]
            stayed = became.get(old)
            if stayed is not None:
                near += [owner for owner, _ in self._after.producers[stayed]]
            for op in near:
                if op in groups and (stayed is None or self._is_put_beside(op, stayed)):
                    places[groups[op]].add(old)
        return places

    def _is_put_beside(self, op: int, stayed: int) -> bool:
        """Return whether an added op has the index of one that stayed, and of none that was removed there."""
        if self._keys[op] != self._keys[stayed]:
            return False
        gone, function = self._gone_by_key.get(self._keys[op], ()), self._function_of(1, op)
        return all(self._function_of(0, old) != function for old in gone)
