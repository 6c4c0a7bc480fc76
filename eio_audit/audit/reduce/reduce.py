"""The search for the smallest program for which the property still holds: delta debugging, kind by kind.

Candidates are judged ahead, several at a time, but the first in order that holds is taken. So the result does
not depend on how many are judged at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from eio_audit.audit.bisect.compiler_command import SPLIT_FLAG, CompilerCommand, CompilerRuns
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.reduce.property import Judge, Wanted
from eio_audit.audit.reduce.steps import KINDS, Item, Kind
from eio_audit.mlir.editing.printing import program_text
from eio_audit.mlir.editing.program import Program, ProgramSize
from eio_audit.mlir.editing.reading import SPLIT, read_program
from eio_audit.mlir.source import InputError

_ALONE = 4  # with so many parts or fewer, a part is also tried alone


class Candidate(NamedTuple):
    """A program to judge."""

    program: Program
    text: bytes
    kept: Sequence[Item] = ()  # what could be cut and is not

    @property
    def size(self) -> tuple[int, int]:
        """How large it is: what is tried next must be smaller."""
        return sum(1 for _ in self.program.walk()), len(self.text)


class Search:
    """Finds the smallest program for which a property holds."""

    def __init__(
        self, start: Candidate, holds: Callable[[bytes], bool], jobs: int, accept: Callable[[Candidate], None]
    ) -> None:
        self.best = start
        self._holds = holds
        self._jobs = jobs
        self._accept = accept
        self._known: dict[bytes, Future[bool]] = {}

    def run(self, end: Callable[[], None]) -> None:
        """Cut until nothing more can be cut. If that is interrupted, ``end`` ends what runs."""
        with ThreadPoolExecutor(self._jobs) as self._pool:
            try:
                while [kind for kind in KINDS if self._reduce(kind)]:
                    continue
            except BaseException:
                self._pool.shutdown(wait=False, cancel_futures=True)
                end()
                raise

    def _reduce(self, kind: Kind) -> bool:
        before = self.best
        if kind.is_single:
            self._one_by_one(kind)
        else:
            self._many(kind)
        return self.best is not before

    def _one_by_one(self, kind: Kind) -> None:
        place, is_done = 0, False
        while not is_done:
            base, items = self.best.program, kind.items(self.best.program)
            tried = (_cut(base, kind, items, items[:n] + items[n + 1 :]) for n in range(place, len(items)))
            found = self._first(tried)
            is_done = found is None
            if found is not None:
                place = next(n for n, item in enumerate(items) if item not in found.kept)

    def _many(self, kind: Kind) -> None:
        base = self.best.program
        items = kept = kind.items(base)
        ways = [kind, *kind.others]
        if not items or self._by_some_way(base, ways, items, [[]]) is not None:
            return
        count = 2
        while len(kept) >= 2:
            size = max(1, len(kept) // count)
            parts = [kept[start : start + size] for start in range(0, len(kept), size)]
            rests = [[item for other in parts if other is not part for item in other] for part in parts]
            found = self._by_some_way(base, ways, items, [*(parts if count <= _ALONE else []), *rests])
            if found is None:
                if size == 1:
                    break
                count = min(count * 2, len(kept))
                continue
            count = 2 if len(found.kept) <= size else max(count - 1, 2)
            kept = [*found.kept]

    def _by_some_way(
        self, base: Program, ways: list[Kind], items: list[Item], choices: Sequence[list[Item]]
    ) -> Candidate | None:
        """Return the first program that holds with a choice kept. The way to it is the first from now on."""
        for way in [*ways]:
            found = self._first(map(partial(_cut, base, way, items), choices))
            if found is not None:
                ways.remove(way)
                ways.insert(0, way)
                return found
        return None

    def _first(self, candidates: Iterable[Candidate | None]) -> Candidate | None:
        """Return the first smaller candidate that holds, which is then the best; None if none does."""
        smaller = (one for one in candidates if one is not None and one.size < self.best.size)
        waiting: deque[tuple[Candidate, Future[bool]]] = deque()
        while self._look_ahead(waiting, smaller):
            candidate, judged = waiting.popleft()
            if judged.result():
                self.best = candidate._replace(program=candidate.program.numbered())
                self._accept(self.best)
                return candidate
        return None

    def _look_ahead(
        self, waiting: deque[tuple[Candidate, Future[bool]]], candidates: Iterator[Candidate]
    ) -> bool:
        """Judge the next candidates, and return whether there are any."""
        while len(waiting) < self._jobs and (candidate := next(candidates, None)) is not None:
            judged = self._known.get(candidate.text)
            if judged is None:
                judged = self._pool.submit(self._holds, candidate.text)
                self._known[candidate.text] = judged
            waiting.append((candidate, judged))
        return bool(waiting)


def _cut(base: Program, kind: Kind, items: Sequence[Item], kept: Sequence[Item]) -> Candidate | None:
    """Return the program with all cut that is not kept; None if nothing is left of it."""
    stays = {*kept}
    program = kind.without(base, [item for item in items if item not in stays])
    return Candidate(program, program_text(program), kept) if program.parts else None


class Reduction(NamedTuple):
    """The smallest program, and how it was found."""

    property: str  # what stays true
    pass_name: str | None  # the pass that puts ops out of order; None for another property
    before: ProgramSize  # the input
    after: ProgramSize  # the result
    runs: int  # of the compiler, or of the command of --interesting
    refused: int  # programs that the compiler did not read
    timeouts: int  # programs for which a run took too long
    is_interrupted: bool  # whether the search was stopped
    text: bytes  # the result
    command: tuple[str, ...]  # the user's command; empty if there is none
    interesting: tuple[str, ...]  # the command that says which programs to keep; empty if there is none
    input_word: str  # the word of the command that is the input
    timeout: float | None  # the seconds that a run may take
    output: str | None = None  # the file of the result; None for standard output


class Job(NamedTuple):
    """What to reduce, and who asks for it."""

    text: bytes  # the input
    name: str  # what messages call it
    command: CompilerCommand | None  # the compiler; None if there is none
    reader: CompilerCommand | None  # what prints a program in generic form; None if nothing does
    input_word: str  # the word of both that is the input
    wanted: Wanted
    options: AuditOptions


def reduce_program(
    job: Job,
    runs: CompilerRuns,
    jobs: int,
    accept: Callable[[bytes], None],
    advance: Callable[[str], None],
) -> Reduction:
    """Find the smallest program for which the property of the input still holds.

    An interrupt ends the search, not the program.

    Args:
        job: what to reduce.
        runs: what runs the compiler.
        jobs: how many programs are judged at once.
        accept: is called with each smaller program for which the property holds.
        advance: is called with what has been done so far.

    Raises:
        InputError: nothing is wrong with the input, or it cannot be read.
    """
    judge = Judge(job.command, job.reader, job.input_word, runs, job.options, job.wanted)
    generic = judge.generic_text(job.text)
    judge.find_property(job.text)
    advance(judge.held)
    is_split = SPLIT.search(job.text) is not None and _splits(job.reader)
    start = read_program(job.text, generic, job.name, job.options.op_table, is_split=is_split)
    before = start.size(job.text)

    def accepted(candidate: Candidate) -> None:
        accept(candidate.text)
        ops = candidate.program.op_count
        advance(f"{before.ops:,} -> {ops:,} ops, {runs.number:,} runs")

    search = Search(Candidate(_written_anew(start, job, judge), job.text), judge.holds, jobs, accepted)
    is_interrupted = False
    try:
        search.run(runs.running.end)
    except KeyboardInterrupt:
        is_interrupted = True
    best = search.best
    return Reduction(
        judge.held,
        judge.pass_name,
        before,
        best.program.size(best.text),
        runs.number,
        judge.refused,
        judge.timeouts,
        is_interrupted,
        best.text,
        () if job.command is None else job.command.words,
        tuple(job.wanted.interesting or ()),
        job.input_word,
        runs.timeout,
    )


def _splits(reader: CompilerCommand | None) -> bool:
    return reader is None or any(word.lstrip("-").startswith(SPLIT_FLAG) for word in reader.words)


def _written_anew(start: Program, job: Job, judge: Judge) -> Program:
    """Return the program that is cut: as printed, or in generic form if the property does not hold else."""
    text = program_text(start)
    if text == job.text or judge.holds(text):
        return start
    for op in start.walk():
        op.edited().is_custom = False
    if not judge.holds(program_text(start)):
        why = "in generic form, it does not show any more what it did"
        raise InputError(job.name, None, f"{why} ({judge.held})")
    return start
