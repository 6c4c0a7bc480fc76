"""Write a dump in another order, its own or a random one, or with other value names. All are verified."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.verification import Orders, VerificationError, read_same, verify
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, rewritten
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting.writer import reorder
from eio_audit.mlir.tokens import COMMENT, STRING, VALUE
from eio_audit.order.permutation import permuted_ranges
from eio_audit.order.precedence import Precedence

_VALUE_NAME = re.compile(STRING + rb"|" + COMMENT + rb"|(?P<name>" + VALUE + rb")")


def reordered(ir: IR, orders: Orders, dependences: Dependences) -> bytes:
    """Return the dump's text with its blocks in ``orders``. Values are renamed only if names would clash.

    Raises:
        VerificationError: the text is not the same program (see ``verify``).
    """
    text = in_orders(ir, orders)
    failure: VerificationError | None = None
    try:
        if not verify(ir, orders, dependences, text).repeats_names:
            return text
    except VerificationError as error:
        failure = error
    from eio_audit.mlir.rewriting.value_names import ValueNames, names_apart

    renamed = with_other_names(ir, names_apart(ValueNames(ir.source, ir.span, ir.op_table), orders))
    if renamed is not ir:
        text = in_orders(renamed, orders)
        verify(renamed, orders, dependences, text)
    elif failure is not None:
        raise failure
    return text


def in_orders(ir: IR, orders: Orders) -> bytes:
    """Return the dump's text with its blocks in ``orders``, not verified."""
    return reorder(ir, {block: permuted_ranges(order) for block, order in orders.items()})


def renumbered(ir: IR, orders: Orders) -> IR:
    """Return the dump with the value names of its new order. Its ops do not move.

    The result is the same object if no name changes.

    Raises:
        VerificationError: the text is not the same program up to these names.
    """
    from eio_audit.mlir.rewriting.value_names import ValueNames, renumber

    return with_other_names(ir, renumber(ValueNames(ir.source, ir.span, ir.op_table), orders))


def with_other_names(ir: IR, text: bytes) -> IR:
    """Return the IR read from a text in which only value names may differ. The same object if none does.

    Raises:
        VerificationError: something else differs.
    """
    if text == ir.dump_text:
        return ir
    before, after = (_VALUE_NAME.sub(lambda m: b"%" if m["name"] else m[0], t) for t in (ir.dump_text, text))
    if before != after:
        raise VerificationError("renumbering changed more than the names of values")
    return read_same(ir, text, "renumbered")


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
    blocks = [block for block, ops in enumerate(ir.block_ops) if len(ops) > 1 and ir.has_order(block)]
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
