"""Matches the ops of two dumps across renumbering, reordering and printing forms.

A pass leaves most of a program alone. Most ops are found by that: they have the same location, name and text,
use the same and are used by the same (``SameOps``). Of the others, two ops are one when they are alike in all
they are computed from and all that is computed from them (``RefinementClasses``). From there on, the dataflow
is followed: the user of a matched op at the same operand with the same name and location is the same op, even
if its attributes changed. The remaining ops are paired by ever weaker evidence, but never by name and
location alone: one framework op is often several IR ops. An op whose partner is a guess stays unmatched.

The lines of two texts are matched by ``matching_lines``.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.diff.pairs import Pairs, Value, groups_of
from eio_audit.audit.diff.refinement import contracted
from eio_audit.mlir.reading.op_text import OpText
from eio_audit.order.permutation import displaced

_PARTS: Sequence[Callable[[OpText], Hashable]] = (
    lambda text: text.text,
    lambda text: tuple(text.attributes.items()),
    lambda text: text.signature,
    lambda _: True,
)
"""The parts of an op that its counterpart may share, from all to none."""
ROUNDS = 4  # how often to search the gaps between matches again

Match = tuple[int, int]  # the 0-based number of a line in the old text, and of the same line in the new text


class Matching(NamedTuple):
    """What became of ops, blocks and block arguments."""

    # By op of the dump before, the op it became. Ops that are missing were removed.
    ops: dict[int, int]
    was: dict[int, int]  # the inverse of `ops`
    blocks: dict[int, int]  # by block of the dump before, the block it became
    arguments: dict[Value, Value]  # by block argument before (block, number), the one it became
    same_form: frozenset[str]  # names of ops that both dumps print in one and the same form
    untouched: bytearray  # by op of the dump before, whether it is proven to have the same text and operands


def match_ops(before: ComparedOps, after: ComparedOps) -> Matching:
    """Pairs the ops of two dumps.

    Complexity: near-linear in ops and operands: a fixed number of sweeps, each with sorting.
    """
    return _Pairing(before, after).complete()


class _Pairing(Pairs):
    """The steps in which ops are paired, the surest first."""

    def complete(self) -> Matching:
        """Pairs the ops that the pass did not leave alone."""
        if self.is_open:
            self._pair_alike()
        if self.is_open:
            self._pair_remaining()
        self._pair_blocks()
        became, was = self.matched
        return Matching(became, was, self.blocks, self.arguments, self.keys.same_form, self.same.untouched)

    def _pair_alike(self) -> None:
        """Pairs ops of one class, those that are equal in all first, then those with the same producers."""
        around = self._of_one_class("around")
        if any(len(old) > 1 or len(new) > 1 for old, new in around):
            self._pair_classes(self._of_one_class("exact"))
            around = self._of_one_class("around")
        self._pair_classes(around)

    def _of_one_class(self, kind: str) -> list[tuple[list[int], list[int]]]:
        classes = [getattr(side, kind) for side in self._classes]
        return self._unmatched(lambda side, op: classes[side][op])

    def _pair_classes(self, groups: Iterable[tuple[list[int], list[int]]]) -> None:
        for group in sorted(groups):
            for key in (self._matched_producers, lambda *_: True):
                free = [[op for op in ops if op not in self.matched[side]] for side, ops in enumerate(group)]
                alone = len(free[0]) == len(free[1]) == 1
                for old, new in [free] if alone else groups_of(free, key):
                    if len(old) == len(new) or not self._is_told_later(old):
                        for a, b in zip(old, new, strict=False):
                            self._pair(a, b)

    def _is_told_later(self, old: Sequence[int]) -> bool:
        """Whether equal ops have results but no operands, as constants: only users tell which is which."""
        before = self.sides[0]
        return any(before.ir.result_count(op) > 0 and not before.producers[op] for op in old)

    def _pair_remaining(self) -> None:
        self._pair_blocks()
        self._pair_by(self._above, only_unique=True)
        self._pair_only_users()
        self._follow_all_dataflow(self.sides)
        for key, only_unique in (  # each with a pass that needs it
            (self._same_place_and_text, True),  # inline
            (self._same_place_and_producers, False),  # normalize-memrefs
            (self._same_place, True),  # flatten-memref
            (self._text_and_producers, True),  # convert-scf-to-cf
            (self._text_and_users, True),  # canonicalize
            (self._text_anywhere, False),  # gpu-kernel-outlining
            (self._text_of_callee, False),  # inline
            (self._name_and_text, True),  # convert-linalg-to-loops
        ):
            if not self.is_open:
                return
            self._pair_by(key, only_unique=only_unique)
            self._pair_blocks()
            self._follow_dataflow(self.sides)
        self._pair_computations()
        self._pair_by(self._same_place_and_text, if_equally_many=True)
        self._follow_dataflow(self.sides)
        self._pair_only_namesakes()
        self._pair_blocks()
        self._follow_all_dataflow(self.sides)

    def _pair_only_namesakes(self) -> None:
        """Pairs ops that are the only ones of their name in a function of both dumps, and share an operand.

        Bufferization makes such pairs: it changes the types, the results and some operands of an op at once.
        """
        counts = [
            Counter((self._scope(side, op), ops.names[op]) for op in range(len(ops)))
            for side, ops in enumerate(self.sides)
        ]

        def only_name(side: int, op: int) -> Hashable:
            name = self._scope(side, op), self.sides[side].names[op]
            return name if counts[0][name] == counts[1][name] == 1 else None

        for [old], [new] in self._unmatched(only_name):
            shared = {*self._matched_producers(0, old)} & {*self._matched_producers(1, new)}
            if shared - {None}:
                self._pair(old, new)

    def _pair_by(
        self, key: Callable[[int, int], Hashable], *, only_unique: bool = False, if_equally_many: bool = False
    ) -> None:
        """Pairs the unmatched ops of one key in order of appearance; only where there is one, or as many."""
        for old, new in self._unmatched(key):
            if (only_unique and not len(old) == len(new) == 1) or (if_equally_many and len(old) != len(new)):
                continue
            for a, b in self._least_changed(old, new):
                if key != self._same_place or self._has_evidence(a, b):
                    self._pair(a, b)

    def _least_changed(self, *ops: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of ops of one text, then with the same attributes, the same types, and the rest in order."""
        if len(ops[0]) == len(ops[1]) == 1:
            return [(ops[0][0], ops[1][0])]
        texts, pairs = [side.texts for side in self.sides], list[tuple[int, int]]()
        for part in _PARTS if all(ops) else ():
            groups = groups_of(ops, lambda side, op: part(texts[side][op]))  # noqa: B023  (used at once)
            pairs += [pair for group in groups for pair in zip(*group, strict=False)]
            taken = [{pair[side] for pair in pairs} for side in (0, 1)]
            ops = tuple([op for op in ops[side] if op not in taken[side]] for side in (0, 1))
        return pairs

    def _pair_computations(self) -> None:
        """Pairs ops that compute the same, regardless of types and of ops that only pass values on."""
        if not self.is_open:
            return
        for matched in (None, self.matched):
            if sides := contracted(*self.sides, matched):
                self._pair_computations_of(sides)
        self._follow_all_dataflow(self.sides)

    def _pair_computations_of(self, sides: tuple[ComparedOps, ComparedOps]) -> None:
        classes = self._classes_of(sides, [ops.names for ops in sides])

        def above(side: int, op: int) -> int | None:
            return classes[side].above[op] if sides[side].producers[op] else None

        self._pair_by(above, if_equally_many=True)
        self._follow_all_dataflow(sides)
        self._pair_blocks()

    def _pair_only_users(self) -> None:
        """Pairs ops with the same text if they are the only users of a weight: an argument or a constant.

        In a chain of layers that look alike this tells one from the next. It does not if two weights
        disagree, or if the layers would be in another order: then only their weights were exchanged.
        """
        uses: list[dict[Value, list[tuple[int, int]]]] = [{}, {}]
        for side, ops in enumerate(self.sides):
            for op in (op for op in self._free[side] if op not in self.matched[side]):
                for place, value in enumerate(ops.producers[op]):
                    is_weight = value[0] < 0 or not ops.producers[value[0]]
                    if is_weight and (known := self._matched_value(side, value)) is not None:
                        uses[side].setdefault(known, []).append((op, place))
        votes: set[tuple[int, int]] = set()
        for value, was in uses[0].items():
            now = uses[1].get(value, [])
            if len(was) == len(now) == 1 and was[0][1] == now[0][1]:
                a, b = was[0][0], now[0][0]
                if self._same_place_and_text(0, a) == self._same_place_and_text(1, b):
                    votes.add((a, b))
        times = [Counter(pair[side] for pair in votes) for side in (0, 1)]
        pairs = sorted((a, b) for a, b in votes if times[0][a] == times[1][b] == 1)
        highest = list(accumulate((b for _, b in pairs), max))
        lowest = list(accumulate((b for _, b in reversed(pairs)), min))[::-1]
        for (a, b), high, low in zip(pairs, highest, lowest, strict=True):
            if b == high == low:
                self._pair(a, b)

    def _has_evidence(self, old: int, new: int) -> bool:
        """Whether ops of one name and location have anything else in common."""
        a, b = self.sides[0].texts[old], self.sides[1].texts[new]
        if a.is_generic != b.is_generic or len(a.differs_from(b)) < 2:
            return True
        return self.sides[0].symbols[old] is not None or not self.sides[0].producers[old]

    def _follow_all_dataflow(self, sides: tuple[ComparedOps, ComparedOps]) -> None:
        """As ``_follow_dataflow``, from every pair: only those next to an unmatched op lead anywhere."""
        if not self.is_open:
            return
        before, was = sides[0], self.matched[0]
        near = {near for op in self._free[0] for near, _ in chain(before.producers[op], before.users[op])}
        self._unseen.extend((old, was[old]) for old in sorted(near) if old in was)
        self._follow_dataflow(sides)

    def _follow_dataflow(self, sides: tuple[ComparedOps, ComparedOps]) -> None:
        """From every new pair, pairs the users and producers that can only be the same."""
        disputed: deque[tuple[int, int]] = deque()
        while self._unseen or disputed:
            if self._unseen:
                pair = self._unseen.popleft()
                if not self._follow(sides, *pair, is_strict=True):
                    disputed.append(pair)
            else:
                self._follow(sides, *disputed.popleft(), is_strict=False)

    def _follow(self, sides: tuple[ComparedOps, ComparedOps], old: int, new: int, *, is_strict: bool) -> bool:
        """Pair what is next to a pair. False if ``is_strict`` and other pairs disagree with one of these."""
        was, now = self.matched
        is_agreed = True
        if users := [use for use in sides[0].users[old] if use[0] not in was]:
            others = [use for use in sides[1].users[new] if use[0] not in now]
            is_agreed = self._pair_users((users, others), is_strict=is_strict)
        for (a, i), (b, j) in zip(sides[0].producers[old], sides[1].producers[new], strict=False):
            is_open = a not in was and b not in now and i == j and min(a, b) >= 0
            if is_open and self._same_place(0, a) == self._same_place(1, b):
                self._pair(self._first_of_merged(a, b), b)
        return is_agreed

    def _first_of_merged(self, old: int, new: int) -> int:
        """Of the unmatched ops that compute what ``old`` does the first: where such are merged, it stays.

        An op without operands may be one of several, merged or not: it was merged if its users tell so.
        """
        merged = self._merged.get(self._above(1, new), {})
        if old not in merged:
            return old
        if self.sides[0].producers[old]:
            return next(op for op in merged if op not in self.matched[0])
        was, producers = self.matched[1], self.sides[0].producers
        used = {
            producers[was[user]][place][0]
            for user, place in self.sides[1].users[new]
            if user in was and place < len(producers[was[user]])
        }
        return min(op for op in used | {old} if op in merged and op not in self.matched[0])

    @cached_property
    def _merged(self) -> dict[Hashable, dict[int, None]]:
        """By class, the ops of the dump before that compute the same, where there are fewer of them now."""
        before, after = self._free_at_first
        now = Counter(self._above(1, op) for op in after)
        merged: dict[Hashable, dict[int, None]] = defaultdict(dict)
        for op in before:
            merged[self._above(0, op)][op] = None
        return {key: ops for key, ops in merged.items() if len(ops) > now[key]}

    def _pair_users(self, users: Sequence[Sequence[tuple[int, int]]], *, is_strict: bool) -> bool:
        is_agreed = True
        for with_content in (True, False):

            def key(side: int, used: tuple[int, int]) -> Hashable:
                user, place = used
                content = self.keys.contents[side][user] if with_content else None  # noqa: B023  (used at once)
                return *self._same_place(side, user), place, content

            free = [
                [use for use in uses if use[0] not in self.matched[side]] for side, uses in enumerate(users)
            ]
            if not all(free):
                break
            for was, now in groups_of(free, key):
                if len(was) == len(now) and (with_content or len(was) == 1):
                    for (a, _), (b, _) in zip(was, now, strict=True):
                        if is_strict and self._is_free(a, b) and self._disagrees(a, b):
                            is_agreed = False
                        elif self._is_free(a, b):
                            self._pair(a, b)
        return is_agreed

    def _pair_blocks(self) -> None:
        """Pairs blocks, their arguments and their terminators."""
        if self._count_with_blocks == len(self.matched[0]):
            return
        self._count_with_blocks = len(self.matched[0])
        self._match_blocks()
        self._match_arguments()
        free, before = {*self._free[0]}.difference(self.matched[0]), self.sides[0].ir
        for old, new in self.blocks.items():
            if before.block_ops[old] and before.block_ops[old][-1] in free:
                self._pair_terminators(old, new)
            if before.parent_op(old) in free:
                self._pair_holders(old, new)

    def _pair_holders(self, old: int, new: int) -> None:
        """Pairs the ops that two blocks are in, which the ops in these blocks tell."""
        before, after = (ops.ir for ops in self.sides)
        a, b = before.parent_op(old), after.parent_op(new)
        if min(a, b) < 0 or not self._is_free(a, b) or self._same_place(0, a) != self._same_place(1, b):
            return
        inside = [self.matched[0].get(op) for op in before.block_ops[old]]
        stayed = sum(op is not None and after.op_block[op] == new for op in inside)
        if stayed * 4 > 3 * max(len(inside), len(after.block_ops[new])):
            self._pair(a, b)

    def _pair_terminators(self, old: int, new: int) -> None:
        before, after = self.sides
        ops, others = before.ir.block_ops[old], after.ir.block_ops[new]
        if ops and others and self._is_free(a := ops[-1], b := others[-1]):
            is_end = not before.users[a] and before.ir.result_count(a) == 0
            if is_end and self.keys.labels[0][a] == self.keys.labels[1][b]:
                self._pair(a, b)


def matching_lines(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """Return the lines of two texts that are equal and in the same order in both, ascending.

    The n-th of equal lines matches the n-th in the other text. Of these matches, a largest set in the same
    order counts. The gaps between them are searched again. So if no two lines of a text are equal, the fewest
    lines that explain the difference are left.

    Complexity: O(n log n). ``difflib`` takes quadratic time and more if many lines have moved.

    >>> matching_lines(["a", "b", "c", "}"], ["c", "a", "b", "}"])
    [(0, 1), (1, 2), (3, 3)]
    """
    matches: list[Match] = []
    for _ in range(ROUNDS):
        gaps = gaps_between(matches, len(old), len(new))
        found = [match for gap in gaps for match in _matches_in(*gap, old, new)]
        if not found:
            break
        matches = sorted([*matches, *found])
    return matches


def gaps_between(matches: Sequence[Match], old_count: int, new_count: int) -> Iterator[tuple[range, range]]:
    """Yield the gaps between the matches: ranges of old lines, and of the new lines that replace them."""
    old_start = new_start = 0
    for old_end, new_end in [*matches, (old_count, new_count)]:
        if old_end > old_start or new_end > new_start:
            yield range(old_start, old_end), range(new_start, new_end)
        old_start, new_start = old_end + 1, new_end + 1


def _matches_in(
    old_lines: range, new_lines: range, old: Sequence[Hashable], new: Sequence[Hashable]
) -> list[Match]:
    places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
    for number in new_lines:
        places[new[number]].append(number)
    matches = [(number, places[old[number]].popleft()) for number in old_lines if places.get(old[number])]
    out_of_order = set(displaced([in_new for _, in_new in matches]))
    return [match for k, match in enumerate(matches) if k not in out_of_order]
