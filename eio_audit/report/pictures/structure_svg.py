"""The modules of the model as a tree, and beside it the functions of code generation in call order.

A module that is whole has its functions side by side; one that is torn has them here and there. Where an op
names a module as its innermost, the function is a full mark; where only inner modules have ops in it, a pale
one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from eio_audit.audit.codegen.codegen import CodegenFunction
from eio_audit.mlir.printable import printable_lines
from eio_audit.report.pictures.module_tree import ModuleNode, down_to, module_tree
from eio_audit.report.wording.order import count
from eio_audit.report.wording.structure import index_span, numbers_of, source_of

SHOWN_ROWS = 150
"""Modules of a picture; of larger models the outer levels are drawn."""

LONGEST_NAME = 46
"""Characters of a module's name; a longer one is shortened, and whole where the pointer rests on its row."""

ROW = 16
INDENT = 12
CHARACTER_WIDTH = 6.7
STRIP = 760
"""Pixels that all functions together have at the most."""
WIDEST = 14
"""Pixels of a function at the most."""
HEADER = 22
MARGIN = 8

STRUCTURE_CSS = """\
.structure { --paper: #ffffff; --row: #f5f6f8; --line: #c4cbd4; --ink: #1c2128; --faint: #57606a;
  --own: #0067b3; --inside: #bcd9f0; --torn: #b34700;
  background: var(--paper); font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  .structure { --paper: #16191d; --row: #20252b; --line: #4a545f; --ink: #e4e8ee; --faint: #a5afbc;
    --own: #6cb6ff; --inside: #25425c; --torn: #ff9a57; } }
.structure text { fill: var(--ink); }
.structure text.faint { fill: var(--faint); }
.structure .torn text.number { fill: var(--torn); font-weight: 600; }
.structure path { fill: none; stroke: var(--line); }
.structure rect { fill: var(--row); }
.structure rect.inside { fill: var(--inside); }
.structure rect.own { fill: var(--own); }
.structure .torn rect.own { fill: var(--torn); }
"""


def draw_structure(functions: Sequence[CodegenFunction], style: str = "") -> str:
    """The ``<svg>`` element; nothing where there is no function.

    Args:
        functions: in call order.
        style: the CSS to put into it; none where the page around it has STRUCTURE_CSS.
    """
    return "\n".join(_Drawing(functions).lines(style)) if functions else ""


class _Drawing:
    """Rows are modules, columns functions.

    Attributes:
        left: where the strip of functions begins.
        column: how wide a function is.
    """

    def __init__(self, functions: Sequence[CodegenFunction]) -> None:
        nodes = module_tree(functions)
        self.functions = functions
        self.nodes = down_to(nodes, SHOWN_ROWS)
        self.left_out = len(nodes) - len(self.nodes)
        widest = max(
            node.depth * INDENT + len(_shortened(node.name)) * CHARACTER_WIDTH for node in self.nodes
        )
        self.number_at = MARGIN + widest + 52
        self.left = self.number_at + 12
        self.column = min(WIDEST, STRIP / len(functions))

    def lines(self, style: str) -> Iterator[str]:
        strip = self.column * len(self.functions)
        width, height = round(self.left + strip + MARGIN), HEADER + ROW * len(self.nodes) + MARGIN
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="structure" role="img" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        )
        yield f"<title>{count(len(self.functions), 'function')} of {count(len(self.nodes), 'module')}</title>"
        if style:
            yield f"<style>\n{style}</style>"
        yield f'<text class="faint" x="{MARGIN}" y="14">module</text>'
        yield f'<text class="faint" x="{self.number_at:.1f}" y="14" text-anchor="end">functions</text>'
        order = f"in call order, 1 to {len(self.functions)}"
        yield f'<text class="faint" x="{self.left:.1f}" y="14">{order}</text>'
        last_at: dict[int, int] = {}
        for row, node in enumerate(self.nodes):
            yield from self._row(row, node, last_at)
        yield "</svg>"

    def _row(self, row: int, node: ModuleNode, last_at: dict[int, int]) -> Iterator[str]:
        """A module; ``last_at`` has by depth the row of the module at that depth that came last."""
        top = HEADER + ROW * row
        x = MARGIN + node.depth * INDENT
        if node.depth:
            parent = last_at[node.depth - 1]
            y = HEADER + ROW * parent + ROW - 2
            yield f'<path d="M{x - INDENT / 2 - 1:.1f} {y}V{top + ROW / 2}h{INDENT / 2}"/>'
        last_at[node.depth] = row
        least = len({self.functions[number].file for number in node.own})
        state = "torn" if len(node.own) > least else "whole"
        yield f'<g class="{state}"><title>{_escaped(_described(node))}</title>'
        yield f'<text x="{x + 2}" y="{top + 12}">{_escaped(_shortened(node.name))}</text>'
        yield (
            f'<text class="number" x="{self.number_at:.1f}" y="{top + 12}" text-anchor="end">'
            f"{len(node.functions):,}</text>"
        )
        yield self._mark(0, len(self.functions) - 1, top, "row")
        yield from (self._mark(first, last, top, "inside") for first, last in _stretches(node.functions))
        for number in node.own:
            yield self._mark(number, number, top, "own", self._function(number, node))
        yield "</g>"

    def _mark(self, first: int, last: int, top: int, name: str, said: str = "") -> str:
        gap = 1 if self.column > 4 and name == "own" else 0
        x, width = self.left + self.column * first, self.column * (last - first + 1) - gap
        shape = f'x="{x:.1f}" y="{top + 2}" width="{width:.1f}" height="{ROW - 4}"'
        if not said:
            return f'<rect class="{name}" {shape}/>'
        return f'<rect class="{name}" {shape}><title>{_escaped(said)}</title></rect>'

    def _function(self, number: int, node: ModuleNode) -> str:
        function = self.functions[number]
        mine = function.parts[node.path]
        return (
            f"{number + 1}: {function.name}\n"
            f"{mine:,} of {count(function.ops, 'op')}, index {index_span(function)}\n"
            f"{function.inputs:,} in, {function.outputs:,} out\n{source_of(function)}"
        )


def _described(node: ModuleNode) -> str:
    holds = (
        f"{count(node.ops, 'op')} in {count(len(node.functions), 'function')}: {numbers_of(node.functions)}"
    )
    own = f"named innermost in {count(len(node.own), 'function')}" if node.own else "named innermost by no op"
    return f"{node.name}\n{holds}\n{own}"


def _stretches(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Neighbouring numbers, ascending, as first and last."""
    first = 0
    for k in range(1, len(numbers) + 1):
        if k == len(numbers) or numbers[k] != numbers[k - 1] + 1:
            yield numbers[first], numbers[k - 1]
            first = k


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _escaped(text: str) -> str:
    return escape(printable_lines(text))
