"""What two dumps are matched by: the parts of each op, classes of ops, and the dataflow without some ops.

A *class* is a number that two ops share exactly when everything that it is made of is equal: the labels of
all ops an op is computed from, and of all that are computed from it, with result numbers and operand places.
That is colour refinement (Weisfeiler and Leman 1968) along the dataflow, in two sweeps per round instead of
one step per round, so that a change is felt at any distance.

**Renamed functions** have the ops that another function had before. A pass renames a function, or keeps its
ops in a function of another name and gives its name to a wrapper that calls it. In both cases the ops tell,
and the name does not.

**Passed over.** Passes insert, move and cancel casts, permutes, reshapes and broadcasts. Then the types and
neighbours of a whole chain differ, though the same is computed. So an op with one operand and one result is
*passed over* if ops of its name are not equally many in both dumps: a user of its result counts as a user of
its operand. An operand that is only a place for the result (``tensor.empty``) does not count.

**Wrappers.** Passes also wrap ops in regions: ``arith.addf`` on tensors becomes a ``linalg.generic`` with
``arith.addf`` on numbers in its region. Such a *wrapper* is passed over too: its block arguments stand for
its operands, and its results for the operands of the last op in its block.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Container, Hashable, Mapping, Sequence
from copy import copy
from functools import cached_property

from eio_audit.audit.diff.compared_dump import ComparedOps
from eio_audit.audit.locations.parsed_locations import NO_LOCATION
from eio_audit.mlir.reading.op_text import OpText

LABEL_STEP = 1 << 32  # the distance of labels with different names or symbols: more than there are locations

Contents = dict[str, list[Hashable]]  # by symbol of a function, what its ops are known by, in their order


def function_scopes(
    before: ComparedOps, after: ComparedOps, locations: Sequence[Sequence[int]]
) -> dict[str | None, Hashable]:
    """Return what the symbols of the dump after stand for in the dump before, where that is not the namesake.

    A renamed function stands for its old symbol. A function that took the name of a renamed one stands for
    nothing in the dump before: its symbol leads to a tuple, which equals no symbol. ``locations`` has the
    location number by side and op, as far as both dumps show locations.
    """
    if not set(after.functions) - set(before.functions):
        return {}
    old, new = _contents(before, locations[0]), _contents(after, locations[1])
    shared = {
        symbol: (Counter(old[symbol]) & Counter(new[symbol])).total() for symbol in old.keys() & new.keys()
    }
    stays = {symbol for symbol, number in shared.items() if number * 2 >= len(old[symbol])}
    old = {symbol: ops for symbol, ops in old.items() if symbol not in stays}
    new = {symbol: ops for symbol, ops in new.items() if symbol not in stays}
    types = _types(before, old), _types(after, new)
    scopes: dict[str | None, Hashable] = {}
    partners: set[str] = set()
    for was, now in (*_equal(old, new), *_alike(old, new)):
        keeps_types = was in new and types[0].get(was) == types[1].get(was) != types[1].get(now)
        if now not in scopes and was not in partners and not keeps_types:
            scopes[now] = was
            partners.add(was)
    scopes |= {symbol: ("new", symbol) for symbol in partners if symbol in new and symbol not in scopes}
    return {now: was for now, was in scopes.items() if now != was}


def _contents(ops: ComparedOps, locations: Sequence[int]) -> Contents:
    found: Contents = defaultdict(list)
    for op, block in enumerate(ops.ir.op_block):
        if (symbol := ops.functions[block]) is not None:
            found[symbol].append((ops.names[op], locations[op], ops.texts[op].text))
    return found


def _types(ops: ComparedOps, symbols: Collection[str]) -> dict[str, tuple[str, ...]]:
    """By symbol, the types of arguments and results."""
    return {
        symbol: ops.texts[op].types
        for op, symbol in enumerate(ops.symbols)
        if symbol is not None and symbol in symbols and op in ops.blocks_of
    }


def _equal(old: Contents, new: Contents) -> list[tuple[str, str]]:
    """The functions with the same ops in the same order, in order of appearance."""
    groups: dict[Hashable, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, contents in enumerate((old, new)):
        for symbol, ops in contents.items():
            groups[tuple(ops)][side].append(symbol)
    return [pair for symbols in groups.values() for pair in zip(*symbols, strict=False)]


def _alike(old: Contents, new: Contents) -> list[tuple[str, str]]:
    """The functions with at least half of the ops, by those ops that are in one function only. Most first."""
    holders: dict[Hashable, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for side, contents in enumerate((old, new)):
        for symbol, ops in contents.items():
            for op in ops:
                holders[op][side].add(symbol)
    sizes = Counter(symbol for was, _ in holders.values() for symbol in was)
    votes = Counter((*was, *now) for was, now in holders.values() if len(was) == len(now) == 1)
    return [(was, now) for (was, now), number in votes.most_common() if number * 2 >= sizes[was]]


NO_CLASS = -1  # the class of an op that has none yet


class RefinementClasses:
    """Classes of the ops of one dump; ``number`` gives equal things one number.

    Args:
        ops: the dump.
        labels: by op, what it is by itself.
        scopes: by block, the function around it.
        number: gives equal things one number.
        known: by op that needs no class, a negative number that tells which op it is. NO_CLASS for others.
    """

    def __init__(
        self,
        ops: ComparedOps,
        labels: Sequence[Hashable],
        scopes: Sequence[Hashable],
        number: Callable[[Hashable], int],
        known: Sequence[int] | None = None,
    ) -> None:
        self._ops = ops
        self._scopes = scopes
        self._number = number
        self._known = [NO_CLASS] * len(ops) if known is None else known
        self._sought = [op for op, known in enumerate(self._known) if known == NO_CLASS]
        self.above = self._sweep_down(labels)  # alike in all they are computed from

    @cached_property
    def around(self) -> list[int]:
        """Alike in all they are computed from and all that is computed from them."""
        return self._sweep_up(self.above)

    @cached_property
    def exact(self) -> list[int]:
        """Two rounds: like ``around``, of ops that are themselves alike in that."""
        return self._sweep_up(self._sweep_down(self.around))

    def _sweep_down(self, labels: Sequence[Hashable]) -> list[int]:
        """Producers before users: classes of the label, the place in the tree and the operands."""
        ops, number = self._ops, self._number
        classes = list(self._known)
        contexts: dict[int, Hashable] = {}
        for op in self._sought:
            block = ops.op_blocks[op]
            if block not in contexts:
                contexts[block] = self._context(block, classes, labels)
            values = [
                (classes[owner], result)
                if owner >= 0 and classes[owner] != NO_CLASS
                else self._outside(owner, result, classes, labels)
                for owner, result in ops.producers[op]
            ]
            classes[op] = number((labels[op], contexts[block], tuple(values)))
        return classes

    def _outside(
        self, owner: int, number: int, classes: Sequence[int], labels: Sequence[Hashable]
    ) -> tuple[Hashable, int]:
        """A block argument, or a result of an op that comes after its user."""
        return (labels[owner] if owner >= 0 else self._context(-1 - owner, classes, labels), number)

    def _context(self, block: int, classes: Sequence[int], labels: Sequence[Hashable]) -> Hashable:
        """What is around a block; an op that names an argument of its own region has no class yet."""
        parent = self._ops.ir.parent_op(block)
        if parent < 0:
            return None
        above: Hashable = classes[parent] if classes[parent] != NO_CLASS else labels[parent]
        if self._ops.symbols[parent] is not None:
            above = self._scopes[block]
        return above, self._ops.region_places[block]

    def _sweep_up(self, labels: Sequence[int]) -> list[int]:
        """Users before producers: classes of the label, the users and the contents of the regions."""
        ops, number = self._ops, self._number
        classes = list(self._known)
        for op in reversed(self._sought):
            users = [
                (classes[user] if classes[user] != NO_CLASS else labels[user], place)
                for user, place in ops.users[op]
            ]
            users.sort()
            inside: tuple[object, ...] = ()
            if op in ops.blocks_of and ops.symbols[op] is None:
                inside = tuple(
                    tuple(sorted(classes[inner] for inner in ops.ir.block_ops[block]))
                    for block in ops.blocks_of[op]
                )
            classes[op] = number((labels[op], tuple(users), inside))
        return classes


class MatchKeys:
    """What two ops are compared by, as far as both dumps show it."""

    # By side and block, the symbol of the function around it. That of a renamed function is its old one.
    scopes: tuple[Sequence[Hashable], Sequence[Hashable]]

    def __init__(self, before: ComparedOps, after: ComparedOps) -> None:
        sides = (before, after)
        # Names of ops that are printed in the same form on both sides.
        self.same_form = _names_of_one_form(before, after)
        known = {location for location in before.locations if location != NO_LOCATION}
        is_shared = not known.isdisjoint(after.locations)
        # By side and op, the location number; NO_LOCATION everywhere when the dumps have none in common.
        self.locations = [ops.locations if is_shared else [NO_LOCATION] * len(ops) for ops in sides]
        renamed = function_scopes(before, after, self.locations)
        symbols, self.scopes = (
            (was, [renamed.get(symbol, symbol) for symbol in now])
            for was, now in ((before.symbols, after.symbols), (before.functions, after.functions))
        )
        was, now = (_functions(ops, scopes) for ops, scopes in zip(sides, self.scopes, strict=True))
        # By function op before, the op of the same function after.
        self.functions = {op: now[scope] for scope, op in was.items() if scope in now}
        # By side and op, a number equal for equal texts; None where the printing forms differ.
        self.contents = [self._contents(ops) for ops in sides]
        # By side and op, a number equal for equal names, locations and symbols.
        self.labels = [_labels(ops, self.locations[side], symbols[side]) for side, ops in enumerate(sides)]

    def _contents(self, ops: ComparedOps) -> list[int | None]:
        keys = list(zip(map(id, ops.texts), ops.names, strict=True))
        known = {
            key: self._content(ops, key[1], text)
            for key, text in dict(zip(keys, ops.texts, strict=True)).items()
        }
        return list(map(known.__getitem__, keys))

    def _content(self, ops: ComparedOps, name: str, text: OpText) -> int | None:
        if name in self.same_form:
            return ops.interned.number(text.text)
        return ops.interned.number(text.literals) if "constant" in ops.ir.op_table.flags(name) else None


def _labels(ops: ComparedOps, locations: Sequence[int], symbols: Sequence[Hashable]) -> array[int]:
    """By op, a number for its name, symbol and location. It is larger than any number of ``ops.interned``."""
    told = [ops.followed.get(op, symbol) for op, symbol in enumerate(symbols)] if ops.followed else symbols
    named = ops.interned.numbers(zip(ops.names, told, strict=True))
    return array("q", ((name + 1) * LABEL_STEP + place for name, place in zip(named, locations, strict=True)))


def _functions(ops: ComparedOps, scopes: Sequence[Hashable]) -> dict[Hashable, int]:
    """By scope, the op of its function, if it is the only one."""
    found = [
        (scopes[blocks[0]], op)
        for op, blocks in ops.blocks_of.items()
        if op >= 0 and ops.functions[blocks[0]] is not None and ops.functions[blocks[0]] == ops.symbols[op]
    ]
    times = Counter(scope for scope, _ in found)
    return {scope: op for scope, op in found if times[scope] == 1}


def _names_of_one_form(before: ComparedOps, after: ComparedOps) -> frozenset[str]:
    forms = {form for ops in (before, after) for form in zip(ops.names, ops.ir.op_is_generic, strict=True)}
    times = Counter(name for name, _ in forms)
    return frozenset(name for name, number in times.items() if number == 1)


def contracted(
    before: ComparedOps,
    after: ComparedOps,
    matched: tuple[Container[int], Container[int]] | None = None,
) -> tuple[ComparedOps, ComparedOps] | None:
    """Both dumps with other ``producers`` and ``users``: each the first that is not passed over.

    An op that is passed over has none of either. The result is None if there is no such op. Of the ops that
    are not ``matched``, by dump, wrappers are passed over, too, and what was in a wrapper counts as in the
    block around it. Then the result is None without a wrapper.
    """
    wrappers: tuple[dict[int, int], dict[int, int]] = {}, {}
    if matched is not None:
        wrappers = _wrappers(before, matched[0]), _wrappers(after, matched[1])
        if not any(wrappers):
            return None
    was, now = Counter(before.names), Counter(after.names)
    kinds = {name for name in was.keys() | now.keys() if was[name] != now[name]}
    sides = _contracted(before, kinds, wrappers[0]), _contracted(after, kinds, wrappers[1])
    is_same = all(side.producers == ops.producers for side, ops in zip(sides, (before, after), strict=True))
    return None if is_same and matched is None else sides


def _contracted(ops: ComparedOps, kinds: Container[str], wrappers: Mapping[int, int]) -> ComparedOps:
    """The ops without those of the kinds that pass a value on, and without the wrappers, by their block."""
    side = copy(ops)
    side.blocks_of = {}
    side.op_blocks = list(ops.op_blocks)
    side.producers = []
    ends = {ops.ir.block_ops[block][-1]: wrapper for wrapper, block in wrappers.items()}
    makes_place = {name for name in {*ops.names} if name.endswith(".empty")}
    empty = {op for op, name in enumerate(ops.names) if name in makes_place and not ops.producers[op]}
    passed_on: dict[tuple[int, int], tuple[int, int]] = {}  # by value that is passed over, the one behind it
    for op, operands in enumerate(ops.producers):
        if wrappers and (parent := ops.ir.parent_op(ops.op_blocks[op])) in wrappers:
            side.op_blocks[op] = side.op_blocks[parent]
        found = [passed_on.get(value, value) for value in operands if value[0] not in empty]
        owner = ends.get(op)
        if (
            ops.names[op] in kinds
            and len(found) == 1 == ops.ir.result_count(op)
            and sum(len(ops.ir.block_ops[block]) for block in ops.blocks_of.get(op, ())) < 2
        ):
            owner = op
        if op in wrappers:
            owner = -1 - wrappers[op]
        if owner is not None:
            passed_on.update(((owner, number), value) for number, value in enumerate(found))
            found = []
        side.producers.append(tuple(found))
    side.__dict__.pop("users", None)  # those of other producers
    return side


def _wrappers(ops: ComparedOps, matched: Container[int]) -> dict[int, int]:
    """By op that wraps others, its only block."""
    return {
        op: blocks[0]
        for op, blocks in ops.blocks_of.items()
        if op >= 0 and op not in matched and len(blocks) == 1 and _wraps(ops, op, blocks[0])
    }


def _wraps(ops: ComparedOps, op: int, block: int) -> bool:
    """Whether the last op of the block hands on the op's results, and the block can use its operands."""
    inside, results = ops.ir.block_ops[block], ops.ir.result_count(op)
    return (
        bool(inside)
        and ops.ir.result_count(inside[-1]) == 0 < results == len(ops.producers[inside[-1]])
        and ops.argument_counts[block] in (0, len(ops.producers[op]))
    )
