"""What is wrong with a dump, one finding per op: what a gate reports, whatever the format."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eio_audit.audit.check.check import AuditedDump
from eio_audit.audit.check.figures import BlockAudit
from eio_audit.audit.gate.rules import (
    AVOIDABLE,
    LOCATION_RULES,
    UNAVOIDABLE,
    UNREADABLE,
    WRONG_LABEL,
    Rule,
)
from eio_audit.audit.locations.location_health import broken_locations
from eio_audit.audit.locations.origin import ModelLine
from eio_audit.audit.op_label import OpLabel, label
from eio_audit.order.displaced import displaced
from eio_audit.order.inversions import inversions_carried


@dataclass(frozen=True, slots=True)
class Finding:
    """One op that a rule finds fault with.

    Attributes:
        rule: which.
        message: what is wrong with the op, said of it: ``is early; fix removes 3 of its 7 inversions``.
        source: the file the dump stands in, ``<stdin>`` for standard input.
        dump_line: 1-based line the dump begins at.
        line: 1-based, of the op.
        column: 1-based, of the op.
        moment: which dump of the file it is, ``after canonicalize``; empty without a marker.
        function: symbol of the function around the op, or None.
        block: label of its block, and ``block_line`` the line that begins at.
        op: the op.
        origin: where in the model it comes from, without line numbers and indices.
        model: the model's line it comes from, as far as its location says.
        inversions: how many inversions the finding is about; 0 for a finding about something else.
        model_path: where the file of ``model`` is in the repository, if it was looked for and is there.
    """

    rule: Rule
    message: str
    source: str
    dump_line: int
    line: int
    column: int
    moment: str
    function: str | None
    block: str
    block_line: int
    op: OpLabel
    origin: str
    model: ModelLine | None
    inversions: int
    model_path: str | None = None


def find(dump: AuditedDump, rules: Collection[Rule]) -> list[Finding]:
    """What some of the rules find in one dump.

    Complexity: as to count inversions, O(n log n) for a block of n ops, and nothing where it has none; rules
    on locations look at every op.

    Raises:
        InputError: a location is malformed.
    """
    on_locations = {rule.name: rule for rule in LOCATION_RULES if rule in rules}
    found = list(_in_locations(dump, on_locations)) if on_locations else []
    if UNREADABLE in rules:
        found += _unreadable(dump)
    for number, audit in zip(dump.blocks, dump.audit.blocks, strict=True):
        if not audit.inversions:
            continue
        block = _Block(dump, number, audit)
        if AVOIDABLE in rules and number in dump.orders:
            found += block.avoidable()
        if UNAVOIDABLE in rules:
            found += block.unavoidable()
        if WRONG_LABEL in rules:
            found += block.wrong_labels()
    return found


def _in_locations(dump: AuditedDump, rules: Mapping[str, Rule]) -> Iterator[Finding]:
    for op, broken in broken_locations(dump):
        if broken.rule in rules:
            yield finding_at(dump, op, rules[broken.rule], broken.message)


def _unreadable(dump: AuditedDump) -> Iterator[Finding]:
    from eio_audit.audit.locations.unreadable_locations import unreadable_locations

    for op, unreadable in unreadable_locations(dump):
        yield finding_at(dump, op, UNREADABLE, f"{unreadable.reason.value}: {unreadable.message}")


def finding_at(dump: AuditedDump, op: int, rule: Rule, message: str, inversions: int = 0) -> Finding:
    """A finding about one op of a dump."""
    ir, block = dump.ir, dump.ir.op_block[op]
    position = ir.source.position_at(ir.op_start[op])
    return Finding(
        rule=rule,
        message=message,
        source=dump.audit.source,
        dump_line=dump.audit.line,
        line=position.line,
        column=position.column,
        moment=" ".join(filter(None, (dump.audit.when, dump.audit.pass_name))),
        function=dump.functions[block],
        block=ir.block_name(block),
        block_line=ir.source.line_at(ir.block_offset(block)),
        op=label(ir, dump.indices, op),
        origin=dump.indices.place_in_model(op),
        model=dump.indices.model_line(op),
        inversions=inversions,
    )


class _Block:
    """A block with inversions. Places are 0-based among its ops, in textual order.

    Attributes:
        indexed: the places of the ops that have a say in inversions.
        best: the same places in the best order found.
        key: by such a place, what the op is ordered by.
    """

    def __init__(self, dump: AuditedDump, number: int, audit: BlockAudit) -> None:
        self.dump = dump
        self.audit = audit
        self.ops = dump.ir.block_ops[number]
        keys = dump.keys.of(self.ops)
        self.indexed = [place for place, key in enumerate(keys) if key is not None]
        order: Sequence[int] = dump.orders.get(number) or range(len(self.ops))
        self.best = [place for place in order if keys[place] is not None]
        self.key = {place: key for place, key in enumerate(keys) if key is not None}

    def avoidable(self) -> Iterator[Finding]:
        """The ops that a fix moves: the fewest that explain the best order."""
        now, then = self._carried(self.indexed), self._carried(self.best)
        rank = {place: k for k, place in enumerate(self.indexed)}
        for k in displaced(self.best):
            place = self.best[k]
            removed = now[place] - then[place]
            side = "early" if k > rank[place] else "late"
            message = f"is {side}; {_remedy(removed, now[place])}"
            yield finding_at(self.dump, self.ops[place], AVOIDABLE, message, max(removed, 0))

    def unavoidable(self) -> Iterator[Finding]:
        """The ops that are displaced even in the best order."""
        carried = self._carried(self.best)
        keys = [self.key[place] for place in self.best]
        sorted_rank = {k: rank for rank, k in enumerate(sorted(range(len(keys)), key=keys.__getitem__))}
        if self.audit.forced is None:
            why = "in a graph region, which has no order"
        elif self.audit.certified:
            why = "that no legal order is without"
        else:
            why = "that no order found is without"
        for k in displaced(keys):
            place = self.best[k]
            # A stable sort moves an op to the right by as many places as it has more smaller keys behind it
            # than larger ones before it.
            side = "early" if sorted_rank[k] >= k else "late"
            message = f"is {side}, in {_inversions(carried[place])} {why}"
            yield finding_at(self.dump, self.ops[place], UNAVOIDABLE, message, carried[place])

    def wrong_labels(self) -> Iterator[Finding]:
        """The ops whose indices contradict the dependences."""
        ir, donors = self.dump.ir, self.dump.donors
        carried = self._carried(self.indexed)
        for place, op in enumerate(self.ops):
            if op in donors:
                right = label(ir, self.dump.indices, donors[op])
                name = " ".join(filter(None, (right.name, right.result)))
                should = f"it should carry {right.index}, as {name} (line {right.line}) does"
                message = f"carries an index that contradicts dataflow; {should}"
                yield finding_at(self.dump, op, WRONG_LABEL, message, carried[place])

    def _carried(self, places: Sequence[int]) -> dict[int, int]:
        """By place, the inversions that its op is an end of in an order."""
        return dict(zip(places, inversions_carried([self.key[place] for place in places]), strict=True))


def _remedy(removed: int, inversions: int) -> str:
    """What a fix does about an op that it moves."""
    if removed <= 0:
        return "fix moves it for the sake of others"
    if removed == inversions:
        return f"fix removes {'its inversion' if removed == 1 else f'all its {removed:,} inversions'}"
    return f"fix removes {removed:,} of its {inversions:,} inversions"


def _inversions(number: int) -> str:
    return f"{number:,} inversion" if number == 1 else f"{number:,} inversions"
