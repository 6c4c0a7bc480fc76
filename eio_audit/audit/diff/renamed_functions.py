"""Which functions only got another name: those with the ops that another function had before.

A pass renames a function, or keeps its ops in a function of another name and gives its name to a wrapper that
calls it. In both cases the ops tell, and the name does not.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Sequence

from eio_audit.audit.diff.compared_dump import ComparedOps

Contents = dict[str, list[Hashable]]
"""By symbol of a function, what its ops are known by, in their order."""


def function_scopes(
    before: ComparedOps, after: ComparedOps, locations: Sequence[Sequence[int]]
) -> dict[str | None, Hashable]:
    """Return what the symbols of the dump after stand for in the dump before, where that is not the namesake.

    A renamed function stands for its old symbol. A function that took the name of a renamed one stands for
    nothing in the dump before: its symbol leads to a tuple, which equals no symbol.

    Args:
        before: one dump.
        after: the other.
        locations: by side and op, the location number, as far as both dumps show locations.
    """
    if not set(after.functions) - set(before.functions):
        return {}
    old, new = _contents(before, locations[0]), _contents(after, locations[1])
    stays = {symbol for symbol in old.keys() & new.keys() if _is_mostly_in(old[symbol], new[symbol])}
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


def _is_mostly_in(old: Sequence[Hashable], new: Sequence[Hashable]) -> bool:
    return (Counter(old) & Counter(new)).total() * 2 >= len(old)


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
