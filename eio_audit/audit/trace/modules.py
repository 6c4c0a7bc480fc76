"""The modules of a dump, and which of them are those of dumps before.

A log may show a whole program, or only a module in it, by the level that a pass runs on. What is around the
module has not vanished then. Modules need not have names, so they are told apart by their contents as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.functions import function_symbol
from eio_audit.mlir.ir import IR

Label = tuple[str, str | None]
"""An op's name and its symbol."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a dump: a listed op with a symbol table that is in no function.

    Attributes:
        label: what it is called.
        parent: the module around it, by its place among the modules of the dump; None for an outermost one.
        holds: the functions and modules directly in it.
    """

    label: Label
    parent: int | None
    holds: frozenset[Label]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the ops of a dump are part of.

    Attributes:
        modules: in textual order.
        of_op: by op the symbol of the function around it, or that it is; else the place of the module; None
            for what is in neither.
        homes: by symbol of a function the place of the module around it; None for one in no module.
    """

    modules: tuple[Module, ...]
    of_op: Sequence[str | int | None]
    homes: Mapping[str, int | None]


def parts_of(ir: IR, functions: Sequence[str | None]) -> Parts:
    """Divides a dump into functions and modules; ``functions`` are those around its blocks.

    Complexity: linear.
    """
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    modules: list[tuple[Label, int | None, set[Label]]] = []
    homes: dict[str, int | None] = {}
    of_op: list[str | int | None] = []
    for op, block in enumerate(ir.op_block):
        function, parent = functions[block], ir.parent_op(block)
        home = of_op[parent] if parent >= 0 and function is None else None
        assert not isinstance(home, str)
        symbol = function_symbol(ir, op) if op in ir.regions_of else None
        label = None
        if function is not None:
            of_op.append(function)
            if symbol is not None:
                homes.setdefault(symbol, homes.get(function))
        elif is_module[ir.op_name[op]]:
            label = ir.name(op), ir.symbol(op)
            of_op.append(len(modules))
            modules.append((label, home, set()))
        elif symbol is not None:
            label = ir.name(op), symbol
            homes[symbol] = home
            of_op.append(symbol)
        else:
            of_op.append(home)
        if label is not None and home is not None:
            modules[home][2].add(label)
    found = tuple(Module(label, home, frozenset(holds)) for label, home, holds in modules)
    return Parts(found, of_op, homes)


class KnownModules:
    """The modules of a program that dumps have shown, each with a number of its own.

    Attributes:
        parents: by number that of the module around it; None for one that has only been seen as outermost.
    """

    def __init__(self) -> None:
        self.parents: dict[int, int | None] = {}
        self._labels: dict[int, Label] = {}
        self._holds: dict[int, frozenset[Label]] = {}

    def identify(self, modules: Sequence[Module]) -> list[int]:
        """The numbers of a dump's modules; new ones for those that are none of the known.

        A module is a known one that has the same name and contains most of the same functions and modules.
        Without anything in common it is the known one of that name in the same place.

        Complexity: quadratic in the modules of one name, linear in their contents.
        """
        numbers: dict[int, int] = {}
        common = [
            (len(module.holds & self._holds[number]), place, number)
            for place, module in enumerate(modules)
            for number, label in self._labels.items()
            if label == module.label
        ]
        for shared, place, number in sorted(common, key=lambda found: (-found[0], found[1:])):
            if shared and place not in numbers and number not in numbers.values():
                numbers[place] = number
        for place, module in enumerate(modules):
            if place not in numbers:
                parent = None if module.parent is None else numbers[module.parent]
                numbers[place] = self._namesake(module, parent, numbers.values())
        return [numbers[place] for place in range(len(modules))]

    def remember(self, modules: Sequence[tuple[int, Module]]) -> None:
        """What a dump shows of modules, each with its number, is known from now on."""
        for number, module in modules:
            parent = None if module.parent is None else modules[module.parent][0]
            self._labels[number] = module.label
            self._holds[number] = module.holds
            if parent is not None or number not in self.parents:
                self.parents[number] = parent

    def forget(self, number: int) -> None:
        """A module has vanished."""
        for known in (self.parents, self._labels, self._holds):
            del known[number]

    def _namesake(self, module: Module, parent: int | None, taken: Collection[int]) -> int:
        same_place = (
            number
            for number, label in self._labels.items()
            if number not in taken
            and label == module.label
            and (self.parents[number] == parent or (parent is None and label[1] is not None))
        )
        return next(same_place, max([-1, *self.parents, *taken]) + 1)
