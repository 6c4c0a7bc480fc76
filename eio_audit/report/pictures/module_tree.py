"""The model's modules as a tree, with the functions of code generation that contain their ops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from eio_audit.audit.codegen.prediction import CodegenFunction, ModulePath


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
