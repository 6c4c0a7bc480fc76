"""A compiler's command line, its runs with other flags, and the states of a pass that they print.

The compiler is a tool with MLIR's own options, such as ``mlir-opt``. A flag counts with one dash or two.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import threading
import tty
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from subprocess import DEVNULL
from threading import Lock, Thread
from typing import IO, Literal, TypeAlias

from eio_audit.audit.check.keyed_block import KeyedBlock
from eio_audit.audit.check.keyed_dump import KeyedDump, read_dump
from eio_audit.audit.command import Running, TooMuchOutputError, run_command
from eio_audit.audit.options import AuditOptions
from eio_audit.mlir.input.dumps import Dump, read_text
from eio_audit.mlir.source import InputError, Source, Span, decoded
from eio_audit.order.permutation import count_inversions

OWN_FLAGS = frozenset(
    {
        "o",
        "log-actions-to",
        "mlir-debug-counter",
        "mlir-disable-threading",
        "mlir-print-debug-counter",
        "mlir-print-debuginfo",
        "mlir-print-ir-after",
        "mlir-print-ir-after-all",
        "mlir-print-ir-after-change",
        "mlir-print-ir-after-failure",
        "mlir-print-ir-before",
        "mlir-print-ir-before-all",
        "mlir-print-ir-module-scope",
        "mlir-print-ir-tree-dir",
        "mlir-pretty-debuginfo",
        "mlir-timing",
        "mlir-timing-display",
        "mlir-pass-statistics",
    }
)
"""What a user's command must not say, because a bisection says it itself: what is printed, and where to."""
_WITH_VALUE = frozenset(
    {"o", "log-actions-to", "mlir-debug-counter", "mlir-print-ir-tree-dir", "pass-pipeline"}
)
"""The flags whose value may be the next word."""
_GENERAL = ("mlir-", "allow-unregistered-dialect", "load-", "irdl-file", "verify-", "no-implicit-module")
"""What the flags begin with that do not name a pass or a pipeline."""
GENERIC = "--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"
"""The flags with which a compiler prints a program in full."""
SPLIT_FLAG = "split-input-file"  # what the flag begins with that reads one input as several programs
_UNKNOWN = re.compile(rb"[Uu]nknown (?:command line argument|option) '?-*([\w-]+)")
_MEANT = re.compile(rb"[Dd](id you mean '[\w=-]+'\?)")
_ERROR = re.compile(rb"(?m)^.*\b(?:error|Error|ERROR): .*$|^.*\bLLVM ERROR\b.*$|^.*: Assertion .* failed.*$")
MESSAGES = "<compiler>"  # the name of what a compiler printed, as a source of dumps
MOST_MESSAGES = 1 << 20  # how many bytes at each end of a compiler's messages are searched for its error
FailureKind: TypeAlias = Literal["hang", "crash", "error"]
ALL_ATTEMPTS = 1_000_000_000  # more attempts than any pass makes
_COUNT = re.compile(rb"(?m)^apply-pattern +: \{(\d+),")
_END = re.compile(rb"\n\n\n|\n\nDebugCounter counters:")


def flag_of(word: str) -> str | None:
    """Return the flag that a word is, without dashes and value; None for another word, such as ``-``."""
    name = word.lstrip("-").partition("=")[0]
    return name if word.startswith("-") and name else None


@dataclass(frozen=True, slots=True)
class CompilerCommand:
    """A command line: the program and its arguments, as the user typed them."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return shlex.join(self.words)

    @property
    def program(self) -> str:
        """The program's name, for messages."""
        return self.words[0]

    def without(self, flags: frozenset[str]) -> CompilerCommand:
        """Return the command without some flags and their values."""
        return CompilerCommand(tuple(self._words_without(flags)))

    @property
    def general_words(self) -> list[str]:
        """The arguments that do not name a pass or a pipeline. The last that is no flag is the input."""
        words = self.without(frozenset({"pass-pipeline"})).words[1:]
        return [word for word in words if word != "--" and (flag_of(word) or "mlir-").startswith(_GENERAL)]

    @property
    def reader(self) -> CompilerCommand:
        """The command that reads and prints the input, without passes."""
        return CompilerCommand((self.program, *self.without(OWN_FLAGS).general_words))

    def _words_without(self, flags: frozenset[str]) -> Iterator[str]:
        words = iter(self.words)
        yield next(words)
        for word in words:
            name = flag_of(word)
            if name not in flags:
                yield word
            elif name in _WITH_VALUE and "=" not in word:
                next(words, None)

    def on(self, word: str, file: str) -> CompilerCommand:
        """Return the command on another file, which it gets last if no word stands for the input."""
        if word not in self.words:
            return CompilerCommand((*self.words, file))
        place = len(self.words) - 1 - self.words[::-1].index(word)
        return CompilerCommand((*self.words[:place], file, *self.words[place + 1 :]))

    def with_flags(self, *flags: str) -> CompilerCommand:
        """Return the command with more flags, but those that it has already: at its end, or before ``--``."""
        given = {flag_of(word) for word in self.words}
        end = self.words.index("--") if "--" in self.words else len(self.words)
        new = (flag for flag in flags if flag_of(flag) not in given)
        return CompilerCommand((*self.words[:end], *new, *self.words[end:]))


@dataclass(frozen=True, slots=True)
class CompilerRun:
    """One run: its exit code, negative for a signal, and the file with what it printed on standard error."""

    command: CompilerCommand
    exit_code: int
    messages: Path

    @property
    def failure(self) -> FailureKind | None:
        """How it failed; None if it did not."""
        if not self.exit_code:
            return None
        return "crash" if self.exit_code < 0 else "error"

    @property
    def unknown_flag(self) -> str | None:
        """The flag that the compiler does not know, by its own words; None if it says nothing of that."""
        found = _UNKNOWN.search(self.messages_at_ends) if self.exit_code else None
        return None if found is None else decoded(found[1])

    @property
    def meant_flag(self) -> str | None:
        """What it says of a flag that it does not know: ``Did you mean '--canonicalize'?``."""
        found = _MEANT.search(self.messages_at_ends)
        return None if found is None else f"d{found[1].decode()}"

    def dumps(self) -> list[Dump]:
        """Return the dumps that it printed on standard error."""
        return read_text(self.messages.read_bytes(), MESSAGES)

    @property
    def messages_at_ends(self) -> bytes:
        """The begin and the end of what it printed on standard error."""
        with self.messages.open("rb") as file:
            text = file.read(MOST_MESSAGES)
            size = file.seek(0, os.SEEK_END)
            if size > len(text):
                file.seek(max(size - MOST_MESSAGES, len(text)))
                text += b"\n" + file.read()
        return text

    @property
    def why_it_failed(self) -> str:
        """How it ended, with the first error that it printed."""
        text = self.messages_at_ends
        error = _ERROR.search(text)
        lines = [] if b"// -----//" in text else text.strip().splitlines()
        said = error[0] if error else lines[-1] if lines else b""
        code = self.exit_code
        end = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return end + (f": {decoded(said).strip()}" if said else "")


class CompilerError(InputError):
    """A compiler that does not end in time, crashes, or ends with an error: a run, and which of these."""

    def __init__(self, run: CompilerRun, kind: FailureKind, message: str, help_: str = "") -> None:
        super().__init__(run.command.program, None, message, help_)
        self.run, self.kind = run, kind


@dataclass(slots=True)
class CompilerRuns:
    """Runs a compiler. What a run prints is in a file of ``folder``; several threads may run it."""

    folder: Path  # where the files of the runs are
    scratch: Path | None = None  # where files are that outlast the runs; None for `folder`
    kept: Path | None = None  # where files are that the user asked for; None for `scratch`
    timeout: float | None = None  # the seconds that a run may take; None for no limit
    stdin: Path | None = None  # a file for standard input; None for none
    most_bytes: int | None = None  # how much a run may print; None for no limit
    running: Running = field(default_factory=Running)  # what runs now
    number: int = 0  # how many runs have begun
    _lock: Lock = field(default_factory=Lock)

    @property
    def lasting(self) -> Path:
        """The folder that lasts longest."""
        return self.kept or self.scratch or self.folder

    def run(self, command: CompilerCommand, *written: Path) -> CompilerRun:
        """Run a command. Its standard output is dropped. ``written`` are files that it writes besides.

        Raises:
            InputError: it cannot be started, or prints too much; a ``CompilerError``, if it takes too long.
        """
        with self._lock:
            self.number += 1
            messages = self.folder / f"messages-{self.number}.txt"
        try:
            with messages.open("wb") as stderr:
                files = [messages, *written]
                code = self.execute(command.program, command.words, stderr=stderr, written=files)
        except InputError:
            messages.unlink()  # it may be large
            raise
        run = CompilerRun(command, -signal.SIGKILL if code is None else code, messages)
        if code is None:
            raise CompilerError(run, "hang", self.too_long)
        return run

    def execute(
        self,
        name: str,
        words: Sequence[str],
        stdin: int | IO[bytes] | None = None,
        stdout: int | IO[bytes] = DEVNULL,
        stderr: int | IO[bytes] = DEVNULL,
        written: Sequence[Path] = (),
    ) -> int | None:
        """Run a program, which messages call by a name. Return its exit code, or None if it takes too long.

        It reads the user's standard input unless another is given.

        Raises:
            InputError: it cannot be started, or one of the files ``written`` gets too large.
        """
        try:
            with nullcontext(DEVNULL) if self.stdin is None else self.stdin.open("rb") as given:
                return run_command(
                    words,
                    self.timeout,
                    stdin=given if stdin is None else stdin,
                    stdout=stdout,
                    stderr=stderr,
                    running=self.running,
                    written=written,
                    most_bytes=self.most_bytes,
                )
        except TimeoutError:
            return None
        except TooMuchOutputError as error:
            raise InputError(name, None, f"stopped after it printed {error}") from error
        except OSError as error:
            raise InputError(name, None, f"cannot run: {error.strerror}") from error

    @property
    def too_long(self) -> str:
        """Why a run was stopped."""
        return f"stopped after {self.timeout:g} seconds (--timeout)"

    def prints_generic(self, command: CompilerCommand) -> bool:
        """Whether a compiler prints its input in full, without passes. This run is not counted."""
        reader = command.reader.with_flags(*GENERIC)
        try:
            return self.execute(reader.program, reader.words) == 0
        except InputError:
            return False

    def log_actions(self, command: CompilerCommand, path: Path) -> CompilerRun:
        """Run a command that may fail, and keep all of its log of actions.

        What a compiler has not written when it ends early is lost. To a terminal it writes at once.
        """
        terminal, name = os.openpty()
        tty.setraw(name)

        def copy() -> None:
            with path.open("wb") as file, suppress(OSError):  # an error says that the other end is closed
                while text := os.read(terminal, MOST_MESSAGES):
                    file.write(text)

        copying = Thread(target=copy)
        copying.start()
        try:
            return self.run(command.with_flags(f"--log-actions-to={os.ttyname(name)}"), path)
        except CompilerError as failed:
            return failed.run
        finally:
            os.close(name)
            copying.join()
            os.close(terminal)


def counter_flag(attempts: int) -> str:
    """Return the flag that allows so many attempts of patterns, from the first on."""
    return f"--mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count={attempts}"


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
    _inversions: dict[str, int | None] = field(default_factory=dict)

    def at(self, attempts: int) -> str:
        """Return the key of the state with so many attempts allowed; an InputError if there is no dump."""
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

    def read(self, key: str) -> KeyedDump:
        """Read a state; an InputError if it cannot be read."""
        text = self.text(key)
        return read_dump(Dump(Source("<state>", text), Span(0, len(text)), None, 1), self.options)

    def inversions(self, key: str) -> int | None:
        """Return the inversions in a state; None if no op has an index. An InputError: it cannot be read."""
        if key not in self._inversions:
            keyed = self.read(key)
            blocks = (KeyedBlock(keyed, number) for number in keyed.keys.disordered_blocks)
            found = sum(count_inversions(block.indexed_keys) for block in blocks)
            self._inversions[key] = found if any(keyed.keys.keyed_by_block) else None
        return self._inversions[key]

    def difference(self, old: str, new: str) -> int:
        """Return how much two states differ: in inversions, or in lines where no op has an index."""
        before, after = self.inversions(old), self.inversions(new)
        if before is not None or after is not None:
            return abs((after or 0) - (before or 0))
        lines, others = _count_lines(self._path(old)), _count_lines(self._path(new))
        return (lines - others).total() + (others - lines).total()

    def _path(self, key: str) -> Path:
        return self.runs.folder / f"state-{key}.mlir"


@lru_cache(maxsize=64)
def _count_lines(path: Path) -> Counter[bytes]:
    return Counter(path.read_bytes().splitlines())


def without_messages(text: bytes) -> bytes:
    """Return the text of a dump without what a compiler printed after it.

    The printer ends a dump with two empty lines; there are none in it. With ``--mlir-print-local-scope`` it
    is one, and the counters follow.
    """
    return _END.split(text.strip(), maxsplit=1)[0] + b"\n"


def dump_after(run: CompilerRun, wanted: WantedDump) -> Dump:
    """Return the dump of a run that is the state after the pass; an InputError if it did not print it."""
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
