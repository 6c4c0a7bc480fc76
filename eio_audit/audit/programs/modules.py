"""The functions and modules of a dump, to which its ops belong, and where they are in its program."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from eio_audit.audit.programs.scope_text import Scope, scopes_of
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.functions import function_symbol

FunctionOrModule: TypeAlias = str | Scope | None
"""The symbol of a function, or the scope of a module; None outside both."""


def parts_of(ir: IR, functions: Sequence[str | None]) -> list[FunctionOrModule]:
    """Return, per op, the function that it is or is in, else the module.

    Modules are listed ops with a symbol table. ``functions`` has, per block, the function around it.
    """
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    scopes = {op: scope for scope, op in scopes_of(ir).items() if op >= 0}
    of_op: list[FunctionOrModule] = []
    for op, block in enumerate(ir.op_block):
        parent = ir.parent_op(block)
        part: FunctionOrModule = functions[block]
        if part is None and op in ir.regions_of:
            part = scopes.get(op) if is_module[ir.op_name[op]] else function_symbol(ir, op)
        of_op.append(part if part is not None or parent < 0 else of_op[parent])
    return of_op


class Places(NamedTuple):
    """Where the functions and modules of a dump are in its program, and what it omits of that."""

    names: Mapping[FunctionOrModule, FunctionOrModule]  # what the program calls them, functions first
    places: Mapping[FunctionOrModule, Scope]  # per function or module, its scope
    # The functions and modules that it omits though it shows what was around them.
    vanished: Collection[FunctionOrModule]
    # The modules that it shows in another one for the first time, by what they were called so far.
    moved: Mapping[FunctionOrModule, FunctionOrModule]


def find_places(
    parts: Collection[FunctionOrModule],
    scopes: Sequence[Scope],
    root: Scope | None,
    known: Mapping[FunctionOrModule, Scope],
) -> Places:
    """Return where the functions and modules of a dump are, of which it has some ``scopes``.

    ``root`` is the known scope that it shows, None if that is new. ``known`` tells where those of the program
    are so far.
    """
    own = scopes[0] if root is None else root

    def placed(scope: Scope) -> Scope:
        return (*own, *scope[len(scopes[0]) :])

    here = dict.fromkeys(map(placed, scopes))

    def was_here(part: FunctionOrModule, place: Scope) -> bool:
        if not own:  # functions without a module
            return len(place) == 1 and isinstance(part, str)
        return place[: len(own)] == own or (len(own) == 1 and (*own, *place[:1]) in here)

    functions_first = sorted(parts, key=lambda part: isinstance(part, tuple))
    names = {part: placed(part) if isinstance(part, tuple) else part for part in functions_first}
    symbols = {place[-1].symbol: place for place in here if place}
    places: dict[FunctionOrModule, Scope] = {
        part: part if isinstance(part, tuple) else symbols.get(part, own)
        for part in names.values()
        if part is not None
    }
    omitted = [part for part, place in known.items() if part not in places and was_here(part, place)]
    moved: dict[FunctionOrModule, FunctionOrModule] = {
        part: (*own, *part) for part in omitted if isinstance(part, tuple) and (*own, *part) in places
    }
    return Places(names, places, [part for part in omitted if part not in moved], moved)
