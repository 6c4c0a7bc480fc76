"""The model with one rule switched off, to see that a judge notices.

Each mutation is the name of a rule and a function that switches the rule off through pytest's ``MonkeyPatch``.
When the model changes, only this table changes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from eio_audit.audit import dependence
from eio_audit.audit.dependence import DependenceGraph, DependenceKind
from eio_audit.mlir.aliases import AliasClasses
from eio_audit.mlir.effects import PURE, Effects, EffectTable
from eio_audit.mlir.traits import UNLISTED, OpTraits

Patch = Callable[[pytest.MonkeyPatch], None]


def _without(kind: str) -> Patch:
    """Effects of one kind keep no order."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        own = EffectTable._own_effects

        def fewer(self: EffectTable, op: int, row: OpTraits) -> Effects:
            found = own(self, op, row)
            values = {value: kinds - {kind} for value, kinds in found.values.items()}
            return Effects(
                found.anywhere - {kind},
                found.memory - {kind},
                {value: kinds for value, kinds in values.items() if kinds},
            )

        monkeypatch.setattr(EffectTable, "_own_effects", fewer)

    return patch


def _pure_where(is_meant: Callable[[EffectTable, int, OpTraits], bool]) -> Patch:
    """Some ops have no effects of their own."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        own = EffectTable._own_effects

        def none(self: EffectTable, op: int, row: OpTraits) -> Effects:
            return PURE if is_meant(self, op, row) else own(self, op, row)

        monkeypatch.setattr(EffectTable, "_own_effects", none)

    return patch


def _no_effects_of_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(self: EffectTable, op: int, own: Effects) -> None:
        if own:
            self._effects[op] = own

    monkeypatch.setattr(EffectTable, "_add", add)


def _pure_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EffectTable, "_add_calls", lambda self, calls: None)


def _calls_of_calls_are_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The effects of a call stay with the call: no function has them that makes it."""

    def add(self: EffectTable, op: int, found: Effects) -> None:
        self._effects[op] = self._effects.get(op, PURE) | found

    monkeypatch.setattr(EffectTable, "_add_upwards", add)


def _no_uses_in_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    add = DependenceGraph.add

    def fewer(self: DependenceGraph, producer: int, user: int, kind: DependenceKind) -> None:
        if kind is not DependenceKind.CAPTURE:
            add(self, producer, user, kind)

    monkeypatch.setattr(DependenceGraph, "add", fewer)


def _is_destination_style(table: EffectTable, op: int, row: OpTraits) -> bool:
    return row.dynamic and "destination_style" in row.flags


def _is_unlisted(table: EffectTable, op: int, row: OpTraits) -> bool:
    return row is UNLISTED


def _no_terminators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependence.Dependences, "_add_terminator", lambda self, graph: None)


def _chain(*, reads_wait: bool, writes_wait: bool) -> Patch:
    """Reads do not wait for writes, or writes not for reads."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        def add(self: dependence._Chain, graph: DependenceGraph, k: int, *, writes: bool) -> None:
            if self.last_write >= 0 and (writes or reads_wait):
                graph.add(self.last_write, k, DependenceKind.EFFECT)
            if not writes:
                self.reads.append(k)
                return
            for read in self.reads if writes_wait else ():
                graph.add(read, k, DependenceKind.EFFECT)
            self.last_write, self.reads = k, []

        monkeypatch.setattr(dependence._Chain, "add", add)

    return patch


def _writes_pass_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(self: dependence._Chain, graph: DependenceGraph, k: int, *, writes: bool) -> None:
        if not writes:
            for write in (self.last_write,) if self.last_write >= 0 else ():
                graph.add(write, k, DependenceKind.EFFECT)
            self.reads.append(k)
            return
        for read in self.reads:
            graph.add(read, k, DependenceKind.EFFECT)
        self.last_write, self.reads = k, []

    monkeypatch.setattr(dependence._Chain, "add", add)


def _no_views(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two values share a buffer."""
    monkeypatch.setattr(AliasClasses, "_join", lambda self, values: None)


def _no_aliases_across_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AliasClasses, "_join_across_edges", lambda self: None)


def _no_barriers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An effect that is bound to no value concerns nobody."""
    declared = EffectTable._declared_effects

    def fewer(self: EffectTable, op: int, row: OpTraits) -> Effects:
        found = declared(self, op, row)
        return Effects(memory=found.memory, values=found.values)

    monkeypatch.setattr(EffectTable, "_declared_effects", fewer)


def _silent(*names: str) -> Patch:
    def is_meant(table: EffectTable, op: int, row: OpTraits) -> bool:
        return table._ir.name(op) in names

    return _pure_where(is_meant)


def without_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is reordered is verified by the same model; a judge must not lean on that."""
    monkeypatch.setattr("eio_audit.audit.shuffle.verify", lambda *_: None)
    monkeypatch.setattr("eio_audit.audit.fix.verify", lambda *_: None)


@dataclass(frozen=True)
class Mutation:
    """A rule that is switched off.

    Attributes:
        patch: switches it off.
        judge: who notices: ``xdsl``, ``machine``, or ``devices`` for tensors that are changed in place.
    """

    patch: Patch
    judge: str = "xdsl"


MUTATIONS: Mapping[str, Mutation] = {
    "reads do not wait for writes": Mutation(_chain(reads_wait=False, writes_wait=True)),
    "writes do not wait for reads": Mutation(_chain(reads_wait=True, writes_wait=False)),
    "writes do not wait for writes": Mutation(_writes_pass_writes),
    "no reads": Mutation(_without("read")),
    "no writes": Mutation(_without("write")),
    "no frees": Mutation(_without("free")),
    "no effects of regions": Mutation(_no_effects_of_regions),
    "no uses in regions": Mutation(_no_uses_in_regions),
    "terminators are free": Mutation(_no_terminators),
    "calls are pure": Mutation(_pure_calls),
    "calls of calls are pure": Mutation(_calls_of_calls_are_pure),
    "destination-style ops are pure": Mutation(_pure_where(_is_destination_style)),
    "memref.copy is pure": Mutation(_silent("memref.copy")),
    "affine.store is pure": Mutation(_silent("affine.store")),
    "affine.load is pure": Mutation(_silent("affine.load")),
    "an effect on no value concerns nobody": Mutation(_no_barriers, "machine"),
    "llvm.store is pure": Mutation(_silent("llvm.store"), "machine"),
    "llvm.load is pure": Mutation(_silent("llvm.load"), "machine"),
    "cf.assert is pure": Mutation(_silent("cf.assert"), "machine"),
    "an op without a row is pure": Mutation(_pure_where(_is_unlisted), "machine"),
    "vector.print is pure": Mutation(_silent("vector.print"), "machine"),
    "no two tensors share a buffer": Mutation(_no_views, "devices"),
    "no buffer crosses the edge of a region": Mutation(_no_aliases_across_edges, "devices"),
}
