from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit import check, fix, read_text, stream, trace
from tests.cli.running import run
from tests.logs import dump, function, module
from tests.programs import programs

PREFIXES = [
    "2026-05-06T05:04:{}3.1234567Z ",
    "build\tRun tests\t2026-05-06T05:04:{}3.1234567Z ",
    "# | ",
    "\x1b[36;1m",
    "web-1  | ",
    "[1,0]<stderr>:",
    "(EngineCore pid={}81) ",
    "[{:>4}.250] ",
    "May  6 05:04:{}3 host app[12]: ",
    "    ",
]
END_OF_COLOUR = "\x1b[0m"


def behind(text: str, prefix: str, *, trims: bool = False) -> str:
    """A text in which each line has the prefix, with its number. ``trims``: without blanks at line ends."""
    end = END_OF_COLOUR if prefix.startswith("\x1b") else ""
    lines = [prefix.format(k) + line + end for k, line in enumerate(text.removesuffix("\n").split("\n"), 1)]
    return "".join((line.rstrip() if trims else line) + "\n" for line in lines)


def log(*texts: str) -> str:
    return "".join(dump("After", f"p{k}", text) for k, text in enumerate(texts))


LOG = log(function("f", 1, 2), module(function("f", 2, 1), function("g", 4, 3)))


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("trims", [False, True])
def test_a_log_behind_a_prefix(prefix: str, trims: bool) -> None:
    bare, prefixed = read_text(LOG), read_text(behind(LOG, prefix, trims=trims))
    assert [d.text.split() for d in prefixed] == [d.text.split() for d in bare]
    assert [(d.line, d.first_line, d.marker) for d in prefixed] == [
        (d.line, d.first_line, d.marker) for d in bare
    ]
    assert check(prefixed).summary == check(bare).summary


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_fix_writes_the_prefixes(prefix: str) -> None:
    text = behind(LOG, prefix)
    assert fix(read_text(text)).text == behind(fix(read_text(LOG)).text.decode(), prefix).encode()


NAMES = st.text("abXY _-|:[]<>()./#=,\t\u00e9\x1b", max_size=12)


@settings(max_examples=settings().max_examples // 2)
@given(
    texts=st.lists(programs(), min_size=1, max_size=3),
    before=NAMES,
    after=NAMES,
    above=st.booleans(),
    number=st.booleans(),
)
def test_any_prefix_gives_the_same_answer(
    texts: list[str], before: str, after: str, above: bool, number: bool
) -> None:
    prefix = before + ("{}" if number else "") + after
    clean = (function("h", 3, 1) if above else "") + log(*texts)
    prefixed = behind(clean, prefix)
    bare, found = read_text(clean), read_text(prefixed)
    assert [d.text.strip() for d in found] == [d.text.strip() for d in bare]
    assert [(p.pass_name, p.figures, p.made, p.left) for p in trace(found).passes] == [
        (p.pass_name, p.figures, p.made, p.left) for p in trace(bare).passes
    ]
    assert fix(found).text.decode() == behind(fix(bare).text.decode(), prefix)


@given(prefix=st.sampled_from(PREFIXES), texts=st.lists(programs(), min_size=1, max_size=3))
def test_a_stream_reads_the_same(
    prefix: str, texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "a.log"
    path.write_text(behind(function("h", 1, 2) + log(*texts), prefix))
    whole = read_text(path.read_bytes())
    assert [(d.line, d.first_line, d.content) for d in stream(str(path))] == [
        (d.line, d.first_line, d.content) for d in whole
    ]


def test_positions_are_those_of_the_file() -> None:
    [found] = check(
        read_text(behind('// -----// IR Dump After A (a) //----- //\n"t.a"(%x) : () -> ()\n', "web | "))
    ).errors
    assert str(found).startswith("<text>:2:13: error: use of value '%x'")


def test_a_logger_before_the_marker_alone_is_no_prefix() -> None:
    text = "12:00:00.5 | // -----// IR Dump After A (a) //----- //\nmodule {\n}\n12:00:01.5 | module done\n"
    [found] = read_text(text)
    assert found.text.endswith(b"| module done\n")
    assert not check([found]).errors


def test_lines_without_the_prefix_of_the_marker_are_not_passed(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("// -----// IR Dump After A (a) //----- //\nweb | module {\nweb | }\n")
    for command in (["check"], ["trace"], ["fix"]):
        done = run(*command, path)
        assert done.returncode == 2
        message = b"a.log:2:1: error: other text is before the IR of its lines: print them without"
        assert message in done.stderr
