import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Dump, InputError, Marker, check, read, read_text, stream
from eio_audit.mlir import source as blocks
from eio_audit.mlir.input import dumps as dumps_module
from tests.cli.running import SAMPLES
from tests.internals import read_ir


def marker(line: str) -> Marker | None:
    return read_text(f"{line}\nmodule {{\n}}\n")[0].marker


def test_old_marker() -> None:
    assert marker(
        "// -----// IR Dump After TTIREraseInverseOps (ttir-erase-inverse-ops) //----- //"
    ) == Marker("ttir-erase-inverse-ops", "TTIREraseInverseOps", "after", False, None)


def test_old_marker_of_a_failed_pass_at_module_scope() -> None:
    line = "// -----// IR Dump After CSE Failed (cse) ('func.func' operation: @main) //----- //"
    assert marker(line) == Marker("cse", "CSE", "after", True, "@main", "func.func")


def test_new_marker_with_options() -> None:
    line = "// -----// IR Dump Before CanonicalizerPass: canonicalize{max-iterations=10} ('builtin.module' operation: @m) //----- //"
    assert marker(line) == Marker(
        "canonicalize", "CanonicalizerPass", "before", False, "@m", "builtin.module"
    )


@pytest.mark.parametrize("name", ["mlir::detail::MyPass", "(anonymous namespace)::MyPass"])
def test_marker_with_a_class_in_a_namespace(name: str) -> None:
    for text in (f"{name}: my-pass{{a=b}}", f"{name} (my-pass)"):
        line = f"// -----// IR Dump After {text} //----- //"
        assert marker(line) == Marker("my-pass", name, "after")


def test_marker_without_argument() -> None:
    assert marker("// -----// IR Dump After MyPass //----- //") == Marker(
        "MyPass", "MyPass", "after", False, None
    )


def test_dumps_of_a_log_with_their_lines() -> None:
    text = """compiler started
// -----// IR Dump Before A (a) //----- //
module {
}

// -----// IR Dump After A (a) //----- // module {
}
"""
    dumps = read_text(text)
    assert [(d.line, d.marker.when if d.marker else None) for d in dumps] == [(2, "before"), (6, "after")]


def test_the_module_behind_the_last_dump_is_one_of_its_own() -> None:
    text = """// -----// IR Dump After A (a) //----- //
#loc1 = loc("x")
module {
  "t.a"() : () -> () loc(#loc1)
} loc(#loc)
#loc = loc(unknown)

#loc1 = loc("y")
module {
}
"""
    dumps = read_text(text)
    assert [(d.line, d.marker is None) for d in dumps] == [(1, False), (8, True)]
    assert [error for dump in dumps for error in check([dump]).errors] == []


def test_a_logger_may_print_inside_the_aliases_of_a_dump() -> None:
    text = """// -----// IR Dump After A (a) //----- //
module {
  "t.a"() : () -> () loc(#loc1)
}
[2026-01-01 12:00:00] [DEBUG] aliases
#loc = loc(unknown)
[2026-01-01 12:00:00] [DEBUG] module {
#loc1 = loc("x")

module {
}
"""
    dumps = read_text(text)
    assert [d.line for d in dumps] == [1, 10]
    assert [error for dump in dumps for error in check([dump]).errors] == []


def test_aliases_over_several_lines_belong_to_their_dump() -> None:
    text = """// -----// IR Dump After A (a) //----- //
#a = 1

#k = #t.k<{
#a
}, {
}>
module {
  "t.a"() {k = #k, m = #m} : () -> ()
}
#m = #t.k<{
#b = 1
},
c>

module {
}
"""
    dumps = read_text(text)
    assert [d.line for d in dumps] == [1, 16]
    assert [error for dump in dumps for error in check([dump]).errors] == []


def test_a_damaged_alias_above_an_op_is_an_error_of_its_dump() -> None:
    text = "// -----// IR Dump After A (a) //----- //\n#k = {\nmodule {\n}\n"
    [dump] = read_text(text)
    [error] = check([dump]).errors
    assert (error.message, error.position) == ("'{' is never closed: is the dump cut off?", (2, 6))


def test_noise_behind_a_dump_is_no_dump() -> None:
    text = "// -----// IR Dump After A (a) //----- //\nmodule {\n}\n\nerror: failed to lower\n[1/2] linking\n"
    assert [d.line for d in read_text(text)] == [1]


TABLE = "Operations encountered:\n-----------------------\n    arith.addi     , 1\n  builtin.module   , 1\n"
LOOP = "scf.for %i = %a to %b step %c {\n  %1 = arith.addi %i, %i : index\n}\n"


@pytest.mark.parametrize(
    "printed",
    [
        TABLE,
        '{\n  "arith.addi" : 1,\n  "builtin.module" : 1\n}\n',
        "%1 = arith.addi %arg0, %arg0 : i32\n",
        "%c0 = arith.constant 0 : index\n",
        LOOP,
        f"%2 = {LOOP}",
    ],
)
@pytest.mark.parametrize("aliases", ["", '#loc1 = loc("x")\n'])
def test_what_a_pass_prints_behind_a_closed_module_is_no_ir(printed: str, aliases: str) -> None:
    ir = f'module {{\n  "t.a"() : () -> ()\n}}\n{aliases}'
    text = f"// -----// IR Dump After A (a) //----- //\n{ir}\n{printed}// -----// IR Dump After B (b) //----- //\n{ir}"
    dumps = read_text(text)
    assert [dump.marker and dump.marker.pass_name for dump in dumps] == ["a", "b"]
    assert [dump.text.strip() for dump in dumps] == [ir.strip().encode()] * 2
    assert [error for dump in dumps for error in check([dump]).errors] == []


def test_a_module_behind_statistics_is_a_dump_with_its_aliases() -> None:
    module = '#loc = loc("x")\nmodule {\n  "t.a"() : () -> () loc(#loc)\n}\n'
    text = f"// -----// IR Dump After A (a) //----- //\nmodule {{\n}}\n{TABLE}{module}{TABLE}"
    assert [dump.text for dump in read_text(text)][1:] == [module.encode()]


def test_a_module_whose_inner_ops_close_at_the_start_of_a_line_ends_where_it_is_closed() -> None:
    ir = 'module {\nfunc.func @f() {\n"t.a"() : () -> ()\n}\nfunc.func @g() {\n}\n}\n'
    [dump] = read_text(f"// -----// IR Dump After A (a) //----- //\n{ir}{TABLE}")
    assert dump.text.strip() == ir.strip().encode()


def test_the_rest_of_a_body_behind_a_closed_op_is_read_and_is_an_error() -> None:
    text = "// -----// IR Dump After A (a) //----- //\nmodule {\n}\n  %1 = t.a %0 : i32\n  }\n}\n"
    [dump] = read_text(text)
    assert check([dump]).errors


def test_the_source_lines_of_a_long_diagnostic_are_no_dump() -> None:
    text = """// -----// IR Dump After A (a) //----- //
module {
}

a.mlir:6:14: warning: slow

for a reason
func.func @main(%a: i32) {
^
  %0 = my.op %b
       ^
// -----// IR Dump After B (b) //----- //
module {
}
"""
    dumps = read_text(text)
    assert [dump.line for dump in dumps] == [1, 12]
    assert [len(read_ir(dump.source, dump.span)) for dump in dumps] == [1, 1]


OPS = st.recursive(
    st.sampled_from(['%0:2 = t.a %b {x = [1, "}"]} : i32', "t.c", '"t.d"(%x) : (i32) -> () // {']),
    lambda op: st.lists(op, min_size=1).map(lambda ops: "\n".join(["t.e {", *ops, "} else {", "} {y = 1}"])),
)


@given(OPS.filter(lambda op: "\n" in op))
def test_an_op_that_a_diagnostic_shows_is_no_dump(op: str) -> None:
    dump = "// -----// IR Dump After A (a) //----- //\nmodule {\n}\n"
    dumps = read_text(
        f"{dump}a.mlir:6:14: note: see current operation: \n{op}\na.mlir:7:1: note: end\n{dump}"
    )
    assert [dump.marker == dumps[0].marker for dump in dumps] == [True, True]
    assert [len(read_ir(dump.source, dump.span)) for dump in dumps] == [1, 1]


@pytest.mark.parametrize("message", ["a.mlir:6:14: note: see below", "compiling ", "a.mlir:6:14: note: \n"])
def test_an_op_below_another_message_is_a_dump(message: str) -> None:
    [first, second] = read_text(
        f"// -----// IR Dump After A (a) //----- //\nmodule {{\n}}\n{message}\nmodule {{\n}}\n"
    )
    assert (first.marker is None, second.marker is None) == (False, True)


def test_markers_of_other_compilers() -> None:
    text = """[DEBUG] MLIR Module ttir:
module {
}
END OF MLIR MODULE
loading
---- IR Dump after TracingCompiler (Tracing-based) ----
module {
}
"""
    assert [d.marker for d in read_text(text)] == [
        Marker("ttir", "ttir", None),
        Marker("TracingCompiler", "TracingCompiler", "after"),
    ]


def test_a_marker_in_a_string_is_none() -> None:
    text = '// -----// IR Dump After A (a) //----- //\nmodule {\n} loc("// -----// IR Dump After B (b) //----- //")\n'
    assert [d.marker.pass_name for d in read_text(text) if d.marker] == ["a"]


def test_a_marker_that_another_cuts_off_is_none() -> None:
    text = "// -----// IR Dump Before Canon// -----// IR Dump After CSE (cse) //----- //\nmodule {\n}\n"
    assert [d.marker for d in read_text(text)] == [Marker("cse", "CSE", "after")]


def test_split_input_files() -> None:
    dumps = read_text("module {\n}\n// -----\n\nmodule {\n}\n// -----\n")
    assert [d.line for d in dumps] == [1, 5]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("module {\nSPLIT\n}\nSPLIT\nmodule {\n}\n", [1, 5]),
        ("module {\n// {\nSPLIT\nfunc.func @f() {\nSPLIT\n}\n}\nSPLIT\nmodule {\n}\n", [1, 9]),
        ("module {\nSPLIT\nmodule {\n}\nSPLIT\nmodule {\n}\n", [1, 3, 6]),
        ("module {\n}\n}\nSPLIT\nmodule {\nSPLIT\nmodule {\n}\n", [1, 5, 7]),
    ],
)
def test_a_separator_inside_braces_is_a_comment(text: str, lines: list[int]) -> None:
    """Where braces are never closed, it is a separator, so that one damaged dump does not hide the others."""
    assert [dump.line for dump in read_text(text.replace("SPLIT", "// -----"))] == lines


def test_bytecode_is_an_error_that_says_what_to_do() -> None:
    message = "<text>:1:1: error: this is MLIR bytecode; print it as text first: mlir-opt"
    with pytest.raises(InputError) as error:
        read_text(b"ML\xefR\x0dMLIR22")
    assert str(error.value) == message


def test_a_program_ends_at_a_separator_and_where_a_stage_comes_again() -> None:
    text = """MLIR Module shlo:
module {
}
END OF MLIR MODULE
MLIR Module ttir:
module {
}
MLIR Module shlo:
module {
}
// -----
module {
}
"""
    assert [d.program for d in read_text(text)] == ["", "", "#1", "#2"]


def text_of(dump: Dump) -> bytes:
    return dump.source.data[dump.span.start : dump.span.end]


@pytest.mark.parametrize("block_bytes", [1, 7, 100, 1 << 20])
@pytest.mark.parametrize("log", ["eio_only_alias.log", "eio_inline_generic.log", "source.mlir"])
def test_a_stream_has_the_dumps_of_the_file(
    log: str, block_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block_bytes)
    path = str(SAMPLES / "small" / log)
    whole, streamed = read(path), list(stream(path))
    assert [(d.line, d.marker, text_of(d)) for d in streamed] == [
        (d.line, d.marker, text_of(d)) for d in whole
    ]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_stream_unpacks(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    log = SAMPLES / "small" / "all_passes_alias.log"
    packed = tmp_path / "log"
    packed.write_bytes(pack(log.read_bytes()))
    read_bytes: list[int] = []
    assert len(list(stream(str(packed), advance=read_bytes.append))) == 16
    assert sum(read_bytes) == packed.stat().st_size


def test_a_stream_of_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(b"module {\n}\n" * 1000)[:50])
    with pytest.raises(InputError, match="damaged compressed file"):
        list(stream(str(packed)))


def test_errors_in_a_stream_name_the_line_of_the_file(tmp_path: Path) -> None:
    log = tmp_path / "log"
    marker = "// -----// IR Dump After A (a) //----- //\n"
    log.write_text(f"{marker}module {{\n}}\n{marker}module {{\n  )\n}}\n")
    last = list(stream(str(log)))[-1]
    with pytest.raises(InputError) as caught:
        read_ir(last.source, last.span)
    assert caught.value.position == (6, 3)


def test_a_file_without_markers_is_the_stage_it_is_called(tmp_path: Path) -> None:
    plain, numbered = tmp_path / "after.mlir", tmp_path / "3_cse.mlir"
    for path in (plain, numbered):
        path.write_text("module {\n}\n")
    assert [d.marker for d in stream(str(plain))] == [None]
    assert [d.marker for d in stream(str(plain), stage="after")] == [Marker("after", "after", None)]
    assert [d.marker for d in stream(str(numbered), stage="after")] == [Marker("cse", "cse", None)]


def test_a_stream_counts_the_lines_of_equal_and_other_texts(tmp_path: Path) -> None:
    texts = ["module {\n}\n", "module {\n}\n", "module {\n\n}\n", "module {\n}\n"]
    path = tmp_path / "passes.log"
    path.write_text("".join(f"// -----// IR Dump After p //----- //\n{text}" for text in texts))
    assert [dump.line for dump in stream(str(path))] == [1, 4, 7, 11]


PIECES = [
    "module {\n}\n",
    "\n// -----\n",
    "#a = loc(unknown)\n",
    "not IR\n",
    "func.func private @f()\n",
    "\n",
]


ORDERS_OF_PIECES = st.lists(st.sampled_from(PIECES), max_size=4).flatmap(
    lambda pieces: st.lists(st.permutations(pieces).map("".join), min_size=1, max_size=3)
)
"""Texts of one length, most of which differ."""


@given(ORDERS_OF_PIECES)
def test_an_equal_text_below_a_marker_is_divided_like_the_first(texts: list[str]) -> None:
    """Each text comes twice in a row. Where no text equals another, each is divided by itself."""
    twice = [text for text in texts for _ in range(2)]
    log = "".join(f"// -----// IR Dump After P{k} (p{k}) //----- //\n{text}" for k, text in enumerate(twice))

    def places(text: str) -> list[tuple[int, int, str, Marker | None, bytes]]:
        return [(d.line, d.first_line, d.program, d.marker, d.text) for d in read_text(text)]

    found = places(log)
    with mock.patch.object(dumps_module, "_is_same_text", lambda *_: False):
        assert found == places(log)
