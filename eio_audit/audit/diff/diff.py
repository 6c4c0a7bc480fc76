"""Compare two dumps of a program: ops, order, the runs of the model's modules, and what to change.

A *run* of a module is a longest series of a block's ops that are all in it. Ops without a module do not
count. A model's own order has few runs. Every op moved into the middle of another module adds two.

An op that a pass made or moved, and that is out of order, has a wrong location or a wrong place. An op that
carries the index of the op that it replaces may stand elsewhere. If dependences let it stand where that op
stood, its location is right and its place is wrong. If they do not, it is the location that is wrong, as of
an op that a pass moved up past its operands' producers: of these, ``check`` tells the right index.

The earlier dump can also be the original order, for ops whose locations carry no index.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, compress, groupby, pairwise
from threading import Lock

from eio_audit.audit.check.check import audit_dump, audit_keyed
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import AuditedDump, KeyedDump, SharedWork, read_dump
from eio_audit.audit.check.location_health import HealthChange, health_change
from eio_audit.audit.diff.compared_dump import ComparedDump, ComparedOps, Ignored
from eio_audit.audit.diff.dump_comparison import DumpComparison, OpChange, OpChanges
from eio_audit.audit.diff.inverse_ops import InverseOps, LayoutChanges
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.diff.private_names import other_names, renamed
from eio_audit.audit.diff.sameness import SamenessVerdict, sameness
from eio_audit.audit.locations.original_index import OpLabel, OriginalIndices
from eio_audit.audit.locations.parsed_locations import Interned, ModelPlace, parse_origin
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, expect_dump
from eio_audit.mlir.ir import IR
from eio_audit.mlir.reading.reader import read_ir
from eio_audit.mlir.semantics.functions import functions_around
from eio_audit.mlir.traits import OpTable
from eio_audit.order.effort import Effort
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.permutation import keyed_inversions, moved_places
from eio_audit.order.precedence import Precedence
from eio_audit.order.windows import least_beside
from eio_audit.order.wrong_labels import relabelled


@dataclass(frozen=True, slots=True)
class Placement:
    """Some ops of a dump, put where their keys say as far as dependences allow. No other moves."""

    ops: tuple[OpLabel, ...]  # those that are put elsewhere, in textual order
    behind: OpLabel | None  # what the first of them stands behind; None if it moves, too, or there is none
    removed: int  # how many inversions that removes
    inversions: int  # how many inversions all of the ops are in


def placed(
    dump: KeyedDump, ops: Collection[int], keys: Sequence[int | None], *, removes_most: bool = False
) -> Placement:
    """Put ops where their keys say. ``keys`` has the key of each op of the dump.

    With ``removes_most``, they stay if a bound says that this cannot remove most of their inversions.
    Complexity: that of a fix of the blocks with these ops that are out of order.
    """
    removed, inversions, left, moved, behind, effort = 0, 0, 0, list[int](), None, Effort()
    parts: list[tuple[KeyedBlock, Sequence[int | None], list[bool], Precedence, int]] = []
    for number in sorted({dump.ir.op_block[op] for op in ops}):
        block, own = KeyedBlock(dump, number), dump.ir.of_block(number, keys)
        now = keyed_inversions(own)
        is_fixed = [key is not None and op not in ops for op, key in zip(block.ops, own, strict=True)]
        if now and block.graph is not None:
            parts.append((block, own, is_fixed, block.graph.precedence, now))
            inversions += now - keyed_inversions(compress(own, is_fixed))
            left += least_beside(own, is_fixed, block.graph.precedence) if removes_most else 0
    for block, own, is_fixed, precedence, now in () if removes_most and 2 * left >= inversions else parts:
        fixed = [place for place, flag in enumerate(is_fixed) if flag]
        edges = [*precedence.forwards(), *pairwise(fixed)]
        producers, users = ([edge[end] for edge in edges] for end in range(2))
        order = restore_order(own, Precedence.from_edges(len(own), producers, users), now, effort).order
        removed += now - keyed_inversions([own[place] for place in order])
        # By place, how many of the ops that keep their order come before it, now and then.
        before = [*accumulate(is_fixed, initial=0)]
        then = dict(zip(order, accumulate(map(is_fixed.__getitem__, order), initial=0), strict=False))
        here = [place for place in range(len(own)) if before[place] != then[place]]
        here = [k for k in here or sorted(order[k] for k in moved_places(order)) if own[k] is not None]
        if here and not moved and before[here[0]]:
            behind = dump.label(block.ops[fixed[before[here[0]] - 1]])
        moved += (block.ops[place] for place in here)
    return Placement(tuple(map(dump.label, moved)), behind, removed, inversions)


def made_out_of_order(comparison: DumpComparison) -> dict[str, set[int]]:
    """Return, by name, the ops that a pass made or moved and that are in more inversions than before it."""
    made = defaultdict[str, set[int]](set)
    for op in (*comparison.added, *comparison.moved):
        found = comparison.converted_from(op)
        was = comparison.was.get(op) if found is None else found[0]
        before = 0 if was is None else comparison.before.inversions[was] or 0
        if (comparison.after.inversions[op] or 0) > before:
            made[comparison.after.names[op]].add(op)
    return made


def misplaced(
    dump: KeyedDump, made: Mapping[str, Collection[int]], keys: Sequence[int | None]
) -> dict[str, Placement]:
    """Return the groups of ops that a pass made or moved and whose place is wrong, put in the right one.

    It is if that removes most of their inversions. Constants do not count: every greedy rewrite hoists them.
    """
    keys = [None if flag else key for key, flag in zip(keys, dump.keys.constants_by_op, strict=True)]
    keyed = {name: ops for name, ops in made.items() if any(keys[op] is not None for op in ops)}
    groups = {name: placed(dump, ops, keys, removes_most=True) for name, ops in keyed.items()}
    return {name: one for name, one in groups.items() if 2 * one.removed > one.inversions}


@dataclass(frozen=True, slots=True)
class Correction:
    """What to change in a pass for the ops of one name that it made or moved."""

    ops: tuple[OpLabel, ...]  # those with a wrong location, or in a wrong place, in textual order
    right: OpLabel | None  # the op whose index the first of them should carry; None if its place is wrong
    behind: OpLabel | None  # if its place is wrong, the op behind which it stands, as in a `Placement`
    now: int  # the inversions after the pass, with the corrections before this one
    inversions: int  # the inversions with this one, too


def corrections(comparison: DumpComparison) -> tuple[Correction, ...]:
    """Return what to change in the pass between two dumps, where that removes most inversions of the ops.

    If ops that the pass made are out of order, it audits the later dump.
    """
    dump, found = comparison.after.dump, list[Correction]()
    made = made_out_of_order(comparison) if dump.keys.disordered_blocks else {}
    if not made or dump.options.order_from is not None:
        return ()
    audited = dump if isinstance(dump, AuditedDump) else audit_keyed(dump, SharedWork(0, finds_classes=False))
    donors = audited.donors
    was = keys = dump.keys.by_op
    now = _all_inversions(dump, keys)
    for name, ops in [*made.items()]:
        wrong = [op for op in sorted(ops & donors.keys()) if (was[op] or 0) > (was[donors[op]] or 0)]
        if not wrong:
            continue
        right = relabelled(keys, {op: donors[op] for op in wrong})
        others = [None if op in ops else key for op, key in enumerate(keys)]
        then = _all_inversions(dump, right)
        if 2 * (now - then) > now - _all_inversions(dump, others):
            labels = tuple(map(dump.label, wrong))
            found.append(Correction(labels, dump.label(donors[wrong[0]]), None, now, then))
            keys, now = right, then
            del made[name]
    for place in misplaced(dump, made, keys).values():
        found.append(Correction(place.ops, None, place.behind, now, now - place.removed))
        now -= place.removed
    return tuple(found)


def _all_inversions(dump: KeyedDump, keys: Sequence[int | None]) -> int:
    return sum(keyed_inversions(dump.ir.of_block(number, keys)) for number in dump.keys.disordered_blocks)


RunKey = tuple[str, ...]
"""A module with the modules around it, outermost first. A source function is ``(file, name)``."""


@dataclass(frozen=True, slots=True)
class ModuleRuns:
    """How many runs one module or source function has."""

    name: str  # the module, or the function with its file (`model.py:10 forward`)
    # The module with the modules around it, outermost first. For a function, only the function.
    path: tuple[str, ...]
    before: int  # the runs in the earlier dump
    after: int  # the runs in the later dump
    fixed: int  # the runs after a fix of the later dump
    relabelled: int  # the runs after a fix that also corrects wrong labels


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """The runs of all modules and source functions, the most fragmented first."""

    modules: tuple[ModuleRuns, ...]
    functions: tuple[ModuleRuns, ...]


def fragmentation(before: AuditedDump, after: AuditedDump) -> Fragmentation:
    """Count the runs before, after, after a fix, and after a fix with corrected labels."""
    from eio_audit.audit.fix.labels import right_labels

    places, right = after.indices.parsed.places, right_labels(after)
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
    advice: tuple[Correction, ...]  # what to change in the pass, as far as that is clear
    sameness: SamenessVerdict  # in what sense the dumps are the same
    ignored: tuple[Ignored, ...]  # what was ignored
    dumps: tuple[AuditedDump, AuditedDump] = field(compare=False, repr=False)
    comparison: DumpComparison = field(compare=False, repr=False)  # of the dumps: the matching of their ops
    # Yields every op of both dumps, including unchanged ones, in the order of the later dump.
    pairs: Callable[[], Iterator[OpChange]] = field(compare=False, repr=False)

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
    comparison = _comparison((old, new), ignore)
    layouts = LayoutChanges(comparison)
    if visit is not None:
        visit(new)
    return Diff(
        before=old.audit,
        after=new.audit,
        ops=comparison.changes(layouts.came_from),
        inverse_ops=layouts.inverse_ops(),
        locations=health_change(old, new, comparison.was, comparison.location_numbers),
        advice=corrections(comparison),
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

    Raises:
        InputError: a dump cannot be read.
    """
    dumps = [read_dump(dump, options, may_be_invalid=dump.has_failed) for dump in (before, after)]
    comparison = _comparison(dumps, ignore)
    return sameness(comparison.before, comparison.after, comparison.became)


def _comparison(dumps: Iterable[KeyedDump], ignore: Collection[Ignored | str]) -> DumpComparison:
    interned, ignored = Interned(), frozenset(map(Ignored, ignore))
    before, after = (ComparedDump(dump, interned, ignored) for dump in dumps)
    found = DumpComparison(before, after)
    names = other_names(before, after, found.became)
    if not names:
        return found
    return DumpComparison(before, after.with_texts([renamed(text, names) for text in after.texts]))


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

        Ops are matched as in a diff.
        """
        with self._is_used:  # several threads may check dumps with the same options
            kept = [
                (one, len(one)) for one in (self._interned, self._interned.locations, self._interned.texts)
            ]
            matching = match_ops(self._before, ComparedOps(ir, indices, functions, self._interned))
            for numbers, known in kept:  # forget this dump: any number of others may follow
                while len(numbers) > known:
                    numbers.popitem()
        places: list[int | None] = [None] * len(ir)
        for old, new in matching.ops.items():
            places[new] = old
        return places
