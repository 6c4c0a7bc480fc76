"""Where the ops, values and operands of a dump stand when some of its blocks get another order.

All of these are numbered in textual order. What follows each other in the old order and the new is a *run*.
It is *kept* if what stands before it is the same in both, as with most ops of most dumps; its numbers are the
same then. The others are *moved*; only what is said of these costs a step for each op.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, compress, islice, repeat, starmap
from operator import mul, not_, or_, sub

from eio_audit.mlir.ir import IR
from eio_audit.mlir.rewriting.pieces import BlockOrder


class Placement:
    """What is numbered in the old dump, in the order of the new one, run by run.

    Args:
        starts: by run, its first number in the old dump.
        stops: one past its last one.

    Attributes:
        places: by run, its first number in the new dump.

    Example:
        >>> placement = Placement([0, 3, 2, 5], [2, 5, 3, 9])
        >>> placement.old_of
        [0, 1, 3, 4, 2, 5, 6, 7, 8]
        >>> placement.kept, placement.moved_from, placement.moved_to
        ([slice(0, 2, None), slice(5, 9, None)], [slice(3, 5, None), slice(2, 3, None)], [slice(2, 5, None)])
    """

    def __init__(self, starts: Sequence[int], stops: Sequence[int]) -> None:
        self.starts = starts
        self.stops = stops
        self._lengths = list(map(sub, stops, starts))
        *self.places, self._count = accumulate(self._lengths, initial=0)

    def runs(self) -> Iterator[range]:
        """The new numbers of each run."""
        return map(range, self.places, [*self.places[1:], self._count])

    def old_runs(self) -> list[range]:
        """The old numbers of each run."""
        return list(map(range, self.starts, self.stops))

    @cached_property
    def old_of(self) -> list[int]:
        """By new number, the old one."""
        return list(chain.from_iterable(map(range, self.starts, self.stops)))

    @cached_property
    def _is_moved(self) -> list[int]:
        """By run, whether it is: something else than 0."""
        # How far down all have moved so far, taken together: 0 where they are the first ones.
        steps = map(mul, map(sub, self.starts, self.places), self._lengths)
        surplus = list(accumulate(steps, initial=0))
        return list(map(or_, surplus, islice(surplus, 1, None)))

    @cached_property
    def kept(self) -> list[slice]:
        """The runs that are kept."""
        return list(compress(map(slice, self.starts, self.stops), map(not_, self._is_moved)))

    @cached_property
    def moved_from(self) -> list[slice]:
        """The runs that are moved, in the new order."""
        return list(compress(map(slice, self.starts, self.stops), self._is_moved))

    @cached_property
    def moved_to(self) -> list[slice]:
        """The new numbers of what is moved."""
        bounds = [0, *chain.from_iterable((kept.start, kept.stop) for kept in self.kept), self._count]
        stretches = map(slice, bounds[::2], bounds[1::2])
        return [stretch for stretch in stretches if stretch.start < stretch.stop]

    def in_new_order(self, column: array[int]) -> array[int]:
        """A column of the old dump as it would be in the new one."""
        return _joined(column, map(slice, self.starts, self.stops))

    def along(self, offsets: Sequence[int]) -> Placement:
        """The placement of what belongs to these: ``offsets[k]`` is where that of k begins."""
        begins = offsets.__getitem__
        return Placement(list(map(begins, self.starts)), list(map(begins, self.stops)))

    def are_shifted(self, shifts: Sequence[int], *columns: tuple[array[int], array[int]]) -> bool:
        """Whether columns are the same in both dumps, but for what each run is shifted by.

        Args:
            shifts: by run, how much larger its numbers are in the new dump; nothing for a kept one.
            columns: each as it is in the old dump and in the new one.
        """
        moved = compress(zip(shifts, self._lengths, strict=True), self._is_moved)
        moved_shifts = list(chain.from_iterable(starmap(repeat, moved)))
        return all(
            _joined(old, self.kept) == _joined(new, self.kept)
            and _shifted(_joined(old, self.moved_from), moved_shifts) == _joined(new, self.moved_to)
            for old, new in columns
        )


def _joined(column: array[int], rows: Iterable[slice]) -> array[int]:
    """What a column has in these rows."""
    return array(column.typecode, b"".join(map(column.__getitem__, rows)))


def _shifted(column: array[int], shifts: Sequence[int]) -> array[int]:
    return array(column.typecode, [number + shift for number, shift in zip(column, shifts, strict=True)])


def placement_of_ops(ir: IR, orders: Mapping[int, BlockOrder]) -> Placement:
    """Where the ops of a dump stand in another order of some blocks."""
    runs = list(filter(None, _runs(ir, orders)))
    return Placement([run.start for run in runs], [run.stop for run in runs])


def _runs(ir: IR, orders: Mapping[int, BlockOrder]) -> Iterator[range]:
    """The old ops in the textual pre-order of the new dump, nested ones too; some runs may be empty."""
    blocks = sorted(orders, key=lambda block: ir.block_ops[block][0])
    first_ops = [ir.block_ops[block][0] for block in blocks]
    ends, pending = ir.subtree_end, [(range(len(ir)), 0)]
    while pending:
        run, next_block = pending.pop()
        number = bisect_left(first_ops, run.start, next_block)
        if number == len(blocks) or first_ops[number] >= run.stop:
            yield run
            continue
        ops, order = ir.block_ops[blocks[number]], orders[blocks[number]]
        end = ends[ops[-1]]
        yield range(run.start, ops[0])
        pending.append((range(end, run.stop), number + 1))
        ordered = [range(ops[piece.start], ends[ops[piece.stop - 1]]) for piece in order.pieces]
        if bisect_left(first_ops, end, number + 1) == number + 1:  # no other of the blocks is nested in it
            yield from ordered
        else:
            pending += [(piece, number + 1) for piece in reversed(ordered)]
