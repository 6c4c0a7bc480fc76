"""The attempts of patterns in a log of actions. The lines are from mlir-opt-22, iree-opt and ttir-opt."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, read_text
from eio_audit.audit.bisect.attempts import read_attempts, short_pattern
from tests.internals import Attempt, read_dump

BEGINS = "[thread mlir-opt-22] begins (no breakpoint) Action "


def attempt_of(action: str) -> Attempt:
    """The only attempt of a log, by what is printed of its pattern and of its root op."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "actions.log"
        log.write_text(
            f"{BEGINS}`apply-pattern pattern: {action}`\n[thread mlir-opt-22] completed `apply-pattern`\n"
        )
        return read_attempts(log, [1], AuditOptions())[1]


@pytest.mark.parametrize(
    ("action", "attempt"),
    [
        (
            'mlir::tt::ttir::(anonymous namespace)::TTIRCommuteTmsThroughElementwiseRewriter<mlir::tt::ttir::PermuteOp, mlir::tt::ttir::ElementwiseBinary, mlir::tt::ttir::UPWARDS> (%5 = "ttir.add"(%4, %arg3) : (tensor<1x16x32x32xbf16>, tensor<1x16x32x32xbf16>) -> tensor<1x16x32x32xbf16> loc("DEBUG|15|Net[net]|BatchNorm2d[net.norm0]|/proj/model.py:11|forward|12|batch_norm"))',
            Attempt(
                1,
                "mlir::tt::ttir::(anonymous namespace)::TTIRCommuteTmsThroughElementwiseRewriter<mlir::tt::ttir::PermuteOp, mlir::tt::ttir::ElementwiseBinary, mlir::tt::ttir::UPWARDS>",
                "ttir.add",
                "%5",
                15,
                ("/proj/model.py", 12),
            ),
        ),
        (
            '(anonymous namespace)::CombineIfs (%0 = scf.if %arg1 -> (i32) {...} else {...} loc("p.mlir":11:8))',
            Attempt(1, "(anonymous namespace)::CombineIfs", "scf.if", "%0", None, ("p.mlir", 11)),
        ),
        (
            '(anonymous namespace)::FuncOpConversion (func.func @f(%arg0: i32 loc("p.mlir":1:14)) -> i32 {...} loc("p.mlir":1:1))',
            Attempt(1, "(anonymous namespace)::FuncOpConversion", "func.func", None, None, ("p.mlir", 1)),
        ),
        (
            '(anonymous namespace)::CallOpLowering (%1:2 = func.call @two(%arg0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc("q.mlir":2:10))',
            Attempt(1, "(anonymous namespace)::CallOpLowering", "func.call", "%1", None, ("q.mlir", 2)),
        ),
        (
            '(anonymous namespace)::ForOpTensorCastFolder (%5:2 = "scf.for"(%1, %arg3, %0, %4, %3) ({...}) : (index, index, index, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) loc("q.mlir":7:10))',
            Attempt(
                1,
                "(anonymous namespace)::ForOpTensorCastFolder",
                "scf.for",
                "%5",
                None,
                ("q.mlir", 7),
            ),
        ),
        (
            '(anonymous namespace)::FoldEmptyCopy ("memref.copy"(%arg1, %arg1) : (memref<4xf32>, memref<4xf32>) -> () loc("q.mlir":14:3))',
            Attempt(1, "(anonymous namespace)::FoldEmptyCopy", "memref.copy", None, None, ("q.mlir", 14)),
        ),
        (
            ' (cf.br ^bb2 loc("q.mlir":15:3))',
            Attempt(1, "(unnamed pattern)", "cf.br", None, None, ("q.mlir", 15)),
        ),
        (
            "(anonymous namespace)::AddFOfNegFLhs (%15 = arith.addf %arg5, %14 : f32 loc(unknown))",
            Attempt(1, "(anonymous namespace)::AddFOfNegFLhs", "arith.addf", "%15"),
        ),
        (
            '(anonymous namespace)::AddFOfNegFLhs (%5 = arith.addf %4, %cst_0 : tensor<8x16xf32> loc(callsite("inline.mlir":9:14 at "inline.mlir":20:16)))',
            Attempt(
                1,
                "(anonymous namespace)::AddFOfNegFLhs",
                "arith.addf",
                "%5",
                None,
                ("inline.mlir", 20),
            ),
        ),
        (
            'FoldTensorCastProducerOp (%expanded = tensor.expand_shape %arg0 [[0, 1, 2]] output_shape [2, 4, 16] : tensor<128xf32> into tensor<2x4x16xf32> loc("up.mlir":7:8))',
            Attempt(
                1,
                "FoldTensorCastProducerOp",
                "tensor.expand_shape",
                "%expanded",
                None,
                ("up.mlir", 7),
            ),
        ),
    ],
)
def test_the_pattern_and_its_root_op(action: str, attempt: Attempt) -> None:
    assert attempt_of(action) == attempt


@pytest.mark.parametrize(
    ("text", "pattern", "op"),
    [
        ("f()::(lambda at x.cpp:3:4) (a.b loc(unknown)", "f()::(lambda at x.cpp:3:4)", "a.b"),
        (
            "f()::(anonymous class)::P<A<b>, (ns::Kind)1> (a.b",
            "f()::(anonymous class)::P<A<b>, (ns::Kind)1>",
            "a.b",
        ),
        ("P<void (int)> (a.b", "P<void (int)>", "a.b"),
        ("P->Q (a.b", "P->Q", "a.b"),
        ("P (%a, %b:2 = a.b", "P", "a.b"),
        ("P (module {...} loc(unknown)", "P", "module"),
        ("P (<<NULL>>", "P", ""),
        ("P", "P", ""),
        ("", "(unnamed pattern)", ""),
    ],
)
def test_other_names_of_patterns(text: str, pattern: str, op: str) -> None:
    attempt = attempt_of(f"{text})")
    assert (attempt.pattern, attempt.op) == (pattern, op)


@pytest.mark.parametrize(
    ("location", "index", "model"),
    [
        ('loc("DEBUG|7|Net[net]|/proj/m.py:5|forward|3|add")', 7, ("/proj/m.py", 3)),
        ('loc("m.py":3:4 to :9)', None, ("m.py", 3)),
        ('loc("add"("m.py":3:4))', None, ("m.py", 3)),
        ("loc(#loc3)", None, None),
        ('loc("unfinished', None, None),
        ("", None, None),
    ],
)
def test_the_location_of_the_root_op(
    location: str, index: int | None, model: tuple[object, ...] | None
) -> None:
    attempt = attempt_of(f'P ("a.b"() {{s = " loc("}} : () -> () {location})')
    assert (attempt.op, attempt.index, attempt.model) == ("a.b", index, model)


@pytest.mark.parametrize(
    ("pattern", "short"),
    [
        ("mlir::tt::ttir::(anonymous namespace)::P<mlir::tt::AddOp, mlir::UPWARDS>", "P<AddOp, UPWARDS>"),
        ("(anonymous namespace)::CombineIfs", "CombineIfs"),
        ("`anonymous namespace'::CombineIfs", "CombineIfs"),
        (
            "mlir::ComposeReassociativeReshapeOps<mlir::tensor::ExpandShapeOp, mlir::ReshapeOpKind::kExpand>",
            "ComposeReassociativeReshapeOps<ExpandShapeOp, kExpand>",
        ),
        ("FoldTensorCastProducerOp", "FoldTensorCastProducerOp"),
        ("mlir::f()::(anonymous class)::P", "f()::P"),
        ("ns::", "ns::"),
        ("(unnamed pattern)", "(unnamed pattern)"),
    ],
)
def test_a_pattern_without_namespaces(pattern: str, short: str) -> None:
    assert short_pattern(pattern) == short


@pytest.mark.parametrize(
    ("attempt", "title"),
    [
        (Attempt(1, "P", "a.b", "%3", 69), "#69 a.b %3"),
        (Attempt(1, "P", "a.b", None, 0), "#0 a.b"),
        (Attempt(1, "P", "a.b", "%3"), "a.b %3"),
        (Attempt(1, "P", ""), ""),
    ],
)
def test_the_title_of_the_root_op(attempt: Attempt, title: str) -> None:
    assert attempt.title == title


def test_only_attempts_that_begin_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "actions.log"
    log.write_text(
        f'{BEGINS}`pass-execution` running `Canonicalizer` on Operation `builtin.module` (module {{...}} loc("p.mlir":0:0))`\n'
        f"{BEGINS}GreedyPatternRewriteIteration(1) (Region #0 for op module {{...}} loc(unknown))`\n"
        f"{BEGINS}`apply-pattern pattern: A (a.b loc(unknown))`\n"
        "[thread mlir-opt-22] completed `apply-pattern`\n"
        f"{BEGINS}`apply-pattern pattern: B (a.c loc(unknown))`\n"
        "[thread mlir-opt-22] completed `apply-pattern`\n"
        f"{BEGINS}`apply-pattern pattern: C (a.d"
    )
    assert read_attempts(log, [2, 3, 9], AuditOptions()) == {
        2: Attempt(2, "B", "a.c"),
        3: Attempt(3, "C", "a.d"),
    }


PATTERNS = st.from_regex(
    r"(\(anonymous namespace\)::|[a-z]{1,5}::){0,3}[A-Z]\w{0,5}(<[a-z:]{1,6}, [A-Z]{1,3}>)?", fullmatch=True
)
OPS = st.from_regex(r"[a-z]{1,5}\.[a-z_.]{1,8}[a-z]", fullmatch=True)
RESULTS = st.none() | st.from_regex(r"%[a-z0-9_]{1,5}", fullmatch=True)


@given(PATTERNS, OPS, RESULTS, st.booleans(), st.none() | st.integers(0, 999), st.text("(<> a:)", max_size=9))
def test_what_is_printed_is_read_again(
    pattern: str, op: str, result: str | None, quoted: bool, index: int | None, between: str
) -> None:
    name = f'"{op}"' if quoted else op
    location = "loc(unknown)" if index is None else f'loc("{index}|net|op")'
    text = f"{pattern} ({'' if result is None else f'{result} = '}{name}({between}) {location}"
    assert attempt_of(f"{text})") == Attempt(1, pattern, op, result, index)


@given(st.text(st.characters(codec="utf-8")).map(lambda text: text.replace("\n", " ")))
def test_any_text_is_an_attempt(text: str) -> None:
    assert attempt_of(text).pattern


STATE = """func.func @f(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32 loc("a.py":1:1)
  %1 = arith.addi %0, %x : i32 loc("a.py":2:1)
  %2 = arith.addi %1, %x : i32 loc("3|c")
  %3 = arith.addi %2, %x : i32 loc("3|c")
  return %3 : i32
}
"""


@pytest.mark.parametrize(
    ("attempt", "name"),
    [
        (Attempt(1, "P", "arith.addi", "%7", None, ("a.py", 2)), "%1"),
        (Attempt(1, "P", "arith.addi", "%2", 3), "%2"),
        (Attempt(1, "P", "arith.addi", "%9", 3), "%3"),
        (Attempt(1, "P", "arith.muli", "%9", 3), "%9"),
        (Attempt(1, "P", "arith.addi", "%9"), "%9"),
        (Attempt(1, "P", "func.return", None, 3), None),
    ],
)
def test_a_root_has_the_name_of_the_printed_state(attempt: Attempt, name: str | None) -> None:
    state = read_dump(read_text(STATE)[0], AuditOptions())
    assert attempt.named_as_in(state).result == name
