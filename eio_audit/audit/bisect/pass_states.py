"""The states of the IR after a pass, by how many attempts of patterns are allowed."""

from __future__ import annotations

import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from eio_audit.audit.bisect.compiler_command import CompilerCommand, CompilerRun, CompilerRuns, counter_flag
from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import read_dump
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, Source, Span
from eio_audit.order.inversions import count_inversions

ALL_ATTEMPTS = 1_000_000_000
"""More attempts than any pass makes."""

_COUNT = re.compile(rb"(?m)^apply-pattern +: \{(\d+),")
_END = re.compile(rb"\n\n\n|\n\nDebugCounter counters:")


@dataclass(frozen=True, slots=True)
class StateOrder:
    """The order of the ops in one state."""

    inversions: int  # how many inversions they have
    is_indexed: bool  # whether any op has a key


@dataclass(frozen=True, slots=True)
class WantedDump:
    """Which dump of a run is the state."""

    pass_name: str  # the pass, by its marker
    number: int  # 0-based number among the dumps after that pass; -1 for the last


@dataclass(slots=True)
class PassStates:
    """Runs a compiler, and keeps each state that it makes once, on disk."""

    command: CompilerCommand  # the compiler's command line with what prints the dumps
    wanted: WantedDump  # which dump after the pass is the state
    runs: CompilerRuns  # what runs it
    options: AuditOptions  # how the states are read
    _orders: dict[str, StateOrder] = field(default_factory=dict)

    def at(self, attempts: int) -> str:
        """Return the state with so many attempts of patterns allowed, by its key.

        Raises:
            InputError: the compiler cannot be run, or does not print the dump.
        """
        return self.keep(self.dump_at(attempts).text)

    def dump_at(self, attempts: int) -> Dump:
        """Return the dump that shows the state with so many attempts of patterns allowed, as ``at`` does."""
        run = self.runs.run(self.counted(attempts))
        try:
            return dump_after(run, self.wanted)
        finally:
            run.messages.unlink()

    def begins_with(self, before: Dump, attempts: int) -> bool:
        """Return whether the dump before the pass is this one, with so many attempts of patterns allowed."""
        run = self.runs.run(self.counted(attempts))
        try:
            dumps = _dumps_of(run, self.wanted.pass_name, "before")
            number = self.wanted.number
            return number < len(dumps) and is_same_text(dumps[number], before)
        finally:
            run.messages.unlink()

    def counted(self, attempts: int) -> CompilerCommand:
        """Return the command with so many attempts allowed."""
        return self.command.with_flags(counter_flag(attempts))

    def keep(self, text: bytes) -> str:
        """Keep the text of a state; return its key, which is equal for equal texts."""
        text = without_messages(text)
        key = sha256(text).hexdigest()
        path = self._path(key)
        if not path.exists():  # several threads may write one state; none reads a part of it
            part = path.with_suffix(f".{threading.get_ident()}")
            part.write_bytes(text)
            part.replace(path)
        return key

    def text(self, key: str) -> bytes:
        """Return the text of a state."""
        return self._path(key).read_bytes()

    def order(self, key: str) -> StateOrder:
        """Return the order of the ops in a state.

        Raises:
            InputError: the state cannot be read.
        """
        if key not in self._orders:
            text = self.text(key)
            dump = Dump(Source("<state>", text), Span(0, len(text)), None, 1)
            self._orders[key] = order_of(dump, self.options)
        return self._orders[key]

    def difference(self, old: str, new: str) -> int:
        """Return how much two states differ: in inversions, or in lines where no op has an index."""
        before, after = self.order(old), self.order(new)
        if before.is_indexed or after.is_indexed:
            return abs(after.inversions - before.inversions)
        lines, others = _count_lines(self._path(old)), _count_lines(self._path(new))
        return (lines - others).total() + (others - lines).total()

    def _path(self, key: str) -> Path:
        return self.runs.folder / f"state-{key}.mlir"


@lru_cache(maxsize=64)
def _count_lines(path: Path) -> Counter[bytes]:
    return Counter(path.read_bytes().splitlines())


def order_of(dump: Dump, options: AuditOptions) -> StateOrder:
    """Return the order of the ops in a dump.

    Raises:
        InputError: the dump cannot be read.
    """
    keyed = read_dump(dump, options)
    blocks = (KeyedBlock(keyed, number) for number in keyed.keys.disordered_blocks)
    inversions = sum(count_inversions(block.indexed_keys) for block in blocks)
    return StateOrder(inversions, any(keyed.keys.keyed_by_block))


def without_messages(text: bytes) -> bytes:
    """Return the text of a dump without what a compiler printed after it.

    The printer ends a dump with two empty lines; there are none in it. With ``--mlir-print-local-scope`` it
    is one, and the counters follow.
    """
    return _END.split(text.strip(), maxsplit=1)[0] + b"\n"


def dump_after(run: CompilerRun, wanted: WantedDump) -> Dump:
    """Return the dump of a run that is the state after the pass.

    Raises:
        InputError: the run did not print it.
    """
    dumps = _dumps_of(run, wanted.pass_name, "after")
    try:
        return dumps[wanted.number]
    except IndexError:
        why = run.why_it_failed if run.exit_code else "the command prints no dump of it"
        raise InputError(run.command.program, None, f"no dump after {wanted.pass_name}: {why}") from None


def _dumps_of(run: CompilerRun, pass_name: str, when: str) -> list[Dump]:
    dumps = run.dumps()
    return [dump for dump in dumps if (dump.place.when, dump.place.pass_name) == (when, pass_name)]


def is_same_text(one: Dump, other: Dump) -> bool:
    """Return whether two dumps have one text, whatever a compiler printed after them."""
    return without_messages(one.text) == without_messages(other.text)


def count_of_attempts(run: CompilerRun) -> int | None:
    """Return how many patterns a run attempted; None if it did not print it.

    Raises:
        InputError: it compiled several programs and counted each from 1, so that a number is ambiguous.
    """
    found = [int(count) for count in _COUNT.findall(run.messages.read_bytes())]
    programs = sum(count > 0 for count in found)  # a tool prints counters that nothing uses, too
    if programs > 1:
        why = f"it compiles {programs} programs and counts the attempts of each from 1; give it one of them"
        raise InputError(run.command.program, None, why)
    return max(found, default=None)
