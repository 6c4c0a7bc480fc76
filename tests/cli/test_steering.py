"""Characters that steer terminals or turn text around come out of no command as they are."""

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.running import run
from tests.internals import COMMANDS, cli

C1, BIDI, MARK, RAW = "\x9b", "\u202e", "\u061c", b"\x9b"
SHUFFLED = f"""func.func @"f{C1}{BIDI}"(%a: i32) -> i32 {{
  %0 = "my{BIDI}.a"(%a) : (i32) -> i32 loc("DEBUG|2|Net[n{C1}]|Conv[{BIDI}]|m{MARK}.py:1|f|2|op{BIDI}")
  %1 = "my.b"(%a) {{x = "{C1}"}} : (i32) -> i32 loc("DEBUG|1|Net[n]|Conv[\x1b]|m.py:1|f|2|op{C1}")
  %2 = "my.c"(%1) : (i32) -> i32 loc("DEBUG|0|Net[n]|Conv[\x7f]|m.py:1|f|2|op{MARK}")
  return %0 : i32
}}
""".encode().replace(b"my.c", b"my" + RAW + b".c")
DAMAGED = SHUFFLED.replace(b"return %0", f'"{C1}{BIDI}" %0'.encode())
STEERING = [chr(c) for c in (*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F))]
STEERING += [chr(c) for c in range(0x2066, 0x206A)]
WORDS = {
    "paths": ["OLD", "NEW", "BAD"],
    **{"path": ["NEW"], "log": ["NEW"], "before": ["OLD"], "after": ["NEW"], "op": ["%0"]},
}
"""By argument of a command, what it is given here. Compilers are given nowhere."""
OPTIONS = {"config": ["--config", "assume-pure=my*"], "verbose": ["--verbose"]}
EXACT = {"show"}
"""Commands that write what they read to the byte."""


def calls() -> Iterator[list[str]]:
    """Every command that reads files: in each of its formats, and on a damaged file."""
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        options = {one.name: one for one in command.params if isinstance(one, click.Option)}
        arguments = [str(one.name) for one in command.params if isinstance(one, click.Argument)]
        if not set(arguments) <= WORDS.keys() or name in EXACT:
            continue
        words = [word for argument in arguments for word in WORDS[argument]]
        more = [word for option, given in OPTIONS.items() if option in options for word in given]
        formats = options["format_"].type if "format_" in options else None
        for format_ in formats.choices if isinstance(formats, click.Choice) else ():
            yield [name, *more, "--format", format_, *words]
        yield [name, *dict.fromkeys(word if word == "%0" else "BAD" for word in words)]
    yield ["fix", "--check", "--assume-pure", "my*", "NEW"]


def steering(text: bytes) -> set[str]:
    return set(text.decode().replace("\n", "").replace("\r", "")).intersection(STEERING)


@pytest.mark.parametrize("call", list(calls()), ids=" ".join)
def test_no_command_shows_what_steers_terminals(call: list[str], tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}{C1}{BIDI}.mlir" for name in ("OLD", "NEW", "BAD")}
    files["OLD"].write_bytes(SHUFFLED.replace(b'"my.b"(%a)', b'"my.b"(%0)').replace(C1.encode(), b""))
    files["NEW"].write_bytes(SHUFFLED)
    files["BAD"].write_bytes(DAMAGED)
    result = run(*(files.get(word, word) for word in call))
    assert steering(result.stdout) | steering(result.stderr) == set()
    assert result.returncode in (0, 1, 2)
    assert "\\" in (result.stdout + result.stderr).decode()


def test_a_diff_on_a_terminal_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_bytes(SHUFFLED.replace(b"my", b"ttir"))
    call = ["fix", "--diff", "--assume-pure", "*", tmp_path / "a.mlir"]
    shown = run(*call, FORCE_COLOR="1").stdout
    assert steering(shown) == {"\x1b"}  # its own colours
    assert b"\\x9b" in shown
    assert b"\\u202e" in shown


def test_a_diff_in_a_pipe_is_exact(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_bytes(SHUFFLED)
    lines = run("fix", "--diff", "--assume-pure", "my*", tmp_path / "a.mlir").stdout.split(b"\n")
    assert b"-" + SHUFFLED.split(b"\n")[1] in lines


def test_the_caret_fits_below_a_line_that_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_bytes(f'"t.a"() {{x = "\t{C1}{BIDI}"}} : () -> () }}\n'.encode())
    assert run("check", tmp_path / "a.mlir").stderr.decode().split("\n")[1:3] == [
        '"t.a"() {x = "\t\\x9b\\u202e"} : () -> () }',
        "              \t                        ^",
    ]
