"""The blocks of a dump that are out of order, as text."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.report.document import Link, Order
from eio_audit.report.text.console import Console
from eio_audit.report.wording import count, more, order

SHOWN_BLOCKS = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose
BARS = "▁▂▃▄▅▆▇█"


def print_order(part: Order, console: Console) -> None:
    """Print the blocks with inversions, worst first, compared with an earlier dump."""
    dump, before = part.dump, part.before
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if console.verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [*filter(None, [earlier]), *order.notes(block, verbose=console.verbose)]
        _print_block(block, dump.source, console, said, part.names_wrong)
    if len(blocks) > len(shown):
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print_rest(f"{more(len(blocks) - len(shown), 'block')} with {inversions}", indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if console.verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        console.print(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    return f"before: {order.sum_of(same[0]) if same[0].inversions else 'in order'}"


def _print_block(
    block: BlockAudit, source: str, console: Console, said: list[str], names_wrong: bool
) -> None:
    total, causes = order.sum_pieces(block, verbose=console.verbose)
    name = f"{order.block_name(block.function, block.block)} at line {block.line}: "
    console.print(name, (total, "bold"), (causes, "red" if block.is_shuffled else ""), indent=2)
    for note in said:
        console.print(note, indent=4)
    if console.wraps and console.escaped(BARS) == BARS:
        console.print("original place  ", (_sparkline(block.profile), "cyan"), indent=4)
    if block.wrong_indices:
        console.print(order.wrong_labels(block), indent=4)
    if block.wrong_indices and names_wrong:
        wrong = block.mislabelled if console.verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = Link(f"line {one.op.line}", source, one.op.line)
            right = f" should carry {order.should_carry(one.right)}"
            console.print((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        left_out = more(block.wrong_indices - len(wrong))
        console.print_rest(left_out, indent=6, hints=len(wrong) < len(block.mislabelled))
    if console.verbose:
        _print_displaced(block, source, console)


def _print_displaced(block: BlockAudit, source: str, console: Console) -> None:
    shown = block.worst
    if not shown:
        return  # what is displaced is not comparable
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        op, inversions = displaced.op, count(displaced.inversions, "inversion")
        console.print(
            (op.title, "cyan"),
            f" is {'early' if displaced.early else 'late'} at ",
            Link(f"line {op.line}", source, op.line),
            f", in {inversions}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            console.print(why, indent=8)
    console.print_rest(more(block.displaced - len(shown)), indent=6, hints=False)


def _sparkline(heights: Sequence[float]) -> str:
    """Return one bar for each number from 0 to 1.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)
