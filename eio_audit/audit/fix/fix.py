"""Write the corrected order of one dump or of several, verified; the lines of a file that this replaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.check import audit_dump, audit_keyed
from eio_audit.audit.check.figures import DumpAudit, Summary, summarize
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork, read_dump
from eio_audit.audit.dependence import Dependences
from eio_audit.audit.fix.verification import Orders, VerificationError, read_same, verify
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions, Relabel
from eio_audit.mlir.input.dumps import Dump, each_dump, rewritten
from eio_audit.mlir.ir import IR
from eio_audit.mlir.pattern import pattern
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.rewriting import reorder
from eio_audit.mlir.source import InputError, Source, Span, bugs_are_errors
from eio_audit.mlir.tokens import COMMENT, STRING, VALUE
from eio_audit.order.permutation import keyed_inversions, permuted_ranges
from eio_audit.order.precedence import Precedence

if TYPE_CHECKING:
    from eio_audit.audit.fix.verification import Compiler


_VALUE_NAME = pattern(STRING + rb"|" + COMMENT + rb"|(?P<name>" + VALUE + rb")")


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
    from eio_audit.mlir.rewriting import ValueNames, names_apart

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


def with_other_names(ir: IR, text: bytes) -> IR:
    """Return the IR read from a text in which only value names may differ. The same object if none does.

    Raises:
        VerificationError: something else differs.
    """
    if text == ir.dump_text:
        return ir
    before, after = (_VALUE_NAME.sub(lambda m: b"%" if m["name"] else m[0], t) for t in (ir.dump_text, text))
    if before != after:
        raise VerificationError("renaming changed more than the names of values")
    return read_same(ir, text, "renamed")


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


_TTNN_OP = pattern(rb'(?<![#!\w.])"?ttnn\.[a-z]')
_L1_LAYOUT = pattern(rb"#ttnn\.buffer_type<l1>|\bmemref<[^\n]{,200}?,\s*#l1>")
"""A layout in L1, the fast memory of a core of tt-metal. ``#l1`` is the alias that MLIR prints."""


class FixedDump(NamedTuple):
    """A corrected and verified dump: plain data that another process can send."""

    text: bytes | None  # the corrected bytes; None if nothing changes
    audit: DumpAudit  # the audit of the original dump
    ordered: DumpAudit  # the audit that gives the new order: `audit`, or an audit with corrected labels
    relabelled: int  # ops that got the index of another op

    def with_options(self, options: AuditOptions) -> FixedDump:
        """The same with other options in its audits."""
        audit = replace(self.audit, options=options)
        is_same = self.ordered is self.audit
        return self._replace(
            audit=audit, ordered=audit if is_same else replace(self.ordered, options=options)
        )


MOST_ROUNDS = 8  # how often a dump is fixed again, if what is comparable depends on the order


@dataclass(frozen=True)
class DumpFix:
    """How to fix each dump. The attributes are the arguments of ``fix``.

    Raises:
        ValueError: ``relabel`` is used with ``order_from``, or is none of ``Relabel``.
    """

    options: AuditOptions = DEFAULT_OPTIONS
    relabel: Relabel | str | None = None
    finds_wrong_labels: bool = True
    verify_with: Compiler | None = None

    def __post_init__(self) -> None:
        if self.relabel is not None:
            object.__setattr__(self, "relabel", Relabel(self.relabel))
            if self.options.order_from is not None:
                raise ValueError("relabel cannot be used with order_from")

    def of(self, dump: Dump, rounds: int = MOST_ROUNDS) -> FixedDump:
        """One dump, fixed in at most so many rounds.

        Raises:
            InputError: the dump cannot be read, or ``verify_with`` cannot be run.
            VerificationError: the corrected text is not the same program in a better order, or
                ``verify_with`` does not accept it.
        """
        before = ordered = audit_dump(dump, self.options, self._work)
        relabelled = 0
        if self.relabel is not None:
            from eio_audit.audit.fix.labels import donors_of_frees

            form = Relabel(self.relabel)
            placed = _with_right_labels(before, before.donors, form, self._work)
            frees = donors_of_frees(placed, placed.orders, placed.indices.by_op)
            ordered = _with_right_labels(placed, frees, form, self._work)
            relabelled = len(before.donors) + len(frees)
        text = None
        if ordered.orders:
            text = corrected(ordered)
        elif ordered.ir is not before.ir:
            text = ordered.ir.dump_text
        if text is not None and self.verify_with is not None:
            self.verify_with.must_accept(before.ir, ordered.orders, text)
        if text is not None and rounds > 1 and _may_compare_anew(ordered):
            text = self.of(_with_text(dump, text), rounds - 1).text or text
        return FixedDump(text, before.audit, ordered.audit, relabelled)

    def __call__(self, dump: Dump) -> FixedDump | InputError | VerificationError:
        """A dump fixed, or why it is not, without the options, which need not be sent back."""
        try:
            with bugs_are_errors(dump.source.name, dump.line, VerificationError):
                return self.of(dump).with_options(DEFAULT_OPTIONS)
        except (InputError, VerificationError) as error:
            return error

    @cached_property
    def _work(self) -> SharedWork:
        finds_wrong_labels = self.finds_wrong_labels or self.relabel is not None
        return SharedWork(0, finds_wrong_labels=finds_wrong_labels, finds_classes=self.finds_wrong_labels)


def _with_right_labels(
    dump: AuditedDump, donors: Mapping[int, int], form: Relabel, work: SharedWork
) -> AuditedDump:
    """Return the dump audited again with corrected labels, or the same object if no label is wrong.

    Other labels may change what is comparable, and so show more wrong ones: then these are corrected, too.

    Raises:
        VerificationError: the relabelled text is not the same program, or as many labels as before contradict
            the dependences.
    """
    if not donors:
        return dump
    from eio_audit.audit.fix.labels import relabelled

    ir = relabelled(dump, donors, flat=form is Relabel.FLAT)
    right = replace(dump.dump, source=ir.source, span=ir.span)
    audited = audit_keyed(read_dump(right, dump.options, ir), work)
    if len(audited.donors) >= len(donors):
        raise VerificationError("the new indices still contradict the dependences")
    return _with_right_labels(audited, audited.donors, form, work)


def _may_compare_anew(dump: AuditedDump) -> bool:
    """Return whether other pairs may be comparable in the new order, so that more may be out of order then.

    It depends on the order which op left a region, and which ops are copies of others.
    """
    ir = dump.ir
    for block, order in dump.orders.items():
        ops, keys = ir.block_ops[block], KeyedBlock(dump, block).keys
        if not keyed_inversions(map(keys.__getitem__, order)):
            continue
        placed = ((keys[place], ir.op_name[ops[place]]) for place in order)
        if _have_twins(placed) or not ir.regions_of.keys().isdisjoint(ops):
            return True
    return bool(dump.audit.summary.not_compared)


def _have_twins(ops: Iterable[tuple[int | None, int]]) -> bool:
    """Return whether two runs of ops, one after another, share ops of two keys, by key and name."""
    run, above, last = set[tuple[int, int]](), set[tuple[int, int]](), -1
    for key, name in ops:
        if key is None:
            continue
        if key < last:
            if len({shared for shared, _ in run & above}) > 1:
                return True
            run, above = set(), run
        run.add((key, name))
        last = key
    return len({shared for shared, _ in run & above}) > 1


def _with_text(dump: Dump, text: bytes) -> Dump:
    return replace(dump, source=Source(dump.source.name, text), span=Span(0, len(text)))


def corrected(dump: AuditedDump) -> bytes:
    """Return the dump's text in the orders found for it. It is read again and verified.

    Raises:
        VerificationError: the text is not the same program (see ``verify``), or a block would have more
            comparable inversions than before.
    """
    text = reordered(dump.ir, dump.orders, dump.dependences)
    for block, order in dump.orders.items():
        keys = KeyedBlock(dump, block).comparable.keys
        if keyed_inversions(map(keys.__getitem__, order)) > keyed_inversions(keys):
            raise VerificationError(f"more inversions than before in {dump.ir.block_name(block)}")
    return text


@dataclass(frozen=True)
class Fix:
    """A corrected and verified text."""

    pieces: tuple[bytes | memoryview, ...]  # the corrected bytes; parts of the input if nothing is avoidable
    dumps: tuple[DumpAudit, ...]  # the audits of the originals; displaced ops are counted, not described
    ordered: tuple[DumpAudit, ...]  # the audits that give the new order: `dumps`, or with corrected labels
    relabelled: int  # ops that got the index of another op, because theirs contradicted the dependences
    moved_in_l1: bool  # whether ops moved beside layouts in L1: their order is a schedule of that memory
    source: Source = field(compare=False, repr=False)  # the input; its `file` has all bytes of it

    @cached_property
    def text(self) -> bytes:
        """The corrected bytes. The input's own bytes if nothing moves."""
        return b"".join(self.pieces)

    @cached_property
    def before(self) -> Summary:
        """The figures of the original dumps."""
        return summarize(self.dumps)

    @cached_property
    def ordered_from(self) -> Summary:
        """The figures of the audits that give the new order. Its minimum is what remains."""
        return summarize(self.ordered)

    @cached_property
    def moved(self) -> int:
        """The fewest ops whose moves explain the new order, including frees that follow their last use."""
        return sum(block.moved for dump in self.ordered for block in dump.blocks)

    @property
    def moved_unindexed(self) -> int:
        """Those of these ops that do not count in inversions."""
        return sum(block.moved_unindexed for dump in self.ordered for block in dump.blocks)

    @property
    def changed(self) -> bool:
        """Whether ops moved or got other indices."""
        return self.moved > 0 or self.relabelled > 0


def fix(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    *,
    only_dumps: bool = False,
    relabel: Relabel | str | None = None,
    finds_wrong_labels: bool = True,
    verify_with: Compiler | None = None,
) -> Fix:
    """Restore the original order of dumps of one source, as far as dependences allow.

    Args:
        dumps: the dumps to fix, in order of appearance. At least one. Other dumps of the source do not
            change.
        options: as for ``check``.
        only_dumps: return only the dumps, without the text around them in the source.
        relabel: first correct the labels that contradict the dependences, a set of least weight. Then no
            comparable inversion remains outside graph regions, but of reversed dependences. A ``Relabel`` or
            its value.
        finds_wrong_labels: find wrong labels and the classes of inversions, though only figures show them.
        verify_with: a compiler that must accept each dump that changes.

    Raises:
        InputError: a dump cannot be read, or ``verify_with`` cannot be run.
        VerificationError: the corrected text is not the same program in a better order, or ``verify_with``
            does not accept it.
        ValueError: there is no dump, the dumps are of several sources, or ``relabel`` is used with
            ``order_from``.
    """
    dump_fix = DumpFix(options, relabel, finds_wrong_labels, verify_with)
    return joined(((dump, dump_fix.of(dump)) for dump in each_dump(dumps)), only_dumps=only_dumps)


def joined(fixed: Iterable[tuple[Dump, FixedDump]], *, only_dumps: bool = False) -> Fix:
    """Put the fixed dumps of one source together. ``only_dumps`` is as for ``fix``.

    Raises:
        ValueError: there is no dump, or the dumps are of several sources.
    """
    source: Source | None = None
    fixes: list[FixedDump] = []
    pieces: list[bytes | memoryview] = []
    moved_in_l1 = False
    offset = 0
    for dump, fix_ in fixed:
        if source is not None and dump.source is not source:
            raise ValueError("expected dumps of one source")
        source = dump.source
        fixes.append(fix_)
        is_moved = any(block.moved for block in fix_.ordered.blocks)
        moved_in_l1 |= is_moved and _is_in_l1(dump)
        if only_dumps:
            pieces.append((dump.text if fix_.text is None else fix_.text).lstrip(b"\r\n"))
        elif fix_.text is not None:
            place, text = source.in_file(dump.span, fix_.text)
            pieces += [memoryview(source.file.data)[offset : place.start], text]
            offset = place.end
    if source is None:
        raise ValueError("expected at least one dump")
    if not only_dumps:
        pieces.append(memoryview(source.file.data)[offset:])
    return Fix(
        pieces=tuple(filter(None, pieces)),
        dumps=tuple(one.audit for one in fixes),
        ordered=tuple(one.ordered for one in fixes),
        relabelled=sum(one.relabelled for one in fixes),
        moved_in_l1=moved_in_l1,
        source=source,
    )


def _is_in_l1(dump: Dump) -> bool:
    """Whether a dump has ops of ``ttnn`` and a layout in L1."""
    data, span = dump.source.data, dump.span
    if data.find(b"ttnn.", span.start, span.end) < 0:
        return False  # found faster than by the patterns
    return all(one.search(data, span.start, span.end) is not None for one in (_TTNN_OP, _L1_LAYOUT))


class Replacement(NamedTuple):
    """The lines from ``first`` to before ``end``, 1-based, become ``text``, which has whole lines."""

    first: int
    end: int
    text: str


def replacement_of(dumps: Sequence[Dump], options: AuditOptions) -> Replacement | None:
    """Return what a fix changes in the file of one dump. The fix is verified.

    None if nothing moves, if the file has several dumps, as a log, is compressed or not text in UTF-8.

    Raises:
        InputError: the dump cannot be read.
        VerificationError: the corrected text is not the same program in a better order.
    """
    if len(dumps) != 1 or dumps[0].source.is_compressed:
        return None
    with bugs_are_errors(dumps[0].source.name, dumps[0].line, VerificationError):
        fixed = fix(dumps, options)
    if not fixed.changed:
        return None
    before = dumps[0].source.file.data[:].split(b"\n")
    after = fixed.text.split(b"\n")
    first = _shared(before, after)
    last = min(_shared(before[::-1], after[::-1]), len(before) - first, len(after) - first)
    changed = after[first : len(after) - last]
    try:
        text = b"".join(line + b"\n" for line in changed).decode()
    except UnicodeDecodeError:
        return None
    return Replacement(first + 1, len(before) - last + 1, text)


def _shared(one: Iterable[bytes], other: Iterable[bytes]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
