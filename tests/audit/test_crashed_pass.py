"""Which pass crashed, in a log of dumps after passes: the next one of the pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read_text, trace
from eio_audit.mlir.input.pipeline import PipelinePass, next_pass, pipeline_in
from tests.cli.running import run
from tests.logs import dump, function, module

REAL = Path(__file__).parent.parent / "data" / "crashed.log"
"""mlir-opt-22 after its second dump, when it got SIGSEGV."""
F, G = function("f", 1), function("g", 1)
CRASH = "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\nStack dump:\n"


def crashed(arguments: str) -> str:
    return f"{CRASH}0.\tProgram arguments: {arguments}\n #0 0x0000 (mlir-opt+0x1)\n"


def test_a_real_crash_names_the_pass_and_how_to_run_it_alone() -> None:
    done = run("trace", REAL)
    assert done.returncode == 1
    assert done.stdout.decode().splitlines()[-5:] == [
        "failed: symbol-dce: the compiler crashed",
        "next:",
        f"  eio-audit show {REAL}::6 --whole -o in.mlir  # writes the input of the pass that crashed",
        "  mlir-opt-22 in.mlir '--pass-pipeline=builtin.module(symbol-dce)'  # runs it alone",
        "  mlir-opt-22 big.mlir "
        "'--pass-pipeline=builtin.module(func.func(cse,canonicalize{max-iterations=3}),symbol-dce,inline)' "
        "--mlir-disable-threading --mlir-print-ir-before-all  # prints the IR before each pass",
    ]


def test_the_dump_that_is_written_is_the_last(tmp_path: Path) -> None:
    run("show", f"{REAL}::6", "--whole", "-o", tmp_path / "in.mlir")
    assert (tmp_path / "in.mlir").read_bytes() == run("show", f"{REAL}:2").stdout


@pytest.mark.parametrize(
    ("above", "below", "name"),
    [
        ("", crashed("mlir-opt in.mlir --a --b=x=1 --c --mlir-print-ir-after-all"), "b"),
        ("", crashed("mlir-opt --mlir-print-ir-after-all in.mlir -a -b -o out.mlir"), "b"),
        ("", crashed("mlir-opt --pass-pipeline=builtin.module(a,b{x=1},c) in.mlir"), "b"),
        ("", crashed("mlir-opt '--pass-pipeline=builtin.module(a, b)' in.mlir"), "b"),
        ("Pass Manager with 2 passes:\nbuiltin.module(\n  a,\n  b{x=1}\n)\n\n", CRASH, "b"),
        ("", f'{CRASH}{{-#\n  mlir_reproducer: {{\n    pipeline: "builtin.module(a, b)"\n  }}\n#-}}\n', "b"),
        ("", crashed("mlir-opt --a in.mlir"), None),
        ("", CRASH, None),
    ],
)
def test_what_tells_the_pipeline(above: str, below: str, name: str | None) -> None:
    result = trace(read_text(f"{above}{dump('After', 'a', module(F))}{below}"))
    assert result.broken is not None
    assert result.broken.pass_name == name


def test_a_nested_pipeline_goes_on_with_the_next_function() -> None:
    text = dump("After", "a", module(F, G)) + dump("After", "b", F) + dump("After", "c", F)
    pipeline = "mlir-opt --pass-pipeline=builtin.module(a,func.func(b,c),d) in.mlir"
    broken = trace(read_text(text + crashed(pipeline))).broken
    assert broken is not None
    assert broken.pass_name == "b"


def test_a_compiler_that_did_not_crash_has_no_next_pass() -> None:
    assert trace(read_text(dump("After", "a", module(F)))).crash is None


@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=3), min_size=1, max_size=5),
    st.integers(1, 3),
    st.data(),
)
def test_the_next_pass_of_a_run_that_stops_anywhere(
    groups: list[list[str]], functions: int, data: st.DataObject
) -> None:
    """Every other group is nested, and runs on one function after another."""
    names = [f"@f{number}" for number in range(functions)]
    pipeline = list[PipelinePass]()
    runs = list[tuple[str, str | None]]()
    for number, group in enumerate(groups):
        is_nested = number % 2 == 1
        anchors = ("builtin.module", "func.func") if is_nested else ("builtin.module",)
        pipeline += [PipelinePass(name, name, anchors) for name in group]
        runs += [(name, symbol) for symbol in (names if is_nested else [None]) for name in group]
    stop = data.draw(st.integers(1, len(runs)))
    found = next_pass(pipeline, runs[:stop], names)
    assert (found and found.name) == (runs[stop][0] if stop < len(runs) else None)


def test_no_pipeline() -> None:
    assert list(pipeline_in(b"nothing")) == []


@pytest.mark.parametrize(
    "cut", ["func.func @main(%arg0: i32) -> i32 {\n  re", "func.func @main(%a", "func.func @f() {\n"]
)
def test_a_dump_that_a_crash_tore_off_is_of_the_pass_that_crashed(tmp_path: Path, cut: str) -> None:
    first, second = REAL.read_text().split("// -----// IR Dump After Canonicalizer")
    crash = second[second.index("PLEASE") :]
    torn = tmp_path / "torn.log"
    marker = "// -----// IR Dump After Canonicalizer (canonicalize) //----- //\n"
    torn.write_text(f"{first}{marker}{cut}{crash}")
    done = run("trace", torn)
    shown = done.stdout.decode().splitlines()
    verdict = "failed: canonicalize: the compiler crashed while it printed the dump on line 6"
    assert (done.returncode, done.stderr, shown[shown.index("next:") - 1]) == (1, b"", verdict)
    assert (
        f"  eio-audit show {torn}::1 --whole -o in.mlir  # writes the input of the pass that crashed" in shown
    )
    assert (
        "  mlir-opt-22 in.mlir '--pass-pipeline=builtin.module(func.func(canonicalize{max-iterations=3}))'"
        in (line.partition("  # ")[0] for line in shown)
    )


def test_a_dump_before_a_pass_that_a_crash_tore_off_is_the_work_of_the_pass_before() -> None:
    text = dump("Before", "a", F) + dump("Before", "b", "func.func @f() {\n")
    broken = trace(read_text(text + CRASH)).broken
    assert broken is not None
    assert broken.pass_name == "a"


def test_a_crash_directly_below_a_marker_is_of_its_pass(tmp_path: Path) -> None:
    log = tmp_path / "passes.log"
    log.write_text(dump("After", "a", F) + dump("After", "b", "") + CRASH)
    assert run("trace", log).stdout.decode().splitlines()[-1] == "failed: b: the compiler crashed"


def test_a_torn_dump_without_a_crash_is_an_error() -> None:
    text = dump("After", "a", F) + dump("After", "b", "func.func @f() {\n")
    assert len(trace(read_text(text)).errors) == 1
