#!/usr/bin/env python3
"""Answer as a compiler with the pass ttir-erase-inverse-ops did. This is no compiler: it replays answers.

    erase_inverse_ops.py --ttir-erase-inverse-ops [FLAGS] INPUT [-o OUTPUT]

tt-mlir's pass ran on three programs, once for each number of rewrite patterns that it may try. The files
beside this one have what it printed. INPUT is one of these programs: before_alias.mlir of small, encoder or
resnet. INPUT and OUTPUT may be -, standard input and standard output, which are also the default.

    --mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count=N
        try only the first N patterns
    --mlir-debug-counter=pass-execution-skip=0,pass-execution-count=N
        run only the first N passes; there is one
    --mlir-print-debug-counter
        print {A,0,N} on standard error; A is always the number of patterns that the pass tries in all
    --log-actions-to=FILE
        write the log of all patterns that the pass tries; - is standard output; counters are ignored
    --mlir-print-ir-before-all, --mlir-print-ir-after-all
        print the program on standard error, before and after the pass
    --dump-pass-pipeline
        print the pipeline on standard error
    --mlir-print-debuginfo, --mlir-disable-threading, --mlir-print-ir-module-scope
        change nothing

The exit code is 1 for an unknown flag, for a program or a counter that is not recorded, and if a file cannot
be read or written.

Each recording is unpacked once, into a folder of this user in $TMPDIR or /tmp. A run imports little, so it
takes hardly longer than the start of Python.
"""

import os
import stat
import sys
from binascii import crc32
from bisect import bisect_right

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("small", "encoder", "resnet")
PASS = "ttir-erase-inverse-ops"
DUMP_FLAGS = {"Before": "mlir-print-ir-before-all", "After": "mlir-print-ir-after-all"}
PRINT_COUNTERS, DUMP_PIPELINE = "mlir-print-debug-counter", "dump-pass-pipeline"
WITHOUT_EFFECT = ("mlir-print-debuginfo", "mlir-disable-threading", "mlir-print-ir-module-scope")
FLAGS = {PASS, PRINT_COUNTERS, DUMP_PIPELINE, *DUMP_FLAGS.values(), *WITHOUT_EFFECT}
APPLIED, PASSES = "apply-pattern-count", "pass-execution-count"
SKIPS = ("apply-pattern-skip", "pass-execution-skip")


class UsageError(Exception):
    """The command line is wrong, or its answer is not recorded. The text is the message."""


class Recording:
    """What the pass did to one program.

    A recording has named parts. ``attempts`` is the number of patterns that the pass tries in all, and
    ``actions`` is their log. ``changes`` has the attempts that changed the program, ascending. The first is
    attempt 1. ``0``, ``1``, ... are the program after that many changes.
    """

    def __init__(self, program: str) -> None:
        self._packed = read(f"{HERE}/{program}.json.xz")
        name = f"eio-audit-recorded-{os.getuid()}-{program}-{crc32(self._packed):08x}"
        self._folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", name)
        self._parts: dict[str, bytes] = {}

    @property
    def attempts(self) -> int:
        """The number of patterns that the pass tries if no counter stops it."""
        return int(self.part("attempts"))

    def program_after(self, attempts: int) -> bytes:
        """Return the program after the first ``attempts`` patterns."""
        changes = [int(attempt) for attempt in self.part("changes").split()]
        return self.part(str(bisect_right(changes, attempts)))

    def part(self, name: str) -> bytes:
        """Return a part from the folder of unpacked texts. If it is not there, unpack the recording."""
        if not self._parts:
            if self._owns_folder():
                try:
                    return read(f"{self._folder}/{name}")
                except FileNotFoundError:
                    pass
            self._unpack()
            self._keep()
        return self._parts[name]

    def _unpack(self) -> None:
        import json
        import lzma

        recorded = json.loads(lzma.decompress(self._packed))
        self._parts = {str(changes): state.encode() for changes, state in enumerate(recorded["states"])}
        self._parts["attempts"] = str(recorded["attempts"]).encode()
        self._parts["changes"] = " ".join(map(str, recorded["changes"])).encode()
        self._parts["actions"] = recorded["actions"].encode()

    def _keep(self) -> None:
        """Write the parts into the folder, if it is this user's. A reader sees a part whole or not at all."""
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            if self._owns_folder():
                for name, text in self._parts.items():
                    unfinished = f"{self._folder}/{name}.{os.getpid()}"
                    write(unfinished, text)
                    os.replace(unfinished, f"{self._folder}/{name}")
        except OSError:
            pass  # the next run unpacks again

    def _owns_folder(self) -> bool:
        """Return whether this user made the folder. Another user's may hold anything."""
        try:
            found = os.lstat(self._folder)
        except OSError:
            return False
        return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()


class Command:
    """The parsed command line.

    ``counts`` has the limits by counter. ``log`` is the file of ``--log-actions-to``, or None.

    Raises:
        UsageError: a flag is unknown, a counter is not recorded, or there are several inputs.
    """

    def __init__(self, name: str, arguments: list[str]) -> None:
        self.flags: set[str] = set()
        self.counts: dict[str, int] = {}
        self.log: str | None = None
        self.output = "-"
        inputs: list[str] = []
        unknown: list[str] = []
        short = os.path.basename(name)
        left = iter(arguments)
        for argument in left:
            flag, equals, value = argument.lstrip("-").partition("=")
            if not argument.startswith("-") or argument == "-":
                inputs.append(argument)
            elif argument == "-o":
                self.output = next(left, "")
            elif flag == "mlir-debug-counter" and equals:
                self.counts |= limits(value)
            elif flag == "log-actions-to" and equals:
                self.log = value
            elif argument.lstrip("-") in FLAGS:
                self.flags.add(flag)
            else:
                unknown.append(f"{short}: Unknown command line argument '{argument}'.  Try: '{name} --help'")
        if unknown:
            raise UsageError("\n".join(unknown))
        if not self.output:
            raise UsageError(f"{short}: for the -o option: requires a value!")
        if len(inputs) > 1:
            raise UsageError(f"{short}: Too many positional arguments specified!")
        self.input = inputs[0] if inputs else "-"


def limits(counters: str) -> dict[str, int]:
    """Return the limits of ``--mlir-debug-counter``: its counts by name, without the skips.

    Raises:
        UsageError: a number is none, or a counter is not recorded.
    """
    found = {}
    for counter in counters.split(","):
        name, _, value = counter.partition("=")
        try:
            number = int(value)
        except ValueError:
            raise UsageError(
                f"error: expected DebugCounter counter value to be numeric, but got `{value}`"
            ) from None
        if name in (APPLIED, PASSES) and number >= 0:
            found[name] = number
        elif name not in SKIPS or number != 0:
            raise UsageError(f"error: the counter {counter} is not recorded")
    return found


def recording_of(program: bytes) -> Recording:
    """Return the recording of a program.

    Raises:
        UsageError: there is none.
    """
    for name in PROGRAMS:
        if read(f"{HERE}/../{name}/before_alias.mlir") == program:
            return Recording(name)
    raise UsageError(f"error: only before_alias.mlir of {', '.join(PROGRAMS)} is recorded")


def run(command: Command) -> None:
    """Print what the compiler did.

    Raises:
        UsageError: the program is not recorded.
        OSError: a file cannot be read or written.
    """
    program = read(command.input)
    recording = recording_of(program)
    if command.log is not None and command.counts:
        tell(
            "error: Debug counters are incompatible with --log-actions-to and --mlir-enable-debugger-hook "
            "options and are disabled\n"
        )
        command.counts.clear()
    runs = PASS in command.flags and command.counts.get(PASSES) != 0
    allowed = min(command.counts.get(APPLIED, recording.attempts), recording.attempts)
    result = recording.program_after(allowed) if runs else program
    if DUMP_PIPELINE in command.flags:
        tell(f"Pass Manager with 1 passes:\nbuiltin.module({PASS}{{}})\n\n")
    if command.log is not None:
        write(command.log, recording.part("actions") if runs else b"")
    for when, shown in (("Before", program), ("After", result)):
        if runs and DUMP_FLAGS[when] in command.flags:
            tell(f"// -----// IR Dump {when} TTIREraseInverseOps ({PASS}) //----- //\n{shown.decode()}\n\n")
    if PRINT_COUNTERS in command.flags:
        tried = recording.attempts if runs else 0
        tell(f"DebugCounter counters:\n{'apply-pattern':<32}: {{{tried},0,{allowed}}}\n")
    write(command.output, result)


def read(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``."""
    with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
        return file.read()


def write(path: str, text: bytes) -> None:
    """Write a file, or to standard output for ``-``."""
    with open(1 if path == "-" else path, "wb", closefd=path != "-") as file:
        file.write(text)


def tell(text: str) -> None:
    """Write to standard error."""
    sys.stderr.write(text)


def main() -> None:
    """Run the command line."""
    try:
        if "--help" in sys.argv[1:]:
            write("-", (__doc__ or "").encode())
        else:
            run(Command(sys.argv[0], sys.argv[1:]))
    except UsageError as error:
        tell(f"{error}\n")
        sys.exit(1)
    except OSError as error:
        tell(f"error: {error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
