"""The functions that code generation makes from a dump: a model of tt-mlir's ``ttnn-recover-structure``.

The pass ignores the order of a block and sorts the ops itself. It stays with the ops of one ``file:line`` of
the model's source as long as its queue lets it, and makes each such sequence a function. The order of the
queue depends on the addresses of ops, so each run of the pass can make other functions. What is certain is
proven from the dependences (``order/group_order.py``). What is typical is tried (``order/queue_tries.py``).
docs/structure.md lists what the model of the pass covers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from eio_audit.audit.check.check import audit_dump
from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.check.keyed_dump import AuditedDump, SharedWork
from eio_audit.audit.codegen.code import FunctionCode
from eio_audit.audit.codegen.cut_function import CutFunction, ReadDump
from eio_audit.audit.codegen.made_functions import AllFunctions
from eio_audit.audit.codegen.prediction import Failure, ModulePath, Prediction, Tries
from eio_audit.audit.fix.relabel import RightLabels, right_labels
from eio_audit.audit.fix.verification import in_new_order
from eio_audit.audit.locations.codegen_location import Reason, function_types
from eio_audit.audit.op_label import OpLabel, label
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.ir import IR
from eio_audit.order.permutation import inverse

BETWEEN = (
    "it uses results of functions and gives results to functions, but is in none; all calls are together"
)
"""What is said of an op that no order of calls keeps where it is."""


class Stage(StrEnum):
    """The input of code generation; the values are stable."""

    BEFORE = "before"
    """The dump before a pass."""
    AFTER = "after"
    """The dump after it."""
    NOW = "now"
    """A dump as it is."""
    FIXED = "fixed"
    """The dump after, or as it is, in the order of ``fix``."""
    RELABELLED = "relabelled"
    """The same, with the labels of ``fix --relabel``."""


@dataclass(frozen=True, slots=True)
class StoppingOp:
    """An op at which code generation fails.

    Attributes:
        op: the op.
        failure: ``LOCATIONS`` or ``BETWEEN``.
        message: a sentence about the op: ``its location is fused, not a name``.
    """

    op: OpLabel
    failure: Failure
    message: str


@dataclass(frozen=True, slots=True)
class ModuleReturn:
    """Where a path of dependences leaves a module's ``file:line`` and comes back to it.

    Attributes:
        via: an op of another ``file:line``.
        op: an op of the module that depends on it. It is in another function than the op before.
    """

    via: OpLabel
    op: OpLabel


@dataclass(frozen=True, slots=True)
class TornModule:
    """The number of functions that have the ops of one innermost module.

    Attributes:
        path: the module and the modules around it, outermost first.
        functions: per stage, the fewest functions in a try.
        certain: the fewest in any run, at the present stage.
        least: the number necessary at the present stage: one for each ``file:line`` of its ops.
        returns: why more are certain.
    """

    path: ModulePath
    functions: Mapping[Stage, int]
    certain: int
    least: int
    returns: tuple[ModuleReturn, ...] = ()


@dataclass(frozen=True, slots=True)
class Structure:
    """The functions that code generation makes from a dump, from its fix, and from an earlier dump if given.

    Attributes:
        dump: the audit of the dump as it is, or after.
        predictions: per stage, its prediction, in order.
        modules: the modules, the most torn first.
        stopping: the ops of the dump at which code generation fails, in textual order.
        code: the code of the dump as it is: functions, then their callers; empty if there is a dump before.
    """

    dump: DumpAudit
    predictions: Mapping[Stage, Prediction]
    modules: tuple[TornModule, ...]
    stopping: tuple[StoppingOp, ...] = ()
    code: tuple[FunctionCode, ...] = ()

    @property
    def present(self) -> Stage:
        """The stage of ``dump``."""
        return Stage.NOW if Stage.NOW in self.predictions else Stage.AFTER


def structure(dump: Dump, options: AuditOptions = DEFAULT_OPTIONS) -> Structure:
    """Predict the functions that code generation makes from a dump, as it is and after a fix.

    Complexity: as for ``check``, plus that of ``predict``.

    Raises:
        InputError: the dump cannot be read.
    """
    audited = audit_dump(dump, options, SharedWork(described_ops=0))
    now = _Codegen(audited, _read(audited))
    result = _structure(audited, now, Stage.NOW, right_labels(audited), {})
    return replace(result, code=tuple(function for part in now.parts for function in part.made().code()))


def structure_change(before: AuditedDump, after: AuditedDump, right: RightLabels) -> Structure:
    """Predict the functions that code generation makes before a pass, after it, and after a fix.

    ``right`` is the result of ``fix --relabel`` on the dump after.
    """
    earlier = {Stage.BEFORE: predict(before)}
    return _structure(after, _Codegen(after, _read(after)), Stage.AFTER, right, earlier)


def _structure(
    dump: AuditedDump,
    codegen: _Codegen,
    present: Stage,
    right: RightLabels,
    predictions: dict[Stage, Prediction],
) -> Structure:
    now = codegen.prediction
    fixed, relabelled = now, None
    if dump.orders:
        fixed = codegen.in_order(dump.orders)
    if right.names:
        relabelled = _Codegen(dump, codegen.read, right.names, right.orders).predicted()
    predictions |= {present: now, Stage.FIXED: fixed, Stage.RELABELLED: relabelled or fixed}
    files = codegen.files()
    known: dict[tuple[int, ...], dict[Stage, int]] = {}

    def functions_of(path: ModulePath) -> Mapping[Stage, int]:
        counts = tuple(one.modules.get(path, 0) for one in predictions.values())
        if counts not in known:  # most modules have the same
            known[counts] = dict(zip(predictions, counts, strict=True))
        return known[counts]

    rows = [
        TornModule(
            path,
            functions_of(path),
            now.certain.get(path, 0),
            len(files[path]),
            tuple(codegen.returns(path)),
        )
        for path in dict.fromkeys(path for one in predictions.values() for path in one.modules)
    ]

    def badly(row: TornModule) -> tuple[int, int, int]:
        count = row.functions[present]
        return row.least - row.certain, row.functions.get(Stage.BEFORE, row.least) - count, -count

    return Structure(dump.audit, predictions, tuple(sorted(rows, key=badly)), tuple(codegen.stopping()))


def predict(
    dump: AuditedDump,
    *,
    names: Mapping[int, str] | None = None,
    orders: Mapping[int, Sequence[int]] | None = None,
) -> Prediction:
    """Predict the functions that code generation makes from a dump.

    Args:
        dump: the dump.
        names: per op with a new name, that name.
        orders: per block with a new order, that order.

    Complexity: O(n log n) for n ops with a bounded number of operands, for each of a limited number of tries.
    The bounds take O(n) for each ``file:line`` and module, and n * n / 8 bytes, both up to a limit.
    """
    return _Codegen(dump, _read(dump), names, orders).predicted()


def _read(dump: AuditedDump) -> ReadDump:
    return ReadDump(dump.ir, dump.indices.parsed)


def _places(ir: IR, orders: Mapping[int, Sequence[int]]) -> list[int]:
    """Return, by op, its place in the text with some blocks in a new order."""
    return inverse(in_new_order(ir, orders)[0])


class _Codegen:
    """What code generation makes of a dump. ``names`` and ``orders`` are those of ``predict``."""

    def __init__(
        self,
        dump: AuditedDump,
        read: ReadDump,
        names: Mapping[int, str] | None = None,
        orders: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        ir = dump.ir
        places = _places(ir, orders) if orders else range(len(ir))
        self.read = read
        self._dump = dump
        read_names = read.names.with_names(names) if names else read.names
        self.parts = [CutFunction(read, caller, read_names, places) for caller in read.callers]
        self._refused = {op: why for op, why in read.refused.items() if op not in (names or ())}

    def in_order(self, orders: Mapping[int, Sequence[int]]) -> Prediction:
        """Return the prediction for the dump with some blocks in a new order."""
        places = _places(self._dump.ir, orders)
        parts = [part.in_order(places) for part in self.parts]
        if all(part is one for part, one in zip(self.parts, parts, strict=True)):
            return self.prediction
        ordered = copy(self)
        ordered.parts = parts
        return ordered.predicted()

    @cached_property
    def prediction(self) -> Prediction:
        """The prediction. It is made once."""
        return self.predicted()

    def predicted(self) -> Prediction:
        """Make the prediction."""
        parts, unreadable = self.parts, Counter[Reason]()
        for part in parts:
            unreadable.update(one.reason for one in part.unreadable.values())
            unreadable[Reason.PREFIX] += len(part.prefixed)
        clashes = tuple(sorted({clash for part in parts for clash in part.clashes()}))
        failures = tuple(self._failures(unreadable, clashes))
        counts = [part.tries.typical for part in parts]
        has_figures = set(failures) <= {Failure.PREFIX}
        modules, certain = Counter[ModulePath](), Counter[ModulePath]()
        for part in parts:
            modules.update(part.fewest_tried())
            certain.update({path: len(ops) + len(part.returns[path]) for path, ops in part.sources.items()})
        return Prediction(
            failures=failures,
            callers=tuple(part.symbol for part in parts),
            fewest=sum(part.bounds[0] for part in parts) if has_figures else None,
            most=sum(part.bounds[1] for part in parts) if has_figures else None,
            typical=sum(filter(None, counts)) if has_figures and None not in counts else None,
            tried=self._tries() if has_figures else None,
            functions=AllFunctions([part.made() for part in parts]),
            modules=modules,
            certain=certain,
            ops=sum(len(part.looked_at) for part in parts),
            left_out=sum(len(part.looked_at) - len(part.order) for part in parts),
            refused=len(self._refused),
            unreadable={reason: unreadable[reason] for reason in Reason if unreadable[reason]},
            clashes=clashes,
        )

    def _tries(self) -> Tries:
        tries = [part.tries for part in self.parts]
        return Tries(
            orders=sum(len(one.counts) for one in tries),
            all=all(one.is_all for one in tries),
            fewest=sum(min(one.counts) for one in tries),
            most=sum(max(one.counts) for one in tries),
        )

    def _failures(self, reasons: Mapping[Reason, int], clashes: Sequence[str]) -> Iterator[Failure]:
        unreadable = (one for part in self.parts for one in part.unreadable.values())
        if len(self.parts) > 1 and any(function_types(self._dump.ir, self.read.callers)):
            yield Failure.FUNCTIONS
        if self._refused or not all(one.is_left for one in unreadable):
            yield Failure.LOCATIONS
        if reasons[Reason.PREFIX]:
            yield Failure.PREFIX
        if clashes:
            yield Failure.CLASHES
        if any(part.between for part in self.parts):
            yield Failure.BETWEEN

    def stopping(self) -> list[StoppingOp]:
        """Return the ops at which code generation fails, but for a prefix, in textual order."""
        why = {op: (Failure.LOCATIONS, message) for op, message in self._refused.items()}
        for part in self.parts:
            for op, one in part.unreadable.items():
                if not one.is_left:
                    why[op] = Failure.LOCATIONS, one.message
            why |= dict.fromkeys(part.between, (Failure.BETWEEN, BETWEEN))
        return [StoppingOp(self._label(op), *why[op]) for op in sorted(why)]

    def files(self) -> Mapping[ModulePath, set[str]]:
        """Return per innermost module the places of the source, ``model.py:60``, of its ops in functions."""
        files: dict[ModulePath, set[str]] = defaultdict(set)
        for part in self.parts:
            for path, ops in part.sources.items():
                files[path] |= ops.keys()
        return files

    def returns(self, path: ModulePath) -> Iterator[ModuleReturn]:
        """Yield why a module is in more functions than it has places in the source."""
        for part in self.parts:
            for via, op in part.returns.get(path, ()):
                yield ModuleReturn(self._label(via), self._label(op))

    def _label(self, op: int) -> OpLabel:
        return label(self._dump.ir, self._dump.indices, op)
