"""The modules of a dump, matched with those of earlier dumps.

A dump shows a whole program or only a module in it, depending on the level of the pass. What is around that
module has not vanished. Modules need not have names, so they are matched by their contents as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from eio_audit.audit.functions import function_symbol
from eio_audit.mlir.ir import IR

Label = tuple[str, str | None]
"""An op's name and its symbol."""

Part: TypeAlias = str | int | None
"""The symbol of a function, or the number of a module; None outside both."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a dump: a listed op with a symbol table that is in no function.

    Attributes:
        label: its name and symbol.
        holds: the functions and modules directly in it.
    """

    label: Label
    holds: frozenset[Label]


@dataclass(frozen=True, slots=True)
class Parts:
    """The functions and modules of a dump; modules are numbered in textual order.

    Attributes:
        modules: the modules.
        of_op: per op, its function (the op itself or the function around it), else its module.
        homes: per function or module, the module around it; None for an outermost one.
    """

    modules: tuple[Module, ...]
    of_op: Sequence[Part]
    homes: Mapping[Part, int | None]


def parts_of(ir: IR, functions: Sequence[str | None]) -> Parts:
    """Divide a dump into functions and modules; ``functions`` has, per block, the function around it."""
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    modules: list[tuple[Label, set[Label]]] = []
    homes: dict[Part, int | None] = {}
    of_op: list[Part] = []
    for op, block in enumerate(ir.op_block):
        function, parent = functions[block], ir.parent_op(block)
        symbol = function_symbol(ir, op) if op in ir.regions_of else None
        if function is not None:
            of_op.append(function)
            if symbol is not None:
                homes.setdefault(symbol, homes.get(function))
            continue
        home = of_op[parent] if parent >= 0 else None
        assert not isinstance(home, str)
        if is_module[ir.op_name[op]]:
            part: Part = len(modules)
            modules.append(((ir.name(op), ir.symbol(op)), set()))
        elif symbol is not None:
            part = symbol
        else:
            of_op.append(home)
            continue
        of_op.append(part)
        homes[part] = home
        if home is not None:
            modules[home][1].add((ir.name(op), ir.symbol(op)))
    return Parts(tuple(Module(label, frozenset(holds)) for label, holds in modules), of_op, homes)


def identify(
    modules: Sequence[Module],
    homes: Mapping[Part, int | None],
    known: Mapping[int, Module],
    known_homes: Mapping[Part, int | None],
) -> list[int]:
    """Return the numbers of a dump's modules: those of the known modules they match, or new ones.

    A module matches the known module of the same name with which it shares the most functions and modules.
    If it shares none, it matches the known module of that name in the same place. The homes map a module, by
    its place in the dump or by its number, to the module around it; None for an outermost one.

    Complexity: quadratic in the modules of one name, linear in their contents.
    """
    numbers: dict[int, int] = {}
    common = [
        (len(module.holds & other.holds), place, number)
        for place, module in enumerate(modules)
        for number, other in known.items()
        if other.label == module.label
    ]
    for shared, place, number in sorted(common, key=lambda found: (-found[0], found[1:])):
        if shared and place not in numbers and number not in numbers.values():
            numbers[place] = number
    for place, module in enumerate(modules):
        if place not in numbers:
            home = homes[place]
            parent = None if home is None else numbers[home]
            is_named_outermost = parent is None and module.label[1] is not None
            same_place = (
                number
                for number, other in known.items()
                if number not in numbers.values() and other.label == module.label
                if known_homes[number] == parent or is_named_outermost
            )
            numbers[place] = next(same_place, max([-1, *known, *numbers.values()]) + 1)
    return [numbers[place] for place in range(len(modules))]
