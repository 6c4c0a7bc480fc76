"""The functions and modules of a dump, and which modules of the last dumps they are.

Modules need not have names, so they are matched by their contents as well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Mapping, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.functions import function_symbol

Label = tuple[str, str | None]  # an op's name and its symbol
_Queues: TypeAlias = dict[frozenset[Label], deque[int]]  # the numbers of modules, by what they hold
_FEW = 4  # contents that more modules of a name hold are compared once for all of them
FunctionOrModule: TypeAlias = (
    str | int | None
)  # the symbol of a function, or the number of a module; None outside both


class Module(NamedTuple):
    """A module of a dump: a listed op with a symbol table that is in no function."""

    label: Label  # its name and symbol
    holds: frozenset[Label]  # the functions and modules directly in it


class Parts(NamedTuple):
    """The functions and modules of a dump; modules are numbered in textual order."""

    modules: tuple[Module, ...]  # the modules
    of_op: Sequence[
        FunctionOrModule
    ]  # per op, its function (the op itself or the function around it), else its module
    # Per function or module, the module around it; None for an outermost one.
    homes: Mapping[FunctionOrModule, int | None]


def parts_of(ir: IR, functions: Sequence[str | None]) -> Parts:
    """Divide a dump into functions and modules; ``functions`` has, per block, the function around it."""
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    modules: list[tuple[Label, set[Label]]] = []
    homes: dict[FunctionOrModule, int | None] = {}
    of_op: list[FunctionOrModule] = []
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
            part: FunctionOrModule = len(modules)
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


def number_modules(
    modules: Sequence[Module],
    homes: Mapping[FunctionOrModule, int | None],
    known: Mapping[int, Module],
    known_homes: Mapping[FunctionOrModule, int | None],
) -> list[int]:
    """Return the numbers of a dump's modules: those of the known modules they match, or new ones.

    A module matches the known module of the same name with which it shares the most functions and modules.
    If it shares none, it matches the known module of that name in the same place. The homes map a module, by
    its place in the dump or by its number, to the module around it; None for an outermost one.

    Complexity: linear in the modules and their contents, as long as contents that many modules of one name
    share come in few combinations.
    """
    numbers = _with_shared_contents(modules, known)
    if len(numbers) == len(modules):
        return [numbers[place] for place in range(len(modules))]
    taken, unused = {*numbers.values()}, count(max([-1, *known]) + 1)
    alike, in_place = defaultdict[Label, deque[int]](deque), defaultdict[object, deque[int]](deque)
    for number, other in known.items():
        alike[other.label].append(number)
        in_place[other.label, known_homes[number]].append(number)
    for place, module in enumerate(modules):
        if place not in numbers:
            home = homes[place]
            is_named_outermost = home is None and module.label[1] is not None
            parent = None if home is None else numbers[home]
            same_place = alike[module.label] if is_named_outermost else in_place[module.label, parent]
            free = _first_free(same_place, taken)
            numbers[place] = next(unused) if free is None else free
            taken.add(numbers[place])
    return [numbers[place] for place in range(len(modules))]


def _with_shared_contents(modules: Sequence[Module], known: Mapping[int, Module]) -> dict[int, int]:
    """Return, by place, the number of the known module of its name with which a module shares most contents.

    The pair that shares most comes first; of equals, the first module, with the smallest number. What few
    modules hold tells which pairs share it. The other contents are compared once for all modules with the
    same ones; a pair of such modules shares more if it is also one of the former, which then came before.
    """
    wanted = defaultdict[Label, set[Label]](set)
    for module in modules:
        wanted[module.label] |= module.holds
    contents = {
        number: other.holds & wanted[other.label]
        for number, other in sorted(known.items())
        if not other.holds.isdisjoint(wanted.get(other.label, ()))
    }
    holders, classes = defaultdict[object, list[int]](list), defaultdict[Label, _Queues](dict)
    for number, holds in contents.items():
        for held in holds:
            holders[known[number].label, held].append(number)
    for number, holds in contents.items():
        label = known[number].label
        common = frozenset(one for one in holds if len(holders[label, one]) > _FEW)
        if common:
            classes[label].setdefault(common, deque()).append(number)
    sharing = defaultdict[int, dict[int, list[deque[int]]]](dict)  # by number of shared contents, by place
    for place, module in enumerate(modules):
        found = [holders.get((module.label, held), ()) for held in module.holds]
        near = {number for numbers in found if len(numbers) <= _FEW for number in numbers}
        single = [(contents[number], deque([number])) for number in near]
        for holds, queue in (*single, *classes[module.label].items()):
            sharing[len(holds & module.holds)].setdefault(place, []).append(queue)
    sharing.pop(0, None)
    numbers, taken = dict[int, int](), set[int]()
    for _, places in sorted(sharing.items(), reverse=True):
        for place, queues in places.items():
            free = [one for queue in queues if (one := _first_free(queue, taken)) is not None]
            if free and place not in numbers:
                numbers[place] = min(free)
                taken.add(numbers[place])
    return numbers


def _first_free(queue: deque[int], taken: Container[int]) -> int | None:
    while queue and queue[0] in taken:
        queue.popleft()
    return queue[0] if queue else None
