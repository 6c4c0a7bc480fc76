"""What a change of a pass leaves out of order at the end of a log, after the passes behind it.

Ops at the end descend from those that change if they carry the same index, and are in a pair that the pass
put out of order. They get the other index, or stand at their best place behind what they use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from eio_audit.audit.check.keyed_dump import KeyedDump
from eio_audit.audit.diff.advice import Change
from eio_audit.audit.diff.made_ops import Kind
from eio_audit.order.permutation import keyed_inversions


@dataclass(frozen=True)
class EndBlock:
    """A block that is out of order at the end of a log. Its ops are named by their places."""

    dump: KeyedDump  # its dump
    number: int  # its number there
    keys: Sequence[int | None]
    charged: Mapping[int, Collection[int]]  # by run of a pass, those in a pair that it put out of order

    @cached_property
    def used(self) -> Sequence[Collection[int]]:
        """By place, the places whose values it uses."""
        by_value = self.dump.dependences.by_value(self.number)
        return [by_value.predecessors(place) for place in range(by_value.size)]

    @property
    def inversions(self) -> int:
        """Its inversions."""
        return keyed_inversions(self.keys)

    def removed(self, runs: Iterable[int], changes: Sequence[Change]) -> int:
        """Return how many inversions changes of a pass would remove here. ``runs`` are its runs."""
        charged = {place for run in runs for place in self.charged.get(run, ())}
        keys, inserted = [*self.keys], set[int]()
        for change in changes:
            own = self._descendants(change, charged)
            if change.kind is Kind.PLACE:
                inserted |= own.keys()
            else:
                keys = [own.get(place, key) for place, key in enumerate(keys)]
        return self.inversions - keyed_inversions(self._with(inserted, keys))

    def _descendants(self, change: Change, charged: Collection[int]) -> dict[int, int]:
        """Return, by place, the index that an op which descends from a changed one has with the change.

        Of several that are possible, it is the one that is nearest to its users. A new one must not
        contradict what the op uses.
        """
        changed, found = defaultdict[int | None, list[int]](list), dict[int, int]()
        for op, index in zip(change.ops, change.indices, strict=True):
            changed[op.index].append(index)
        users = defaultdict[int, list[int]](list)
        for place in range(len(self.keys) - 1, -1, -1):
            own, used = self.keys[place], self.used[place]
            if own is None:
                continue
            if place in charged and own in changed:
                wanted = min(users[place], default=own)
                index = min(changed[own], key=lambda one: abs(one - wanted))
                others = (key for one in used if (key := self.keys[one]) not in (None, own))
                if index == own or all(key <= index for key in others if key is not None):
                    found[place] = index
            for one in used:
                users[one].append(found.get(place, own))
        return found

    def _with(self, inserted: set[int], keys: Sequence[int | None]) -> list[int | None]:
        """Return the keys in the order in which some ops are inserted at their best places."""
        others = [place for place in range(len(keys)) if place not in inserted]
        before = {place: slot for slot, place in enumerate(others)}  # how many of the others
        latest = dict.fromkeys(inserted, max(len(others) - 1, 0))
        for place in range(len(keys) - 1, -1, -1):
            for used in inserted.intersection(self.used[place]):
                latest[used] = min(latest[used], latest[place] if place in inserted else before[place])
        found = [(float(slot), 0, place) for place, slot in before.items()]
        slots = dict[int, int]()
        for place in sorted(inserted):
            key = keys[place] or 0
            start = max(
                (slots[one] if one in inserted else before[one] + 1 for one in self.used[place]), default=0
            )
            steps = [(keys[one] or key) - key for one in others[start : latest[place]]]
            costs = [*accumulate(((step > 0) - (step < 0) for step in steps), initial=0)]
            slots[place] = start + costs.index(min(costs))
            found.append((slots[place] - 0.5, key, place))
        return [keys[place] for *_, place in sorted(found)]
