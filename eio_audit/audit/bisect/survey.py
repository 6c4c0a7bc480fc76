"""The first run of a compiler: its passes, and the pass in question with the command that runs it.

A pass of a pipeline is cut out where that is possible: the compiler reads the dump before the pass, and runs
this pass alone. The result must be the dump after the pass. Else the whole command runs each time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from eio_audit.audit.bisect.compiler_command import (
    OWN_FLAGS,
    CompilerCommand,
    CompilerError,
    CompilerRun,
    CompilerRuns,
    WantedDump,
    dump_after,
    flag_of,
    is_same_text,
    without_messages,
)
from eio_audit.audit.diff.diff import diff
from eio_audit.audit.log.trace import Trace, TracedPass, trace
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.input.function_texts import DumpText, outermost_op
from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.input.pipeline import PipelinePass, printed_pipeline
from eio_audit.mlir.source import InputError

BASE_FLAGS = "--mlir-print-debuginfo", "--mlir-disable-threading"
BEFORE_ALL = "--mlir-print-ir-before-all"
AFTER_ALL = "--mlir-print-ir-after-all"
MODULE_SCOPE = "--mlir-print-ir-module-scope"
DUMP_PIPELINE = "--dump-pass-pipeline"
PROGRAM = "builtin.module"  # the op around a program, which a pass of the outermost pipeline runs on


@dataclass(frozen=True, slots=True)
class PassInQuestion:
    """A run of a pass."""

    pass_name: str  # the pass
    function: str | None  # the symbol of the op that it ran on; None for the whole program
    before: Dump  # the dump before it
    after: Dump  # the dump after it
    number: int  # 0-based number of `after` among the dumps after passes of this name
    command: CompilerCommand  # the command whose attempts are counted
    is_cut: bool  # whether the command runs this pass alone, on the dump before it
    is_only: bool  # whether it is the only pass that runs in the command, and it runs once
    # What the trace of the command says of it: one row, or if it runs alone, one for each op that it runs on.
    rows: tuple[TracedPass, ...]
    why_not_alone: str = ""  # why it cannot run alone; empty if it does, or was not tried

    @property
    def op_name(self) -> str:
        """The name of the op that it ran on."""
        marker = self.after.marker
        return PROGRAM if marker is None or marker.op_name is None else marker.op_name

    @property
    def is_unchanged(self) -> bool:
        """Whether it changes nothing."""
        return is_same_text(self.before, self.after)

    @property
    def left(self) -> int:
        """How many pairs it put out of order that are so at the end of the command, without a break."""
        return sum(row.left for row in self.rows)

    @property
    def plain_command(self) -> CompilerCommand:
        """The command with locations, and without what prints dumps."""
        return self.command.without(OWN_FLAGS | {DUMP_PIPELINE.lstrip("-")}).with_flags(*BASE_FLAGS)

    @property
    def wanted(self) -> WantedDump:
        """The dump that is the state after the pass, in a run of the command."""
        return WantedDump(self.pass_name, -1 if self.is_cut else self.number)


@dataclass(frozen=True)
class Survey:
    """What the first run shows."""

    command: CompilerCommand  # the command as it was given
    run: CompilerRun  # the run
    dumps: Sequence[Dump]  # its dumps
    trace: Trace  # what each pass did
    pipeline: tuple[PipelinePass, ...] | None  # its passes in order; None if the compiler does not tell

    @cached_property
    def pass_runs(self) -> tuple[PassInQuestion, ...]:
        """The runs of passes with a dump before and one after, in the order in which they ended."""
        return tuple(_pass_runs(self))

    @property
    def some_pass_runs(self) -> tuple[PassInQuestion, ...]:
        """The same; an InputError if there is none."""
        if not self.pass_runs:
            why = "it prints no pass with a dump before it and one after it"
            raise InputError(self.command.program, None, why)
        return self.pass_runs

    @cached_property
    def places(self) -> Mapping[int, tuple[int, list[PassInQuestion]]]:
        """By the line of the dump after a run: which run of its pass on this op it is, from 0, and its place.

        The place has the runs of the pass on all ops that it runs on there in the pipeline.
        """
        seen = Counter[tuple[str, str, str | None]]()
        found, alike = {}, defaultdict[tuple[str, str, int], list[PassInQuestion]](list)
        for run in self.pass_runs:
            kind = run.pass_name, run.op_name
            place = seen[*kind, run.function]
            seen[*kind, run.function] += 1
            runs = alike[*kind, place]
            runs.append(run)
            found[run.after.line] = place, runs
        return found

    def after(self, question: PassInQuestion) -> list[Dump]:
        """Return the dumps of its program behind a pass, if a pass that changes something comes later."""
        index = max(row.index for row in question.rows)
        if not any(row.changed for row in self.trace.passes if row.index > index):
            return []
        line, program = max(row.place.line for row in question.rows), question.after.program
        later = (dump for dump in self.dumps if dump.line > line and dump.program == program)
        return [replace(dump, program="") for dump in later]

    def number_of(self, question: PassInQuestion) -> int | None:
        """Return which run of its pass it is, from 1; None if it is the only one."""
        name = question.pass_name
        runs = sum((dump.place.when, dump.place.pass_name) == ("after", name) for dump in self.dumps)
        return question.number + 1 if runs > 1 else None


def survey(given: CompilerCommand, runs: CompilerRuns, options: AuditOptions) -> Survey:
    """Run a compiler with dumps before and after all passes.

    If a pass runs on a part of the program, the compiler runs again, and each dump shows the whole program.
    An InputError says that the compiler does not know an option that is needed, or prints no dump.
    """
    command = given.without(OWN_FLAGS).with_flags(*BASE_FLAGS, BEFORE_ALL, AFTER_ALL)
    run = runs.run(command.with_flags(DUMP_PIPELINE))
    if run.unknown_flag == flag_of(DUMP_PIPELINE):
        run = runs.run(command)
    dumps = _dumps(run)
    if any(outermost_op(dump).name != PROGRAM for dump in dumps):
        again = runs.run(run.command.with_flags(MODULE_SCOPE))
        if again.unknown_flag is None and (whole := again.dumps()):
            run, dumps = again, whole
    return Survey(
        given,
        run,
        dumps,
        trace(dumps, options, advises_all=False),
        printed_pipeline(run.messages.read_bytes()),
    )


def alone(found: Survey, question: PassInQuestion, runs: CompilerRuns) -> PassInQuestion:
    """Return the same pass, run alone on the dump before it, if that gives the dump after it.

    A pass of a nested pipeline runs on each function. Alone, it runs on all, and the dump before it is
    the one before the first of them. If the compiler does not tell its pipeline, or the pass is not in it, it
    runs without options. If it cannot run alone, it is returned with the reason.
    """
    name, op_name, (place, alike) = question.pass_name, question.op_name, found.places[question.after.line]
    known = [one for one in found.pipeline or () if (one.name, one.anchors[-1:]) == (name, (op_name,))]
    anchors = (PROGRAM,) if op_name == PROGRAM else (PROGRAM, op_name)
    one, *_ = known[place:] or [PipelinePass(name, name, anchors)]
    path = runs.lasting / "input.mlir"
    path.write_bytes(without_messages(alike[0].before.text))
    words = found.run.command.general_words
    inputs = [number for number, word in enumerate(words) if flag_of(word) is None]
    if inputs:
        del words[inputs[-1]]
    command = CompilerCommand((found.run.command.program, *words, f"--pass-pipeline={one.alone}", str(path)))
    cut = replace(question, command=command, is_cut=True)
    try:
        after = dump_after(runs.run(command), cut.wanted)
    except InputError as error:
        return replace(question, why_not_alone=f"alone on its dump, {error.message}")
    if not _is_same(after, question):
        return replace(question, why_not_alone=_what_differs(question.after, after, has_options=bool(known)))
    rows = tuple(row for run in alike for row in run.rows)
    return replace(cut, before=alike[0].before, after=after, function=None, rows=rows)


def _is_same(after: Dump, question: PassInQuestion) -> bool:
    """Return whether a dump shows the result of the pass: all of it, or the function that the pass ran on."""
    if is_same_text(after, question.after):
        return True
    texts = [DumpText(dump).functions.get(question.function or "") for dump in (after, question.after)]
    return texts[0] is not None and texts[1] is not None and texts[0].is_same_as(texts[1])


def _what_differs(usual: Dump, alone: Dump, *, has_options: bool) -> str:
    """Return ``alone on its dump, it gives another result: 3 ops added, 1 modified``."""
    why = "" if has_options else ", without the options that it may have"
    try:
        found = diff(usual, alone).ops.found
    except InputError as error:
        return f"alone on its dump{why}, it gives IR that cannot be read: {error.message}"
    said = ", ".join(f"{len(ops):,} {status}" for status, ops in found.items() if ops)
    return f"alone on its dump{why}, it gives another result: {said or 'other text'}"


def _dumps(run: CompilerRun) -> list[Dump]:
    dumps = [] if run.unknown_flag else run.dumps()
    if any(dump.marker and dump.marker.when == "after" for dump in dumps):
        return dumps
    name, help_ = run.command.program, f"  help: to see its messages, run {run.command}"
    if run.unknown_flag is not None:
        why = f"it does not know --{run.unknown_flag}"
        own = {flag_of(flag) for flag in (*BASE_FLAGS, BEFORE_ALL, AFTER_ALL)}
        needs = (
            "; bisect needs a tool with MLIR's options, such as mlir-opt" if run.unknown_flag in own else ""
        )
        meant = f"; {run.meant_flag}" if run.meant_flag else ""
        raise InputError(name, None, why + (needs or meant), help_)
    if run.failure is not None:
        raise CompilerError(run, run.failure, run.why_it_failed, help_)
    raise InputError(name, None, "it prints no dump after a pass: it runs no pass, or prints no IR", help_)


def choose_pass(found: Survey, pass_name: str | None, number: int | None) -> PassInQuestion:
    """Return the pass to bisect: the run with a number of the named pass, else the one that did most.

    Most is: pairs left out of order at the end, else pairs put out of order, else ops changed. Of a pass that
    runs on several functions, all runs count. If none changed the IR, it is the last. An InputError says
    that there is no such pass, or that the program is empty.
    """
    runs: Sequence[PassInQuestion] = found.some_pass_runs
    if pass_name is not None:
        runs = [run for run in runs if pass_name in _names(run.after.marker)]
        if not runs:
            names = dict.fromkeys(dump.marker.pass_name for dump in found.dumps if dump.marker)
            why = f"no pass '{pass_name}'; the passes are {', '.join(names)}"
            raise InputError(found.run.command.program, None, why)
        if number is not None:
            if not 0 <= number < len(runs):
                times = "once" if len(runs) == 1 else f"{len(runs)} times"
                why = f"{pass_name} ran {times}; there is no --dump {number + 1}"
                raise InputError(found.run.command.program, None, why)
            return runs[number]
    changing = [run for run in runs if not run.is_unchanged]
    if not changing and runs[0].before.text.partition(b"{")[2].lstrip().startswith(b"}"):
        help_ = "  help: if it is on standard input, name it: -"
        raise InputError(found.command.program, None, "the program is empty", help_)
    return max(changing or runs[-1:], key=lambda run: (_most(found.places[run.after.line][1]), _most([run])))


def next_choices(found: Survey, chosen: PassInQuestion) -> list[PassInQuestion]:
    """Return the passes that left something but less than the chosen one, those that did most first."""
    own = found.places[chosen.after.line][1]
    places = {id(alike): alike for _, alike in found.places.values() if alike is not own}
    return [alike[0] for alike in sorted(places.values(), key=_most, reverse=True) if _most(alike)[0]]


def _most(runs: Iterable[PassInQuestion]) -> tuple[int, int, int, int]:
    """Return what runs of a pass did: a tuple that is greater for more."""
    rows = [row for run in runs for row in run.rows]
    return (
        sum(row.left_others for row in rows),
        sum(row.left for row in rows),
        sum(row.made for row in rows),
        sum(row.op_counts.total for row in rows),
    )


def _names(marker: Marker | None) -> tuple[str, ...]:
    return () if marker is None else (marker.pass_name, marker.class_name)


def _pass_runs(found: Survey) -> Iterator[PassInQuestion]:
    numbers: dict[str, int] = {}
    open_dumps: dict[tuple[str, str | None, str | None], Dump] = {}
    is_only = sum(dump.place.when == "after" for dump in found.dumps) == 1
    rows = {row.place.line: row for row in found.trace.passes}
    for dump in found.dumps:
        marker = dump.marker
        if marker is None:
            continue
        key = marker.class_name, marker.op_name, marker.symbol
        if marker.when == "before":
            open_dumps[key] = dump
        elif marker.when == "after" and key in open_dumps:
            number = numbers[marker.pass_name] = numbers.get(marker.pass_name, -1) + 1
            yield PassInQuestion(
                marker.pass_name,
                marker.symbol,
                before=open_dumps.pop(key),
                after=dump,
                number=number,
                command=found.run.command,
                is_cut=False,
                is_only=is_only,
                rows=tuple(rows[line] for line in (dump.line,) if line in rows),
            )
