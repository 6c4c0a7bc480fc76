"""The modules of the model as a tree, and beside it the functions of code generation in call order.

The functions of an intact module are side by side. Those of a torn module are scattered. A full mark is a
function with an op that names the module as its innermost. A pale mark has only ops of inner modules.
"""

from __future__ import annotations

from collections.abc import Sequence

from eio_audit.audit.codegen.prediction import CodegenFunction
from eio_audit.report.pictures.module_tree import ModuleNode, down_to, module_tree
from eio_audit.report.wording.numbers import ELLIPSIS, count, numbers_of, ranges, shortened
from eio_audit.report.wording.structure import index_span, source_of

SHOWN_ROWS = 150
"""The most modules in a picture. For a larger model, the outer levels are drawn."""

LONGEST_NAME = 46
"""The most characters of a module's name. A tooltip shows the whole name."""

ROW = 16
INDENT = 12
CHARACTER_WIDTH = 6.7
STRIP = 760
"""The most pixels of all functions together."""
WIDEST = 14
"""The most pixels of one function."""
HEADER = 22
MARGIN = 8


def drawing_of(functions: Sequence[CodegenFunction]) -> dict[str, object]:
    """Return what the template ``structure.svg`` draws of at least one function, in call order.

    Rows are modules, columns are functions.
    """
    nodes = down_to(module_tree(functions), SHOWN_ROWS)
    widest = max(
        node.depth * INDENT + len(shortened(node.name, LONGEST_NAME, ELLIPSIS)) * CHARACTER_WIDTH
        for node in nodes
    )
    number_at = MARGIN + widest + 52
    column = min(WIDEST, STRIP / len(functions))
    left = number_at + 12
    rows = []
    last_at: dict[int, float] = {}
    for number, node in enumerate(nodes):
        top = HEADER + ROW * number
        last_at[node.depth] = top
        rows.append(
            _row(node, functions, top, last_at.get(node.depth - 1))
            | {"marks": _marks(node, functions, left, column)}
        )
    return {
        "functions": len(functions),
        "width": round(left + column * len(functions) + MARGIN),
        "height": HEADER + ROW * len(nodes) + MARGIN,
        "margin": MARGIN,
        "number_at": f"{number_at:.1f}",
        "left": f"{left:.1f}",
        "mark_height": ROW - 4,
        "rows": rows,
    }


def _row(
    node: ModuleNode, functions: Sequence[CodegenFunction], top: int, parent_top: float | None
) -> dict[str, object]:
    x = MARGIN + node.depth * INDENT
    branch = ""
    if parent_top is not None:
        branch = f"M{x - INDENT / 2 - 1:.1f} {parent_top + ROW - 2}V{top + ROW / 2}h{INDENT / 2}"
    least = len({functions[number].file for number in node.own})
    return {
        "branch": branch,
        "state": "torn" if len(node.own) > least else "whole",
        "described": _described(node),
        "x": x + 2,
        "baseline": top + 12,
        "top": top + 2,
        "name": shortened(node.name, LONGEST_NAME, ELLIPSIS),
        "functions": len(node.functions),
    }


def _marks(
    node: ModuleNode, functions: Sequence[CodegenFunction], left: float, column: float
) -> list[dict[str, str]]:
    """Return the marks of a module: pale for functions with its ops, full if an op names it as innermost."""

    def mark(kind: str, first: int, last: int, said: str = "") -> dict[str, str]:
        gap = 1 if column > 4 and kind == "own" else 0
        x, width = left + column * first, column * (last - first + 1) - gap
        return {"kind": kind, "x": f"{x:.1f}", "width": f"{width:.1f}", "said": said}

    return [
        mark("row", 0, len(functions) - 1),
        *(mark("inside", first, last) for first, last in ranges(node.functions)),
        *(mark("own", k, k, _function(k, functions[k], node)) for k in node.own),
    ]


def _function(number: int, function: CodegenFunction, node: ModuleNode) -> str:
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
