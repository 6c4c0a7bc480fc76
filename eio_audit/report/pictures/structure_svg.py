"""The modules of the model as a tree, and beside it the functions of code generation in call order.

The functions of an intact module are side by side. Those of a torn module are scattered. A full mark is a
function with an op that names the module as its innermost. A pale mark has only ops of inner modules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from eio_audit.audit.codegen.prediction import CodegenFunction, ModulePath
from eio_audit.report.wording.numbers import ELLIPSIS, count, numbers_of, ranges, shortened
from eio_audit.report.wording.structure import index_span, source_of


@dataclass(slots=True)
class ModuleNode:
    """A module, or a source function of ops that name no module.

    Attributes:
        path: the module with the modules around it, outermost first.
        ops: how many ops it has, inner modules included.
        functions: the functions with such ops, by number in call order from 0, ascending.
        own: the functions with ops that name it as their innermost module.
        children: the modules inside it, in call order.
    """

    path: ModulePath
    ops: int = 0
    functions: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    children: dict[str, ModuleNode] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The last module of the path."""
        return self.path[-1]

    @property
    def depth(self) -> int:
        """How many modules are around it."""
        return len(self.path) - 1


def module_tree(functions: Sequence[CodegenFunction]) -> list[ModuleNode]:
    """Return the modules in the order of their first call, outer modules before inner ones.

    Complexity: linear in functions, their modules and the depth of these.
    """
    root = ModuleNode(())
    for number, function in enumerate(functions):
        for path, ops in function.parts.items():
            node = root
            for depth in range(1, len(path) + 1):
                node = node.children.setdefault(path[depth - 1], ModuleNode(path[:depth]))
                node.ops += ops
                if not node.functions or node.functions[-1] != number:
                    node.functions.append(number)
            node.own.append(number)
    nodes, pending = [], [root]  # without recursion: modules nest to any depth
    while pending:
        nodes.append(pending.pop())
        pending += reversed(nodes[-1].children.values())
    return nodes[1:]


def down_to(nodes: Sequence[ModuleNode], most: int) -> list[ModuleNode]:
    """Return the nodes of as many outer levels as fit into ``most``, or only the first outermost nodes."""
    at_depth = Counter(node.depth for node in nodes)
    if at_depth[0] > most:
        return [node for node in nodes if not node.depth][:most]
    totals = list(accumulate(at_depth[depth] for depth in range(len(at_depth))))
    return [node for node in nodes if totals[node.depth] <= most]


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
) -> Iterator[dict[str, str]]:
    """Yield the marks of a module: pale for functions with its ops, full if an op names it as innermost."""

    def mark(kind: str, first: int, last: int, said: str = "") -> dict[str, str]:
        gap = 1 if column > 4 and kind == "own" else 0
        x, width = left + column * first, column * (last - first + 1) - gap
        return {"kind": kind, "x": f"{x:.1f}", "width": f"{width:.1f}", "said": said}

    yield mark("row", 0, len(functions) - 1)
    for first, last in ranges(node.functions):
        yield mark("inside", first, last)
    for k in node.own:
        yield mark("own", k, k, _function(k, functions[k], node))


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
