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
from itertools import chain, combinations, repeat
from typing import NamedTuple

from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.homes import Homes, Layout, State
from eio_audit.audit.diff.made_ops import Carries, Group, Kind, MadeOp, MadeOps, MadeStep, PassStep
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.order.permutation import keyed_inversions

MOST_TRIED = 12  # of so many changes, all choices are tried
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


class PassFlow:
    """The labels and places of the ops through the states of a pass, with any of its groups changed."""

    def __init__(self, first: State, steps: Iterable[PassStep]) -> None:
        # By the number of an op, the index with which it is seen first; None without one.
        self._first: list[int | None] = []
        self._see(first)
        self.steps: list[MadeStep] = []
        # By state, by block, the numbers of the ops that count in inversions, in textual order.
        self._blocks = [_blocks(first)]
        self._homes, self._last = Homes(first), first
        self._made: dict[int, tuple[MadeOp, ...]] = {}  # by number, in the order of the steps
        for step in steps:
            self._follow(step)
        self._to_end = self._leading_to_the_end()
        at_end = {*chain.from_iterable(self._blocks[-1])}
        self._made_at_end = [op.number for step in self._to_end for op in step.ops if op.number in at_end]
        self._known: dict[tuple[tuple[int | None, ...], frozenset[Group]], int] = {}
        self._known_counted: dict[frozenset[Group], int] = {}
        self._blocks_with: dict[frozenset[Group], Sequence[Sequence[int]]] = {frozenset(): self._blocks[-1]}
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
        self._blocks.append(_blocks(self._last))
        for op in self.steps[-1].ops:
            self._made[op.number] = *self._made.get(op.number, ()), op

    def _see(self, state: State) -> None:
        first = self._first
        first.extend(repeat(None, state.end - len(first)))
        for number, index in zip(state.numbers, state.ops.dump.indices.by_op, strict=True):
            if first[number] is None:
                first[number] = index

    def _adds_groups(self) -> bool:
        """Add each group whose change removes most of its inversions, with those before it changed."""
        known = len(self.named)
        for group in (*self._groups(Kind.PLACE), *self._groups(Kind.LOCATION)):
            if group.name and group not in self.named and self._removes_most(group):
                self.named += (group,)
                self.places |= {group} if group.kind is Kind.PLACE else set()
        return len(self.named) > known

    def _leading_to_the_end(self) -> list[MadeStep]:
        """Return the steps with those ops only from which a label at the end may come."""
        needed = set(chain.from_iterable(self._blocks[-1]))
        steps = []
        for step in reversed(self.steps):
            ops = [op for op in step.ops if op.number in needed]
            needed.difference_update(op.number for op in ops if not op.is_moved)
            for op in ops:
                needed.update(number for number in (op.source, op.target) if number is not None)
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

    def _removes_most(self, group: Group) -> bool:
        """Return whether a change removes most of the inversions of its ops.

        Constants do not count: every greedy rewrite hoists them.
        """
        own = {op.number for op in self._ops_of[group]}
        if group.kind is Kind.PLACE:  # what replaces these ops goes with them
            own |= self._homes_at_end({group}).keys()
        now, others = self._counted(self.named), self._counted(self.named, own)
        if now == others:
            return False
        return 2 * (now - self._counted((*self.named, group))) > now - others

    def _counted(self, changed: Collection[Group], left_out: Collection[int] = ()) -> int:
        """Return the inversions at the end among all but constants and others, if some groups are changed."""
        key = frozenset(changed)
        if not left_out and key in self._known_counted:
            return self._known_counted[key]
        without = self._constants.union(left_out)
        blocks = ([op for op in block if op not in without] for block in self._blocks_at_end(changed))
        found = _inversions(blocks, self._labels_at_end(changed))
        if not left_out:
            self._known_counted[key] = found
        return found

    @cached_property
    def _ops_of(self) -> Mapping[Group, list[MadeOp]]:
        found = defaultdict[Group, list[MadeOp]](list)
        for op in chain.from_iterable(self._made.values()):
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
            for op in chain.from_iterable(self._made.values())
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
        return ops, made[self._last.numbers[ops[0]]].beside if ops else None

    def _placed(self, changed: Collection[Group], own: Iterable[MadeOp]) -> tuple[list[int], OpLabel | None]:
        """Return the ops that stand elsewhere at the end, and the op behind which the first one stands."""
        numbers, homes = {op.number for op in own}, self._homes_at_end(changed)
        moved, beside = list[int](), None
        for block in self._layout.blocks_with(homes):
            order = self._layout.order(block, homes)
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
        places = frozenset(group for group in changed if group.kind is Kind.PLACE)
        key = tuple(map(labels.__getitem__, self._made_at_end)), places
        if key not in self._known:
            self._known[key] = _inversions(self._blocks_at_end(places), labels)
        return self._known[key]

    def curve(self, changed: Collection[Group]) -> Iterator[int]:
        """Yield the inversions in each state if some groups are changed. Places change only at the end."""
        labels = self._first[:]
        yield _inversions(self._blocks[0], labels)
        for step, blocks in zip(self.steps, self._blocks[1:], strict=True):
            self._take(step, changed, labels)
            yield _inversions(blocks, labels)

    def _labels_at_end(self, changed: Collection[Group]) -> Labels:
        labels = self._first[:]
        for step in self._to_end:
            self._take(step, changed, labels)
        return labels

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

    def _blocks_at_end(self, changed: Collection[Group]) -> Iterable[Sequence[int]]:
        """Return, by block, the numbers of the ops that count, if some groups are inserted elsewhere."""
        places = frozenset(group for group in changed if group.kind is Kind.PLACE)
        if places not in self._blocks_with:
            homes, numbers = self._homes_at_end(places), self._last.numbers
            keys = self._last.ops.dump.keys.by_op
            orders = (self._layout.order(ops, homes) for ops in self._last.ops.ir.block_ops)
            self._blocks_with[places] = [
                array("i", (numbers[op] for op in order if keys[op] is not None)) for order in orders
            ]
        return self._blocks_with[places]

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self._last, self._homes)

    def _homes_at_end(self, places: Collection[Group]) -> dict[int, int]:
        """Return, by the number of an op that is inserted elsewhere, its home."""
        homes = dict[int, int]()
        for number in chain.from_iterable(self._of_place[group] for group in places):
            if (home := self._home(number, places)) is not None:
                homes[number] = home
        return homes

    @cached_property
    def _of_place(self) -> Mapping[Group | None, Sequence[int]]:
        """By place, the numbers of the ops at the end that were made there, or replaced one that was."""
        found = defaultdict[Group | None, list[int]](list)
        for number in filter(self._made.__contains__, self._last.numbers):
            pending, places = [number], dict[Group | None, None]()
            for other in pending:
                for op in self._made.get(other, ()):
                    places[op.place] = None
                    if op.replaced is not None and op.replaced not in pending:
                        pending.append(op.replaced)
            for place in places:
                found[place].append(number)
        return found

    def _home(self, number: int, places: Collection[Group]) -> int | None:
        """Return where an op stood at first, or that which it replaces; None if it stands where it is."""
        home = None
        for op in reversed(self._made.get(number, ())):
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


def _inversions(blocks: Iterable[Sequence[int]], labels: Labels) -> int:
    return sum(keyed_inversions(map(labels.__getitem__, block)) for block in blocks)


def _blocks(state: State) -> list[array[int]]:
    keys, in_blocks = state.ops.dump.keys.by_op, state.ops.ir.block_ops
    blocks = (array("i", (state.numbers[op] for op in ops if keys[op] is not None)) for ops in in_blocks)
    return [block for block in blocks if block]
