"""What to change in a pass so that it keeps the order: the locations that its patterns give to new ops.

A pattern is applied to an op, its root. The ops that it makes stand at the root. If they carry the location
of another op, such as a user far below, they are out of order there. With that of the root they are not.

The inversions after such a change are predicted from the states of the pass. In each state, the ops are found
that are new, and the op of the state before whose location each of them carries. So each op has a label: the
index that it has after the change. A new op takes over the label of that op, or that of the root if its
pattern is changed. A label that is different goes on to the ops that later steps make.

The location may also be right and the place wrong: that is told from the last state (``diff/diff.py``).
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import chain, combinations

from eio_audit.audit.bisect.survey import Attempt, number_in, short_pattern
from eio_audit.audit.diff.diff import Placement, made_out_of_order, misplaced, placed
from eio_audit.audit.diff.dump_comparison import DumpComparison, Relation
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.log.program_log import ProgramLog
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.options import AuditOptions, Follow
from eio_audit.mlir.input.dumps import Dump
from eio_audit.order.permutation import count_inversions, displaced, inversions_charged

MOST_TRIED = 12  # of so many patterns, all choices are tried


class Carries(StrEnum):
    """Whose location a new op carries, seen from the root."""

    ROOT = "root"
    USER = "user"
    OPERAND = "operand"
    OTHER = "other"


class Cause(StrEnum):
    """What put an op where it is out of order."""

    CONSTANTS = "constants"
    FOLDING = "folding"
    PATTERN = "pattern"
    BEFORE = "before"


@dataclass(frozen=True, slots=True)
class PatternAdvice:
    """A pattern that gives ops the location of another op than its root."""

    pattern: str  # its name, without namespaces
    ops: Mapping[str, int]  # by name, how many such ops it made
    carries: Carries  # whose location most of them carry
    inversions: int  # the inversions after the pass if they had the location of the root


@dataclass(frozen=True, slots=True)
class Together:
    """The patterns to change."""

    patterns: tuple[str, ...]  # the fewest that give the fewest inversions; none if no change gives fewer
    inversions: int  # the inversions after the pass if all of them are changed
    is_exact: bool  # whether all choices were tried; else the patterns were added one by one


@dataclass(frozen=True, slots=True)
class Remainder:
    """Inversions that are still there if these patterns are changed."""

    cause: Cause  # what put the ops there
    pattern: str | None  # the pattern that did; None if none did, or if it is not known
    ops: tuple[OpLabel, ...]  # the ops
    inversions: int  # how many inversions they are in


@dataclass(frozen=True, slots=True)
class Advice:
    """What to change in a pass so that it keeps the order. All inversions but those of now are estimates."""

    now: int  # the inversions after the pass
    together: Together  # the patterns to change
    # The patterns that could be changed, with what the change of each one does, best first.
    alone: tuple[PatternAdvice, ...]
    # By pattern, the ops that it made or moved and should insert elsewhere, if these patterns are changed; by
    # the name of the op, if the pass is one step.
    places: Mapping[str, Placement]
    placed: int  # the inversions after the pass if it does that, too
    left: tuple[Remainder, ...]  # what is left if the patterns to change are changed, most inversions first
    curve: tuple[int, ...]  # the inversions before the pass and after each step if they are changed


def advise(dumps: Iterable[Dump], attempts: Sequence[Attempt | None], options: AuditOptions) -> Advice:
    """Find the patterns to change.

    Args:
        dumps: the state before the pass, and after each step.
        attempts: by step, the attempt that it is; None if it is not one, or not known. The first step is what
            the pass does without patterns.
        options: how the states are read.

    Complexity: linear in the text; for the choice of patterns, up to 2 to the power of ``MOST_TRIED`` times
    what is linear in the ops at the end.
    """
    flow = LabelFlow(dumps, attempts, options)
    alone, places = _alone(flow), flow.places(())
    together = _together(flow, [one.pattern for one in alone if one.pattern not in places])
    if together.patterns:
        places = flow.places(together.patterns)
    return Advice(
        now=flow.inversions(()),
        together=together,
        alone=tuple(alone),
        places=places,
        placed=flow.placed(places, together.patterns),
        left=tuple(
            one
            for one in flow.left(together.patterns)
            if one.pattern not in places and not (places and len(flow.steps) == 1)
        ),
        curve=tuple(flow.curve(together.patterns)),
    )


def _alone(flow: LabelFlow) -> list[PatternAdvice]:
    ops, carried = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[Carries]](Counter)
    for step in flow.steps:
        if step.pattern is not None and step.root is not None:
            for op in step.ops:
                if op.carries is not Carries.ROOT:
                    ops[step.pattern][op.name] += 1
                    carried[step.pattern][op.carries] += 1
    found = [
        PatternAdvice(
            pattern,
            dict(names.most_common()),
            carried[pattern].most_common(1)[0][0],
            flow.inversions({pattern}),
        )
        for pattern, names in ops.items()
    ]
    return sorted(found, key=lambda one: (one.inversions, -sum(one.ops.values())))


def _together(flow: LabelFlow, patterns: Sequence[str]) -> Together:
    patterns = [one for one in patterns if one in flow.patterns_at_end]
    best: tuple[str, ...] = ()
    fewest = flow.inversions(best)
    if len(patterns) <= MOST_TRIED:
        for chosen in chain.from_iterable(combinations(patterns, size + 1) for size in range(len(patterns))):
            if not fewest:
                break
            if (inversions := flow.inversions(chosen)) < fewest:
                best, fewest = chosen, inversions
        return Together(best, fewest, is_exact=True)
    while fewest:
        others = [(*best, one) for one in patterns if one not in best]
        chosen = min(others, key=flow.inversions, default=best)
        if flow.inversions(chosen) >= fewest:
            break
        best, fewest = chosen, flow.inversions(chosen)
    return Together(best, fewest, is_exact=False)


@dataclass(frozen=True, slots=True)
class MadeOp:
    """An op that a step made."""

    number: int  # its number
    name: str  # its name
    index: int  # its index
    source: int | None  # the number of the op before whose location it carries; None if there is none
    carries: Carries  # what that op is to the root


@dataclass(frozen=True, slots=True)
class MadeStep:
    """What one step of a pass made."""

    pattern: str | None  # the pattern; None if there is none, or if it is not known
    root: int | None  # the number of its root; None if it is not found, or has no index
    ops: Sequence[MadeOp]  # the ops with an index that it made
    moved: Sequence[int]  # the numbers of the ops that it only moved


class LabelFlow:
    """The labels of the ops through the states of a pass, with any of its patterns changed.

    It reads the states as ``advise`` gets them.
    """

    def __init__(
        self, dumps: Iterable[Dump], attempts: Sequence[Attempt | None], options: AuditOptions
    ) -> None:
        log, remaining = ProgramLog(options), iter(dumps)
        last = log.compared(next(remaining), ()).new
        assert last is not None
        self._first = _indices(last)  # by the number of an op, the index with which it is seen first
        self.steps: list[MadeStep] = []
        self._comparison: DumpComparison | None = None  # of the states around the last step
        # By state, by block, the numbers of the ops that count in inversions, in textual order.
        self._blocks = [_blocks(last)]
        for dump, attempt in zip(remaining, attempts, strict=True):
            found = log.compared(dump, ())
            self.steps.append(_made_step(found, attempt))
            self._comparison = found.comparison
            if found.new is not None:
                last = found.new
                self._first = _indices(last) | self._first
            self._blocks.append(self._blocks[-1] if found.new is None else _blocks(last))
        self._last = last  # the state after the pass
        self._to_end = self._leading_to_the_end()
        # The patterns on which a label at the end depends.
        self.patterns_at_end = {step.pattern for step in self._to_end}
        at_end = {*chain.from_iterable(self._blocks[-1])}
        self._made_at_end = [op.number for step in self._to_end for op in step.ops if op.number in at_end]
        self._known: dict[tuple[int, ...], int] = {}

    def _leading_to_the_end(self) -> list[MadeStep]:
        """Return the steps with those ops only from which a label at the end may come."""
        needed = set(chain.from_iterable(self._blocks[-1]))
        steps = []
        for step in reversed(self.steps):
            ops = [op for op in step.ops if op.number in needed]
            needed.difference_update(op.number for op in ops)
            for op in ops:
                needed.update(number for number in (op.source, step.root) if number is not None)
            if ops:
                steps.append(MadeStep(step.pattern, step.root, ops, ()))
        return steps[::-1]

    def inversions(self, changed: Collection[str]) -> int:
        """Return the inversions at the end if some patterns are changed."""
        labels = self._labels_at_end(changed)
        key = tuple(map(labels.__getitem__, self._made_at_end))
        if key not in self._known:
            self._known[key] = _inversions(self._blocks[-1], labels)
        return self._known[key]

    def curve(self, changed: Collection[str]) -> Iterator[int]:
        """Yield the inversions in each state if some patterns are changed."""
        labels = {**self._first}
        yield _inversions(self._blocks[0], labels)
        for step, blocks in zip(self.steps, self._blocks[1:], strict=True):
            _take(step, changed, labels)
            yield _inversions(blocks, labels)

    @cached_property
    def _made_by(self) -> Mapping[str, set[int]]:
        """By pattern, the ops at the end that it made or moved last; by name, those of a pass of one step."""
        if len(self.steps) == 1:
            return {} if self._comparison is None else made_out_of_order(self._comparison)
        made = defaultdict[str, set[int]](set)
        for op, number in enumerate(self._last.numbers):
            if (place := self._last_step.get(number)) and (pattern := self.steps[place].pattern):
                made[pattern].add(op)
        return made

    def _keys_at_end(self, changed: Collection[str]) -> list[int | None]:
        labels, keys = self._labels_at_end(changed), self._last.ops.dump.keys.by_op
        return [
            None if key is None else labels[number]
            for number, key in zip(self._last.numbers, keys, strict=True)
        ]

    def places(self, changed: Collection[str]) -> dict[str, Placement]:
        """Return, by pattern, the ops that should stand elsewhere, if some patterns are changed."""
        return misplaced(self._last.ops.dump, self._made_by, self._keys_at_end(changed))

    def placed(self, patterns: Iterable[str], changed: Collection[str]) -> int:
        """Return the inversions at the end if the ops of some patterns do, and others are changed."""
        ops = set[int]().union(*(self._made_by[pattern] for pattern in patterns))
        then = placed(self._last.ops.dump, ops, self._keys_at_end(changed))
        return self.inversions(changed) - then.removed

    def left(self, changed: Collection[str]) -> list[Remainder]:
        """Return what is left at the end if some patterns are changed, most inversions first."""
        labels, number_of = self._labels_at_end(changed), self._last.numbers
        op_of = {number: op for op, number in enumerate(number_of)}
        numbers, ops = (
            Counter[tuple[Cause, str | None]](),
            defaultdict[tuple[Cause, str | None], list[int]](list),
        )
        for block in self._blocks[-1]:
            keys = [labels[number] for number in block]
            places = displaced(keys)
            for place, inversions in zip(places, inversions_charged(keys, places), strict=True):
                op = op_of[block[place]]
                cause = self._cause(block[place], op)
                numbers[cause] += inversions
                ops[cause].append(op)
        return [
            Remainder(*cause, tuple(map(self._last.ops.dump.label, ops[cause])), inversions)
            for cause, inversions in numbers.most_common()
        ]

    def _cause(self, number: int, op: int) -> tuple[Cause, str | None]:
        """Return what put an op where it is: the last step that made or moved it."""
        place = self._last_step.get(number)
        if place is None:
            return Cause.BEFORE, None
        if self._last.ops.dump.keys.flags(Follow.CONSTANTS)[op]:
            return Cause.CONSTANTS, None
        return (Cause.PATTERN, self.steps[place].pattern) if place else (Cause.FOLDING, None)

    @cached_property
    def _last_step(self) -> dict[int, int]:
        """By the number of an op, the place of the last step that made or moved it."""
        last: dict[int, int] = {}
        for place, step in enumerate(self.steps):
            last |= dict.fromkeys([*step.moved, *(op.number for op in step.ops)], place)
        return last

    def _labels_at_end(self, changed: Collection[str]) -> dict[int, int]:
        labels = {**self._first}
        for step in self._to_end:
            _take(step, changed, labels)
        return labels


def _take(step: MadeStep, changed: Collection[str], labels: dict[int, int]) -> None:
    """Label the ops that a step made."""
    root = step.root if step.pattern in changed else None
    sources = [op.source if root is None else root for op in step.ops]
    found = [
        op.index if source is None else labels.get(source, op.index)
        for op, source in zip(step.ops, sources, strict=True)
    ]
    labels.update(zip((op.number for op in step.ops), found, strict=True))


def _inversions(blocks: Iterable[Sequence[int]], labels: Mapping[int, int]) -> int:
    return sum(count_inversions([*map(labels.__getitem__, block)]) for block in blocks)


def _indices(side: ScopeSide) -> dict[int, int]:
    indices = zip(side.numbers, side.ops.dump.indices.by_op, strict=True)
    return {number: index for number, index in indices if index is not None}


def _blocks(side: ScopeSide) -> list[array[int]]:
    keys, in_blocks = side.ops.dump.keys.by_op, side.ops.ir.block_ops
    blocks = (array("q", (side.numbers[op] for op in ops if keys[op] is not None)) for ops in in_blocks)
    return [block for block in blocks if block]


def _made_step(found: ScopeStep, attempt: Attempt | None) -> MadeStep:
    pattern = None if attempt is None else short_pattern(attempt.pattern)
    if found.old is None or found.new is None or found.comparison is None:
        return MadeStep(pattern, None, (), ())
    sides = _Sides(found.comparison, found.origins, attempt)
    old, new = found.old.numbers, found.new.numbers
    made = [*sides.made(old, new)]
    anew = {op.number for op in made}
    moved = [number for op in found.comparison.moved if (number := new[op]) not in anew]
    return MadeStep(pattern, None if sides.root is None else old[sides.root], made, moved)


class _Sides:
    def __init__(
        self, comparison: DumpComparison, origins: Mapping[int, tuple[int, Relation]], attempt: Attempt | None
    ) -> None:
        self._origins, self._comparison = origins, comparison
        self._old, self._new = comparison.before, comparison.after
        self._was_index = comparison.before.dump.indices.by_op
        self._index = comparison.after.dump.indices.by_op
        # The root of its attempt in the state before; None if it is not found, or has no index.
        self.root = None if attempt is None or attempt.index is None else self._find_root(attempt)

    def _find_root(self, attempt: Attempt) -> int | None:
        """Return the root of an attempt, by its index and name.

        Of several ops, it is one that the step changes, with the number that is closest.
        """
        names, indices = self._old.names, enumerate(self._was_index)
        found = [op for op, index in indices if index == attempt.index and names[op] == attempt.op]
        if len(found) < 2:
            return found[0] if found else None
        changed = {op for _, op, _ in self._comparison.statuses()}
        number, name_of = number_in(attempt.result), self._old.ir.first_result_name
        return min(found, key=lambda op: (op not in changed, abs(number_in(name_of(op)) - number)))

    @cached_property
    def _root_after(self) -> int | None:
        """The root in the state after; if it was made anew, the closest op with its index and name."""
        root, became = self.root, self._comparison.became
        if root is None or root in became:
            return None if root is None else became[root]
        name, index = self._old.names[root], self._was_index[root]
        found = [op for op, one in enumerate(self._index) if one == index and self._new.names[op] == name]
        return min(found, key=lambda op: abs(op - root), default=None)

    def made(self, old: Sequence[int], new: Sequence[int]) -> Iterator[MadeOp]:
        """Yield the ops with an index that are new. ``old`` and ``new`` are the numbers of the ops."""
        for op, index in enumerate(self._index):
            if index is not None and not self._is_kept(op):
                source = self._source(op, index)
                carries = Carries.OTHER if source is None else self._relation(source)
                number = None if source is None else old[source]
                yield MadeOp(new[op], self._new.names[op], index, number, carries)

    def _is_kept(self, op: int) -> bool:
        """Return whether an op is not new.

        It is new if its location is, or if it is now on the other side of the root and one used the other.
        """
        before = self._comparison.was.get(op)
        if before is None or self._old.locations[before] != self._new.locations[op]:
            return False
        if self.root is None or self._root_after is None or before == self.root:
            return True
        is_same_side = (before < self.root) == (op < self._root_after)
        return is_same_side or self._relation(before) is Carries.OTHER

    def _source(self, op: int, index: int) -> int | None:
        """Return the op whose location a new op carries; else one with its index.

        Of several, it is itself, else the op that it was made from if that is gone, else the root.
        """
        became, origin = self._comparison.became, self._origins.get(op, (None,))[0]
        same = [old for old, one in enumerate(self._was_index) if one == index]
        gone = [old for old in same if old not in became]
        likely = [self._comparison.was.get(op), None if origin in became else origin, self.root, origin]
        found = [old for old in (*likely, *gone, *same) if old is not None and self._was_index[old] == index]
        location = self._new.locations[op]
        at_location = (old for old in found if self._old.locations[old] == location)
        return next(at_location, found[0] if found else None)

    def _relation(self, op: int) -> Carries:
        """Return what an op of the state before is to the root."""
        if op == self.root:
            return Carries.ROOT
        users, used = self._around_root
        if op in users:
            return Carries.USER
        return Carries.OPERAND if op in used else Carries.OTHER

    @cached_property
    def _around_root(self) -> tuple[Collection[int], Collection[int]]:
        """The ops that use the root, directly or through others, and those that it uses; both with itself."""
        if self.root is None:
            return (), ()
        producers, users, used = self._old.producers, {self.root}, {self.root}
        for op in range(self.root + 1, len(producers)):
            if any(owner in users for owner, _ in producers[op]):
                users.add(op)
        for op in range(self.root, -1, -1):
            if op in used:
                used.update(owner for owner, _ in producers[op] if owner >= 0)
        return users, used
