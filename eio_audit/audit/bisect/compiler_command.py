"""A compiler's command line, its runs with other flags, and the pass pipeline that it prints.

The compiler is a tool with MLIR's own options, such as ``mlir-opt``. A flag counts with one dash or two.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from eio_audit.audit.command import Running, run_command
from eio_audit.mlir.input.dumps import Dump, read_text
from eio_audit.mlir.source import InputError

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

_UNKNOWN = re.compile(rb"[Uu]nknown (?:command line argument|option) '?-*([\w-]+)")
_ERROR = re.compile(rb"(?m)^.*\b(?:error|Error|ERROR): .*$|^.*\bLLVM ERROR\b.*$")
MESSAGES = "<compiler>"
"""The name of what a compiler printed, as a source of dumps."""
MOST_MESSAGES = 1 << 20
"""How many bytes at each end of a compiler's messages are searched for its error."""


def flag_of(word: str) -> str | None:
    """Return the flag that a word is, without dashes and value; None for another word, such as ``-``."""
    name = word.lstrip("-").partition("=")[0]
    return name if word.startswith("-") and name else None


@dataclass(frozen=True, slots=True)
class CompilerCommand:
    """A command line: the program and its arguments, as the user typed them."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        """The command as a shell reads it."""
        return shlex.join(self.words)

    @property
    def program(self) -> str:
        """The program's name, for messages."""
        return self.words[0]

    def without(self, flags: frozenset[str]) -> CompilerCommand:
        """Return the command without some flags and their values."""
        return CompilerCommand(tuple(self._words_without(flags)))

    def _words_without(self, flags: frozenset[str]) -> Iterator[str]:
        words = iter(self.words)
        yield next(words)
        for word in words:
            name = flag_of(word)
            if name not in flags:
                yield word
            elif name in _WITH_VALUE and "=" not in word:
                next(words, None)

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
    def unknown_flag(self) -> str | None:
        """The flag that the compiler does not know, by its own words; None if it says nothing of that."""
        found = _UNKNOWN.search(self.messages_at_ends) if self.exit_code else None
        return None if found is None else found[1].decode("utf-8", "replace")

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
        lines = text.strip().splitlines()
        said = error[0] if error else lines[-1] if lines else b""
        code = self.exit_code
        end = f"killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return end + (f": {said.decode('utf-8', 'replace').strip()}" if said else "")


@dataclass(slots=True)
class CompilerRuns:
    """Runs a compiler. What a run prints is in a file of ``folder``; several threads may run it."""

    folder: Path  # where the files of the runs are
    scratch: Path | None = None  # where files are that outlast the runs; None for `folder`
    kept: Path | None = None  # where files are that the user asked for; None for `scratch`
    timeout: float | None = None  # the seconds that a run may take; None for no limit
    stdin: Path | None = None  # a file for standard input; None for none
    running: Running = field(default_factory=Running)  # what runs now
    number: int = 0  # how many runs have begun
    _lock: Lock = field(default_factory=Lock)

    @property
    def lasting(self) -> Path:
        """The folder that lasts longest."""
        return self.kept or self.scratch or self.folder

    def run(self, command: CompilerCommand) -> CompilerRun:
        """Run a command. Its standard output is dropped.

        Raises:
            InputError: it cannot be started, or takes too long.
        """
        with self._lock:
            self.number += 1
            messages = self.folder / f"messages-{self.number}.txt"
        with self.errors_of(command.program), ExitStack() as files:
            stdin: int = subprocess.DEVNULL
            if self.stdin is not None:
                stdin = files.enter_context(self.stdin.open("rb")).fileno()
            stderr = files.enter_context(messages.open("wb"))
            exit_code = run_command(
                command.words, self.timeout, stdin=stdin, stderr=stderr, running=self.running
            )
        return CompilerRun(command, exit_code, messages)

    @contextmanager
    def errors_of(self, program: str) -> Iterator[None]:
        """Turn the errors of a program that runs in this block into an InputError."""
        try:
            yield
        except TimeoutError as error:
            why = f"stopped after {self.timeout:g} seconds (--timeout)"
            raise InputError(program, None, why) from error
        except OSError as error:
            raise InputError(program, None, f"cannot run: {error.strerror}") from error


def counter_flag(attempts: int) -> str:
    """Return the flag that allows so many attempts of patterns, from the first on."""
    return f"--mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count={attempts}"


_PRINTED = re.compile(rb"(?m)^Pass Manager with \d+ pass(?:es)?:\r?\n(?P<text>(?:.*\S.*\n?)+)")
_NAME = re.compile(r"\s*(?P<name>[\w.$<>:-]+)\s*")
_SPACE = re.compile(r"\s*")


class PipelinePass(NamedTuple):
    """One pass of a pipeline."""

    name: str  # its argument: `canonicalize`
    text: str  # the argument with its options: `canonicalize{top-down=true}`
    # The ops that it is nested in, the outermost first: `("builtin.module", "func.func")`.
    anchors: tuple[str, ...]

    @property
    def alone(self) -> str:
        """The pipeline that runs only this pass: ``builtin.module(func.func(canonicalize))``."""
        return "".join(f"{anchor}(" for anchor in self.anchors) + self.text + ")" * len(self.anchors)


def printed_pipeline(messages: bytes) -> tuple[PipelinePass, ...] | None:
    """Return the passes of the pipeline in a compiler's messages, in order.

    None if it prints none or several, or one that is not understood.
    """
    found = list(_PRINTED.finditer(messages))
    if len(found) != 1:
        return None
    text = " ".join(found[0]["text"].decode("utf-8", "replace").split())
    try:
        return tuple(_passes(text))
    except ValueError:
        return None


def _passes(text: str) -> Iterator[PipelinePass]:
    """Yield the passes of ``anchor(pass,anchor(pass{options}))``.

    Raises:
        ValueError: the text has another form.
    """
    anchors: list[str] = []
    position = 0
    while position < len(text):
        match = _NAME.match(text, position)
        if match is None:
            raise ValueError(f"expected a pass at {position}")
        name, position = match["name"], match.end()
        if text.startswith("(", position):
            anchors.append(name)
            position = _skip_space(text, position + 1)
            if not text.startswith(")", position):
                continue
        else:
            end = _options_end(text, position)
            yield PipelinePass(name, name + text[position:end].strip(), tuple(anchors))
            position = _skip_space(text, end)
        while text.startswith(")", position):
            if not anchors:
                raise ValueError(f"expected no ')' at {position}")
            anchors.pop()
            position = _skip_space(text, position + 1)
        if position < len(text):
            if not text.startswith(",", position):
                raise ValueError(f"expected ',' at {position}")
            position += 1
    if anchors:
        raise ValueError("expected ')'")


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    assert match
    return match.end()


def _options_end(text: str, start: int) -> int:
    """Return where the options that begin at ``start`` end, or ``start`` if there are none."""
    if not text.startswith("{", start):
        return start
    depth, quote = 0, ""
    for position in range(start, len(text)):
        char = text[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if not depth:
                return position + 1
    raise ValueError("expected '}'")
