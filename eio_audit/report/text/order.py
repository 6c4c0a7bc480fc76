"""Dumps out of order as text: a table of several, the blocks with inversions and the ops out of place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from eio_audit.audit.check.disorder import DisplacedOp
from eio_audit.audit.check.figures import BlockAudit, DumpAudit
from eio_audit.report.text.console import Console, Piece, hyperlink, plain
from eio_audit.report.text.table import Column, print_table
from eio_audit.report.wording import order
from eio_audit.report.wording.numbers import count, if_any

SHOWN_BLOCKS = 3
SHOWN_DISPLACED = 3
SHOWN_WRONG_LABELS = 3
SHOWN_NAMES = 3
"""How many of each a report shows that is not verbose."""

BARS = "▁▂▃▄▅▆▇█"


def print_disorder(
    dumps: Sequence[DumpAudit], broken: Sequence[DumpAudit], console: Console, *, verbose: bool
) -> None:
    """Prints what is out of order, most room for what is worst.

    ``broken`` are those of the ``dumps`` that have inversions, one at least. Several are in a table, and at
    most two of them are described, unless verbose.
    """
    if len(broken) > 1:
        _print_overview(dumps, console, verbose=verbose)
    for dump in broken if verbose or len(broken) == 1 else _worst(broken):
        print_heading(dump, console)
        print_order(dump, console, verbose=verbose)
        console.print()
    if len(broken) == 1 and len(dumps) > 1:
        indexed = sum(dump.summary.has_indices for dump in dumps if dump is not broken[0])
        others = len(dumps) - 1 - indexed
        notes = [f"{count(indexed, 'other dump')} in order"] if indexed else []
        console.print(", ".join(notes + ([f"{count(others, 'dump')} without op indices"] if others else [])))


def _worst(broken: Sequence[DumpAudit]) -> list[DumpAudit]:
    """The dump of most inversions and that of most avoidable ones, if there are any."""
    worst = max(broken, key=lambda dump: dump.summary.inversions)
    most_avoidable = max(broken, key=lambda dump: dump.summary.avoidable)
    return [dump for dump in broken if dump is worst or (dump is most_avoidable and dump.summary.avoidable)]


def _print_overview(dumps: Sequence[DumpAudit], console: Console, *, verbose: bool) -> None:
    """A table of the dumps; of those alike in a row only the first, unless verbose."""
    runs = [[dump] for dump in dumps] if verbose else _runs(dumps)
    rows = [(run[0], run[0].summary) for run in runs]
    is_log = len({dump.source for dump in dumps}) == 1
    titles = list(map(_title, runs))
    if is_log:
        console.print((dumps[0].source, "bold"))
    else:
        titles = [
            f"{order.place_of(dump)}  {title}".rstrip() for (dump, _), title in zip(rows, titles, strict=True)
        ]

    def of_broken(name: str) -> list[str]:
        return [f"{getattr(sums, name):,}" if sums.inversions else "" for _, sums in rows]

    uncertain = ["" if sums.certified else "+" for _, sums in rows]
    avoidable = list(map("".join, zip(of_broken("avoidable"), uncertain, strict=True)))
    wrong = [if_any(sums.wrong_labels) for _, sums in rows]
    in_graphs = [if_any(order.in_graph_regions(dump)) for dump, _ in rows]
    columns = [
        Column("line", [str(dump.line) if is_log else "" for dump, _ in rows], right=True),
        Column("inversions", [f"{sums.inversions:,}" for _, sums in rows], right=True, style="bold"),
        Column("forced", of_broken("forced"), right=True),
        Column("knock-on", of_broken("knock_on"), right=True, optional=True),
        Column("avoidable", avoidable, right=True, style="red"),
        Column("wrong indices", wrong, right=True, optional=True),
        Column("in graphs", in_graphs, right=True, optional=True),
        Column("ops", [f"{sums.ops:,}" for _, sums in rows], right=True, optional=True),
        Column("dump", titles),
    ]
    indent = 2 if is_log else 0
    print_table(console, columns, indent)
    if any(uncertain):
        console.print(("+ not certified: perhaps more are avoidable", "yellow"), indent=indent)
    console.print()


def _runs(dumps: Iterable[DumpAudit]) -> list[list[DumpAudit]]:

    def likeness(dump: DumpAudit) -> tuple[object, ...]:
        figures = dump.summary
        if not figures.inversions:
            return (figures.has_indices,)
        return dump.source, figures.inversions, figures.forced, figures.minimum, figures.lower_bound

    return [list(run) for _, run in groupby(dumps, key=likeness)]


def _title(run: Sequence[DumpAudit]) -> str:
    """When the first dump of a run was printed, and how many there are."""
    dump, size = run[0], len(run)
    if not dump.summary.has_indices:
        note = f"{size:,} dumps without op indices" if size > 1 else "no op indices"
    elif not dump.summary.inversions:
        note = f"{size:,} dumps in order" if size > 1 else "in order"
    else:
        note = ("", "next dump alike")[size - 1] if size < 3 else f"next {size - 1:,} alike"
    moment = order.moment_of(dump)
    return f"{moment} ({note})" if moment and note else moment or note


def print_heading(dump: DumpAudit, console: Console, title: str = "") -> None:
    """Prints where the dump is and which pass it belongs to."""
    place = (order.place_of(dump), f"bold {hyperlink(dump.source, dump.line)}")
    console.print(title, place, f"  {order.moment_of(dump)}".rstrip())


def print_order(dump: DumpAudit, console: Console, *, verbose: bool, before: DumpAudit | None = None) -> None:
    """Prints the blocks that have inversions, worst first; ``before`` is an earlier dump to compare with.

    Verbose: all blocks and all displaced ops that the audit describes.
    """
    blocks = sorted((b for b in dump.blocks if b.inversions), key=lambda b: -b.inversions)
    shown = blocks if verbose else blocks[:SHOWN_BLOCKS]
    for block in shown:
        earlier = "" if before is None else _earlier(block, before)
        said = [earlier, *order.notes(block)] if earlier else order.notes(block)
        _print_block(block, dump.source, console, verbose=verbose, said=said)
    if len(blocks) > len(shown):
        rest = count(len(blocks) - len(shown), "more block")
        inversions = count(sum(b.inversions for b in blocks[len(shown) :]), "inversion")
        console.print((f"... and {rest} with {inversions}; --verbose shows all", "dim"), indent=2)
    unknown = order.unknown_ops(dump.unknown_ops, limit=None if verbose else SHOWN_NAMES)
    for note in filter(None, (unknown, order.assumed_pure(dump.assumed_pure))):
        console.print(note, indent=2)


def _earlier(block: BlockAudit, before: DumpAudit) -> str:
    """The order of a block in the dump before; empty where its name does not tell the block."""
    if before.summary.has_indices and not before.summary.inversions:
        return "before: in order"
    same = [b for b in before.blocks if (b.function, b.block) == (block.function, block.block)]
    if len(same) != 1:
        return ""
    if not same[0].inversions:
        return "before: in order"
    return f"before: {''.join(map(plain, _inversions(same[0])))}"


def _inversions(block: BlockAudit) -> list[Piece]:
    """``767 inversions: 388 forced by dependences, 379 avoidable``."""
    parts = order.inversion_parts(block)
    line: list[Piece] = [(count(block.inversions, "inversion"), "bold"), ", " if len(parts) == 1 else ": "]
    for number, part in enumerate(parts):
        line += [", " if number else "", (part, "red" if "avoidable" in part else "")]
    return line


def _print_block(block: BlockAudit, source: str, console: Console, *, verbose: bool, said: list[str]) -> None:
    line = [f"{order.block_name(block.function, block.block)} at line {block.line}: ", *_inversions(block)]
    if proof := order.certificate(block):
        line.append((f" ({proof})", "" if block.certified else "yellow"))
    console.print(*line, indent=2)
    for note in said:
        console.print(note, indent=4)
    if console.wraps and console.escaped(BARS) == BARS:
        console.print("original place  ", (_sparkline(block.profile), "cyan"), indent=4)
    if block.wrong_labels:
        console.print(order.not_reordered_away(block), indent=4)
        wrong = block.mislabelled if verbose else block.mislabelled[:SHOWN_WRONG_LABELS]
        for one in wrong:
            at_line = (f"line {one.op.line}", hyperlink(source, one.op.line))
            right = f" should carry {order.should_carry(one.right)}"
            console.print((order.op_name(one.op), "cyan"), " at ", at_line, right, indent=6)
        _print_rest(len(wrong), len(block.mislabelled), block.wrong_labels, console)
    shown = block.worst if verbose else block.worst[:SHOWN_DISPLACED]
    verb = "is" if block.displaced == 1 else "are"
    worst = "; the worst" if len(shown) < block.displaced else ""
    total = count(block.indexed, "indexed op")
    console.print(f"{block.displaced:,} of {total} {verb} displaced{worst}:", indent=4)
    for displaced in shown:
        console.print(*displaced_pieces(displaced, source), indent=6)
        origin = f"a pass made it from the op at #{displaced.op.index}" if displaced.derived else ""
        if why := "; ".join(filter(None, (order.reason(displaced, block), origin))):
            console.print(why, indent=8)
    _print_rest(len(shown), len(block.worst), block.displaced, console)


def _print_rest(shown: int, described: int, total: int, console: Console) -> None:
    if shown < total:
        hint = f"; --verbose shows {'all' if described == total else f'the worst {described}'}"
        more = f"... and {total - shown:,} more{hint if described > shown else ''}"
        console.print((more, "dim"), indent=6)


def displaced_pieces(displaced: DisplacedOp, source: str, block: str = "") -> list[Piece]:
    """``#23 ttir.permute %56 is early at line 9, in 3 inversions (Conv2d[conv])``; with the block's name."""
    op = displaced.op
    return [
        (order.op_name(op), "cyan"),
        f"{f' in {block}' if block else ''} is {order.side(displaced)} at ",
        (f"line {op.line}", hyperlink(source, op.line)),
        f", in {count(displaced.inversions, 'inversion')}",
        (f" ({op.module})" if op.module else "", "dim"),
    ]


def _sparkline(heights: Sequence[float]) -> str:
    """One bar for each number from 0 to 1.

    >>> _sparkline([0.0, 0.5, 1.0])
    '▁▅█'
    """
    return "".join(BARS[min(int(height * len(BARS)), len(BARS) - 1)] for height in heights)
