"""What must stay true of a program while it gets smaller, and the runs that tell whether it does."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from subprocess import DEVNULL
from threading import Lock
from typing import NamedTuple

from eio_audit.audit.bisect.attempts import short_pattern
from eio_audit.audit.bisect.bisect import Bisection, bisect_pass
from eio_audit.audit.bisect.compiler_command import (
    GENERIC,
    OWN_FLAGS,
    CompilerCommand,
    CompilerError,
    CompilerRun,
    CompilerRuns,
    flag_of,
)
from eio_audit.audit.bisect.pass_search import Request
from eio_audit.audit.bisect.survey import AFTER_ALL, BASE_FLAGS, BEFORE_ALL, MODULE_SCOPE, choose_pass, survey
from eio_audit.audit.gate.gate import Gate
from eio_audit.audit.gate.rules import RULE_OF
from eio_audit.audit.log.trace import trace
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump
from eio_audit.mlir.source import InputError, decoded

_ERROR = re.compile(rb"(?m)^.*?\b(?:error|Error|ERROR): (.*)$")
_ASSERTION = re.compile(rb"(?m)^.*(Assertion .* failed.*)$|^.*(\bLLVM ERROR: .*)$|^.*(\bUNREACHABLE .*)$")
_FRAME = re.compile(rb"(?m)^ *#\d+ 0x[0-9a-f]+ ([\w:~<][^(\n]*?)(?:\(|\+0x| /)")
_HANDLERS = re.compile(rb"llvm::sys::|SignalHandler|PrintStackTrace|^(?:abort|raise|gsignal|__)")
_NAMES = re.compile(rb"%[\w$.#-]+|@(?:[\w$.-]+|\"[^\"]*\")|\^[\w$.-]+|0x[0-9a-fA-F]+|-?\d+")


def without_names(text: bytes) -> str:
    """Return a message with a sign for each name of a value, symbol or block, and each number.

    >>> without_names(b"operand #1 of 'a.b' uses %arg3 (@main)")
    "operand #_ of 'a.b' uses _ (_)"
    """
    return decoded(_NAMES.sub(b"_", text)).strip()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, without names and numbers."""

    kind: str  # `fails`, `crashes`, `hangs`, or `succeeds`
    what: str = ""  # the error, or where it crashed

    def __str__(self) -> str:
        """Return ``crashes: signal 6, Assertion `x' failed``."""
        return f"{self.kind}: {self.what}" if self.what else self.kind


def outcome_of(run: CompilerRun) -> Outcome:
    """Return how a run ended."""
    code = run.exit_code
    text = run.messages_at_ends if code else b""
    if code < 0 or code > 128:
        number = -code if code < 0 else code - 128
        said = _ASSERTION.search(text)
        frames = (frame[1].strip() for frame in _FRAME.finditer(text))
        frame = next((frame for frame in frames if not _HANDLERS.search(frame)), b"")
        where = next(filter(None, said.groups()), b"") if said else frame
        return Outcome("crashes", ", ".join(filter(None, (f"signal {number}", without_names(where)))))
    if code:
        error = _ERROR.search(text)
        return Outcome("fails", without_names(error[1]) if error else f"exit code {code}")
    return Outcome("succeeds")


LEAST_SECONDS = 10.0  # the least time that a run has without --timeout
_TIMES = 10  # how many times as long as reading a run may take
_KEPT_FLAGS = frozenset({"mlir-debug-counter", "mlir-disable-threading"})


class Wanted(NamedTuple):
    """What the user asks for beside the compiler."""

    interesting: Sequence[str] | None = None  # a command that exits with 0 for a program to keep
    error: re.Pattern[str] | None = None  # what the first error must match
    pattern: str | None = None  # the pattern that must put ops out of order
    pass_name: str | None = None  # the pass in question
    number: int | None = None  # which of its runs, from 0
    gate: Gate = Gate()  # which pairs count


@dataclass(slots=True)
class Judge:
    """Runs the compiler on programs, and says whether the property holds."""

    command: CompilerCommand | None  # the user's; None if there is none
    reader: CompilerCommand | None  # what reads a program; None if nothing does
    input_word: str  # the word of the commands that is the input
    runs: CompilerRuns
    options: AuditOptions
    wanted: Wanted
    held: str = ""  # what must stay true
    pass_name: str | None = None
    refused: int = 0  # programs that the compiler does not read
    timeouts: int = 0
    _test: Callable[[Path], bool] | None = None
    _outcome: Outcome = field(default_factory=lambda: Outcome("succeeds"))
    _files: int = 0
    _lock: Lock = field(default_factory=Lock)

    def generic_text(self, text: bytes) -> bytes | None:
        """Return a program in generic assembly; None if nothing can print it. It sets the time of a run.

        Raises:
            InputError: the compiler does not read it.
        """
        if self.reader is None:
            return None
        printed = self.runs.folder / "generic.mlir"
        path = self._file(text)
        seconds = []
        words = self._on(self.reader.with_flags(*GENERIC), path).words
        command = CompilerCommand((*words, "-o", str(printed)))
        for _ in range(3):
            begin = time.monotonic()
            run = self.runs.run(command, printed)
            seconds.append(time.monotonic() - begin)
            if run.exit_code:
                raise self._not_read(path, run)
            if self.runs.timeout is not None or seconds[0] * _TIMES < LEAST_SECONDS:
                break
        if self.runs.timeout is None:
            self.runs.timeout = max(_TIMES * median(seconds), LEAST_SECONDS)
        return printed.read_bytes()

    def _not_read(self, path: Path, failed: CompilerRun) -> InputError:
        """Return the error of a compiler that does not read the input, or does not print it in full."""
        assert self.reader is not None
        why, by_hand = "it does not read the input without passes", self.reader
        if not self.runs.run(self._on(self.reader, path)).exit_code:
            why = "it reads the input, but does not print it in generic form, as reduce needs it"
            by_hand = self.reader.with_flags(*GENERIC)
        said = failed.why_it_failed.replace(str(path), self.input_word)
        more = f"  help: to see more, run {by_hand}"
        if failed.unknown_flag is not None:
            more = f"  help: reduce needs a compiler that reads any program: a recording will not do\n{more}"
        return InputError(self.reader.program, None, f"{why}: {said}", more)

    def find_property(self, text: bytes) -> None:
        """Run the input, and take from it what must stay true. It must hold twice.

        Raises:
            InputError: nothing is wrong with the input, or the second run differs.
        """
        path = self._file(text)
        test = self._interesting() if self.wanted.interesting is not None else self._of_compiler(path)
        self._test = test
        if not self._holds(test, path):
            why = f"holds in 1 of 2 runs: {self.held}"
            raise InputError(self._name, None, why, "  help: the property must not depend on chance")

    @property
    def _name(self) -> str:
        words = self.wanted.interesting
        return self.command.program if words is None and self.command else shlex.join(words or ())

    def holds(self, text: bytes) -> bool:
        """Return whether the compiler reads a program, and the property holds for it."""
        assert self._test is not None
        path = self._file(text)
        try:
            return self._is_read(path) and self._holds(self._test, path)
        finally:
            path.unlink()

    def _holds(self, test: Callable[[Path], bool], path: Path) -> bool:
        try:
            return test(path)
        except CompilerError as error:
            error.run.messages.unlink()
            self._count(timeouts=1)
        except InputError:  # it prints too much
            pass
        return False

    def _count(self, refused: int = 0, timeouts: int = 0) -> None:
        with self._lock:
            self.refused += refused
            self.timeouts += timeouts

    def _file(self, text: bytes) -> Path:
        with self._lock:
            self._files += 1
            path = self.runs.folder / f"candidate-{self._files}.mlir"
        path.write_bytes(text)
        return path

    def _on(self, command: CompilerCommand, path: Path) -> CompilerCommand:
        return command.on(self.input_word, str(path))

    def _is_read(self, path: Path) -> bool:
        """Return whether the compiler reads a program. A run that must succeed reads it itself."""
        if self.reader is None or self.held.startswith("shuffled"):
            return True
        try:
            run = self.runs.run(self._on(self.reader, path))
        except CompilerError as error:
            error.run.messages.unlink()
            self._count(timeouts=1)
            return False
        run.messages.unlink()
        self._count(refused=int(run.exit_code != 0))
        return not run.exit_code

    def _interesting(self) -> Callable[[Path], bool]:
        words = [*(self.wanted.interesting or ())]
        if "{}" not in words:
            words.append("{}")
        name = shlex.join(self.wanted.interesting or ())
        self.held = f"interesting: {name} exits with 0"

        def code_for(path: Path) -> int | None:
            with self._lock:
                self.runs.number += 1
            return self.runs.execute(name, [str(path) if word == "{}" else word for word in words], DEVNULL)

        def test(path: Path) -> bool:
            code = code_for(path)
            self._count(timeouts=int(code is None))
            return code == 0

        self.runs.timeout = LEAST_SECONDS if self.runs.timeout is None else self.runs.timeout
        code = code_for(self.runs.folder / "candidate-1.mlir")
        if code != 0:
            how = self.runs.too_long if code is None else f"exits with {code} on the input, and must with 0"
            help_ = "  help: mlir-reduce counts the other way round: there, 1 keeps a program"
            raise InputError(name, None, how, help_ if code == 1 else "")
        return test

    def _of_compiler(self, path: Path) -> Callable[[Path], bool]:
        assert self.command is not None
        plain = self.command.without(OWN_FLAGS - _KEPT_FLAGS)

        def run_on(path: Path) -> CompilerRun:
            return self.runs.run(self._on(plain, path))

        if self.wanted.pass_name is None and self.wanted.pattern is None:
            try:
                self._outcome = outcome_of(run := run_on(path))
                if run.unknown_flag is not None:
                    why = f"it does not know --{run.unknown_flag}"
                    raise InputError(
                        self.command.program, None, "; ".join(filter(None, (why, run.meant_flag)))
                    )
            except CompilerError:
                self._outcome = Outcome("hangs", f"not done after {self.runs.timeout:g} seconds")
        if self._outcome.kind == "succeeds":
            if self.wanted.error is not None:
                raise InputError(self.command.program, None, "the compiler succeeds; --error needs an error")
            return self._shuffled(path)
        self.held = str(self._outcome)
        if self._outcome.kind == "hangs":
            return lambda path: self._hangs(run_on, path)
        if (pattern := self.wanted.error) is not None:
            self.held = f"fails: an error matches {pattern.pattern!r}"

            def matches(path: Path) -> bool:
                run = run_on(path)
                text = decoded(run.messages_at_ends)
                run.messages.unlink()
                return run.exit_code != 0 and pattern.search(text) is not None

            if not matches(path):
                why = f"no error matches {pattern.pattern!r}; it {self._outcome}"
                raise InputError(self.command.program, None, why)
            return matches

        def is_same(path: Path) -> bool:
            run = run_on(path)
            outcome = outcome_of(run)
            run.messages.unlink()
            return outcome == self._outcome

        return is_same

    def _hangs(self, run_on: Callable[[Path], CompilerRun], path: Path) -> bool:
        try:
            run_on(path).messages.unlink()
        except CompilerError as error:
            error.run.messages.unlink()
            self._count(timeouts=1)
            return True
        return False

    def _shuffled(self, path: Path) -> Callable[[Path], bool]:
        assert self.command is not None
        wanted = self.wanted
        found = survey(self._on(self.command, path), self.runs, self.options)
        if not found.trace.summary.has_indices:
            why = "the compiler succeeds, and no op carries an op index: there is nothing to keep"
            help_ = "  help: --interesting keeps what a command of yours accepts"
            raise InputError(self.command.program, None, why, help_)
        question = choose_pass(found, wanted.pass_name, wanted.number)
        name = self.pass_name = question.pass_name
        flags = [BEFORE_ALL, AFTER_ALL, *BASE_FLAGS]
        if flag_of(MODULE_SCOPE) in map(flag_of, found.run.command.words):
            flags.append(MODULE_SCOPE)
        command = self.command.without(OWN_FLAGS).with_flags(*flags)

        def test(path: Path) -> bool:
            run = self.runs.run(self._on(command, path))
            self._count(refused=int(run.exit_code != 0))
            is_made = not run.exit_code and self._makes_pairs(run.dumps(), name)
            run.messages.unlink()
            return is_made and (wanted.pattern is None or self._is_by_pattern(path, name))

        pattern = f" by {wanted.pattern}" if wanted.pattern else ""
        self.held = f"shuffled: {name} puts ops out of order{pattern}"
        if not self._makes_pairs(found.dumps, name):
            rows = [row for row in found.trace.passes if row.pass_name == name]
            did = "changes ops, but" if any(row.changed for row in rows) else "changes no op of the input:"
            why = f"{name} {did} it puts no pair out of order that fails"
            raise InputError(self.command.program, None, why)
        if wanted.pattern is not None and (why := self._why_not_by_pattern(path, name)):
            raise InputError(self.command.program, None, why)
        return test

    def _why_not_by_pattern(self, path: Path, name: str) -> str:
        """Say why the pattern does not have the property; empty if it has."""
        result = self._bisection(path, name)
        wanted, left = self.wanted.pattern, patterns_that_left(result)
        if wanted in left:
            return ""
        applied = {one.pattern for one in result.patterns if one.pattern}
        is_applied = wanted in {*applied, *map(short_pattern, applied)}
        did = "leaves none" if is_applied else f"is not applied in {name}"
        those = ", ".join(sorted({short_pattern(one) for one in applied if one in left}))
        return f"{wanted} {did}; those that leave pairs out of order: {those or 'none is known'}"

    def _makes_pairs(self, dumps: Sequence[Dump], name: str) -> bool:
        return makes_pairs(dumps, name, self.wanted.number, self.wanted.gate, self.options)

    def _is_by_pattern(self, path: Path, name: str) -> bool:
        """Return whether an attempt of the pattern leaves a pair out of order."""
        try:
            return self.wanted.pattern in patterns_that_left(self._bisection(path, name))
        except InputError:
            return False

    def _bisection(self, path: Path, name: str) -> Bisection:
        assert self.command is not None
        command = self._on(self.command, path).words
        request = Request(command, self.options, name, self.wanted.number, self.runs.timeout)

        def stop(*_: object) -> None:
            if self.runs.running.is_ended:
                raise KeyboardInterrupt

        result = bisect_pass(request, 1, advance=stop)
        with self._lock:
            self.runs.number += result.runs
        return result


def makes_pairs(
    dumps: Sequence[Dump], pass_name: str, number: int | None, gate: Gate, options: AuditOptions
) -> bool:
    """Return whether a pass puts a pair out of order that a gate fails: in all of its runs, or in one.

    The runs are counted from 0. What passes after the last of them do does not count.
    """
    after = "after", pass_name
    ends = [place for place, dump in enumerate(dumps) if (dump.place.when, dump.place.pass_name) == after]
    if number is not None:
        ends = ends[number : number + 1]
    if not ends:
        return False
    passes = trace(dumps[: ends[-1] + 1], options, advises_all=False).passes
    rows = [row for row in passes if row.pass_name == pass_name]
    classes = [row.left_classes for row in (rows if number is None else rows[-1:])]
    return any(pairs and RULE_OF[one] in gate.rules for row in classes for one, pairs in row.items())


def patterns_that_left(result: Bisection) -> set[str]:
    """Return the patterns that left pairs out of order, with and without their namespaces."""
    names = {one.pattern for one in result.patterns if one.left and one.pattern}
    return names | {short_pattern(name) for name in names}
