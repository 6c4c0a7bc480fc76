"""What a text is called that is not IR, or that its way into a file has changed."""

import time
from pathlib import Path

import pytest

from eio_audit import InputError, check, read, read_text, stamp, stream, trace
from tests.logs import dump, function, module
from tests.reading import names

PRETTY = "locations without loc(...), as --mlir-pretty-debuginfo prints them: print without it"


def said(text: str | bytes) -> str:
    """The error of a text."""
    try:
        [error] = check(read_text(text)).errors
    except InputError as found:
        error = found
    return error.message


@pytest.mark.parametrize(
    "place",
    [
        "m.mlir:3:8",
        "/a b/m.mlir:3:8",
        "m.py:1:2 to :5",
        "m.py:1:2 to 3:4",
        "[unknown]",
        '"n"',
        '"n"("m")',
        '"n"(m.py:1:2)',
        '"n"(#loc)',
        "[a.py:1:2, b.py:3:4]",
        '["a", "b"]',
        "[#loc, #loc1]",
        '<"m">[#loc, #loc1]',
        "#loc3 at #loc1",
        "#loc\n at #loc1",
        "x.py:1:2\n at y.py:3:4",
        '"f" at y.py:3:4',
    ],
)
@pytest.mark.parametrize("end", ["}", "}) : () -> ()"])
def test_locations_that_are_not_in_brackets_are_named(place: str, end: str) -> None:
    begin = "module {" if end == "}" else '"builtin.module"() ({'
    text = f"{begin}\n  %0 = arith.constant 1 : i32 {place}\n  %1 = t.a %0 : i32 {place}\n{end} {place}\n"
    assert said(text) == PRETTY
    with pytest.raises(InputError):
        stamp(read_text(text))


@pytest.mark.parametrize("op", ["%0 = t.a 1 : i32", '"t.a"() : () -> ()', "t.a 5 : i32"])
def test_so_they_are_without_a_region(op: str) -> None:
    assert said(f"{op} m.mlir:3:8\n") == PRETTY


@pytest.mark.parametrize(
    "end",
    [
        '} loc("m.mlir":3:8)',
        "} // m.mlir:3:8",
        '} {a = "m.mlir:3:8"}',
        '} loc(fused<"m">["a":1:2, "b":3:4])',
        '} loc(callsite("f"("x.py":1:2) at "y.py":3:4))',
        "} loc(#loc)\n#loc = loc(unknown)",
        "} {a = #locality}",
    ],
)
def test_locations_in_brackets_and_comments_are_read(end: str) -> None:
    assert names(f"t.m {{\n  t.a : i32\n{end}\n") == ["t.m", "  t.a"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("<<<<<<\n        1: module { \n        2: } \n>>>>>>\n", "FileCheck's output"),
        ("# | Input was:\n# | <<<<<<\n# |         1: module { \n", "FileCheck's output"),
        ("        1: module { \n        2: } \n", "line numbers are before the lines"),
        ("     1\tmodule {\n     2\t}\n", "line numbers are before the lines"),
        ("[greedy-rewriter Greedy.cpp:531 1] \n[greedy-rewriter:1] //===\n", "log of the greedy rewriter"),
        ("# | [greedy-rewriter:1] //===\n", "log of the greedy rewriter"),
        ("[dialect-conversion:1] //===\n", "log of the dialect conversion"),
        ("[pattern-logging-listener P.cpp:9 1] A | notifyOperationErased | t.a\n", "log of patterns"),
        ("A | notifyOperationModified | t.a\n", "log of patterns"),
        (
            "[thread opt] begins (no breakpoint) Action `apply-pattern` on `m` (m {...})\n",
            "a log of actions",
        ),
        (
            '[\n{"wall": {"duration":   0.0021}, "name": "Parser", "passes": [\n{}]}\n]\n',
            "timing report in JSON",
        ),
        ("===---===\n  ... Execution time report ...\n", "a timing table without dumps"),
        ('{"a": 1}\n', "this is JSON"),
        ('{"ir": "module {\\n}"}\n', "IR in a string"),
        ('x = """\nmodule {\n"""\n', "a string of Python"),
        ("module {\\n}\\n", "IR in a string"),
        ("&lt;module&gt;\nmodule {\n  t.a %x, &quot;a&quot;\n}\n", "the source of a web page"),
        ("<<<<<<< HEAD\nmodule {\n", "a conflict in git"),
        ("diff --git a/x b/x\n@@ -1,2 +1,2 @@\n+module {\n", "this is a diff"),
        ("> module {\n> }\n", "other text is before the IR"),
        ("module {\n  t.a : tensor<4xf32>,\u00a0i32\n}\n", "U+00A0 is a non-breaking"),
        ("module {\n  t.a \u201cx\u201d\n}\n", "\u201c is a curly quote"),
        ("module {\n  t.a loc(\u2018x\u2019)\n}\n", "\u2018 is a curly quote"),
        ("module {\n  \u200bt.a\n}\n", "U+200B is a character that is not visible"),
        ("// \u2014// IR Dump After A (a) //\u2014 //\nmodule {\n}\n", "\u2014 is a long dash"),
        ("m\0o\0d\0u\0l\0e\0", "UTF-16"),
    ],
)
def test_a_medium_is_named(text: str, what: str) -> None:
    assert what in said(text)


@pytest.mark.parametrize(
    "text", ['"t.a"() {a = "\u201cx\u201d\u00a0&lt;"} : () -> () // \u2014\n', "\ufeffmodule {\n}\n"]
)
def test_strings_and_comments_hold_any_character(text: str) -> None:
    assert len(names(text)) == 1


@pytest.mark.parametrize(
    "line",
    [
        "[canonicalizer Canonicalizer.cpp:12 1] %0 = x {",
        "[cse:1]   foo {",
        "Compiling: 5%|#  | 1/20 [00:03<01:05]",
    ],
)
def test_what_ends_its_line_in_a_dump_is_skipped(line: str) -> None:
    assert names(f"module {{\n  t.a : i32\n{line}\n  t.b : i32\n}}\n") == ["builtin.module", "  t.a", "  t.b"]


def test_the_ir_behind_a_progress_bar_is_read() -> None:
    bar = "\rA:  50%|#  | 1/2 [00:00<00:00, 9it/s]"
    assert names(f"module {{\n{bar}  t.a : i32\n{bar}{bar}  t.b\n}}\n") == [
        "builtin.module",
        "  t.a",
        "  t.b",
    ]
    assert "a progress bar" in said(f"module {{\n{bar}  t.a {{\n  }}\n}}\n")


@pytest.mark.parametrize("above", ["    %1 = t.a : i32\n  }\n}\n", "  return\n}\n", "}\n"])
def test_ir_without_a_beginning_above_the_first_marker_is_noted(above: str) -> None:
    log = dump("After", "a", module(function("f", 1, 2)))
    assert [*trace(read_text(above + log)).notes.values()] == [
        "the IR above the first marker is cut off: it was skipped"
    ]
    assert [*trace(read_text("compiling }\n" + log)).notes] == []


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"PK\x03\x04", "this is a zip archive; unpack it first: unzip "),
        (b"\x28\xb5\x2f\xfd", "this is compressed with zstd; unpack it first: zstd -d "),
        (b"\x04\x22\x4d\x18", "this is compressed with lz4; unpack it first: lz4 -d "),
        (257 * b"a" + b"ustar", "this is a tar archive; unpack it first: tar xf "),
    ],
)
def test_what_another_program_unpacks_is_named_with_its_command(
    head: bytes, what: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(head + b"\nmodule {\n}\n")
    for way in (lambda: read(path), lambda: [*stream(str(path))]):
        with pytest.raises(InputError) as error:
            way()
        assert error.value.message == f"{what}{path}"


@pytest.mark.parametrize("text", ["\u00a0" * 500_000 + "\n", "\n" * 500_000 + "module {\n}\n"])
def test_long_runs_take_linear_time(text: str) -> None:
    started = time.process_time()
    names(text)
    assert time.process_time() - started < 3
