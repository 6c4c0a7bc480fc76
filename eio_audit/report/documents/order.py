"""What reports say of the blocks of a dump that are out of order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eio_audit.report.document import Bars, Link, Part, Rest, line
from eio_audit.report.wording import count, more, order

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import BlockAudit, DumpAudit

SHOWN_BLOCKS = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose


def order_of(
    dump: DumpAudit, *, before: DumpAudit | None = None, names_wrong: bool = True, verbose: bool = False
) -> Iterator[Part]:
    """Yield the blocks with inversions, worst first, compared with an earlier dump.

    ``names_wrong`` names the ops with a wrong index, which may be findings already.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        total, causes = order.sum_pieces(block, verbose=verbose)
        name = f"{order.block_name(block.function, block.block)} at line {block.line}: "
        yield line(name, (total, "bold"), (causes, "red" if block.is_shuffled else ""), indent=2)
        for note in filter(None, [earlier, *order.notes(block, verbose=verbose)]):
            yield line(note, indent=4)
        yield Bars("original place", block.profile, indent=4)
        if block.wrong_indices:
            yield from _wrong_labels(block, dump.source, is_each_named=names_wrong, verbose=verbose)
        if verbose:
            yield from _displaced(block, dump.source)
    if len(blocks) > len(shown):
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        yield Rest(f"{more(len(blocks) - len(shown), 'block')} with {inversions}", indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        yield line(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    return f"before: {order.sum_of(same[0]) if same[0].inversions else 'in order'}"


def _wrong_labels(block: BlockAudit, source: str, *, is_each_named: bool, verbose: bool) -> Iterator[Part]:
    yield line(order.wrong_labels(block), indent=4)
    if is_each_named:
        wrong = block.mislabelled if verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = Link(f"line {one.op.line}", source, one.op.line)
            right = f" should carry {order.should_carry(one.right)}"
            yield line((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        yield Rest(more(block.wrong_indices - len(wrong)), indent=6)


def _displaced(block: BlockAudit, source: str) -> Iterator[Part]:
    """Yield the displaced ops. There are none if what is displaced is not comparable."""
    if not block.worst:
        return
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(block.worst) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    yield line(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in block.worst:
        op = displaced.op
        yield line(
            (op.title, "cyan"),
            f" is {'early' if displaced.early else 'late'} at ",
            Link(f"line {op.line}", source, op.line),
            f", in {count(displaced.inversions, 'inversion')}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            yield line(why, indent=8)
    yield Rest(more(block.displaced - len(block.worst)), indent=6, is_in_verbose=False)
