"""Post-order traversal of a graph, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import TypeVar

_Node = TypeVar("_Node")


def post_order(
    roots: Iterable[_Node],
    below: Callable[[_Node], Iterable[_Node]],
    done: Container[object],
    key: Callable[[_Node], object] = lambda node: node,
) -> Iterator[_Node]:
    """Yield the roots and all nodes below them, each after those below it, the last first. Cut cycles.

    Nodes whose ``key`` is in ``done`` are skipped. The caller adds each node it gets to ``done``.
    """
    pending, entered = [*roots], set[object]()
    while pending:
        node = pending[-1]
        if key(node) in done:
            pending.pop()
        elif key(node) in entered:
            yield pending.pop()
        else:
            entered.add(key(node))
            pending += (n for n in below(node) if key(n) not in done and key(n) not in entered)
