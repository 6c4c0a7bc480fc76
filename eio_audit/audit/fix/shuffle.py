"""A random legal order, for demonstrations and tests."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.reordering import reordered
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, rewritten
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.order.precedence import Precedence


def shuffle(dumps: Sequence[Dump], seed: int, options: AuditOptions = DEFAULT_OPTIONS) -> bytes:
    r"""Return the dumps' source with the ops of each block in a random order that keeps all dependences.

    Terminators stay last, ops stay in their block, and graph regions do not change, as in a fix. The result
    is verified like a fix. The same input and seed always give the same order.

    Raises:
        InputError: a dump cannot be read.
        VerificationError: the result is not the same program.
        ValueError: there is no dump, or the dumps are of several sources.

    >>> from eio_audit.mlir.input.dumps import read_text
    >>> dumps = read_text("func.func @f() {\n  %0 = ttir.zeros\n  %1 = ttir.ones\n  return\n}\n")
    >>> shuffle(dumps, seed=2).decode().split("\n")[1:4]
    ['  %1 = ttir.ones', '  %0 = ttir.zeros', '  return']
    """
    random = Random(seed)
    return rewritten(dumps, lambda dump: _shuffled(dump, random, options))


def _shuffled(dump: Dump, random: Random, options: AuditOptions) -> bytes:
    ir = read_ir(dump.source, dump.span, options.op_table)
    dependences = Dependences(ir, options.assume_pure)
    return reordered(ir, random_orders(ir, dependences, random), dependences)


def random_orders(ir: IR, dependences: Dependences, random: Random) -> dict[int, list[int]]:
    """Return a random legal order of each block that has an order and more than one op."""
    blocks = [
        block
        for block, ops in enumerate(ir.block_ops)
        if len(ops) > 1 and not ir.region_is_graph[ir.block_region[block]]
    ]
    graphs = dependences.of(blocks)
    return {block: random_order(graphs[block].precedence, random) for block in blocks}


def random_order(precedence: Precedence, random: Random) -> list[int]:
    """Return a random linear extension, by Kahn's algorithm with a uniform choice among the ready ops.

    Not all linear extensions are equally likely. ``order[k]`` is the op placed k-th.
    """
    waiting_for = [len(precedence.predecessors(op)) for op in range(precedence.size)]
    ready = [op for op, count in enumerate(waiting_for) if not count]
    order = []
    while ready:
        place = int(random.random() * len(ready))  # choice() may differ between versions of Python
        ready[place], ready[-1] = ready[-1], ready[place]
        order.append(op := ready.pop())
        for user in precedence.successors(op):
            waiting_for[user] -= 1
            if not waiting_for[user]:
                ready.append(user)
    return order
