"""The proof that a text is the program of a dump with the ops of some blocks in another order.

The ordinary reader reads the text. The orders give the old op of each new op. Then everything in the dump is
compared: texts of ops, nesting, operands and the text outside ops. What the dependences say of values and of
places in a block is found again in the new text, without them. Finally, the dependences are compared.
"""

from __future__ import annotations

import os
import shlex
import signal
import tempfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from threading import Thread
from typing import NamedTuple

from eio_audit.audit.command import TooMuchOutputError, run_command
from eio_audit.audit.dependence import Dependences
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.boundaries import comments_above, gaps, own_header
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics import forms
from eio_audit.mlir.source import InputError, Source, Span, decoded, printable, printable_lines, splice
from eio_audit.order.permutation import inverse

Orders = Mapping[int, Sequence[int]]
"""By block: ``order[k]`` is the textual index of the op placed k-th. Other blocks keep their order."""

_STRUCTURE = (
    *("op_block", "subtree_end", "first_result"),
    *("operand_start", "operands", "late_operands"),
    *("value_owner", "block_region", "region_op"),
)
"""The fields that define a dump's structure, without texts and names."""


class VerificationError(Exception):
    """A rewrite failed its verification. It must not be written."""

    def __init__(self, message: str, details: str = "") -> None:
        self.message = printable(message)  # what is wrong, one line
        self.details = printable_lines(details)  # a compiler's errors, in several lines; empty without one
        super().__init__("\n".join(filter(None, [self.message, self.details])))

    def __reduce__(self) -> tuple[object, ...]:
        """All that it was made of, for another process."""
        return VerificationError, (self.message, self.details)


def read_again(old: IR, text: bytes, what: str) -> IR:
    """Return the IR read from the new text of a dump. Messages describe the text as ``what`` (``rewritten``).

    Raises:
        VerificationError: the text cannot be read.
    """
    try:
        return read_ir(Source(f"{what} {old.source.name}", text), None, old.op_table)
    except InputError as error:
        raise VerificationError(f"the {what} text cannot be read: {error}") from error


def read_same(old: IR, text: bytes, what: str) -> IR:
    """Return the IR, which must have the same ops in the same blocks, defining and using the same values.

    Raises:
        VerificationError: the text cannot be read, or the structure differs.
    """
    new = read_again(old, text, what)
    if any(getattr(new, column) != getattr(old, column) for column in _STRUCTURE):
        raise VerificationError(f"the {what} text has different operations or uses different values")
    return new


def read_relocated(old: IR, locations: Mapping[int, bytes], what: str, text: bytes, added: bytes) -> IR:
    """Return the IR of a ``text`` that must be the dump with new locations for some ops, then ``added``.

    ``locations`` has, by op, what is in its ``loc(...)`` (see ``with_locations``). All else is the same to
    the byte. Messages describe the text as ``what``: ``stamped``.

    Raises:
        VerificationError: the new text has other ops or values or an unexpected location, or is not the old
            text with the old locations.
    """
    new = read_same(old, text, what)
    written = ((location, new.location_text(op) or b"") for op, location in locations.items())
    if any(location not in (own, new.definition(own)) for location, own in written):
        raise VerificationError("a location is not the intended one")
    edits = []
    for op in locations:
        start, end, own = new.location_start[op], new.op_end[op], old.location_text(op)
        edits.append((Span(start - len(" loc("), end), b"") if own is None else (Span(start, end - 1), own))
    without = splice(text, Span(0, len(text) - len(added)), edits)
    if not text.endswith(added) or without != old.dump_text:
        raise VerificationError("more than the intended locations changed")
    return new


def verify(old: IR, orders: Orders, dependences: Dependences, text: bytes) -> IR:
    """Return the IR of ``text``, which must be ``old`` with its blocks in ``orders``, all of them legal.

    Raises:
        VerificationError: it is not.
    """
    for block, order in orders.items():
        in_text = list(range(len(old.block_ops[block])))
        if sorted(order) != in_text:
            raise VerificationError(f"the order found for {old.block_name(block)} is not one of its ops")
        if not old.has_order(block) and list(order) != in_text:
            raise VerificationError(f"ops of a graph region moved, in {old.block_name(block)}")
    new = read_again(old, text, "rewritten")
    if len(new) != len(old) or new.block_count != old.block_count:
        raise VerificationError("the rewritten text has different operations or blocks")
    ops, blocks, regions = in_new_order(old, orders)  # ops[i] is the old op that new op i must be

    for op, old_op in enumerate(ops):
        if new.own_text(op) != old.own_text(old_op):
            raise _failure("the text of an op changed", old, old_op)
    if (
        len(new.region_op) != len(regions)
        or [blocks[block] for block in new.op_block] != [old.op_block[op] for op in ops]
        or [regions[region] for region in new.block_region] != [old.block_region[block] for block in blocks]
        or [ops[op] for op in new.region_op[1:]] != [old.region_op[region] for region in regions[1:]]
    ):
        raise VerificationError("an op is in another block than before")
    _verify_operands(old, new, ops, blocks)
    if list(new.region_is_graph) != [old.region_is_graph[region] for region in regions]:
        raise VerificationError("a region is a graph region only in one of the texts")
    _verify_definitions(old, new, ops)

    for block, old_block in enumerate(blocks):
        if own_header(new, block) != own_header(old, old_block):
            raise VerificationError(f"the arguments of {old.block_name(old_block)} changed")
    if gaps(new) != gaps(old):
        raise VerificationError("the text outside the ops changed: aliases or metadata")
    if b"//" in text or b"//" in old.dump_text:
        if len(text.translate(None, b" \t\r\n")) != len(old.dump_text.translate(None, b" \t\r\n")):
            raise VerificationError("a comment was lost or duplicated")
        if {ops[op]: lines for op, lines in comments_above(new).items()} != comments_above(old):
            raise VerificationError("comment lines are above other ops than before")

    new_block = {old_block: block for block, old_block in enumerate(blocks)}
    _verify_places(old, new, {new_block[block]: order for block, order in orders.items()}, ops)
    seen = Dependences(new, dependences.assume_pure).by_effect([new_block[block] for block in orders])
    for block, graph in dependences.of(orders).items():
        place = inverse(orders[block])
        for _, user in graph.violated_by(place):
            raise _failure("an op would be before one that it depends on", old, graph.ops[user])
        if not graph.same_effect_order(seen[new_block[block]], place):
            raise VerificationError(f"the dependences changed in {old.block_name(block)}")
    return new


def in_new_order(ir: IR, orders: Orders) -> tuple[list[int], list[int], list[int]]:
    """Return the old ops, blocks and regions in the pre-order that the new text must have."""
    ops, blocks, regions = list[int](), list[int](), list[int]()
    pending: list[tuple[list[int], Iterator[int]]] = [(regions, iter([0]))]
    while pending:
        kind, numbers = pending[-1]
        if (number := next(numbers, None)) is None:
            pending.pop()
            continue
        kind.append(number)
        if kind is regions:
            pending.append((blocks, iter(ir.region_blocks[number])))
        elif kind is blocks:
            in_text = ir.block_ops[number]
            pending.append((ops, map(in_text.__getitem__, orders.get(number, range(len(in_text))))))
        elif number in ir.regions_of:
            pending.append((regions, iter(ir.regions_of[number])))
    return ops, blocks, regions


def _verify_operands(old: IR, new: IR, ops: Sequence[int], blocks: Sequence[int]) -> None:
    """Each op uses the same results of the same ops, and the same arguments of the same blocks."""
    owners = [ops[owner] if owner >= 0 else ~blocks[~owner] for owner in new.value_owner]
    old_owners = old.value_owner.tolist()
    if sorted(owners) != sorted(old_owners):
        raise VerificationError("the rewritten text defines different values")
    by_owner = sorted(range(len(owners)), key=owners.__getitem__)  # the values of one owner keep their order
    old_value = dict(zip(by_owner, sorted(range(len(owners)), key=old_owners.__getitem__), strict=True))
    operands, old_operands = [old_value[value] for value in new.operands], old.operands.tolist()
    starts, old_starts = new.operand_start, old.operand_start
    for op, old_op in enumerate(ops):
        if operands[starts[op] : starts[op + 1]] != old_operands[old_starts[old_op] : old_starts[old_op + 1]]:
            raise _failure("an op uses other values", old, old_op)
    late = {ops[op]: [old_value[value] for value in values] for op, values in new.late_operands.items()}
    for op in late.keys() | old.late_operands:
        if late.get(op) != old.late_operands.get(op):
            raise _failure("an op uses other values", old, op)


def _verify_definitions(old: IR, new: IR, ops: Sequence[int]) -> None:
    """Each use of a result comes after the op that defines it, outside graph regions.

    Ops are numbered in textual order, and those nested in an op directly after it. Whether a use in another
    block than the definition is legal depends on the control flow between the blocks, which does not change.
    """
    owner_of, end = new.value_owner, new.subtree_end
    for user in range(len(new)):
        for value in new.operands_of(user):
            definer = owner_of[value]
            if definer < 0 or end[definer] <= user:
                continue  # an argument of a block, or defined before
            block = new.op_block[definer]
            around = new.block_ops[block]
            is_in_block = around[0] <= user < end[around[-1]]  # or nested in one of its ops
            if is_in_block and new.has_order(block):
                raise _failure("an op would be before one whose result it uses", old, ops[user])


def _verify_places(old: IR, new: IR, orders: Orders, ops: Sequence[int]) -> None:
    """Terminators stay last, and nothing comes in between where an op needs its place (``places``).

    ``orders`` are by block of the new text.
    """
    for block, order in orders.items():
        last = ops[new.block_ops[block][order.index(len(order) - 1)]]
        may_end = new.parent_op(block) >= 0 and old.op_table.may_be_terminator(old.name(last))
        if may_end and order[-1] != len(order) - 1:
            raise _failure("the terminator would not be last", old, last)
    for op in forms.ops_with_places(new):
        if forms.must_be_first(new, op) and _passed(new, orders, op)[0]:
            raise _failure("an op would come before one that must be first", old, ops[op])
        if forms.must_precede_terminator(new, op) and _passed(new, orders, op)[1]:
            raise _failure(
                "an op would come between the terminator and one that must precede it", old, ops[op]
            )
        if forms.is_newest_allocation(new, op):
            for holder in (op, *new.enclosing_ops(new.op_block[op])):
                for other in chain(*_passed(new, orders, holder)):
                    if any(forms.changes_stack(new, inner) for inner in (other, *new.nested_ops(other))):
                        raise _failure("an allocation would pass one that must be the newest", old, ops[op])


def _passed(new: IR, orders: Orders, op: int) -> tuple[list[int], list[int]]:
    """Return the ops of its block that passed an op: those that were after it, and those that were before."""
    block = new.op_block[op]
    if block not in orders:
        return [], []
    order, in_text = orders[block], new.block_ops[block]
    place = in_text.index(op)
    up = [in_text[k] for k in range(place) if order[k] > order[place]]
    down = [in_text[k] for k in range(place + 1, len(order)) if order[k] < order[place]]
    return up, down


def _failure(what: str, old: IR, op: int) -> VerificationError:
    line = old.source.line_at(old.op_start[op])
    return VerificationError(f"{what}: {old.name(op)} at {old.source.name}:{line}")


DEFAULT_TIMEOUT = 300.0  # the seconds that a compiler may take to read one text
MOST_PRINTED = 100_000_000  # the most bytes that a compiler may print
MAX_ERROR_BYTES = 1 << 16  # how much is read of a compiler's errors

MOST_LINES, LONGEST_LINE = 12, 240
"""How much of a compiler's errors is shown: so many lines, of so many bytes each."""
MOST_PLACES = 5

_PLACE = pattern(
    rb'(?:<stdin>|/dev/stdin|(?<![\w.-])-):(\d{1,9})(?::(\d{1,9}))?(?=:)|\bloc\(("(?:[^"\\\n]|\\.)*")'
)
"""``<stdin>:3:8:``, or an op's own location as MLIR prints it: ``loc("name")``."""


class Compiler(NamedTuple):
    """A command that reads IR on standard input, such as ``("mlir-opt", "-")``. No shell runs it."""

    command: Sequence[str]  # the program and its arguments
    timeout: float = DEFAULT_TIMEOUT  # the seconds that it may take to read one dump

    @property
    def name(self) -> str:
        """The command in messages."""
        return f"`{shlex.join(self.command)}`"

    def must_accept(self, old: IR, orders: Orders, text: bytes) -> None:
        """Let the compiler read ``text``, which is ``old`` in other orders, without blank lines above it.

        If it refuses the text, it reads the old one too: the reason may be there already.

        Raises:
            InputError: the compiler cannot be run, or does not read the text to its end.
            VerificationError: it refuses the text, or takes too long. The details are its errors, and the ops
                of ``old`` that they name.
        """
        text, old_text = (given.lstrip(b"\r\n") for given in (text, old.dump_text))
        try:
            if (refusal := self._refusal(text)) is None:
                return
            before = None if refusal.is_late else self._refusal(old_text)
        except OSError as error:
            message = f"cannot run {self.name}: {error.strerror or error}"
            raise InputError(old.source.name, None, message) from error
        except _UnreadError as error:
            message = f"{self.name} ends with exit code 0, but does not read all of its standard input"
            raise InputError(old.source.name, None, message) from error
        read, ops = text, in_new_order(old, orders)[0]
        message = f"{self.name} {refusal.how}"
        if before is not None and not before.is_late:
            message = f"{message}; it refuses the input as well"
            refusal, read, ops = before, old_text, list(range(len(old)))
        new = read_ir(Source(old.source.name, read), None, old.op_table)
        details = [*first_lines(refusal.errors), *lines_of_input(refusal.errors, new, old, ops)]
        raise VerificationError(f"{message}:", "\n".join(details))

    def _refusal(self, text: bytes) -> _Refusal | None:
        """Return why the compiler does not accept a text, or None if it does.

        Raises:
            OSError: it cannot be run.
            _UnreadError: it accepts the text without reading it.
        """
        reading, writing = os.pipe()
        writer = Thread(target=_write, args=(writing, text))
        with os.fdopen(reading, "rb") as stdin, tempfile.TemporaryFile() as stderr:
            writer.start()
            floods = False
            try:
                code = run_command(
                    self.command,
                    self.timeout,
                    stdin=stdin,
                    stderr=stderr,
                    written=[stderr.fileno()],
                    most_bytes=MOST_PRINTED,
                )
                is_read = not stdin.read()
            except TimeoutError:
                code = None
            except TooMuchOutputError:
                floods = True
            finally:
                stdin.close()  # the writer ends, whether all is read or not
                writer.join()
            stderr.seek(0)
            errors = stderr.read(MAX_ERROR_BYTES)
        if floods:
            return _Refusal(f"prints over {MOST_PRINTED:,} bytes about the result", errors, is_late=True)
        if code is None:
            return _Refusal(f"did not read the result within {self.timeout:g} seconds", errors, is_late=True)
        if code < 0:
            name = next((one.name for one in signal.Signals if one == -code), f"signal {-code}")
            return _Refusal(f"dies on the result with {name}", errors)
        if code > 0:
            return _Refusal(f"refuses the result with exit code {code}", errors)
        if not is_read:
            raise _UnreadError
        return None


class _Refusal(NamedTuple):
    how: str  # why a text was not accepted
    errors: bytes  # what the compiler printed
    is_late: bool = False  # whether it was stopped


class _UnreadError(Exception):
    """The compiler ended with exit code 0, but left a part of the text."""


def _write(pipe: int, text: bytes) -> None:
    """Write the text and close the pipe, or stop where nobody reads on."""
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as file:
        file.write(text)


def first_lines(errors: bytes) -> list[str]:
    """Return the first lines of a compiler's errors. Long lines are cut."""
    lines = decoded(errors).rstrip().split("\n")
    shown = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}..." for line in lines[:MOST_LINES]
    ]
    if len(lines) > MOST_LINES:
        shown.append(f"... ({len(lines) - MOST_LINES:,} more lines)")
    return shown if errors.strip() else ["(it printed no error)"]


def lines_of_input(errors: bytes, new: IR, old: IR, ops: Sequence[int]) -> list[str]:
    """Return which ops of the input the errors name: ``<stdin>:3:8 is my.op, in the input at a.mlir:7``.

    Args:
        errors: what the compiler printed about the text of ``new``.
        new: the text that the compiler read.
        old: the input.
        ops: by op of ``new``, the same op of ``old``.
    """
    found: dict[int, bytes] = {}
    for place in _PLACE.finditer(errors):
        line, column, name = place.groups()
        for op in _ops_called(name, new) if name else _ops_at(int(line), int(column or 1), new):
            found.setdefault(ops[op], place[0].removeprefix(b"loc("))
        if len(found) >= MOST_PLACES:
            break
    return [
        f"{decoded(place)} is {old.name(op)}, in the input at "
        f"{old.source.name}:{old.source.line_at(old.op_start[op])}"
        for op, place in list(found.items())[:MOST_PLACES]
    ]


def _ops_called(name: bytes, ir: IR) -> Iterator[int]:
    """Yield the ops with this name, quotes included, as the outermost of their location."""
    for op in range(len(ir)):
        location = ir.location_text(op) or b""
        if (ir.definition(location) or location).startswith(name):
            yield op


def _ops_at(line: int, column: int, ir: IR) -> Iterator[int]:
    """Yield the op at a place of the text, if there is one: a 1-based line, and a 1-based column in bytes."""
    data, offset = ir.source.data, 0
    for _ in range(line - 1):
        offset = data.find(b"\n", offset) + 1
        if not offset:
            return
    offset += column - 1
    op = bisect_right(ir.op_start, offset) - 1
    while op >= 0 and offset >= ir.op_end[op]:
        op = ir.parent_op(ir.op_block[op])
    if op >= 0:
        yield op
