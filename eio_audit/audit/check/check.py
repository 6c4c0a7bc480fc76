"""Audits of the order of every block of a dump."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from functools import cached_property

from eio_audit.audit.check.figures import (
    BlockAudit,
    DumpAudit,
    LogFigures,
    Summary,
    UndefinedName,
    UnjudgedInput,
    summarize,
)
from eio_audit.audit.check.keyed_dump import (
    DESCRIBED_OPS,
    AuditedDump,
    KeyedDump,
    OrderOfOthers,
    SharedWork,
    read_dump,
)
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions, Configuration
from eio_audit.mlir.input.dumps import Dump, each_dump
from eio_audit.mlir.ir import IR, NO_OFFSET
from eio_audit.mlir.semantics.functions import find_without_order
from eio_audit.mlir.source import InputError, bugs_are_errors, decoded
from eio_audit.mlir.tokens import VALUE_NAME


@dataclass(frozen=True)
class Check:
    """The audits of all dumps that could be read, and the errors of the others.

    ``models`` has the model of a dump by its source; a source that it lacks is a model of its own.
    """

    dumps: tuple[DumpAudit, ...]
    errors: tuple[InputError, ...]
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def configuration(self) -> Configuration | None:
        """The file that changed what counts in the verdict, and its keys; None if no file did."""
        return self.dumps[0].options.configuration if self.dumps else None

    @cached_property
    def by_model(self) -> dict[str, Check]:
        """The same for each model, in the order of their first dumps."""
        dumps, errors = defaultdict[str, list[DumpAudit]](list), defaultdict[str, list[InputError]](list)
        for dump in self.dumps:
            dumps[self.model_of(dump.source)].append(dump)
        for error in self.errors:
            errors[self.model_of(error.source)].append(error)
        names = dict.fromkeys((*dumps, *errors))
        return {name: Check(tuple(dumps[name]), tuple(errors[name]), self.models) for name in names}

    def model_of(self, source: str) -> str:
        """The model of a source."""
        return self.models.get(source, source)

    @cached_property
    def summary(self) -> Summary:
        """The total of all figures."""
        return summarize(self.dumps)

    @cached_property
    def unjudged(self) -> tuple[UnjudgedInput, ...]:
        """The inputs whose order cannot be judged, because nothing in them is indexed, by their first dumps.

        A file without ops has nothing to judge. A log with an index in some dump is judged by these dumps.
        """
        unindexed = defaultdict[str, list[DumpAudit]](list)
        for dump in self.dumps:
            if dump.is_unindexed:
                unindexed[dump.source].append(dump)
        judged = {dump.source for dump in self.dumps if dump.blocks}
        return tuple(
            UnjudgedInput(source, len(dumps), any(dump.located for dump in dumps))
            for source, dumps in unindexed.items()
            if source not in judged
        )

    @cached_property
    def unindexed(self) -> int:
        """Number of dumps that have ops but no index: those of unjudged inputs, and others of a log."""
        return sum(dump.is_unindexed for dump in self.dumps)

    @property
    def judged_sources(self) -> set[str]:
        """The inputs that could be judged."""
        return {dump.source for dump in self.dumps} - {one.source for one in self.unjudged}

    @property
    def judges_nothing(self) -> bool:
        """Whether no dump could be judged: there is none, or none that has ops has an index."""
        return not self.summary.has_indices and (not self.dumps or self.unindexed > 0)

    @property
    def is_log(self) -> bool:
        """Whether several dumps show one program."""
        return len({(dump.source, dump.place.program) for dump in self.dumps}) < len(self.dumps)

    @property
    def each_inversion_once(self) -> Summary:
        """The figures of functions with inversions; an inversion in many dumps of a log counts once."""
        return self._log_figures.each_inversion_once

    @property
    def at_end_of_log(self) -> Summary:
        """The figures of functions with inversions, from the last dump of each program that shows them."""
        return self._log_figures.at_end_of_log

    @cached_property
    def _log_figures(self) -> LogFigures:
        figures = LogFigures()
        for dump in self.dumps:
            figures.add((dump.source, dump.place.program), dump.blocks)
        return figures


def check(
    dumps: Iterable[Dump],
    options: AuditOptions = DEFAULT_OPTIONS,
    visit: Callable[[AuditedDump], None] | None = None,
    *,
    describes_all: bool = False,
) -> Check:
    """Audit every dump. A dump that cannot be read is skipped with an error.

    Args:
        dumps: the dumps to audit.
        options: what counts.
        visit: called with each audited dump while its IR is in memory.
        describes_all: whether to describe all displaced ops (``BlockAudit.worst``), not only the worst.
    """
    audits, errors = [], []
    described_ops = sys.maxsize if describes_all else DESCRIBED_OPS
    work = SharedWork(described_ops)
    for dump in each_dump(dumps):
        try:
            with bugs_are_errors(dump.source.name, dump.line):
                audited = audit_dump(dump, options, work)
            if visit is not None:
                visit(audited)
            audits.append(audited.audit)
        except InputError as error:
            errors.append(error)
    return Check(tuple(audits), tuple(errors))


def audit_dump(
    dump: Dump,
    options: AuditOptions = DEFAULT_OPTIONS,
    work: SharedWork | None = None,
    *,
    may_be_invalid: bool = False,
) -> AuditedDump:
    """Read one dump and audit its order.

    The audits of several dumps share ``work``. ``may_be_invalid`` is as for ``read_dump``. The other
    arguments are as for ``check``.

    Raises:
        InputError: the dump cannot be read, or is not MLIR.
    """
    return audit_keyed(read_dump(dump, options, may_be_invalid=may_be_invalid), work)


def audit_keyed(
    dump: KeyedDump, work: SharedWork | None = None, functions: Container[str | None] | None = None
) -> AuditedDump:
    """Audit the order of a dump that has been read, as ``audit_dump`` does, or only in some functions."""
    work = work or SharedWork()
    work.begin_dump()
    keys = dump.keys
    with_indices = map(int.__add__, keys.keyed_by_block, keys.followed_by_block)
    blocks = [block for block, count in enumerate(with_indices) if count and not dump.ir.faults]
    if functions is not None:
        blocks = [block for block in blocks if dump.functions[block] in functions]
    if dump.options.order_from is not None and not _shows_original(dump):
        blocks = []
    audits = _audits_in_order(dump, blocks)
    orders: dict[int, Sequence[int]] = {}
    moved: dict[int, Sequence[int]] = {}
    others: dict[int, OrderOfOthers] = {}
    donors: dict[int, int] = {}
    reversed_pairs: dict[int, Mapping[tuple[int, int], int | str]] = {}
    has_effects = False
    if keys.disordered_blocks:
        from eio_audit.audit.check.disorder import audit_disordered

        has_effects = any(map(dump.ir.has_order, keys.disordered_blocks))
        found = audit_disordered(dump, audits, work)
        for block, figures, disorder in found:
            audits[block], ops = figures, dump.ir.block_ops[block]
            donors |= {ops[place]: ops[donor] for place, donor in disorder.donors.items()}
            if disorder.reversed_pairs:
                reversed_pairs[block] = disorder.reversed_pairs
            if disorder.order is not None:
                orders[block], moved[block] = disorder.order, disorder.moved
            if disorder.order_of_others is not None:
                others[block] = disorder.order_of_others
    audit = DumpAudit(
        place=dump.dump.place,
        blocks=tuple(audits.values()),
        unknown_ops=dump.dependences.effects.unknown_ops if has_effects else Counter(),
        assumed_pure=dump.dependences.effects.assumed_pure if has_effects else Counter(),
        unmatched=tuple(
            pattern
            for pattern in dump.options.assume_pure
            if not any(fnmatchcase(name, pattern) for name in dump.ir.names)
        ),
        undefined_names=tuple(_undefined_names(dump.ir)),
        options=dump.options,
        located=len(dump.ir) - dump.ir.location_start.count(NO_OFFSET),
        selected=dump.dump.selected,
        is_unindexed=not blocks and len(find_without_order(dump.ir)) < len(dump.ir),
    )
    return AuditedDump(
        **{one.name: getattr(dump, one.name) for one in fields(KeyedDump)},
        audit=audit,
        blocks=blocks,
        orders=orders,
        moved=moved,
        orders_of_others=others,
        donors=donors,
        reversed_pairs=reversed_pairs,
    )


def _shows_original(dump: KeyedDump) -> bool:
    """Return whether an op, other than functions and terminators, is one of the original's."""
    indexed = {op for op, index in enumerate(dump.indices.by_op) if index is not None}
    return not indexed <= find_without_order(dump.ir)


def _undefined_names(ir: IR) -> Iterator[UndefinedName]:
    for op, offset in sorted(ir.undefined_names.items()):
        place = ir.source.position_at(offset)
        name = VALUE_NAME.match(ir.source.data, offset)
        assert name
        yield UndefinedName(place.line, place.column, ir.name(op), decoded(name[0]))


def _audits_in_order(dump: KeyedDump, blocks: Sequence[int]) -> dict[int, BlockAudit]:
    """Return, per block, the figures that do not depend on the order of the ops."""
    ir, keys = dump.ir, dump.keys
    indexed, followed = keys.keyed_by_block, keys.followed_by_block
    followed_frees = keys.followed_frees_by_block
    derived, constants, frees = map(
        keys.count_keyed, (keys.indices.derived_by_op, keys.constants_by_op, keys.frees_by_op)
    )
    return {
        block: BlockAudit(
            dump.functions[block],
            ir.block_name(block),
            dump.line_of(block),
            len(ir.block_ops[block]),
            indexed[block],
            derived[block],
            constants[block],
            followed[block],
            0 if ir.has_order(block) else None,
            frees=frees[block],
            followed_frees=followed_frees[block],
        )
        for block in blocks
    }
