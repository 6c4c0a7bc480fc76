"""The history of one op: an event for each pass that changed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import NamedTuple

from eio_audit.audit.check.keyed_dump import KeyedDump, read_dump
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.dump_comparison import DumpComparison, OpChange
from eio_audit.audit.explain.op_choice import OpReference, find_ops, has_op, no_dump_on_line
from eio_audit.audit.locations.original_index import OpLabel
from eio_audit.audit.locations.parsed_locations import NO_LOCATION, Interned
from eio_audit.audit.log.program_log import LogStep, ProgramLog
from eio_audit.audit.log.scope_steps import ScopeSide, ScopeStep
from eio_audit.audit.options import DEFAULT_OPTIONS, AuditOptions
from eio_audit.audit.programs.scope_text import ScopeText
from eio_audit.mlir.input.dumps import Dump, DumpPlace, each_dump
from eio_audit.mlir.source import InputError, bugs_are_errors
from eio_audit.order.inverted_pairs import INITIAL

_Place = tuple[int, int]  # the line where an op begins, and its 0-based number among those that begin there


class EventKind(StrEnum):
    """What a dump shows of an op."""

    FIRST = "first"  # it is in the first dump of its function
    MADE = "made"  # a pass made it
    CHANGED = "changed"  # a pass changed or moved it
    REMOVED = "removed"  # a pass removed it
    LAST = "last"  # this is the last dump that shows it, and no pass changed it since the event before


class OpState(NamedTuple):
    """An op as one dump shows it."""

    op: OpLabel  # the op; its line is that of the file
    column: int  # 1-based column where it begins
    function: str | None  # symbol of the function around it, or None
    block: str  # label of its block
    place: int  # 0-based place among the ops of its block
    ops: int  # number of ops of the block
    operands: tuple[str, ...]  # each with the op that defines it: `%3 ttir.permute`, `argument 2 of ^bb0`
    types: str  # the op's type; in custom form, the types that it prints
    location: str  # as printed, with an alias replaced by its definition; empty for none


@dataclass(frozen=True, slots=True)
class OpEvent:
    """What one pass did to an op, or where the op was seen first or last."""

    kind: EventKind  # what happened
    pass_name: str | None  # the pass that did it; None for passes that the log does not show
    place: DumpPlace  # where the dump is that shows it
    state: OpState | None  # the op in that dump; None if it was removed
    # The difference from the dump before, and the op that it came from; None for first, last and removed.
    change: OpChange | None = None
    users_now_use: str = ""  # for a removed op, what its users use instead: `%3 ttir.permute`
    # For a removed op from which no op is known to be made, the names of the ops that were added at its
    # location, with their numbers. They may have been made from it.
    at_its_location: Mapping[str, int] = field(default_factory=dict)


class OpInversions(NamedTuple):
    """The pairs out of order that an op is in at the end, as far as one pass made them."""

    pass_name: str | None  # the pass; None for passes that the log does not show
    # The dump that shows what it did; None if the first dump of the function has the pairs.
    place: DumpPlace | None
    pairs: int  # how many there are


class OpHistory(NamedTuple):
    """What happened to one op, in the order of the passes."""

    events: tuple[OpEvent, ...]  # from its origin to the last dump that shows it, or its removal
    origin: int | None  # the place in the history of the op that a pass made it from; None for all others
    # The pairs out of order that it is in at the end, by the pass that made them, most first.
    inversions: tuple[OpInversions, ...] = ()

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


class History(NamedTuple):
    """The histories of the requested ops, several if they share an index."""

    ops: tuple[OpHistory, ...]  # the requested ops, then the ops that passes made from them
    dumps: int  # number of dumps of their program
    errors: tuple[InputError, ...]  # of dumps that could not be read


def history(dumps: Iterable[Dump], op: str, options: AuditOptions = DEFAULT_OPTIONS) -> History:
    """Follow one op through the passes of a log, a folder or several stages.

    The first dump with an op of that name decides which op is meant. It is followed from the first dump on,
    under any name.

    Args:
        dumps: in the order of the passes. They are read several times; an iterator is copied to a list.
        op: as for ``explain``. A line also chooses the dump.
        options: as for ``check``.

    Raises:
        InputError: no dump has such an op, or the first dump that has one has several.

    Complexity: linear in the text. Only functions that differ from the dump before are matched.
    """
    if isinstance(dumps, Iterator):
        dumps = list(dumps)
    number, program, places = _find(dumps, op, options)
    wanted = _numbers_at((dump for dump in dumps if dump.program == program), number, places, options)
    while True:
        recorder = _Recorder(options, wanted)
        own = (dump for dump in dumps if dump.program == program)
        errors = [_error_of(dump, recorder.take) for dump in own]
        if not recorder.copied:
            return History(recorder.result(), len(errors), tuple(filter(None, errors)))
        wanted = [recorder.copied.get(op, op) for op in wanted]


def _error_of(dump: Dump, take: Callable[[Dump], object]) -> InputError | None:
    """Return why a dump cannot be taken; None if it was."""
    try:
        with bugs_are_errors(dump.source.name, dump.line):
            take(dump)
    except InputError as error:
        return error
    return None


def _find(dumps: Iterable[Dump], op: str, options: AuditOptions) -> tuple[int, str, list[_Place]]:
    """Return the number in its program of the first dump with the op, the program, and the ops' places."""
    wanted = OpReference.parse(op)
    numbers: dict[str, int] = {}
    nearest: Dump | None = None
    has_place = False
    last: Dump | None = None
    for dump in each_dump(dumps):
        number = numbers[dump.program] = numbers.get(dump.program, -1) + 1
        may_have_it = wanted.may_be_in(dump) and (
            wanted.place_in(dump.source) or last is None or not dump.has_text_of(last)
        )
        nearest = dump if nearest is None or (may_have_it and not has_place) else nearest
        if not may_have_it:
            continue
        has_place, last = True, dump
        try:
            with bugs_are_errors(dump.source.name, dump.line):
                read = read_dump(dump, options, may_be_invalid=dump.has_failed)
        except InputError:
            continue
        if has_op(read, wanted):
            places = _places(read)
            return number, dump.program, [places[found] for found in find_ops(read, op)]
    if nearest is None:
        raise InputError("<dumps>", None, "there is no dump")
    if not has_place and (place := wanted.place_in(nearest.source)):
        raise no_dump_on_line(nearest.source.name, place[0])
    find_ops(read_dump(nearest, options, may_be_invalid=nearest.has_failed), op)
    raise AssertionError("an op was found that was not there")


def _places(dump: KeyedDump) -> list[_Place]:
    seen = Counter[int]()
    places = []
    for start in dump.ir.op_start:
        line = dump.ir.source.line_at(start)
        places.append((line, seen[line]))
        seen[line] += 1
    return places


def _numbers_at(
    dumps: Iterator[Dump], number: int, places: Sequence[_Place], options: AuditOptions
) -> list[int]:
    """Return the numbers of the ops at some places of the dump with a number in its program.

    The history tells which dumps before it cannot be read, as they are read again for that.

    Raises:
        InputError: a location of this dump is malformed.
    """
    log = ProgramLog(options)
    for dump in islice(dumps, number):
        _error_of(dump, log.compared)
    after = log.compared(next(dumps)).after
    return [after.ops_on(line)[place] for line, place in places]


@dataclass(slots=True, eq=False)
class _Track:
    """The events of one op so far, and the last text that shows it."""

    origin: int | None  # the number of the op that a pass made it from
    events: list[OpEvent] = field(default_factory=list)
    # The text, the 0-based line in it where the op begins, and its place among the ops there.
    shown: tuple[ScopeText, int, int] | None = None


class _Recorder:
    """Records the events of ops, by their numbers, and of the ops that passes make from them."""

    def __init__(self, options: AuditOptions, wanted: Collection[int]) -> None:
        self._options = options
        self._wanted = wanted
        self._log = ProgramLog(options)
        self._changes: dict[tuple[str | None, DumpPlace], int] = {}  # the origins of pairs out of order
        self._tracks: dict[int, _Track] = {}
        self._last_sides: dict[int, ScopeSide] = {}  # by the identity of a last text that is known, its ops
        self.copied: dict[int, int] = {}  # by wanted op, the op that it is a copy of, if that is not followed

    def take(self, dump: Dump) -> None:
        """Follow the ops into a dump; an InputError if it cannot be read."""
        text = self._log.steps.show(dump)
        step = self._log.walk.step(dump, text.outline.only_function, text.function_texts)
        step.compared = self._log.compared(dump)
        self._follow_pairs(step, step.compared)
        if step.compared.new is not None:
            self._follow(step, step.compared, step.compared.new)
        for line, ops in enumerate(step.compared.after.lines.ops):
            for place, number in enumerate(ops):
                if number in self._tracks:
                    self._tracks[number].shown = step.compared.after, line, place

    def _follow_pairs(self, step: LogStep, compared: ScopeStep) -> None:
        def origin(function: str | None) -> int:
            if not compared.was_known(function):
                return INITIAL
            change = step.pass_of(function), step.dump.place
            return self._changes.setdefault(change, len(self._changes))

        is_judged = compared.new is None or any(compared.new.ops.dump.keys.keyed_by_block)
        self._log.follow(step, origin, is_judged=is_judged)

    def _inversions_of(self, op: int) -> tuple[OpInversions, ...]:
        """Return the pairs out of order that the op with a number is in, by the pass that made them."""
        changes, numbers = [*self._changes], +self._log.followed.pairs.of(op)
        return tuple(
            OpInversions(pass_name, place, number)
            for origin, number in numbers.most_common()
            for pass_name, place in [(None, None) if origin == INITIAL else changes[origin]]
        )

    def _follow(self, step: LogStep, compared: ScopeStep, new: ScopeSide) -> None:
        comparison = compared.comparison
        places = {number: op for op, number in enumerate(new.numbers)}
        if comparison is not None and compared.old is not None:
            for old, copy in compared.copies.items():
                if new.numbers[copy] in self._wanted and compared.old.numbers[old] not in self._tracks:
                    self.copied[new.numbers[copy]] = compared.old.numbers[old]
            for old, number in enumerate(compared.old.numbers):
                if number in self._tracks:
                    track, op = self._tracks[number], places.get(number)
                    if op is None and (op := compared.copies.get(old)) is not None:
                        self._tracks[new.numbers[op]] = track
                    track.events += _events(step, compared, old, op)
                    track.shown = track.shown if op is not None else None
            self._find_made(step, compared, new)
        for number in self._wanted:
            if number in places and number not in self._tracks:
                state = _state(new.ops, places[number])
                event = OpEvent(EventKind.FIRST, None, compared.after.dump.place, state)
                self._tracks[number] = _Track(None, [event])

    def _find_made(self, step: LogStep, compared: ScopeStep, new: ScopeSide) -> None:
        """Begin to follow added ops: those that are wanted, and those that were made from followed ones."""
        comparison, old = compared.comparison, compared.old
        assert comparison is not None
        assert old is not None
        if not self._tracks and not any(new.numbers[op] in self._wanted for op in comparison.added):
            return
        for op in comparison.added:
            number, function, origin = new.numbers[op], new.function_of(op), compared.origins.get(op)
            source = None if origin is None else old.numbers[origin[0]]
            is_wanted = number in self._wanted
            if compared.was_known(function) and (is_wanted or source in self._tracks):
                change, place = comparison.change(None, op, origin), compared.after.dump.place
                pass_name = step.pass_of(function)
                event = OpEvent(EventKind.MADE, pass_name, place, _state(new.ops, op), change)
                self._tracks[number] = _Track(None if is_wanted else source, [event])

    def result(self) -> tuple[OpHistory, ...]:
        """Return the histories of all ops, those that were asked for first."""
        for track in dict.fromkeys(self._tracks.values()):
            if track.events[-1].kind is not EventKind.REMOVED and track.shown is not None:
                self._end(track, *track.shown)
        wanted_first = sorted(self._tracks.items(), key=lambda item: item[0] not in self._wanted)
        tracks = list(dict.fromkeys(track for _, track in wanted_first))
        numbers = {track: number for number, track in self._tracks.items()}
        origins = [None if one.origin is None else self._tracks[one.origin] for one in tracks]
        return tuple(
            OpHistory(
                tuple(track.events),
                None if origin is None else tracks.index(origin),
                self._inversions_of(numbers[track]),
            )
            for track, origin in zip(tracks, origins, strict=True)
        )

    def _end(self, track: _Track, text: ScopeText, line: int, place: int) -> None:
        """Add an event for the last dump that shows an op, unless a pass changed it in that dump."""
        if track.events[-1].place == text.dump.place:
            return
        side = self._last_sides.get(id(text))
        if side is None:
            kept = range(len(text.lines))
            dump = read_dump(text.readable(kept), self._options, may_be_invalid=True)
            side = self._last_sides[id(text)] = ScopeSide(kept, ComparedDump(dump, Interned()))
        ops = [op for op, first in enumerate(side.op_lines) if first == line]
        track.events.append(OpEvent(EventKind.LAST, None, text.dump.place, _state(side.ops, ops[place])))


def _events(step: LogStep, compared: ScopeStep, old: int, new: int | None) -> Iterator[OpEvent]:
    """Yield what happened to an op of the text before a dump; ``new`` is the op in it, None for none."""
    comparison, side, place = compared.comparison, compared.old, compared.after.dump.place
    assert comparison is not None
    assert side is not None
    if new is None:
        pass_name, used = step.pass_of(side.function_of(old)), comparison.replacements(old)
        yield OpEvent(EventKind.REMOVED, pass_name, place, None, None, used, _added_at(comparison, old))
        return
    change = comparison.change(old, new)
    if change.status != "unchanged":
        pass_name = step.pass_of(change.function)
        yield OpEvent(EventKind.CHANGED, pass_name, place, _state(comparison.after, new), change)


def _added_at(comparison: DumpComparison, old: int) -> dict[str, int]:
    """Return the names of the added ops at the location of a removed op, unless one was made from it."""
    before, after = comparison.before, comparison.after
    location = before.locations[old]
    added = [op for op in comparison.added if after.locations[op] == location != NO_LOCATION]
    if any(origin[0] == old for origin in map(comparison.converted_from, added) if origin is not None):
        return {}
    return dict(Counter(after.names[op] for op in added).most_common())


def _state(side: ComparedDump, op: int) -> OpState:
    ir, block = side.ir, side.ir.op_block[op]
    return OpState(
        op=side.dump.label(op),
        column=ir.source.position_at(ir.op_start[op]).column,
        function=side.functions[block],
        block=ir.block_name(block),
        place=side.place_of(op),
        ops=len(ir.block_ops[block]),
        operands=tuple(side.values([value]) for value in side.producers[op]),
        types=side.printed_texts[op].signature,
        location=side.location(op),
    )
