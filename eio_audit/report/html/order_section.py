"""What a page says of the order: figures, and of a block the slope picture, the worst ops and all ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from eio_audit.audit.check.figures import BlockAudit, DumpAudit, Summary
from eio_audit.audit.explain.dataflow import Dataflow, DataflowOp
from eio_audit.audit.explain.order_picture import DRAWN_NEIGHBOURS, OrderPicture
from eio_audit.audit.op_label import OpLabel
from eio_audit.report.html.page import escaped, island
from eio_audit.report.html.slope import draw_legend, draw_slope
from eio_audit.report.html.table import Column, Table
from eio_audit.report.pictures.dataflow_svg import draw_dataflow
from eio_audit.report.wording.order import (
    at_constants,
    at_frees,
    certificate,
    count,
    inherited,
    inversion_parts,
    memory,
    moment_of,
    not_reordered_away,
    op_name,
    place_of,
    reason,
    right_index,
)


class Anchors:
    """The ids of ops in a page: ``op-57`` for the op at line 57, ``op-57-2`` for the second one there."""

    def __init__(self) -> None:
        self._taken: Counter[int] = Counter()

    def of(self, ops: Sequence[OpLabel]) -> list[str]:
        """One for each op; to be asked once for each picture, in the order of the page."""
        anchors = []
        for op in ops:
            self._taken[op.line] += 1
            number = self._taken[op.line]
            anchors.append(f"op-{op.line}" if number == 1 else f"op-{op.line}-{number}")
        return anchors


def figures(summary: Summary, dumps: Sequence[DumpAudit]) -> str:
    """The sums, and what the inversions consist of."""
    unordered = sum(block.inversions for dump in dumps for block in dump.blocks if block.forced is None)
    tiles = [
        count(summary.dumps, "dump"),
        count(summary.blocks, "block"),
        count(summary.ops, "op"),
        f"{summary.indexed:,} indexed",
        count(summary.inversions, "inversion"),
        f"{summary.displaced:,} displaced",
        f"{summary.derived:,} derived",
    ]
    items = "".join("<li><b>{}</b>{}</li>".format(*tile.split()) for tile in tiles)
    shares = {
        "forced": summary.forced,
        "knock-on": summary.knock_on,
        "avoidable": summary.avoidable,
        "unordered": unordered,
    }
    return f'<ul class="figures">{items}</ul>{_share(shares, summary.inversions)}'


def _share(shares: Mapping[str, int], inversions: int) -> str:
    """A bar of what the inversions consist of; nothing without any."""
    if not inversions:
        return ""
    present = {name: number for name, number in shares.items() if number}
    parts = "".join(f'<span class="{name}" style="flex:{number}"></span>' for name, number in present.items())
    words = {"unordered": "in graph regions"}
    text = ", ".join(f"{number:,} {words.get(name, name)}" for name, number in present.items())
    return (
        f'<div class="share" aria-hidden="true">{parts}</div><p>{count(inversions, "inversion")}: {text}</p>'
    )


def heading_of(dump: DumpAudit) -> str:
    """Where a dump stands, and the moment it shows."""
    return f"{place_of(dump)} {moment_of(dump)}".strip()


def block_table(dumps: Sequence[DumpAudit]) -> str:
    """The figures of every block, one row each; nothing where there is one block only."""
    blocks = [(dump, block) for dump in dumps for block in dump.blocks]
    if len(blocks) < 2:
        return ""

    def numbers(key: str, title: str = "") -> Column:
        return Column(key, title or key, [getattr(block, key) for _, block in blocks], is_number=True)

    columns = [
        Column("dump", "dump", [heading_of(dump) for dump, _ in blocks]),
        Column("block", "block", [_name_of(block) for _, block in blocks]),
        *map(numbers, ("line", "ops", "inversions", "forced")),
        numbers("knock_on", "knock-on"),
        *map(numbers, ("avoidable", "displaced")),
        numbers("wrong_labels", "wrong indices"),
    ]
    peaks = [block.memory.peak if block.memory else None for _, block in blocks]
    if any(peaks):
        columns.append(Column("peak", "peak live bytes", peaks, is_number=True))
    table = Table("blocks", "the blocks that hold indexed ops", columns, "inversions", descending=True)
    return f"<h2>Blocks</h2>{table.html()}"


def block_section(picture: OrderPicture, number: int, anchors: Anchors) -> str:
    """One block: the slope picture, its worst ops with what surrounds them, and all of its ops."""
    block = picture.block
    ids = anchors.of([op.op for op in picture.ops])
    parts = filter(None, (", ".join(inversion_parts(block)), certificate(block)))
    notes = ["; ".join(parts), inherited(block), at_constants(block), at_frees(block), memory(block)]
    name, table = f"block-{number}", _op_table(picture, f"ops-{number}")
    return "\n".join(
        [
            f'<section id="{name}" data-places="{name}-places" data-table="{table.name}">',
            f"<h2>{escaped(_name_of(block))} at line {block.line}</h2>",
            f'<p class="faint">{escaped(heading_of(picture.dump))}</p>',
            f'<p class="verdict">{count(block.inversions, "inversion")}, '
            f"{block.displaced:,} of {count(block.indexed, 'indexed op')} displaced</p>",
            *(f"<p>{escaped(note)}</p>" for note in notes if note),
            *_wrong_indices(block),
            draw_legend(picture),
            _TOOLS,
            draw_slope(picture),
            '<div class="detail" aria-live="polite" hidden>Point at a line, or pick an op.</div>',
            *_worst(picture, ids),
            "<h3>Ops</h3>",
            table.html(),
            island(f"{name}-places", _places(picture, ids)),
            "</section>",
        ]
    )


def _wrong_indices(block: BlockAudit) -> Iterator[str]:
    """What no order can help, and the indices that would have to change for it."""
    if block.wrong_labels:
        ops = "".join(f"<li>{escaped(right_index(op))}</li>" for op in block.mislabelled)
        yield f"<details><summary>{escaped(not_reordered_away(block))}</summary><ul>{ops}</ul></details>"


_TOOLS = (
    '<div class="tools" hidden><button type="button" class="whole">Whole block</button>'
    '<button type="button" class="nearer">Nearer</button><button type="button" class="wider">Wider</button>'
    '<button type="button" class="up">Up</button><button type="button" class="down">Down</button></div>'
)


def _name_of(block: BlockAudit) -> str:
    return " ".join(filter(None, (block.function, block.block)))


def _places(picture: OrderPicture, ids: Sequence[str]) -> dict[str, object]:
    """Where each op stood and stands, -1 for one without a say; and the ids that its line does not tell."""

    def or_none(place: int | None) -> int:
        return -1 if place is None else place

    return {
        "original": [or_none(op.original) for op in picture.ops],
        "standing": [or_none(op.standing) for op in picture.ops],
        "anchors": {
            op.place: anchor
            for op, anchor in zip(picture.ops, ids, strict=True)
            if anchor != f"op-{op.op.line}"
        },
    }


def _op_table(picture: OrderPicture, name: str) -> Table:
    ops = picture.ops
    why = {place: reason(op, picture.block) for place, op in picture.displaced.items()}
    columns = [
        Column("place", "place", [op.place for op in ops], is_number=True),
        Column("op", "op", [op_name(op.op) for op in ops]),
        Column("line", "line", [op.op.line for op in ops], is_number=True),
        Column("module", "module", [op.op.module for op in ops]),
        Column("inversions", "inversions", [op.inversions for op in ops], is_number=True),
        Column("fixed", "after a fix", [op.inversions_fixed for op in ops], is_number=True),
        Column("disorder", "displaced", [op.disorder.value if op.disorder else "" for op in ops]),
        Column("why", "why it stands there", [why.get(op.place, "") for op in ops]),
    ]
    marked = ("disorder", "displaced ops only")
    caption = f"the ops of {_name_of(picture.block)}; place counts from 0"
    return Table(name, caption, columns, "inversions", descending=True, marked=marked)


def _worst(picture: OrderPicture, ids: Sequence[str]) -> list[str]:
    """The displaced ops in most inversions, each with what surrounds it."""
    if not picture.dataflow:
        return []

    def link_of(op: DataflowOp) -> str:
        return f"#{ids[op.place]}"

    cards = ["<h3>What surrounds the displaced ops</h3>"]
    for number, dataflow in enumerate(picture.dataflow):
        [place] = dataflow.around
        displaced = picture.displaced[place]
        side = "early" if displaced.early else "late"
        heading = (
            f"{op_name(displaced.op)} stands {side} at line {displaced.op.line}, "
            f"in {count(displaced.inversions, 'inversion')}"
        )
        cards += [
            f'<details id="{ids[place]}"{" open" if number == 0 else ""}>',
            f"<summary>{escaped(heading)}</summary>",
            f"<p>{escaped(reason(displaced, picture.block))}{_cut(dataflow)}</p>",
            f'<div class="drawing" tabindex="0">{draw_dataflow(dataflow, link_of=link_of)}</div></details>',
        ]
    return cards


def _cut(dataflow: Dataflow) -> str:
    is_cut = len(dataflow.ops) == DRAWN_NEIGHBOURS < dataflow.block_ops
    return f" (the nearest {DRAWN_NEIGHBOURS} ops)" if is_cut else ""
