"""The order of a dump as text: blocks with inversions, displaced ops, and what blocks them."""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.report.text.console import Console, hyperlink
from eio_audit.report.wording import order
from eio_audit.report.wording.numbers import count

SHOWN_BLOCKS = 3
SHOWN_DISPLACED = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3  # the most names of each kind that a report shows unless verbose

BARS = "▁▂▃▄▅▆▇█"


def print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    """Print where the dump is and which pass it belongs to."""
    place = (order.place_of(dump), f"bold {hyperlink(dump.source, dump.line)}")
    console.print(title, place, f"  {dump.moment}".rstrip())


def print_order(
    dump: DumpAudit, console: Console, *, before: DumpAudit | None = None, names_wrong: bool = True
) -> None:
    """Print the blocks with inversions, worst first.

    Args:
        dump: what to print.
        console: where.
        before: an earlier dump to compare with.
        names_wrong: whether to name the ops with a wrong index, which may be findings already.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if console.verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [earlier, *order.notes(block)] if earlier else order.notes(block)
        _print_block(block, dump.source, console, said, names_wrong)
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print((f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if console.verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        console.print(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    """Return the order of a block in the earlier dump. Empty unless its name is unique there."""
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
        console.print(order.not_reordered_away(block), indent=4)
    if block.wrong_indices and names_wrong:
        wrong = block.mislabelled if console.verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = (f"line {one.op.line}", hyperlink(source, one.op.line))
            right = f" should carry {order.should_carry(one.right)}"
            console.print((one.op.title, "cyan"), " at ", at_line, right, indent=6)
        _print_rest(len(wrong), len(block.mislabelled), block.wrong_indices, console)
    shown = block.worst if console.verbose else block.worst[:SHOWN_DISPLACED]
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        op, inversions = displaced.op, count(displaced.inversions, "inversion")
        console.print(
            (op.title, "cyan"),
            f" is {order.side(displaced)} at ",
            (f"line {op.line}", hyperlink(source, op.line)),
            f", in {inversions}",
            (f" ({op.module})" if op.module else "", "dim"),
            indent=6,
        )
        origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            console.print(why, indent=8)
    _print_rest(len(shown), len(block.worst), block.displaced, console)


def _print_rest(shown: int, described: int, total: int, console: Console) -> None:
    if shown < total:
        hint = f"; --verbose shows {'all' if described == total else f'the worst {described}'}"
        more = f"... and {total - shown:,} more{hint if described > shown else ''}"
        console.print((more, "dim"), indent=6)


def _sparkline(heights: Sequence[float]) -> str:
    """Return one bar for each number from 0 to 1.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)
