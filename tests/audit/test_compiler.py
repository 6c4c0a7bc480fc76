"""A compiler that reads the result of a fix: what it accepts, refuses, or does not read."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from eio_audit import Compiler, InputError, VerificationError, fix, read, read_text
from eio_audit.audit.command import run_command
from eio_audit.audit.corpus.check_dumps import fix_files
from eio_audit.audit.fix.verification import first_lines, lines_of_input
from tests.audit.test_fix import SHUFFLED, fixed
from tests.internals import DumpFix, local_workers
from tests.reading import ir_of
from tests.tools import iree_opt, mlir_tool, needs_mlir_opt

UNREGISTERED = ("--allow-unregistered-dialect", "-")
LONG_TEXT = SHUFFLED.replace("\n", f"  // {'x' * 100_000}\n")
"""Longer than what a pipe holds."""


def python(program: str, *args: str) -> list[str]:
    return [sys.executable, "-c", program, *args]


READ = "import sys; text = sys.stdin.read(); "
REFUSE_NEW = READ + "sys.exit('bad order' if text.index('abs') < text.index('neg') else 0)"
"""Refuses SHUFFLED once it is fixed."""


def refusal(command: Sequence[str], text: str = SHUFFLED, timeout: float = 60) -> tuple[str, str]:
    """The message without the command, and the details."""
    compiler = Compiler(command, timeout)
    with pytest.raises(VerificationError) as caught:
        fix(read_text(text), verify_with=compiler)
    return caught.value.message.removeprefix(compiler.name).strip(), caught.value.details


@pytest.mark.parametrize("text", [SHUFFLED, LONG_TEXT])
def test_mlir_accepts_the_result(text: str) -> None:
    compiler = Compiler([iree_opt(), *UNREGISTERED])
    assert fix(read_text(text), verify_with=compiler).text.decode() == fixed(text)


@needs_mlir_opt
def test_mlir_opt_refuses_what_it_does_not_know() -> None:
    message, details = refusal([str(mlir_tool("mlir-opt")), "-"])
    assert message == "refuses the result with exit code 1; it refuses the input as well:"
    first, *_, last = details.split("\n")
    assert first.startswith("<stdin>:2:18: error: operation being parsed with an unregistered dialect")
    assert last == "<stdin>:2:18 is ttir.neg, in the input at <text>:2"


def test_a_refused_result_is_explained_by_the_lines_of_the_input() -> None:
    says = "'<stdin>:2:8: error: a\\nloc(\"DEBUG|1|b\"): b\\n<stdin>:99:1: error: c'"
    program = REFUSE_NEW.replace("'bad order'", says)
    assert refusal(python(program), f"noise\n// -----// IR Dump After A (a) //----- //\n\n{SHUFFLED}") == (
        "refuses the result with exit code 1:",
        '<stdin>:2:8: error: a\nloc("DEBUG|1|b"): b\n<stdin>:99:1: error: c\n'
        "<stdin>:2:8 is ttir.abs, in the input at <text>:6\n"
        '"DEBUG|1|b" is ttir.neg, in the input at <text>:5',
    )


def test_a_relabelled_dump_is_read_and_its_ops_are_found() -> None:
    dumps = read_text(
        """func.func @f(%a: i32) -> i32 {
  %0 = "ttir.permute"(%a) : (i32) -> i32 loc("23|f|permute")
  %1 = "ttir.abs"(%0) : (i32) -> i32 loc("18|f|abs")
  return %1 : i32
}
"""
    )
    program = READ + "sys.exit('<stdin>:2:8: error' if '18|f|permute' in text else 0)"
    with pytest.raises(VerificationError) as caught:
        fix(dumps, relabel="flat", verify_with=Compiler(python(program)))
    assert caught.value.details.endswith("<stdin>:2:8 is ttir.permute, in the input at <text>:2")


@pytest.mark.parametrize(
    ("command", "message", "details"),
    [
        pytest.param(python(READ + "sys.exit(7)"), "refuses the result with exit code 7", "", id="no error"),
        pytest.param(
            python("exit('early')"), "refuses the result with exit code 1", "early", id="reads nothing"
        ),
        pytest.param(
            python("import os; os.kill(os.getpid(), 11)"),
            "dies on the result with SIGSEGV",
            "",
            id="by a signal",
        ),
    ],
)
@pytest.mark.parametrize("text", [SHUFFLED, LONG_TEXT])
def test_commands_that_fail(command: list[str], message: str, details: str, text: str) -> None:
    expected = f"{message}; it refuses the input as well:", details or "(it printed no error)"
    assert refusal(command, text) == expected


@pytest.mark.parametrize(
    ("program", "text"), [("pass", SHUFFLED), ("pass", LONG_TEXT), ("import os; os.read(0, 20)", SHUFFLED)]
)
def test_a_command_that_does_not_read_all_accepts_nothing(program: str, text: str) -> None:
    with pytest.raises(
        InputError, match="ends with exit code 0, but does not read all of its standard input"
    ):
        fix(read_text(text), verify_with=Compiler(python(program)))


def test_output_of_any_size_is_dropped() -> None:
    program = READ + "print('x' * 10_000_000); sys.stderr.write('y' * 10_000_000)"
    assert fix(read_text(SHUFFLED), verify_with=Compiler(python(program))).changed


def test_a_command_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    program = "import subprocess, sys; subprocess.run(['sh', '-c', 'echo $$ > pid; exec sleep 60'], cwd=sys.argv[1])"
    started = time.monotonic()
    message, details = refusal(python(program, str(tmp_path)), LONG_TEXT, timeout=1)
    assert (message, details) == ("did not read the result within 1 seconds:", "(it printed no error)")
    assert time.monotonic() - started < 30
    with pytest.raises(ProcessLookupError):
        for _ in range(100):  # until it is reaped
            os.kill(int((tmp_path / "pid").read_text()), 0)
            time.sleep(0.05)


def test_a_command_that_cannot_be_started() -> None:
    with pytest.raises(InputError, match="cannot run `./no-such-compiler -`: No such file or directory"):
        fix(read_text(SHUFFLED), verify_with=Compiler(["./no-such-compiler", "-"]))


def test_a_dump_that_stays_the_same_is_not_sent() -> None:
    refusing = Compiler(python("exit(1)"))
    text = fixed(SHUFFLED)
    assert fix(read_text(text), verify_with=refusing).text.decode() == text


def test_each_dump_that_changes_is_sent_by_itself(tmp_path: Path) -> None:
    program = READ + "open(sys.argv[1], 'a').write(text + 'END')"
    others = [SHUFFLED, SHUFFLED.replace("@f", "@g")]
    text = f"{others[0]}// -----\n{fixed(SHUFFLED)}// -----\n{others[1]}"
    fix(read_text(text), verify_with=Compiler(python(program, str(tmp_path / "sent"))))
    sent = (tmp_path / "sent").read_text().split("END")
    assert [part.strip() for part in sent] == [*(fixed(other).strip() for other in others), ""]


def test_processes_send_the_same_refusal(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.mlir") for name in "abc"]
    for path in paths:
        Path(path).write_text(SHUFFLED.replace("@f", "@refused") if "b.mlir" in path else SHUFFLED)
    dump_fix = DumpFix(verify_with=Compiler(python(READ + "sys.exit('no' if '@refused' in text else 0)")))
    with local_workers(2) as workers:
        results = [result for _, result in fix_files(paths, read, dump_fix, workers)]
    assert [isinstance(result, VerificationError) for result in results] == [False, True, False]
    with pytest.raises(VerificationError) as caught:
        fix(read(paths[1]), verify_with=dump_fix.verify_with)
    assert str(results[1]) == str(caught.value)


def test_many_errors_are_cut() -> None:
    assert first_lines(b"a" * 300 + b"\n" * 20 + b"b") == [
        "a" * 240 + "...",
        *[""] * 11,
        "... (9 more lines)",
    ]
    assert first_lines(b"\n") == ["(it printed no error)"]


LOCATED = """#loc1 = loc("inner"("a.py":1:2))
func.func @f(%a: i32) -> i32 {
  %0 = "my.op"(%a) ({
    "my.in"() : () -> () loc(#loc1)
    }) : (i32) -> i32 loc("outer")
  return %0 : i32
}
"""


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (b"<stdin>:4:7: error", ["<stdin>:4:7 is my.in, in the input at test.mlir:4"]),
        (b"-:4: error", ["-:4 is my.op, in the input at test.mlir:3"]),
        (b"/dev/stdin:5:5: error", ["/dev/stdin:5:5 is my.op, in the input at test.mlir:3"]),
        (b"<stdin>:1:5: error", []),
        (b"<stdin>:4000:5: error", []),
        (b"file-:4:5: x.mlir:4:7: error", []),
        (b'error: loc("inner"("a.py":1:2)): no', ['"inner" is my.in, in the input at test.mlir:4']),
        (b'loc("outer"): no\nloc("outer"): note', ['"outer" is my.op, in the input at test.mlir:3']),
        (b'loc("oute"): no', []),
    ],
)
def test_the_ops_that_errors_name(errors: bytes, expected: list[str]) -> None:
    ir = ir_of(LOCATED)
    assert lines_of_input(errors, ir, ir, range(len(ir))) == expected


def test_at_most_five_ops_are_named() -> None:
    ir = ir_of('"my.op"() : () -> () loc("a")\n' * 9)
    assert len(lines_of_input(b'loc("a"): no', ir, ir, range(len(ir)))) == 5


def test_a_command_runs_without_input() -> None:
    assert run_command(python(READ + "sys.exit(len(text))"), None) == 0


def test_an_interrupt_while_a_program_starts_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []

    class Interrupted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_command(python("import time; time.sleep(60)"), None)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert started[0].wait(10) == -signal.SIGKILL


def test_an_interrupt_counts_even_if_the_program_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        signal.raise_signal(signal.SIGINT)
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "Popen", fail)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            run_command(["missing"], None)
    finally:
        signal.signal(signal.SIGINT, before)
