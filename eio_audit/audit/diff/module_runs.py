"""The runs of a model's modules: in how many pieces each module is.

A *run* of a module is a longest series of a block's ops that are all in it. Ops without a module do not
count. A model's own order has few runs. Every op moved into the middle of another module adds two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.keyed_dump import AuditedDump
from eio_audit.audit.fix.relabel import RightLabels
from eio_audit.audit.locations.parsed_locations import ModelPlace, parse_origin

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
    places = after.indices.parsed.places
    relabelled = places[:]
    for op, name in right.names.items():
        relabelled[op] = parse_origin(name).place
    now = _count(after, {}, places)
    fixed = _count(after, after.orders, places) if after.orders else now
    right_now = _count(after, right.orders, relabelled) if right.names else fixed
    counts = [_count(before, {}, before.indices.parsed.places), now, fixed, right_now]
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
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], places: Sequence[ModelPlace | None]
) -> tuple[Counter[RunKey], Counter[RunKey]]:
    """Return the runs of modules and of functions, with the blocks in the given orders."""
    modules: Counter[RunKey] = Counter()
    functions: Counter[RunKey] = Counter()
    for block, ops in enumerate(dump.ir.block_ops):
        in_order = [ops[place] for place in orders[block]] if block in orders else ops
        last_path: RunKey = ()
        last_function: RunKey = ()
        last_named: tuple[str | None, str | None] = None, None
        last: ModelPlace | None = None
        for op in in_order:
            place = places[op]
            if place is None or place is last:
                continue
            last = place
            path = place.modules
            if path and path != last_path:
                for depth in range(_shared(last_path, path), len(path)):
                    modules[path[: depth + 1]] += 1
                last_path = path
            named = place.file, place.function
            if place.function is not None and named != last_named:
                last_named = named
                function = (f"{place.file} {place.function}".strip(),)
                functions[function] += function != last_function
                last_function = function
    return modules, functions


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many modules two paths share, from the outermost on."""
    shared = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        shared += 1
    return shared
