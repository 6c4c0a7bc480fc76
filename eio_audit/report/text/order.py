"""The order of one dump as text: its blocks with inversions and the ops that are out of place."""

from __future__ import annotations

from eio_audit.audit.check.figures import BlockAudit, DisplacedOp, DumpAudit
from eio_audit.report.text.console import Console, Piece, hyperlink
from eio_audit.report.text.sparkline import can_show_bars, sparkline
from eio_audit.report.wording.order import (
    assumed_pure,
    block_name,
    certificate,
    count,
    inversion_parts,
    moment_of,
    not_reordered_away,
    notes,
    op_name,
    place_of,
    reason,
    should_carry,
    side,
    unknown_ops,
)

SHOWN_BLOCKS = 3
SHOWN_DISPLACED = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3
"""How many of each a report shows that is not verbose."""


def print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    """Prints where the dump is and which pass it belongs to."""
    place = (place_of(dump), f"bold {hyperlink(dump.source, dump.line)}")
    console.print(title, place, f"  {moment_of(dump)}".rstrip())


def print_order(dump: DumpAudit, console: Console, *, verbose: bool, before: DumpAudit | None = None) -> None:
    """Prints the blocks that have inversions, worst first.

    Args:
        dump: what to print.
        console: where.
        verbose: all blocks and all displaced ops that the audit describes.
        before: an earlier dump, to compare with.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [earlier, *notes(block)] if earlier else notes(block)
        _print_block(block, dump.source, console, verbose=verbose, said=said)
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print((f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    if unknown := unknown_ops(dump.unknown_ops, limit=None if verbose else SHOWN_NAMES):
        console.print(unknown, indent=2)
    if assumed := assumed_pure(dump.assumed_pure):
        console.print(assumed, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    """The order of a block in the dump before; empty where its name does not tell the block."""
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    if not same[0].inversions:
        return "before: in order"
    parts = inversion_parts(same[0])
    joint = ", " if len(parts) == 1 else ": "
    return f"before: {count(same[0].inversions, 'inversion')}{joint}{', '.join(parts)}"


def _print_block(block: BlockAudit, source: str, console: Console, *, verbose: bool, said: list[str]) -> None:
    line: list[Piece] = [f"{block_name(block.function, block.block)} at line {block.line}: "]
    parts = inversion_parts(block)
    line.append((count(block.inversions, "inversion"), "bold"))
    line.append(", " if len(parts) == 1 else ": ")
    for number, part in enumerate(parts):
        line += [", " if number else "", (part, "red" if "avoidable" in part else "")]
    if proof := certificate(block):
        line.append((f" ({proof})", "" if block.certified else "yellow"))
    console.print(*line, indent=2)
    for note in said:
        console.print(note, indent=4)
    if console.wraps and can_show_bars(console.encoding):
        console.print("original place  ", (sparkline(block.profile), "cyan"), indent=4)
    _print_wrong_labels(block, source, console, verbose=verbose)
    _print_displaced(block, source, console, verbose=verbose)


def _print_wrong_labels(block: BlockAudit, source: str, console: Console, *, verbose: bool) -> None:
    """Prints the inversions that no order removes, because indices are wrong, and these indices."""
    if not block.wrong_labels:
        return
    console.print(not_reordered_away(block), indent=4)
    shown = block.mislabelled if verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
    for one in shown:
        line = (f"line {one.op.line}", hyperlink(source, one.op.line))
        right = f" should carry {should_carry(one.right)}"
        console.print((op_name(one.op), "cyan"), " at ", line, right, indent=6)
    _print_rest(len(shown), len(block.mislabelled), block.wrong_labels, console)


def _print_displaced(block: BlockAudit, source: str, console: Console, *, verbose: bool) -> None:
    shown = block.worst if verbose else block.worst[:SHOWN_DISPLACED]
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        _print_displaced_op(displaced, block, source, console)
    _print_rest(len(shown), len(block.worst), block.displaced, console)


def _print_rest(shown: int, described: int, total: int, console: Console) -> None:
    """Prints how many of the block's ops of a kind are not shown, and how many more could be."""
    if shown == total:
        return
    hint = f"; --verbose shows {'all' if described == total else f'the worst {described}'}"
    console.print((f"... and {total - shown:,} more{hint if described > shown else ''}", "dim"), indent=6)


def _print_displaced_op(displaced: DisplacedOp, block: BlockAudit, source: str, console: Console) -> None:
    op = displaced.op
    console.print(
        (op_name(op), "cyan"),
        f" is {side(displaced)} at ",
        (f"line {op.line}", hyperlink(source, op.line)),
        f", in {count(displaced.inversions, 'inversion')}",
        (f" ({op.module})" if op.module else "", "dim"),
        indent=6,
    )
    origin = f"a pass made it from the op at #{op.index}" if displaced.derived else ""
    if why := "; ".join(filter(None, (reason(displaced, block), origin))):
        console.print(why, indent=8)
