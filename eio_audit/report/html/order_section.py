"""The order on a page: findings, figures of blocks, and for each drawn block its slope picture and ops.

In the slope picture each op is a line from its place in the original order to its place in the dump. Both
axes count the ops that count in inversions, downwards. The picture is 100 units wide and one unit per op
high. It is stretched to the available space, and only its viewBox zooms it. Lines that cross are inversions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from eio_audit.audit.check.keyed_block import UNCOUNTED
from eio_audit.audit.explain.order_picture import DRAWN_NEIGHBOURS, TEXTS_AROUND, Disorder, OrderPicture
from eio_audit.report.document import Figures, columns_if_any, columns_of, figures_of
from eio_audit.report.graph import drawing_of
from eio_audit.report.html.data import Table
from eio_audit.report.wording import order
from eio_audit.report.wording.conclusion import explain_command
from eio_audit.report.wording.trace import made_by

if TYPE_CHECKING:
    from eio_audit.audit.check.figures import BlockAudit, DumpAudit
    from eio_audit.audit.gate.findings import Finding
    from eio_audit.audit.log.trace import Trace

SINGLE_LINES = 2000  # up to so many ops, each has a line; in larger blocks those in order are bands
MAPPED_OPS = 500  # the most ops of a picture without bars beside it that show where ops are out of order
MAP_PARTS = 140  # the number of these bars
LABELS = 12  # how many op names are beside the picture without scripts; a script fills the available space
HEIGHT = 560  # the most of the picture, in pixels
LABEL_HEIGHT = 18  # of an op's row, in pixels
LEAST_ROWS = 4  # the picture has room for so many

MEANINGS = {
    Disorder.WRONG_INDEX: "wrong index: its index contradicts the dependences; fix --relabel corrects it",
    Disorder.AVOIDABLE: "avoidable: a fix moves it",
    Disorder.BLOCKED: "blocked: a dependence keeps it there",
    Disorder.MADE: "made by a pass: it carries the index of another place",
    Disorder.STAYS: "stays: no dependence keeps it there, yet no better order was found",
    Disorder.REVERSED: "reversed dependence: it stands before an op that touches the same resource",
    Disorder.NOT_COMPARABLE: "not comparable: the original order does not say where it belongs",
    Disorder.UNORDERED: "in a graph region, which has no order",
}


def slope_of(picture: OrderPicture) -> dict[str, object]:
    """Return what the template ``slope.html`` shows. Heights count ops from the top; ``height`` is pixels."""
    counted = [place for place, rank in enumerate(picture.textual_ranks) if rank != UNCOUNTED]
    in_order = [place for place in counted if picture.disorders.get(place) is None]
    on_top = Disorder.WRONG_INDEX
    out_of_order = sorted(
        (place for place in counted if picture.disorders.get(place)),
        key=lambda place: picture.disorders.get(place) is on_top,
    )
    numbers = Counter(picture.disorders.values())
    are_bands = len(counted) > SINGLE_LINES
    lines = out_of_order if are_bands else in_order + out_of_order
    return {
        "ops": len(counted),
        "height": min(HEIGHT, max(len(counted), LEAST_ROWS) * LABEL_HEIGHT),
        "legend": [(kind.value, numbers[kind], text) for kind, text in MEANINGS.items() if kind in numbers],
        "left": [
            (top, f"#{picture.labels[place].index}")
            for top, place in _labelled(sorted(counted, key=picture.originals.__getitem__))
        ],
        "right": [(top, picture.labels[place].title) for top, place in _labelled(counted)],
        "bands": list(_bands(picture, in_order)) if are_bands else [],
        "lines": [
            (
                picture.disorders.get(place) or "kept",
                picture.originals[place] + 0.5,
                picture.textual_ranks[place] + 0.5,
            )
            for place in lines
        ],
        "parts": _parts(picture, out_of_order, len(counted)) if len(counted) > MAPPED_OPS else [],
    }


def _parts(picture: OrderPicture, out_of_order: Sequence[int], total: int) -> list[tuple[int, float, int]]:
    """Return the parts of the block with ops out of order: start, bar width in percent, size in ops."""
    size = -(-total // MAP_PARTS)
    numbers = Counter(picture.textual_ranks[place] // size for place in out_of_order)
    most = max(numbers.values(), default=1)
    return [(part * size, 100 * number / most, size) for part, number in sorted(numbers.items())]


def _bands(picture: OrderPicture, places: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield groups of ops that stayed together: their start on the left and the right, and their number."""
    ends = enumerate((picture.originals[place], picture.textual_ranks[place]) for place in places)
    for _, band in groupby(ends, key=lambda at: (at[1][0] - at[0], at[1][1] - at[0])):
        (_, (left, right)), *others = band
        yield left, right, 1 + len(others)


def _labelled(places: Sequence[int]) -> list[tuple[str, int]]:
    step = max(1, -(-len(places) // LABELS))
    return [(f"{(k + 0.5) / len(places):.2%}", places[k]) for k in range(0, len(places), step)]


SHOWN_FINDINGS = 50  # the most findings that a page lists, worst first
OPEN_FINDINGS = 10  # how many findings are visible before the list is unfolded

_Place = tuple[str, int, str]  # the file, the line and the name of an op, in pictures and in findings


def block_table(dumps: Sequence[DumpAudit], sections: Sequence[Section]) -> Table | None:
    """Return the figures of every block, one row each. None if there is only one block."""
    blocks = [(dump, block) for dump in dumps for block in dump.blocks]
    if len(blocks) < 2:
        return None
    links = {_name_of(section.dump, section.block): f"#{section.name}" for section in sections}
    classes = columns_if_any([block for _, block in blocks], order.CLASSES)
    keys = f"#line, #ops, #inversions, #minimum=not avoidable, #avoidable, {classes}#displaced=out of order"
    rows = figures_of((block for _, block in blocks), keys).rows
    named = [
        [order.heading_of(dump), order.block_name(block.function, block.block), *figures]
        for (dump, block), figures in zip(blocks, rows, strict=True)
    ]
    return Table(
        "blocks",
        "the blocks that hold indexed ops",
        Figures(columns_of(f"dump, block, {keys}"), named),
        "-avoidable, -inversions",
        links=("block", [links.get(_name_of(dump, block)) for dump, block in blocks]),
    )


def _name_of(dump: DumpAudit, block: BlockAudit) -> tuple[object, ...]:
    return dump.source, dump.line, block.function, block.block, block.line


@dataclass(frozen=True, slots=True)
class Card:
    """The unfolded details of one op on a page."""

    name: str  # its id in the page
    title: str  # what is wrong with it
    origin: str  # where in the model it comes from
    # The ops around it and the ops that the finding names, each with its line, its text, and whether it
    # is the op itself.
    excerpt: Sequence[tuple[int, str, bool]]
    command: str  # the command that explains it
    # The id of its block's section. None if its block is not drawn.
    section: str | None
    # The dataflow around it. Empty if not drawn. `is_cut` if some of it is left out.
    drawing: Mapping[str, object]
    is_cut: bool
    # The finding of a gate. None for an op that is only displaced.
    finding: Finding | None = None


class Section:
    """What the template ``block.html`` shows of the ``number``-th block of a page.

    ``repeats`` has, by place, the number of an op among those of its line on the page, from the second.
    """

    def __init__(
        self,
        picture: OrderPicture,
        number: int,
        repeats: Mapping[int, int],
        findings: Mapping[_Place, Finding],
    ) -> None:
        self.name = f"block-{number}"
        self.dump = picture.dump
        self.block = picture.block
        self.slope = slope_of(picture)
        self.picture = picture
        self._repeats = repeats
        self._findings = findings
        self._found_lines = {line for source, line, _ in findings if source == picture.dump.source}
        self._dataflow = {flow.around[0]: flow for flow in picture.dataflow}

    @property
    def command(self) -> str:
        """The start of the command that explains an op. The op's line follows. Empty without one."""
        return explain_command(self.dump, self.dump.source)

    def id_of(self, place: int) -> str:
        """Return the id of an op: ``op-57`` for the op at line 57, ``op-57-2`` for the second there."""
        line, repeat = self.picture.labels[place].line, self._repeats.get(place)
        return f"op-{line}" if repeat is None else f"op-{line}-{repeat}"

    def place_of(self, place: int) -> _Place:
        """Return what identifies an op on the page."""
        label = self.picture.labels[place]
        return self.dump.source, label.line, label.title

    def cards(self) -> list[Card]:
        """The cards of the ops whose dataflow is drawn."""
        return [self.card(place) for place in self._dataflow]

    def card(self, place: int, finding: Finding | None = None) -> Card:
        """Return the card of an op."""
        labels, flow = self.picture.labels, self._dataflow.get(place)
        op = labels[place]
        excerpt = {*range(len(labels))[max(place - TEXTS_AROUND, 0) : place + TEXTS_AROUND + 1]}
        links = {one.place: f"#{self.id_of(one.place)}" for one in flow.ops} if flow else {}
        if finding:
            other_line = finding.sentence.line
            excerpt |= {other for other, label in enumerate(labels) if label.line == other_line}
        title = f"{op.title} at line {op.line}: {self._why(place) or self.picture.disorders.get(place)}"
        return Card(
            name=self.id_of(place),
            title=order.sentence(finding) if finding else title,
            origin=order.background(finding) if finding else op.module or "",
            excerpt=[
                (labels[k].line, self.picture.texts[k], k == place)
                for k in sorted(excerpt)
                if k in self.picture.texts
            ],
            command=explain_command(self.dump, self.dump.source, op.line),
            section=self.name,
            drawing=drawing_of(flow, links) if flow else {},
            is_cut=flow is not None and len(flow.ops) == DRAWN_NEIGHBOURS < flow.block_ops,
            finding=finding,
        )

    def _why(self, place: int) -> str:
        line = self.picture.labels[place].line
        if line in self._found_lines and (finding := self._findings.get(self.place_of(place))):
            return finding.message
        if self.picture.disorders.get(place) is Disorder.AVOIDABLE:
            return "a fix moves it"
        displaced = self.picture.displaced.get(place)
        return order.reason(displaced, self.block) if displaced else ""

    def places(self) -> dict[str, object]:
        """The place of each op before and now (-1 if it does not count), texts, and irregular ids."""
        return {
            "original": [*self.picture.originals],
            "standing": [*self.picture.textual_ranks],
            "texts": self.picture.texts,
            "anchors": {place: self.id_of(place) for place in self._repeats},
        }

    @property
    def table(self) -> Table:
        """The table of all its ops. It needs much memory, so it is not kept."""
        columns = columns_of(
            "#place, op, #line, module, #inversions, #fixed=after a fix, disorder=out of order, why"
        )
        picture, places = self.picture, range(len(self.picture.labels))
        numbers = zip(picture.inversions, picture.inversions_fixed, strict=True)
        whys = zip(map(picture.disorders.get, places), map(self._why, places), strict=True)
        ops = zip(places, picture.labels, numbers, whys, strict=True)
        rows = [(k, op.title, op.line, op.module, *both, *why) for k, op, both, why in ops]
        caption = f"the ops of {order.block_name(self.block.function, self.block.block)}; place counts from 0"
        marked = ("disorder", "only ops out of order")
        return Table(
            f"ops-{self.name}", caption, Figures(columns, rows), "disorder, -inversions", None, marked
        )


def block_sections(pictures: Sequence[OrderPicture], findings: Sequence[Finding] = ()) -> list[Section]:
    """Return a section for each block."""
    found = {_place_of(finding): finding for finding in findings}
    taken: dict[int, int] = {}
    sections = []
    for number, picture in enumerate(pictures, 1):
        repeats = {}
        for place, label in enumerate(picture.labels):
            taken[label.line] = number_there = taken.get(label.line, 0) + 1
            if number_there > 1:
                repeats[place] = number_there
        sections.append(Section(picture, number, repeats, found))
    return sections


def finding_cards(
    findings: Sequence[Finding], sections: Sequence[Section], dumps: Sequence[DumpAudit]
) -> list[Card]:
    """Return the cards of the findings that a page lists."""
    lines = {(finding.source, finding.line) for finding in findings[:SHOWN_FINDINGS]}
    at = {
        section.place_of(place): (section, place)
        for section in sections
        for place, label in enumerate(section.picture.labels)
        if (section.dump.source, label.line) in lines
    }
    dump_at = {(dump.source, dump.line): dump for dump in dumps}
    cards = []
    for number, finding in enumerate(findings[:SHOWN_FINDINGS], 1):
        if drawn := at.pop(_place_of(finding), None):
            cards.append(drawn[0].card(drawn[1], finding))
            continue
        dump = dump_at[finding.source, finding.place.line]
        cards.append(_finding_card(f"finding-{number}", order.sentence(finding), dump, finding))
    return cards


def left_cards(trace: Trace) -> list[Card]:
    """Return the cards of what the passes of a log leave out of order."""
    cards = []
    for number, one in enumerate(trace.left[:SHOWN_FINDINGS], 1):
        finding = one.finding._replace(left=None)
        title = f"{order.sentence(finding)}; {made_by(one)}"
        cards.append(_finding_card(f"left-{number}", title, trace, finding))
    return cards


def _finding_card(name: str, title: str, audited: DumpAudit | Trace, finding: Finding) -> Card:
    command = explain_command(audited, finding.source, finding.line)
    return Card(name, title, order.background(finding), (), command, None, {}, False, finding)


def _place_of(finding: Finding) -> _Place:
    return finding.source, finding.line, finding.op.title
