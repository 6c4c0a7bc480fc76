"""The history of one op: an event for each pass that changed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump, compared
from eio_audit.audit.diff.dump_comparison import DumpComparison
from eio_audit.audit.diff.op_changes import OpChange, Relation
from eio_audit.audit.explain.op_choice import OpReference, find_ops, has_op, no_dump_on_line
from eio_audit.audit.locations.location_numbers import Interned
from eio_audit.audit.log.followed_ops import DividedDump, Follower, OpPlace, OpStep, Scope
from eio_audit.audit.op_label import OpLabel
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.mlir.input.dumps import Dump, DumpPlace, each_dump
from eio_audit.mlir.source import InputError


class EventKind(StrEnum):
    """What a dump shows of an op."""

    FIRST = "first"
    """It is in the first dump of its function."""
    MADE = "made"
    """A pass made it."""
    CHANGED = "changed"
    """A pass changed or moved it."""
    REMOVED = "removed"
    """A pass removed it."""
    LAST = "last"
    """This is the last dump that shows it, and no pass changed it since the event before."""


@dataclass(frozen=True, slots=True)
class OpState:
    """An op as one dump shows it.

    Attributes:
        op: the op; its line is that of the file.
        column: 1-based column where it begins.
        function: symbol of the function around it, or None.
        block: label of its block.
        place: 0-based place among the ops of its block.
        ops: number of ops of the block.
        operands: each with the op that defines it: ``%3 ttir.permute``, ``argument 2 of ^bb0``.
        types: the op's type; in custom form, the types that it prints.
        location: as printed, with an alias replaced by its definition; empty for none.
    """

    op: OpLabel
    column: int
    function: str | None
    block: str
    place: int
    ops: int
    operands: tuple[str, ...]
    types: str
    location: str


@dataclass(frozen=True, slots=True)
class OpEvent:
    """What one pass did to an op, or where the op was seen first or last.

    Attributes:
        kind: what happened.
        pass_name: the pass that did it; None for passes that the log does not show.
        place: where the dump is that shows it.
        state: the op in that dump; None if it was removed.
        change: the difference from the dump before, and the op that it came from; None for first, last and
            removed.
        users_now_use: for a removed op, what its users use instead: ``%3 ttir.permute``.
    """

    kind: EventKind
    pass_name: str | None
    place: DumpPlace
    state: OpState | None
    change: OpChange | None = None
    users_now_use: str = ""


@dataclass(frozen=True, slots=True)
class OpHistory:
    """What happened to one op, in the order of the passes.

    Attributes:
        events: the first one is its origin, the last one is the last dump that shows it or its removal.
        origin: the position in the history of the op that a pass made it from; None for all others.
    """

    events: tuple[OpEvent, ...]
    origin: int | None

    @property
    def first(self) -> OpState:
        """The op in the first dump that shows it."""
        state = self.events[0].state
        assert state is not None
        return state

    @property
    def changes(self) -> tuple[OpEvent, ...]:
        """The events in which a pass changed it."""
        return tuple(event for event in self.events if event.kind is EventKind.CHANGED)

    @property
    def is_unchanged(self) -> bool:
        """Whether it exists from the first dump to the last, and no pass changed it."""
        return all(event.kind in (EventKind.FIRST, EventKind.LAST) for event in self.events)

    @property
    def removal(self) -> OpEvent | None:
        """The event of its removal; None if it was not removed."""
        return self.events[-1] if self.events[-1].kind is EventKind.REMOVED else None


@dataclass(frozen=True, slots=True)
class History:
    """The histories of the requested ops, several if they share an index.

    Attributes:
        ops: the requested ops, then the ops that passes made from them.
        dumps: number of dumps of their program.
        errors: the errors of dumps that could not be read.
    """

    ops: tuple[OpHistory, ...]
    dumps: int
    errors: tuple[InputError, ...]


def history(dumps: Iterable[Dump], op: str, options: AuditOptions = DEFAULT_OPTIONS) -> History:
    """Follow one op through the passes of a log, a folder or several stages.

    The first dump with an op of that name decides which op is meant. It is followed from the first dump on,
    under any name.

    Args:
        dumps: in the order of the passes. They are read up to three times; an iterator is copied to a list.
        op: as for ``explain``. A line also chooses the dump.
        options: as for ``check``.

    Raises:
        InputError: no dump has such an op, or the first dump that has one has several.

    Complexity: linear in the text. Only functions that differ from the dump before are matched.
    """
    if isinstance(dumps, Iterator):
        dumps = list(dumps)
    number, program, places = _find(dumps, op, options)
    births = {0: [_Birth(0, place) for place in places]}
    if number:
        births = _births(dumps, number, program, places, options)
    recorder = _Recorder(options)
    errors: list[InputError] = []
    count = 0
    for count, dump in enumerate(_of_program(dumps, program), 1):
        try:
            recorder.take(dump)
        except InputError as error:
            errors.append(error)
        for birth in births.get(count - 1, ()):
            recorder.begin(birth)
    return History(recorder.result(), count, tuple(errors))


def _of_program(dumps: Iterable[Dump], program: str) -> Iterator[Dump]:
    return (dump for dump in dumps if dump.program == program)


def _find(dumps: Iterable[Dump], op: str, options: AuditOptions) -> tuple[int, str, list[OpPlace]]:
    """Return the number in its program of the first dump with the op, the program, and the ops' places."""
    wanted = OpReference.parse(op)
    numbers: dict[str, int] = {}
    nearest: Dump | None = None
    has_place = False
    last = b""
    for dump in each_dump(dumps):
        number = numbers[dump.program] = numbers.get(dump.program, -1) + 1
        may_have_it = wanted.may_be_in(dump) and (wanted.place_in(dump.source) or not dump.has_text(last))
        nearest = dump if nearest is None or (may_have_it and not has_place) else nearest
        if not may_have_it:
            continue
        has_place, last = True, dump.text
        try:
            read = read_dump(dump, options)
        except InputError:
            continue
        if has_op(read, wanted):
            divided = DividedDump(dump, options)
            return number, dump.program, [divided.place_of(found) for found in find_ops(read, op)]
    if nearest is None:
        raise InputError("<dumps>", None, "there is no dump")
    if not has_place and (place := wanted.place_in(nearest.source)):
        raise no_dump_on_line(nearest.source.name, place[0])
    find_ops(read_dump(nearest, options), op)
    raise AssertionError("an op was found that was not there")


@dataclass(slots=True, eq=False)
class _Birth:
    """The origin of an op: the number of a dump of its program, its place in it, and what made it."""

    number: int
    place: OpPlace | None
    step: OpStep | None = None
    change: OpChange | None = None


def _births(
    dumps: Iterable[Dump], number: int, program: str, places: list[OpPlace], options: AuditOptions
) -> dict[int, list[_Birth]]:
    """Return, per number of a dump, the births of the ops at some places of a later dump."""
    followers = {symbol: _BirthFollower(options, symbol) for symbol, _ in places}
    for current, dump in enumerate(_of_program(dumps, program)):
        for follower in followers.values():
            with suppress(InputError):  # reported when the op is followed
                follower.take_next(current, dump)
        if current == number:
            break
    found: dict[int, list[_Birth]] = {}
    for place in places:
        scope = followers[place[0]].scopes.get(place[0])
        birth = scope.ops.get(place[1]) if scope else None
        birth = birth or _Birth(number, place)
        found.setdefault(birth.number, []).append(birth)
    return found


class _BirthFollower(Follower[_Birth]):
    """Follows all ops of a function to find their origins."""

    def __init__(self, options: AuditOptions, symbol: str | None) -> None:
        super().__init__(options)
        self._symbol = symbol
        self._number = 0

    def take_next(self, number: int, dump: Dump) -> None:
        self._number = number
        self.take(dump)
        assert self.shown is not None
        symbol = self._symbol
        if symbol not in self.scopes and (symbol is None or symbol in self.shown.functions):
            side = self.side(symbol)
            for op in range(len(side.ops) if side else 0):
                self.follow((symbol, op), _Birth(number, (symbol, op)))
        for symbol, scope in self.scopes.items():
            for op, birth in scope.ops.items():
                birth.place = birth.place or (symbol, op)

    def stays(self, followed: _Birth, comparison: DumpComparison, old: int, new: int, step: OpStep) -> None:
        pass

    def appears(
        self,
        origin: _Birth | None,
        comparison: DumpComparison,
        new: int,
        relation: tuple[int, Relation] | None,
        step: OpStep,
    ) -> _Birth:
        return _Birth(self._number, None, step, comparison.addition(new, relation))

    def vanishes(self, followed: _Birth, comparison: DumpComparison, old: int, step: OpStep) -> None:
        pass


@dataclass(slots=True, eq=False)
class _Track:
    """The events of one op so far."""

    origin: int | None
    events: list[OpEvent] = field(default_factory=list)


class _Recorder(Follower[_Track]):
    """Records the events of ops and of the ops that passes make from them."""

    def __init__(self, options: AuditOptions) -> None:
        super().__init__(options)
        self._tracks: list[_Track] = []

    def begin(self, birth: _Birth) -> None:
        """Follow an op, starting at the dump taken last."""
        assert self.shown is not None
        assert birth.place is not None
        track = self._new_track(None)
        symbol, op = self.follow(birth.place, track)
        state = _state(self.scopes[symbol].side, op)
        kind = EventKind.FIRST if birth.change is None else EventKind.MADE
        step = birth.step or OpStep(self.shown.dump, None)
        track.events.append(_event(kind, step, state, birth.change))

    def stays(self, followed: _Track, comparison: DumpComparison, old: int, new: int, step: OpStep) -> None:
        change = comparison.change(old, new)
        if change.status != "unchanged":
            state = _state(comparison.after, new)
            followed.events.append(_event(EventKind.CHANGED, step, state, change))

    def appears(
        self,
        origin: _Track | None,
        comparison: DumpComparison,
        new: int,
        relation: tuple[int, Relation] | None,
        step: OpStep,
    ) -> _Track | None:
        if origin is None:
            return None
        track = self._new_track(self._tracks.index(origin))
        change = comparison.addition(new, relation)
        track.events.append(_event(EventKind.MADE, step, _state(comparison.after, new), change))
        return track

    def vanishes(self, followed: _Track, comparison: DumpComparison, old: int, step: OpStep) -> None:
        used = comparison.replacements(old)
        followed.events.append(_event(EventKind.REMOVED, step, None, users_now_use=used))

    def result(self) -> tuple[OpHistory, ...]:
        """Return the histories of all ops."""
        for scope in self.scopes.values():
            if scope.missing is None:
                self._end_with(scope)
                continue
            for track in scope.ops.values():
                track.events.append(_event(EventKind.REMOVED, scope.missing, None))
        return tuple(OpHistory(tuple(track.events), track.origin) for track in self._tracks)

    def _end_with(self, scope: Scope[_Track]) -> None:
        """Add an event for the last dump that shows ops, except for ops that a pass changed in that dump."""
        dump = scope.shown.dump
        later = {op: track for op, track in scope.ops.items() if track.events[-1].place != dump.place}
        read = DividedDump(dump, self.options).read(scope.symbol) if later else None
        if read is None:
            return
        side = compared(read, Interned())
        for op, track in later.items():
            track.events.append(_event(EventKind.LAST, OpStep(dump, None), _state(side, op)))

    def _new_track(self, origin: int | None) -> _Track:
        self._tracks.append(_Track(origin))
        return self._tracks[-1]


def _event(
    kind: EventKind,
    step: OpStep,
    state: OpState | None,
    change: OpChange | None = None,
    users_now_use: str = "",
) -> OpEvent:
    return OpEvent(kind, step.pass_name, step.dump.place, state, change, users_now_use)


def _state(side: ComparedDump, op: int) -> OpState:
    ops, ir = side.ops, side.ops.ir
    block = ir.op_block[op]
    return OpState(
        op=side.dump.label(op),
        column=ir.source.position_at(ir.op_start[op]).column,
        function=ops.functions[block],
        block=ir.block_name(block),
        place=side.place(op),
        ops=len(ir.block_ops[block]),
        operands=tuple(side.values([value]) for value in ops.producers[op]),
        types=ops.texts[op].signature,
        location=side.location(op),
    )
