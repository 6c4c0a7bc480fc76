"""Compare two dumps of a program: ops, order, and the runs of the model's modules.

A *run* of a module is a longest series of a block's ops that are all in it. Ops without a module do not
count. A model's own order has few runs. Every op moved into the middle of another module adds two.

The earlier dump can also be the original order, for ops whose locations carry no index.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby, pairwise
from threading import Lock
from typing import NamedTuple

from eio_audit.audit.check.check import audit_dump, audit_keyed
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump, KeyedDump, SharedWork, read_dump
from eio_audit.audit.check.location_health import HealthChange, health_change
from eio_audit.audit.diff.advice import Advice, advise_step
from eio_audit.audit.diff.compared_dump import ComparedDump, ComparedOps, Ignored
from eio_audit.audit.diff.dump_comparison import DumpComparison, OpChange, OpChanges
from eio_audit.audit.diff.internal_symbols import InternalSymbols
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutChanges
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.diff.sameness import Sameness, SamenessVerdict, sameness
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.audit.locations.parsed_locations import Interned, ModelPlace, parse_place
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, expect_dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import functions_around
from eio_audit.mlir.traits import OpTable

RunKey = tuple[str, ...]
"""A module with the modules around it, outermost first. A source function is ``(file, name)``."""


class ModuleRuns(NamedTuple):
    """How many runs one module or source function has."""

    name: str  # the module, or the function with its file (`model.py:10 forward`)
    # The module with the modules around it, outermost first. For a function, only the function.
    path: tuple[str, ...]
    before: int  # the runs in the earlier dump
    after: int  # the runs in the later dump
    fixed: int  # the runs after a fix of the later dump
    relabelled: int  # the runs after a fix that also corrects wrong labels


class Fragmentation(NamedTuple):
    """The runs of all modules and source functions, the most fragmented first."""

    modules: tuple[ModuleRuns, ...]
    functions: tuple[ModuleRuns, ...]


def fragmentation(before: AuditedDump, after: AuditedDump) -> Fragmentation:
    """Count the runs before, after, after a fix, and after a fix with corrected labels."""
    from eio_audit.audit.fix.labels import right_labels

    places, right = after.indices.parsed.places, right_labels(after)
    relabelled = places[:]
    for op, name in right.names.items():
        relabelled[op] = parse_place(name)
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
        known = [place for place, _ in groupby(filter(None, map(places.__getitem__, in_order)))]
        paths: list[RunKey] = [place.modules for place in known if place.modules]
        for last, path in pairwise([(), *paths]):
            modules.update(path[:depth] for depth in range(1, len(path) + 1) if path[:depth] != last[:depth])
        names = (f"{place.file} {place.function}".strip() for place in known if place.function is not None)
        functions.update((name,) for name, _ in groupby(names))
    return modules, functions


@dataclass(frozen=True)
class Diff:
    """Two audits and the differences between the dumps."""

    before: DumpAudit  # the audit of the earlier dump
    after: DumpAudit  # the audit of the later dump
    ops: OpChanges  # every op, by what became of it
    inverse_ops: InverseOps  # what became of permutes, transposes and reshapes
    locations: HealthChange  # what is wrong with the locations
    advice: Advice | None  # what to change in the pass; None if nothing is out of order
    sameness: SamenessVerdict  # in what sense the dumps are the same
    ignored: tuple[Ignored, ...]  # what was ignored
    dumps: tuple[AuditedDump, AuditedDump] = field(compare=False, repr=False)
    comparison: DumpComparison = field(compare=False, repr=False)  # of the dumps: the matching of their ops
    # Yields every op of both dumps, including unchanged ones, in the order of the later dump.
    pairs: Callable[[], Iterator[OpChange]] = field(compare=False, repr=False)

    @cached_property
    def after_in_full(self) -> DumpAudit:
        """The audit of the later dump with all ops out of order, not only the worst. It audits it again."""
        return audit_keyed(self.dumps[1], SharedWork(sys.maxsize)).audit

    @cached_property
    def fragmentation(self) -> Fragmentation:
        """How many runs the model's modules have. It takes as long as another fix."""
        return fragmentation(*self.dumps)

    @property
    def op_counts(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """How many ops of each name there are before and after, at any depth."""
        before, after = (dump.ir.count_names(range(len(dump.ir))) for dump in self.dumps)
        return before, after

    @property
    def tears_modules(self) -> bool:
        """Whether a module or source function has more runs than before."""
        before, now = (_count(dump, {}, dump.indices.parsed.places) for dump in self.dumps)
        return any(now[kind][key] > was for kind in (0, 1) for key, was in before[kind].items())


def diff(
    before: Dump,
    after: Dump,
    options: AuditOptions = DEFAULT_OPTIONS,
    visit: Callable[[AuditedDump], None] | None = None,
    ignore: Collection[Ignored | str] = (),
) -> Diff:
    """Compare two dumps of one program.

    Args:
        before: the earlier dump.
        after: the later dump.
        options: as for ``check``.
        visit: called with the audited later dump while its IR is in memory.
        ignore: what ops may differ in and still count as equal: some of ``Ignored``.

    Raises:
        InputError: a dump cannot be read.
    """
    old, new = (
        audit_dump(dump, options, may_be_invalid=expect_dump(dump).has_failed) for dump in (before, after)
    )
    comparison = _symbols((old, new), ignore).match()
    advice = advise_step(comparison)  # takes most memory, so it comes before what stays
    layouts = LayoutChanges(comparison)
    if visit is not None:
        visit(new)
    return Diff(
        before=old.audit,
        after=new.audit,
        ops=comparison.changes(layouts.came_from),
        inverse_ops=layouts.inverse_ops(),
        locations=health_change(old, new, comparison.was, comparison.location_numbers),
        advice=advice,
        sameness=sameness(comparison.before, comparison.after, comparison.became),
        ignored=tuple(one for one in Ignored if one in ignore),
        dumps=(old, new),
        comparison=comparison,
        pairs=partial(comparison.pairs, layouts.came_from),
    )


def same_program(
    before: Dump,
    after: Dump,
    options: AuditOptions = DEFAULT_OPTIONS,
    ignore: Collection[Ignored | str] = (),
) -> SamenessVerdict:
    """Return in what sense two dumps are the same, as ``diff`` finds it with more work.

    Ops need no match where each one of the later dump is proven to be the one in its place before.

    Raises:
        InputError: a dump cannot be read.
    """
    dumps = [read_dump(dump, options, may_be_invalid=dump.has_failed) for dump in (before, after)]
    symbols = _symbols(dumps, ignore)
    old, new = symbols.in_place()
    if len(old) == len(new):
        verdict = sameness(old, new, dict(enumerate(range(len(old)))))
        if verdict.is_at_least(Sameness.NAMES):
            return verdict
    comparison = symbols.match()
    return sameness(comparison.before, comparison.after, comparison.became)


def _symbols(dumps: Iterable[KeyedDump], ignore: Collection[Ignored | str]) -> InternalSymbols:
    interned, ignored = Interned(), frozenset(map(Ignored, ignore))
    before, after = (ComparedDump(dump, interned, ignored) for dump in dumps)
    return InternalSymbols(before, after)


class OriginalOrder:
    """The order of the ops in a dump before a pass.

    Args:
        before: the dump.
        op_table: to read it with.
        name: what a command line calls it; by default its file.

    Raises:
        InputError: the dump cannot be read.
    """

    def __init__(self, before: Dump, op_table: OpTable | None = None, name: str = "") -> None:
        self._made_from = before, op_table, name
        self.name = name or before.source.name
        self._interned = Interned()
        self._is_used = Lock()
        ir = read_ir(expect_dump(before).source, before.span, op_table)
        self._before = ComparedOps(ir, OriginalIndices(ir), functions_around(ir), self._interned)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the dump, which another process reads again."""
        return OriginalOrder, self._made_from

    @property
    def text(self) -> bytes:
        """The IR of the dump."""
        return self._made_from[0].text

    def indices_of(
        self, ir: IR, indices: OriginalIndices, functions: Sequence[str | None]
    ) -> list[int | None]:
        """Return, per op of another dump, its place in the dump before, from 0; None for a new op.

        Ops are matched as in a diff. Ops from two functions, which an inliner brings together, have no order
        before. So only those from the function that most ops of a function come from have a place.
        """
        with self._is_used:  # several threads may check dumps with the same options
            kept = [
                (one, len(one)) for one in (self._interned, self._interned.locations, self._interned.texts)
            ]
            matching = match_ops(self._before, ComparedOps(ir, indices, functions, self._interned))
            for numbers, known in kept:  # forget this dump: any number of others may follow
                while len(numbers) > known:
                    numbers.popitem()
        came_from = defaultdict[str | None, Counter[str | None]](Counter)
        for old, new in matching.ops.items():
            came_from[functions[ir.op_block[new]]][self._function_of(old)] += 1
        most = {function: origins.most_common(1)[0][0] for function, origins in came_from.items()}
        places: list[int | None] = [None] * len(ir)
        for old, new in matching.ops.items():
            if self._function_of(old) == most[functions[ir.op_block[new]]]:
                places[new] = old
        return places

    def _function_of(self, op: int) -> str | None:
        return self._before.functions[self._before.ir.op_block[op]]
