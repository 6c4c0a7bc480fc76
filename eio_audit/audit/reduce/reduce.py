"""The smallest program for which the property still holds, and how it was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from eio_audit.audit.bisect.compiler_command import SPLIT_FLAG, CompilerCommand, CompilerRuns
from eio_audit.audit.options import AuditOptions
from eio_audit.audit.reduce.property import Judge, Wanted
from eio_audit.audit.reduce.search import Candidate, Search
from eio_audit.mlir.editing.program import Program, ProgramSize, program_text
from eio_audit.mlir.editing.reading import SPLIT, read_program
from eio_audit.mlir.source import InputError


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
