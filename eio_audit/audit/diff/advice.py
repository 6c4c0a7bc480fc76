"""What to change in a pass so that it keeps the order: where it inserts ops, or which location it gives them.

An op that a pass made or moved is out of order if its place is wrong, or its location.

- **Place.** An op that carries the location of the op that it replaces carries the right one. The same holds
  for an op that was only moved. Such ops can be inserted where those stood.
- **Location.** Other ops can have the location of the op that the pattern is applied to, its root. Without a
  root, it is that of the op that they replace, or of the op whose index ``check`` tells for them. So can
  those that other ops use too early for them to stand where the replaced ops stood.

The ops of one pattern make a group, one of each name where only some ops of a pattern are in question. In a
pass without patterns, the ops of one name do.

The inversions after such changes are predicted from the states of the pass. Each op has a label: the index
that it has after the changes. A new op takes over the label of the op of the state before whose location it
carries, or that of another op if its group changes. Each op also has a home: where it stood first, among all
ops that were ever there. An op whose group is inserted elsewhere stands at the home of the op that it
replaces, but behind the ops that it uses, and before its users. Ops that later replace it go with it.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, combinations, compress, repeat
from operator import is_not
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.homes import Homes, Layout, State
from eio_audit.audit.diff.made_ops import Carries, Group, Kind, MadeOp, MadeOps, MadeStep, PassStep
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.order.permutation import keyed_inversions, sorted_runs

if TYPE_CHECKING:  # `diff` follows no pairs
    from eio_audit.order.inverted_pairs import InvertedPairs

MOST_TRIED = 12  # of so many changes, all choices are tried
MOST_BYTES = 1 << 23  # of how much text what passes did is kept until the end of the log
MOST_WORK = 8_000_000  # if they are so many ops at most, one for each choice


Labels = list[int | None]  # by the number of an op; None without one


class Change(NamedTuple):
    """One thing to change in a pass, in a pattern if it has patterns."""

    kind: Kind
    pattern: str | None  # the pattern, without namespaces; None if the pass has none
    is_moved: bool  # whether the pass only moves the ops
    made: Mapping[str, int]  # by name, how many such ops it makes or moves
    carries: Carries  # whose location most of them carry
    ops: tuple[OpLabel, ...]  # those of them at the end that it changes, in textual order
    indices: tuple[int, ...]  # the index that each of these has with it
    # The op whose location the first of them gets, unless that is the root; if its place changes, the op
    # behind which it stands now.
    beside: OpLabel | None
    removed: int  # how many inversions after the pass it removes, after the changes before it
    left: int | None = None  # the inversions at the end of the log then; None if they are not known


class Advice(NamedTuple):
    """What to change in a pass. All inversions but those of now are estimates."""

    now: int  # the inversions after the pass
    changes: tuple[Change, ...]  # the fewest that together give the fewest inversions, best first
    is_exact: bool = True  # whether all choices were tried; else the changes were added one by one
    at_most: bool = False  # whether later ops depend on inserted ones, so that there may be fewer inversions
    alone: tuple[Change, ...] = ()  # the locations that patterns could change, each alone, best first
    curve: tuple[int, ...] = ()  # the inversions before the pass and after each step with other locations
    at_end: int | None = None  # the inversions at the end of the log; None if they are not known

    @property
    def inversions(self) -> int:
        """The inversions after the pass with the changes."""
        return self.now - sum(change.removed for change in self.changes)

    @property
    def left(self) -> int | None:
        """The inversions at the end of the log with the changes; None if they are not known."""
        return self.changes[-1].left if self.changes else self.at_end


def advise_step(comparison: DumpComparison) -> Advice | None:
    """Find what to change in the pass between two dumps. It may audit the later one."""
    dump = comparison.after.dump
    if not dump.keys.disordered_blocks or dump.options.order_from is not None:
        return None
    size = len(comparison.before)
    numbers = [comparison.was.get(op, size + op) for op in range(len(comparison.after))]
    step = PassStep(comparison, range(size), numbers, is_whole=True)
    return PassFlow(State(comparison.before, range(size)), [step]).advice()


class PassAdvice:
    """The advice on the runs of passes of one program: ``take`` what each did, then ask ``on`` some.

    Advice takes longer than all else that is told of a pass, so it is made when it is asked for. Only if too
    much is kept, it is made before that on the earliest run of which something is left.
    """

    def __init__(self, pairs: InvertedPairs) -> None:
        self._pairs = pairs
        self._bytes = 0  # of the text of all that is kept
        self._did: dict[int, DumpComparison] = {}  # by run
        self._known: dict[int, Advice | None] = {}  # by run, of those that were looked at

    def take(self, run: int, comparison: DumpComparison) -> None:
        """Take what a run did. Its pairs are followed."""
        if not comparison.after.dump.keys.disordered_blocks:
            return
        self._did[run] = comparison
        self._bytes += _size(comparison)
        while self._bytes > MOST_BYTES and len(self._did) > 1:
            earliest = next(iter(self._did))
            if self._pairs.left[earliest]:
                self.on(earliest)
            else:
                self._bytes -= _size(self._did.pop(earliest))

    def on(self, run: int) -> Advice | None:
        """Return what to change in a run; None if it left nothing out of order, or there is no advice."""
        if run in self._did:
            comparison = self._did.pop(run)
            self._bytes -= _size(comparison)
            self._known[run] = advise_step(comparison)
        return self._known.get(run)


def _size(comparison: DumpComparison) -> int:
    return len(comparison.after.ir.source.data)


class PassFlow:
    """The labels and places of the ops through the states of a pass, with any of its groups changed."""

    def __init__(self, first: State, steps: Iterable[PassStep]) -> None:
        # By the number of an op, the index with which it is seen first; None without one.
        self._first: list[int | None] = []
        self._see(first)
        self.steps: list[MadeStep] = []
        # By state, by block, the numbers of the ops that count in inversions, in textual order.
        self._blocks = [_blocks(first, first.ops.ir.block_ops)]
        self._homes, self._last = Homes(first), first
        # By number, what the last step made or moved; for the few of several steps, what those before it did.
        self._made: dict[int, MadeOp] = {}
        self._made_before = defaultdict[int, list[MadeOp]](list)
        for step in steps:
            self._follow(step)
        self._to_end = self._leading_to_the_end()
        # Of these, the ops that may get another label than they had.
        self._labelling = [
            step._replace(ops=[op for op in step.ops if not op.is_moved or op.target is not None])
            for step in self._to_end
        ]
        self._known: dict[tuple[tuple[int | None, ...], frozenset[Group]], int] = {}
        self._known_left: dict[frozenset[Group], int] = {}
        self._blocks_with: dict[frozenset[Group], Sequence[Sequence[int]]] = {frozenset(): self._blocks[-1]}
        # What was asked for last: by the groups whose place changes, and by those whose location does.
        self._last_homes: tuple[frozenset[Group], dict[int, int]] = frozenset(), {}
        self._last_labels: tuple[object, Labels] = None, []
        # The groups whose place is wrong, so that their locations are not.
        self.places: frozenset[Group] = frozenset()
        # These, and the groups of one name whose location is wrong.
        self.named: tuple[Group, ...] = ()
        while self._adds_groups():
            pass

    def _follow(self, step: PassStep) -> None:
        if step.comparison is None:
            self.steps.append(MadeStep(step.pattern, None, ()))
            self._blocks.append(self._blocks[-1])
            return
        found = MadeOps(step)
        self.steps.append(found.step(self._homes))
        self._last = State(step.comparison.after, step.after)
        self._see(self._last)
        self._homes.take(self._last, found.moved)
        self._blocks.append(_blocks(self._last, self._last.ops.ir.block_ops))
        for op in self.steps[-1].ops:
            if op.number in self._made:
                self._made_before[op.number].append(self._made[op.number])
            self._made[op.number] = op

    def _made_as(self, number: int) -> Iterable[MadeOp]:
        """Return how the steps made and moved an op, the last first."""
        last = (self._made[number],) if number in self._made else ()
        return (*last, *reversed(self._made_before[number])) if number in self._made_before else last

    def _all_made(self) -> Iterator[MadeOp]:
        for number, last in self._made.items():
            yield from self._made_before.get(number, ())
            yield last

    def _see(self, state: State) -> None:
        first = self._first
        first.extend(repeat(None, state.end - len(first)))
        for number, index in zip(state.numbers, state.ops.dump.indices.by_op, strict=True):
            if first[number] is None:
                first[number] = index

    def _adds_groups(self) -> bool:
        """Add each group whose change removes most of its inversions, with those before it changed."""
        known = len(self.named)
        groups = [one for kind in Kind for one in self._groups(kind) if one.name and one not in self.named]
        inversions_at = self.inversions_at() if groups else ()
        for group in groups:
            if self._removes_most(group, inversions_at):
                self.named += (group,)
                self.places |= {group} if group.kind is Kind.PLACE else set()
                inversions_at = self.inversions_at()
        return len(self.named) > known

    def _leading_to_the_end(self) -> list[MadeStep]:
        """Return the steps with those ops only from which a label at the end may come."""
        needed, steps = bytearray(len(self._first)), list[MadeStep]()
        for number in chain.from_iterable(self._blocks[-1]):
            needed[number] = True
        for step in reversed(self.steps):
            ops = [op for op in step.ops if needed[op.number]]
            for op in ops:
                needed[op.number] = op.is_moved
            for one in chain.from_iterable((op.source, op.target) for op in ops):
                if one is not None:
                    needed[one] = True
            if ops:
                steps.append(step._replace(ops=ops))
        return steps[::-1]

    def _groups(self, kind: Kind) -> list[Group]:
        """Return the groups of one kind on which the end depends."""
        ops = (op for step in self._to_end for op in step.ops)
        found = (op.place if kind is Kind.PLACE else self._location(op) for op in ops)
        return [*dict.fromkeys(group for group in found if group is not None)]

    def _location(self, op: MadeOp) -> Group | None:
        """Return with which ops a location changes; None if it should not."""
        return None if op.target is None or op.place in self.places else op.location

    def _removes_most(self, group: Group, inversions_at: Sequence[int]) -> bool:
        """Return whether a change removes most of the inversions of its ops, given those at each op."""
        others = sum(inversions_at) // 2 - self.inversions_of(group, inversions_at)
        # As counted when the last of these was tried, before it was in `places`.
        now = self._left_by(self.named)
        return now != others and 2 * (now - self._left_by((*self.named, group))) > now - others

    def inversions_of(self, group: Group, inversions_at: Sequence[int]) -> int:
        """Return how many inversions have an op of a group, given those at each op."""
        own = {op.number for op in self._ops_of[group]}
        if group.kind is Kind.PLACE:  # what replaces these ops goes with them
            own |= self._homes_at_end([group]).keys()
        inside = (filter(own.__contains__, block) for block in self._blocks_at_end(self.named))
        at_two = _inversions(inside, self._labels_of_others(self.named))
        return sum(map(inversions_at.__getitem__, own)) - at_two

    def inversions_at(self) -> array[int]:
        """Return, by number, in how many inversions an op is at the end, with the groups so far changed.

        Constants do not count: every greedy rewrite hoists them.
        """
        labels, found = self._labels_of_others(self.named), array("i", bytes(4 * len(self._first)))
        for block in self._blocks_at_end(self.named):
            numbers = [number for number in block if labels[number] is not None]
            runs = sorted_runs([label for number in numbers if (label := labels[number]) is not None])
            for number, inversions in zip(numbers, runs.inversions_by_position(), strict=True):
                found[number] = inversions
        return found

    def _left_by(self, changed: Collection[Group]) -> int:
        """Return the inversions at the end, but for those of constants, if some groups are changed."""
        key = frozenset(changed)
        if key not in self._known_left:
            self._known_left[key] = _inversions(self._blocks_at_end(changed), self._labels_of_others(changed))
        return self._known_left[key]

    def _labels_of_others(self, changed: Collection[Group]) -> Labels:
        """Return the labels at the end if some groups are changed, of all ops but constants."""
        labels = [*self._labels_at_end(changed)]
        for number in self._constants:
            labels[number] = None
        return labels

    @cached_property
    def _ops_of(self) -> Mapping[Group, list[MadeOp]]:
        found = defaultdict[Group, list[MadeOp]](list)
        for op in self._all_made():
            for group in filter(None, (op.place, op.location)):
                found[group].append(op)
        return found

    @cached_property
    def _constants(self) -> set[int]:
        flags = self._last.ops.dump.keys.constants_by_op
        return {number for number, flag in zip(self._last.numbers, flags, strict=True) if flag}

    def advice(self) -> Advice | None:
        """Return what to change; None if nothing is out of order at the end."""
        now = self.inversions(())
        if not now:
            return None
        alone, at_end = self._alone(), {*self._groups(Kind.LOCATION)}
        best, is_exact = self._together([*self.named, *(one for one in alone if one in at_end)])
        changes, curve = tuple(self._in_turn(best)), tuple(self.curve(best))
        alone_changes = tuple(self._change([group], ()) for group in alone)
        return Advice(now, changes, is_exact, self._is_used_later(best), alone_changes, curve)

    def _alone(self) -> list[Group]:
        """Return the patterns that give ops the location of another op than the root, best first."""
        numbers = Counter(
            group
            for op in self._all_made()
            if (group := self._location(op)) and group.name is None and op.carries is not Carries.ROOT
        )
        return sorted(numbers, key=lambda group: (self.inversions({group}), -numbers[group]))

    def _together(self, groups: Sequence[Group]) -> tuple[tuple[Group, ...], bool]:
        """Return the fewest groups that give the fewest inversions, and whether all choices were tried."""
        best: tuple[Group, ...] = ()
        work = sum(map(len, self._blocks[-1])) << len(groups)
        if len(groups) <= MOST_TRIED and work <= MOST_WORK:
            sizes = range(1, len(groups) + 1)
            for chosen in chain.from_iterable(combinations(groups, size) for size in sizes):
                if not self.inversions(best):
                    break
                if self.inversions(chosen) < self.inversions(best):
                    best = chosen
            return best, True
        while self.inversions(best):
            others = [(*best, one) for one in groups if one not in best]
            chosen = min(others, key=self.inversions, default=best)
            if self.inversions(chosen) >= self.inversions(best):
                break
            best = chosen
        return best, False

    def _in_turn(self, groups: Iterable[Group]) -> Iterator[Change]:
        """Yield the changes, each time the one that removes most.

        A pattern has one of each kind, and so have all ops that a pass only moved.
        """
        left, done = defaultdict[object, list[Group]](list), list[Group]()
        for group in groups:
            is_moved = all(op.is_moved for op in self._ops_of[group])
            is_alone = group.pattern is None and (group.kind is Kind.LOCATION or not is_moved)
            left[group if is_alone else (group.pattern, group.kind, is_moved)].append(group)
        while left:
            first = min(left, key=lambda key: self.inversions([*done, *left[key]]))
            yield self._change(left[first], done)
            done += left.pop(first)

    def _change(self, groups: Sequence[Group], done: Sequence[Group]) -> Change:
        """Return the change of groups of one kind after others."""
        changed, kind = {*done, *groups}, groups[0].kind
        own = [op for group in groups for op in self._ops_of[group]]
        if kind is Kind.LOCATION:
            own = [op for op in own if op.carries is not Carries.ROOT] or own
        ops, beside = (self._placed if kind is Kind.PLACE else self._labelled)(changed, own)
        labels = self._labels_at_end(changed)
        return Change(
            kind,
            groups[0].pattern,
            all(op.is_moved for op in own),
            dict(Counter(op.name for op in own).most_common()),
            Counter(op.carries for op in own).most_common(1)[0][0],
            tuple(map(self._last.ops.dump.label, ops)),
            tuple(label for op in ops if (label := labels[self._last.numbers[op]]) is not None),
            beside,
            self.inversions(done) - self.inversions(changed),
        )

    def _labelled(
        self, changed: Collection[Group], own: Iterable[MadeOp]
    ) -> tuple[list[int], OpLabel | None]:
        """Return the ops at the end that get another label, and the op whose label the first gets."""
        was, now = self._labels_at_end(()), self._labels_at_end(changed)
        made = {op.number: op for op in own if was[op.number] != now[op.number]}
        ops = [op for op, number in enumerate(self._last.numbers) if number in made]
        beside = made[self._last.numbers[ops[0]]].beside if ops else None
        return ops, beside and beside()

    def _placed(self, changed: Collection[Group], own: Iterable[MadeOp]) -> tuple[list[int], OpLabel | None]:
        """Return the ops that stand elsewhere at the end, and the op behind which the first one stands."""
        numbers, homes = {op.number for op in own}, self._homes_at_end(changed)
        moved, beside = list[int](), None
        for number, floats in sorted(self._layout.floats(homes).items()):
            block, order = self._last.ops.ir.block_ops[number], self._layout.order(number, floats, homes)
            ops = [op for op in self._layout.moved(block, order, homes) if self._last.numbers[op] in numbers]
            if ops and not moved:
                stays = [op for op in block if op < ops[0] and self._last.numbers[op] not in homes]
                beside = self._last.ops.dump.label(stays[-1]) if stays else None
            moved += ops
        return moved, beside

    def _is_used_later(self, groups: Collection[Group]) -> bool:
        """Return whether a later step makes ops for one of those that are inserted elsewhere."""
        changed = set[int]()
        for step in self.steps:
            for op in step.ops:
                if not changed.isdisjoint({op.source, op.replaced, step.root} - {None, op.number}):
                    return True
            changed.update(op.number for op in step.ops if op.place in groups)
        return False

    def inversions(self, changed: Collection[Group]) -> int:
        """Return the inversions at the end if some groups are changed."""
        labels = self._labels_at_end(changed)
        places = _places_in(changed)
        key = tuple(labels[op.number] for step in self._labelling for op in step.ops), places
        if key not in self._known:
            self._known[key] = _inversions(self._blocks_at_end(places), labels)
        return self._known[key]

    def curve(self, changed: Collection[Group]) -> Iterator[int]:
        """Yield the inversions in each state if some groups are changed. Places change only at the end."""
        labels = self._first[:]
        yield _inversions(self._blocks[0], labels)
        for step, blocks in zip(self.steps[:-1], self._blocks[1:-1], strict=True):
            self._take(step, changed, labels)
            yield _inversions(blocks, labels)
        if self.steps:
            yield self.inversions({*changed} - _places_in(changed))

    def _labels_at_end(self, changed: Collection[Group]) -> Sequence[int | None]:
        locations = frozenset(changed) - _places_in(changed), self.places
        if locations != self._last_labels[0]:
            labels = self._first[:]
            for step in self._labelling:
                self._take(step, changed, labels)
            self._last_labels = locations, labels
        return self._last_labels[1]

    def _take(self, step: MadeStep, changed: Collection[Group], labels: Labels) -> None:
        """Label the ops that a step made. An op whose label others get keeps its own."""
        found, late = dict[int, int](), list[MadeOp]()
        for op in step.ops:
            if op.location in changed and self._location(op) is not None:
                late.append(op)
            elif not op.is_moved:
                label = None if op.source is None else labels[op.source]
                found[op.number] = op.op_index if label is None else label
        for op in late:
            assert op.target is not None
            label = found.get(op.target, labels[op.target])
            found[op.number] = op.op_index if label is None else label
        for number, label in found.items():
            labels[number] = label

    def _blocks_at_end(self, changed: Collection[Group]) -> Sequence[Sequence[int]]:
        """Return, by block, the numbers of the ops that count, if some groups are inserted elsewhere."""
        places = _places_in(changed)
        if places not in self._blocks_with:
            homes, orders = self._homes_at_end(places), [*self._last.ops.ir.block_ops]
            for block, floats in self._layout.floats(homes).items():
                orders[block] = self._layout.order(block, floats, homes)
            self._blocks_with[places] = _blocks(self._last, orders)
        return self._blocks_with[places]

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self._last, self._homes)

    def _homes_at_end(self, changed: Collection[Group]) -> dict[int, int]:
        """Return, by the number of an op that is inserted elsewhere, its home."""
        places = _places_in(changed)
        if places != self._last_homes[0]:
            homes = dict[int, int]()
            for number in chain.from_iterable(self._of_place[group] for group in places):
                if (home := self._home(number, places)) is not None:
                    homes[number] = home
            self._last_homes = places, homes
        return self._last_homes[1]

    @cached_property
    def _of_place(self) -> Mapping[Group | None, Sequence[int]]:
        """By place, the numbers of the ops at the end that were made there, or replaced one that was."""
        found = defaultdict[Group | None, list[int]](list)
        for number in filter(self._made.__contains__, self._last.numbers):
            pending, places = [number], dict[Group | None, None]()
            for other in pending:
                for op in self._made_as(other):
                    places[op.place] = None
                    if op.replaced is not None and op.replaced not in pending:
                        pending.append(op.replaced)
            for place in places:
                found[place].append(number)
        return found

    def _home(self, number: int, places: Collection[Group]) -> int | None:
        """Return where an op stood at first, or that which it replaces; None if it stands where it is."""
        home = None
        for op in self._made_as(number):
            is_inserted = op.place in places
            if op.is_moved and not is_inserted:
                break
            if op.is_moved:
                home = op.home
            elif op.replaced is not None and op.replaced != number:
                goes_with = is_inserted or op.is_in_place
                before = self._home(op.replaced, places) if goes_with else None
                return op.home if before is None and is_inserted else before
        return home


def _places_in(groups: Iterable[Group]) -> frozenset[Group]:
    return frozenset(group for group in groups if group.kind is Kind.PLACE)


def _inversions(blocks: Iterable[Iterable[int]], labels: Sequence[int | None]) -> int:
    return sum(keyed_inversions(map(labels.__getitem__, block)) for block in blocks)


def _blocks(state: State, orders: Iterable[Sequence[int]]) -> list[array[int]]:
    """Return the numbers of the ops that count, of blocks with their ops in these orders."""
    numbers, counts = state.numbers, bytearray(map(is_not, state.ops.dump.keys.by_op, repeat(None)))
    return [
        array("i", map(numbers.__getitem__, compress(ops, map(counts.__getitem__, ops)))) for ops in orders
    ]
