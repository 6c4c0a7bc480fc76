"""The passes of a printed pipeline, and the pipeline of one of them alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.mlir.input.messages import compiler_in, printed_pipeline
from eio_audit.mlir.source import Span

MLIR_OPT = """\
Pass Manager with 3 passes:
builtin.module(
  func.func(
    canonicalize{  max-iterations=3 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true},
    cse
  ),
  inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 op-pipelines={func.func(canonicalize{  max-iterations=10 top-down=true})}},
  convert-to-llvm{allow-pattern-rollback=true dynamic=false }
)

"""
"""As mlir-opt-22 prints it."""

IREE_OPT = """\
Pass Manager with 1 passes:
builtin.module(
  canonicalize{cse-between-iterations=false    max-iterations=10 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}
)

module {
}
"""
"""As iree-opt prints it, with its output."""

NO_LINES = "Pass Manager with 1 passes:\nbuiltin.module(ttir-erase-inverse-ops{})\n\n"


def passes_of(text: str) -> list[tuple[str, str]]:
    """The name of each pass, and its pipeline."""
    found = printed_pipeline(f"Pass Manager with 9 passes:\n{text}\n".encode())
    return [(one.name, one.alone) for one in found]


def test_the_passes_that_mlir_opt_prints() -> None:
    assert printed_pipeline(MLIR_OPT.encode()) == (
        (
            "canonicalize",
            "canonicalize{ max-iterations=3 max-num-rewrites=-1 region-simplify=normal test-convergence=false top-down=true}",
            ("builtin.module", "func.func"),
        ),
        ("cse", "cse", ("builtin.module", "func.func")),
        (
            "inline",
            "inline{default-pipeline=canonicalize inlining-threshold=4294967295 max-iterations=4 op-pipelines={func.func(canonicalize{ max-iterations=10 top-down=true})}}",
            ("builtin.module",),
        ),
        (
            "convert-to-llvm",
            "convert-to-llvm{allow-pattern-rollback=true dynamic=false }",
            ("builtin.module",),
        ),
    )


def test_the_pass_that_iree_opt_prints() -> None:
    found = printed_pipeline(IREE_OPT.encode())
    assert [one.alone for one in found] == [
        "builtin.module(canonicalize{cse-between-iterations=false max-iterations=10 max-num-rewrites=-1"
        " region-simplify=normal test-convergence=false top-down=true})"
    ]


def test_a_pipeline_among_other_messages() -> None:
    messages = f"remark: x\n{NO_LINES}// -----// IR Dump Before cse (cse) //----- //\nmodule {{\n}}\n"
    found = printed_pipeline(messages.encode())
    assert found == (("ttir-erase-inverse-ops", "ttir-erase-inverse-ops{}", ("builtin.module",)),)


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("any(cse)", [("cse", "any(cse)")]),
        ("builtin.module()", []),
        ("builtin.module(func.func(),cse)", [("cse", "builtin.module(cse)")]),
        (
            "builtin.module(func.func(cse),func.func(cse))",
            [("cse", "builtin.module(func.func(cse))")] * 2,
        ),
        ("builtin.module(a{x='})'},b)", [("a", "builtin.module(a{x='})'})"), ("b", "builtin.module(b)")]),
        ('builtin.module(a{x="}{(,"})', [("a", 'builtin.module(a{x="}{(,"})')]),
        ("""builtin.module(a{x="'}"})""", [("a", """builtin.module(a{x="'}"})""")]),
        ("builtin.module(a{x={y=1}{z=2}})", [("a", "builtin.module(a{x={y=1}{z=2}})")]),
        ("builtin.module(\n  a{x=1},\n  b\n)", [("a", "builtin.module(a{x=1})"), ("b", "builtin.module(b)")]),
        (
            "builtin.module(gpu.module(strip<int>,my::pass))",
            [
                ("strip<int>", "builtin.module(gpu.module(strip<int>))"),
                ("my::pass", "builtin.module(gpu.module(my::pass))"),
            ],
        ),
    ],
)
def test_the_pipelines_of_single_passes(text: str, passes: list[tuple[str, str]]) -> None:
    assert passes_of(text) == passes


@pytest.mark.parametrize(
    "text",
    [
        "builtin.module(cse",
        "builtin.module(cse))",
        "builtin.module(cse{x=1)",
        "builtin.module(cse cse)",
        "builtin.module(,cse)",
        "builtin.module(@f)",
        "builtin.module(cse{x='})",
    ],
)
def test_a_pipeline_that_is_not_understood_has_no_passes(text: str) -> None:
    assert passes_of(text) == []


def test_of_several_pipelines_none_is_taken() -> None:
    assert printed_pipeline((NO_LINES + NO_LINES).encode()) == ()


def test_messages_without_a_pipeline() -> None:
    assert printed_pipeline(b"error: no pipeline\n") == ()


NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,9}", fullmatch=True)
VALUES = st.recursive(
    st.sampled_from(["1", "true", "'})'", '"{("', "f(g)", "a,b"]),
    lambda inner: st.lists(inner, max_size=2).map(lambda parts: "{x=" + " ".join(parts) + "}"),
    max_leaves=3,
)
PASSES = st.tuples(NAMES, st.just("") | VALUES.map(lambda value: f"{{option={value}}}"))
Tree = tuple[str, str | list["Tree"]]
PIPELINES = st.recursive(PASSES, lambda inner: st.tuples(NAMES, st.lists(inner, max_size=3)), max_leaves=6)


def printed(tree: Tree, indent: str) -> str:
    name, inside = tree
    if isinstance(inside, str):
        return indent + name + inside
    lines = ",\n".join(printed(one, indent + "  ") for one in inside)
    return f"{indent}{name}(\n{lines}\n{indent})" if lines else f"{indent}{name}()"


def leaves(tree: Tree, anchors: tuple[str, ...]) -> list[tuple[object, ...]]:
    name, inside = tree
    if isinstance(inside, str):
        return [(name, name + inside, anchors)]
    return [leaf for one in inside for leaf in leaves(one, (*anchors, name))]


@given(NAMES, st.lists(PIPELINES, max_size=3))
def test_what_is_printed_is_read_again(name: str, trees: list[Tree]) -> None:
    text = printed((name, trees), "")
    found = printed_pipeline(f"Pass Manager with 9 passes:\n{text}\n\nmodule {{\n".encode())
    assert found == tuple(leaves((name, trees), ()))


@given(NAMES, st.lists(PIPELINES, max_size=3))
def test_a_pass_alone_is_a_pipeline_of_one_pass(name: str, trees: list[Tree]) -> None:
    text = printed((name, trees), "")
    for one in printed_pipeline(f"Pass Manager with 9 passes:\n{text}\n".encode()) or ():
        assert printed_pipeline(f"Pass Manager with 1 passes:\n{one.alone}\n".encode()) == (one,)


@given(st.text("a.(){},'\" \n=", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = printed_pipeline(f"Pass Manager with 1 passes:\n{text}\n".encode())
    for one in found or ():
        assert printed_pipeline(f"Pass Manager with 1 passes:\n{one.alone}\n".encode()) == (one,)


def test_the_compiler_gets_all_lines_of_a_printed_pipeline() -> None:
    text = b"Pass Manager with 1 passes:\nbuiltin.module(\n  cse,\n  inline\n)\n\n"
    assert compiler_in(text, Span(0, len(text))) == (
        "COMPILER '--pass-pipeline=builtin.module( cse, inline )' INPUT"
    )


def test_a_message_below_a_printed_pipeline_is_no_part_of_it() -> None:
    text = b"Pass Manager with 1 passes:\nbuiltin.module(cse)\nremark: x\n"
    assert compiler_in(text, Span(0, len(text))) == "COMPILER '--pass-pipeline=builtin.module(cse)' INPUT"
