"""A depth-first walk that gives each thing after what it is made of, to any depth."""

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
    """The roots and all below them, each after what is below itself, the last first; a loop is cut.

    Nodes whose ``key`` is done are left out. The caller adds what it gets to those that are done.
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
