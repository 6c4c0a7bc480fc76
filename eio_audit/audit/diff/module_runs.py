"""Count the runs of the model's modules. Code generation starts a new function at each run.

A *run* of a module is a longest series of a block's ops that are all in it. Ops without a module do not
count. A model's own order has few runs. Every op moved into the middle of another module adds two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.audited_dump import AuditedDump
from eio_audit.audit.fix.relabel import RightLabels
from eio_audit.audit.locations.codegen_location import common_modules
from eio_audit.audit.locations.parsed_locations import Origin, parse_origin

RunKey = tuple[str, ...]
"""A module with the modules around it, outermost first. A source function is ``(file, name)``."""


@dataclass(frozen=True, slots=True)
class ModuleRuns:
    """How many runs one module or source function has.

    Attributes:
        name: the module, or the function with its file (``model.py:10 forward``).
        path: the module with the modules around it, outermost first. For a function, only the function.
        before, after: the runs in the earlier and the later dump.
        fixed: the runs after a fix of the later dump.
        relabelled: the runs after a fix that also corrects wrong labels.
    """

    name: str
    path: tuple[str, ...]
    before: int
    after: int
    fixed: int
    relabelled: int


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """The runs of all modules and source functions, the most fragmented first."""

    modules: tuple[ModuleRuns, ...]
    functions: tuple[ModuleRuns, ...]


def fragmentation(before: AuditedDump, after: AuditedDump, right: RightLabels) -> Fragmentation:
    """Count the runs before, after, after a fix, and after a fix with corrected labels (``right``)."""
    was, origins = ([*map(dump.indices.parsed.origin, range(len(dump.ir)))] for dump in (before, after))
    relabelled = origins[:]
    for op, name in right.names.items():
        relabelled[op] = parse_origin(name)
    now = _count(after, {}, origins)
    fixed = _count(after, after.orders, origins) if after.orders else now
    right_now = _count(after, right.orders, relabelled) if right.names else fixed
    counts = [_count(before, {}, was), now, fixed, right_now]
    return Fragmentation(
        _rows([modules for modules, _ in counts]), _rows([functions for _, functions in counts])
    )


def _rows(counts: Sequence[Counter[RunKey]]) -> tuple[ModuleRuns, ...]:
    before, after, *_ = counts
    rows = [
        ModuleRuns(key[-1], key, *(count[key] for count in counts)) for key in before.keys() | after.keys()
    ]
    return tuple(sorted(rows, key=lambda row: (row.before - row.after, -row.after, row.path)))


def _count(
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], origins: Sequence[Origin | None]
) -> tuple[Counter[RunKey], Counter[RunKey]]:
    """Return the runs of modules and of functions, with the blocks in the given orders."""
    modules: Counter[RunKey] = Counter()
    functions: Counter[RunKey] = Counter()
    names: dict[tuple[str | None, str], RunKey] = {}
    for block, ops in enumerate(dump.ir.block_ops):
        last_path: RunKey = ()
        last_function: RunKey = ()
        for place in orders.get(block, range(len(ops))):
            origin = origins[ops[place]]
            if origin is not None and origin.modules and origin.modules != last_path:
                path = origin.modules
                shared = len(common_modules([last_path, path]))
                modules.update(path[: depth + 1] for depth in range(shared, len(path)))
                last_path = path
            if origin is not None and origin.function is not None:
                parts = origin.file, origin.function
                if parts not in names:
                    names[parts] = (f"{origin.file} {origin.function}".strip(),)
                function = names[parts]
                functions[function] += function != last_function
                last_function = function
    return modules, functions
