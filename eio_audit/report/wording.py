"""What an audit says, in people's words: pieces of sentences, without layout."""

from __future__ import annotations

from collections import Counter

from eio_audit.audit.check import BlockAudit, DisplacedOp, DumpAudit, Hold, OpLabel
from eio_audit.audit.dependence import DependenceKind


def count(number: int, noun: str) -> str:
    """A number and its noun.

    >>> count(1, "op"), count(9812, "op")
    ('1 op', '9,812 ops')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def place_of(dump: DumpAudit) -> str:
    """``after.mlir:1``, which terminals and editors open at a click."""
    return f"{dump.source}:{dump.line}"


def moment_of(dump: DumpAudit) -> str:
    """``after canonicalize``; empty for a dump without a marker."""
    return " ".join(filter(None, (dump.when, dump.pass_name)))


def op_name(op: OpLabel) -> str:
    """``#23 ttir.permute %56``; without a number for an unindexed op."""
    index = None if op.index is None else f"#{op.index}"
    return " ".join(filter(None, (index, op.name, op.result)))


def inversion_parts(block: BlockAudit) -> list[str]:
    """What a block's inversions are: ``388 forced by dependences``, ...; in one part where all are alike."""
    if block.forced is None:
        return ["in a graph region, which has no order to keep: nothing moves"]
    least = "" if block.certified else "at least "
    most = "" if block.certified else "at most "
    parts = [
        (block.forced, f"{block.forced:,} forced by dependences", "forced by dependences"),
        (block.knock_on, f"{most}{block.knock_on:,} knock-on", "knock-on"),
        (block.avoidable, f"{least}{block.avoidable:,} avoidable", "avoidable"),
    ]
    present = [part for part in parts if part[0]]
    if len(present) > 1 or not block.certified:
        return [long for _, long, _ in present]
    short = present[0][2]
    return [short.replace("dependences", "a dependence") if block.inversions == 1 else f"all {short}"]


def certificate(block: BlockAudit) -> str:
    """How sure the minimum is; empty where there is nothing to prove."""
    if block.forced is None or block.minimum == 0:
        return ""
    if not block.certified:
        return f"between {block.lower_bound:,} and {block.minimum:,} unavoidable, not certified"
    if block.avoidable:
        return f"{block.minimum:,} unavoidable, certified"
    return "certified: no legal order has fewer"


def inherited(block: BlockAudit) -> str:
    """How much of the disorder derived ops bring along; empty where none."""
    if not block.inherited:
        return ""
    total = count(block.inversions, "inversion")
    share = f"{block.inherited:,} of {total}"
    if block.inherited == block.inversions:
        share = total if block.inversions == 1 else f"all {total}"
    verb = "involves" if block.inherited == 1 else "involve"
    if block.derived == 1:
        return f"{share} {verb} the one op that a pass derived from another"
    return f"{share} {verb} one of {block.derived:,} ops that passes derived from others"


def reason(displaced: DisplacedOp, block: BlockAudit) -> str:
    """Why a displaced op stands where it does; empty in a graph region, where an op may stand anywhere."""
    if block.forced is None:
        return ""
    if displaced.hold is not None:
        return _held_by(displaced.hold, displaced)
    if block.avoidable:
        return "nothing holds it there: fix can move it"
    return "nothing holds it there, but the best order found leaves it where it is"


def _held_by(hold: Hold, displaced: DisplacedOp) -> str:
    other = f"{op_name(hold.op)} (line {hold.op.line})"
    match hold.kind, displaced.early:
        case DependenceKind.VALUE, True:
            words = f"its user {other} needs it"
        case DependenceKind.VALUE, False:
            words = f"it waits for its producer {other}"
        case DependenceKind.CAPTURE, True:
            words = f"{other} uses it inside its regions"
        case DependenceKind.CAPTURE, False:
            words = f"it waits for {other}, which its regions use"
        case DependenceKind.EFFECT, True:
            words = f"memory effects keep it before {other}"
        case DependenceKind.EFFECT, False:
            words = f"memory effects keep it behind {other}"
        case DependenceKind.TERMINATOR, True:
            words = f"{other} ends the block"
        case _:
            words = f"it ends the block, behind {other}"
    return words + _passed_on(hold.op, displaced)


def _passed_on(other: OpLabel, displaced: DisplacedOp) -> str:
    """A hold whose own index does not explain it is held in turn."""
    assert displaced.op.index is not None
    if displaced.early and (other.index is None or other.index >= displaced.op.index):
        return ", itself needed early"
    if not displaced.early and (other.index is None or other.index <= displaced.op.index):
        return ", itself late"
    return ""


def unknown_ops(names: Counter[str], limit: int | None) -> str:
    """How many ops the op table does not know, and which; empty where none."""
    total = sum(names.values())
    if not total:
        return ""
    listed = sorted(names.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{number:,} {name}" for name, number in listed[:limit]]
    rest = sum(number for _, number in listed[len(shown) :])
    shown += [f"{rest:,} more"] if rest else []
    keep = "keeps its" if total == 1 else "keep their"
    return f"{count(total, 'op')} of unknown effect {keep} order ({', '.join(shown)})"
