"""How torn the model's modules are: code generation begins anew wherever the module changes.

A *run* of a module is a longest stretch of a block's ops that all lie in it, not counting ops whose location
names no module. A model's own order has few runs; every op moved into the middle of another module adds two.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.fix.relabel import RightLabels
from eio_audit.audit.locations.origin import Origin, parse_origin

RunKey = tuple[str, ...]
"""A module with those around it, outermost first; a source function as ``(file, name)``."""


@dataclass(frozen=True, slots=True)
class ModuleRuns:
    """How many runs one module or source function has.

    Attributes:
        name: the module, or the function with its file (``model.py:10 forward``).
        path: the module with those around it, outermost first; for a function only itself.
        before, after: in the dump before and in the dump after.
        fixed: after a fix of that.
        relabelled: after a fix that puts wrong labels right as well.
    """

    name: str
    path: tuple[str, ...]
    before: int
    after: int
    fixed: int
    relabelled: int


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """The runs of all modules and source functions, those that were torn most first."""

    modules: tuple[ModuleRuns, ...]
    functions: tuple[ModuleRuns, ...]


def fragmentation(before: AuditedDump, after: AuditedDump, right: RightLabels) -> Fragmentation:
    """Counts the runs before, after, and after a fix without and with labels put right.

    Args:
        before: the dump before.
        after: the dump after.
        right: what ``fix --relabel`` makes of that.

    Complexity: linear in ops and the depth of their modules.
    """
    origins = _origins(after)
    with_right_labels = origins[:]
    for op, name in right.names.items():
        with_right_labels[op] = parse_origin(name)
    counts = [
        _count(before, {}, _origins(before)),
        _count(after, {}, origins),
        _count(after, after.orders, origins),
        _count(after, right.orders, with_right_labels),
    ]
    modules, functions = (
        sorted(_rows([count[kind] for count in counts]), key=lambda r: (r.before - r.after, -r.after, r.path))
        for kind in (0, 1)
    )
    return Fragmentation(tuple(modules), tuple(functions))


def _rows(counts: Sequence[Counter[RunKey]]) -> Iterable[ModuleRuns]:
    before, after, fixed, relabelled = counts
    for key in before.keys() | after.keys():
        yield ModuleRuns(key[-1], key, before[key], after[key], fixed[key], relabelled[key])


def _origins(dump: AuditedDump) -> list[Origin | None]:
    """By op, what its location says of the model; each location is looked at once."""
    by_text: dict[bytes | None, Origin | None] = {None: None}
    origins = []
    for op in range(len(dump.ir)):
        text = dump.ir.location_text(op)
        if text not in by_text:
            by_text[text] = dump.indices.origin(op)
        origins.append(by_text[text])
    return origins


def _count(
    dump: AuditedDump, orders: Mapping[int, Sequence[int]], origins: Sequence[Origin | None]
) -> tuple[Counter[RunKey], Counter[RunKey]]:
    """The runs of modules and of functions, with the blocks in the given orders."""
    modules: Counter[RunKey] = Counter()
    functions: Counter[RunKey] = Counter()
    for block, ops in enumerate(dump.ir.block_ops):
        in_order = [ops[k] for k in orders[block]] if block in orders else ops
        last_path: tuple[str, ...] = ()
        last_function: RunKey = ()
        for op in in_order:
            origin = origins[op]
            if origin is None:
                continue
            if origin.modules:
                shared = _shared(last_path, origin.modules)
                last_path = origin.modules
                modules.update(last_path[: depth + 1] for depth in range(shared, len(last_path)))
            if origin.function is not None:
                function = (f"{origin.file} {origin.function}".strip(),)
                functions[function] += function != last_function
                last_function = function
    return modules, functions


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    """How many modules two paths have in common from the outermost on."""
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
