"""What a page shows of the order: the figures of blocks; of a block its slope, its worst ops and all ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.explain.order_picture import DRAWN_NEIGHBOURS, OrderPicture
from eio_audit.report.html.slope import slope_of
from eio_audit.report.html.table import Cell, Table, columns_of
from eio_audit.report.pictures.dataflow_svg import drawing_of
from eio_audit.report.wording.order import block_name, heading_of, op_name, reason


def block_table(dumps: Sequence[DumpAudit]) -> Table | None:
    """The figures of every block, one row each; None where there is one block only."""
    blocks = [(dump, block) for dump in dumps for block in dump.blocks]
    if len(blocks) < 2:
        return None
    peaks = [block.memory.peak if block.memory else None for _, block in blocks]
    figures = ("line", "ops", "inversions", "forced", "knock_on", "avoidable", "displaced", "wrong_labels")
    columns = columns_of(
        "dump, block, #line, #ops, #inversions, #forced, #knock_on=knock-on, #avoidable, #displaced, "
        "#wrong_labels=wrong indices"
    )
    rows = [
        [heading_of(dump), block_name(block.function, block.block), *(getattr(block, key) for key in figures)]
        for dump, block in blocks
    ]
    if any(peaks):
        columns += columns_of("#peak=peak live bytes")
        rows = [[*row, peak] for row, peak in zip(rows, peaks, strict=True)]
    return Table("blocks", "the blocks that hold indexed ops", columns, rows, "inversions", descending=True)


def block_sections(pictures: Sequence[OrderPicture]) -> list[dict[str, object]]:
    """For each block what the template ``block.html`` shows.

    The id of an op in a page is ``op-57`` for the op at line 57, ``op-57-2`` for the second one there.
    """
    taken: Counter[int] = Counter()
    sections = []
    for section_number, picture in enumerate(pictures, 1):
        ids = []
        for line in (op.op.line for op in picture.ops):
            taken[line] += 1
            ids.append(f"op-{line}" if taken[line] == 1 else f"op-{line}-{taken[line]}")
        sections.append(
            {
                "name": f"block-{section_number}",
                "dump": picture.dump,
                "block": picture.block,
                "slope": slope_of(picture),
                "worst": _worst(picture, ids),
                "table": _op_table(picture, f"ops-{section_number}"),
                "places": _places(picture, ids),
            }
        )
    return sections


def _places(picture: OrderPicture, ids: Sequence[str]) -> dict[str, object]:
    """Where each op was and is, -1 for one that does not count; and the ids that its line does not tell."""
    return {
        "original": [-1 if op.original is None else op.original for op in picture.ops],
        "standing": [-1 if op.standing is None else op.standing for op in picture.ops],
        "anchors": {
            op.place: anchor
            for op, anchor in zip(picture.ops, ids, strict=True)
            if anchor != f"op-{op.op.line}"
        },
    }


def _op_table(picture: OrderPicture, name: str) -> Table:
    why = {place: reason(op, picture.block) for place, op in picture.displaced.items()}
    columns = columns_of(
        "#place, op, #line, module, #inversions, #fixed=after a fix, disorder=displaced, why=why it is there"
    )
    rows: list[list[Cell]] = []
    for one in picture.ops:
        rows.append([one.place, op_name(one.op), one.op.line, one.op.module])
        rows[-1] += [one.inversions, one.inversions_fixed, one.disorder, why.get(one.place)]
    caption = f"the ops of {block_name(picture.block.function, picture.block.block)}; place counts from 0"
    marked = ("disorder", "displaced ops only")
    return Table(name, caption, columns, rows, "inversions", descending=True, marked=marked)


def _worst(picture: OrderPicture, ids: Sequence[str]) -> list[dict[str, object]]:
    return [
        {
            "id": ids[dataflow.around[0]],
            "displaced": picture.displaced[dataflow.around[0]],
            "is_cut": len(dataflow.ops) == DRAWN_NEIGHBOURS < dataflow.block_ops,
            "drawn_ops": len(dataflow.ops),
            "drawing": drawing_of(dataflow, {op.place: f"#{ids[op.place]}" for op in dataflow.ops}),
        }
        for dataflow in picture.dataflow
    ]
