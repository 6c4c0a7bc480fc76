"""Calls of functions by text have the effects of the ops of ``ttnn`` that they are printed for."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eio_audit
from eio_audit import AuditOptions, check, fix, read_text
from eio_audit.mlir.traits import op_of_callee
from tests.internals import op_traits

TENSOR = {"emitpy": '!emitpy.opaque<"ttnn.Tensor">', "emitc": '!emitc.opaque<"::ttnn::Tensor">'}
DEVICE = {
    "emitpy": '!emitpy.opaque<"ttnn.Device">',
    "emitc": '!emitc.ptr<!emitc.opaque<"ttnn::distributed::MeshDevice">>',
}


def program(first: str, second: str, above: str = "", dialect: str = "emitpy") -> str:
    """A function whose two ops have the wrong order by their indices."""
    body = "\n".join(
        f"{line} loc({index})".replace("CALL", f"{dialect}.call_opaque")
        for line, index in ((above, '"1|above"'), (first, '"9|late"'), (second, '"5|early"'))
        if line
    )
    text = f"func.func @f(%a: T, %b: T, %c: !emitc.ptr<i32>, %d: DEVICE) {{\n{body}\nreturn\n}}\n"
    return re.sub(r"\bT\b", TENSOR[dialect], text.replace("DEVICE", DEVICE[dialect]))


def changes_places(first: str, second: str, above: str = "", dialect: str = "emitpy") -> bool:
    dumps = read_text(program(first, second, above, dialect))
    is_avoidable = check(dumps).summary.avoidable == 1
    text = fix(dumps).text
    assert is_avoidable == (text.index(b"5|early") < text.index(b"9|late"))
    return is_avoidable


PURE = '%p = CALL "ttnn.exp"(%a) : (T) -> T'
OTHER = '%q = CALL "ttnn.exp"(%b) : (T) -> T'


@pytest.mark.parametrize(
    "call",
    [
        '%r = CALL "ttnn.relu"(%a) : (T) -> T',
        '%r = CALL "ttnn.transformer.concatenate_heads"(%a) : (T) -> T',
        '%r = CALL "ttnn.relu"(%a) {args = [0 : index, #emitpy.opaque<"ttnn.MemoryConfig('
        'ttnn.BufferType.DRAM, None)">], keyword_args = ["", "memory_config"]} : (T) -> T',
        '%r = "emitpy.call_opaque"(%a) <{callee = "ttnn.relu"}> : (T) -> T',
        '%r = CALL "ttnn.reshape"(%a) {args = [0 : index, [-1 : i32, 4 : i32]]} : (T) -> T',
        '%r = CALL "ttnn.to_device"(%a, %d) : (T, DEVICE) -> T',
        '%r = CALL "ttnn.relu"(%a) {emitpy.name = "ttnn.relu_0"} : (T) -> T',
    ],
)
def test_a_call_moves_as_the_op_that_it_is_printed_for(call: str) -> None:
    assert changes_places(call, PURE)


@pytest.mark.parametrize(
    "call",
    [
        'CALL "ttnn.deallocate"(%a) : (T) -> ()',
        'CALL "ttnn.deallocate"(%a) {args = [0 : index, #emitpy.opaque<"False">]} : (T) -> ()',
        'CALL "ttnn.fill_cache"(%a, %b) : (T, T) -> ()',
        'CALL "ttnn.experimental.paged_update_cache"(%a, %b) : (T, T) -> ()',
        '%r = CALL "ttnn.conv2d"(%a, %b) : (T, T) -> T',
        '%r = CALL "ttnn.batch_norm"(%b, %a) : (T, T) -> T',
        '%r = CALL "my.relu"(%a) : (T) -> T',
        '%r = CALL "ttir.relu"(%a) : (T) -> T',
        '%r = CALL "ttnn.unheard_of"(%a) : (T) -> T',
        '%r = CALL "ttnn.relu"(%b, %a) : (T, T) -> T',
        '%r = CALL "ttnn.concat"(%b, %a) {keyword_args = ["", "output_tensor"]} : (T, T) -> T',
        '%r = CALL "ttnn.relu"(%a) {args = [0 : index, #emitpy.opaque<"next(counter)">]} : (T) -> T',
        '%r = CALL "ttnn.relu"(%a) {args = [0 : index, #emitpy.opaque<"ttnn.SetDefaultDevice(1)">]} : (T) -> T',
        '%r = CALL "ttnn.relu"(%a) {args = [0 : index, "next(counter)"]} : (T) -> T',
    ],
)
def test_a_call_that_may_change_a_tensor_stays_before_its_uses(call: str) -> None:
    assert not changes_places(call, PURE)


def test_a_change_of_one_tensor_passes_the_uses_of_another() -> None:
    assert changes_places('CALL "ttnn.fill_cache"(%a, %a) : (T, T) -> ()', OTHER)


@pytest.mark.parametrize(
    ("change", "is_free_to_move"),
    [
        ('CALL "ttnn.deallocate"(%v) : (T) -> ()', False),
        ('CALL "ttnn.fill_cache"(%v, %b) : (T, T) -> ()', False),
        ('%r = CALL "ttnn.relu"(%v) : (T) -> T', True),
    ],
)
def test_a_view_is_the_tensor(change: str, is_free_to_move: bool) -> None:
    view = '%v = CALL "ttnn.reshape"(%a) : (T) -> T'
    assert changes_places(change, PURE, above=view) == is_free_to_move


def test_an_empty_tensor_may_be_a_destination() -> None:
    empty = '%e = CALL "ttnn.empty"(%d) : (DEVICE) -> T'
    concat = '%r = CALL "ttnn.concat"(%a, %e) : (T, T) -> T'
    assert not changes_places(concat, '%p = CALL "ttnn.exp"(%e) : (T) -> T', above=empty)


def test_two_calls_of_one_variable_keep_their_order() -> None:
    named = '%r = CALL "ttnn.relu"(%a) {emitpy.name = "x"} : (T) -> T'
    assert not changes_places(named, named.replace("%r", "%s"))


def test_an_assumption_about_all_calls_comes_first() -> None:
    dumps = read_text(program('CALL "ttnn.fill_cache"(%a, %b) : (T, T) -> ()', PURE))
    assert check(dumps, AuditOptions(assume_pure=("emitpy.*",))).summary.avoidable == 1


@pytest.mark.parametrize(
    ("call", "is_free_to_move"),
    [
        ('%r = CALL "ttnn::relu"(%a) : (T) -> T', True),
        ('%r = CALL "::ttnn::experimental::dropout"(%a) : (T) -> T', True),
        (
            '%r = CALL "ttnn::sum"(%a) {args = [0 : index, #emitc.opaque<"::ttsl::SmallVector<int32_t>{1, -2}">,'
            ' #emitc.opaque<"::ttnn::Shape({1, 2})">, #emitc.opaque<"::std::nullopt">]} : (T) -> T',
            True,
        ),
        ('%r = CALL "ttnn::relu"(%a) {args = [0 : index, #emitc.opaque<"counter++">]} : (T) -> T', False),
        ('%r = CALL "ttnn::relu"(%a) {args = [0 : index, #emitc.opaque<"total = 5">]} : (T) -> T', False),
        (
            '%r = CALL "ttnn::relu"(%a) {args = [0 : index, #emitc.opaque<"::std::exit(0)">]} : (T) -> T',
            False,
        ),
        ('CALL "ttnn::deallocate"(%a) {args = [0 : index, #emitc.opaque<"false">]} : (T) -> ()', False),
        ('CALL "ttnn::fill_cache"(%a, %b) : (T, T) -> ()', False),
        ('%r = CALL "ttnn::to_device"(%a, %d) : (T, DEVICE) -> T', True),
        ('%r = CALL "ttnn::full"(%a, %c) : (T, !emitc.ptr<i32>) -> T', False),
        ('%r = CALL "std::move"(%a) : (T) -> T', False),
    ],
)
def test_cpp_is_read_as_python(call: str, is_free_to_move: bool) -> None:
    exp = '%p = CALL "ttnn::exp"(%a) : (T) -> T'
    assert changes_places(call, exp, dialect="emitc") == is_free_to_move


def test_every_callee_of_another_name_is_a_known_op() -> None:
    own = json.loads((Path(eio_audit.__file__).parent / "mlir" / "own_traits.json").read_text("utf-8"))
    for callee, op in own["callees"].items():
        assert op_of_callee(callee) == op and op in op_traits()


def test_a_free_by_text_follows_the_last_use() -> None:
    text = program(PURE, 'CALL "ttnn.deallocate"(%a) : (T) -> ()', above=OTHER)
    text = text.replace("1|above", "10|other").replace("5|early", "99|free")
    fixed = fix(read_text(text)).text
    assert sorted((b"9|late", b"99|free", b"10|other"), key=fixed.index) == [
        b"9|late",
        b"99|free",
        b"10|other",
    ]


OPS = [
    ("relu", 1, 1),
    ("add", 2, 1),
    ("reshape", 1, 1),
    ("fill_cache", 2, 0),
    ("deallocate", 1, 0),
    ("conv2d", 2, 1),
]


@given(st.lists(st.tuples(st.sampled_from(OPS), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))))
def test_calls_are_no_freer_than_their_ops(picks: list[tuple[tuple[str, int, int], int, int, int]]) -> None:
    """A program of ``ttnn`` and the calls that are printed for it, with indices in any order."""
    values, ops, calls = ["%a", "%b"], list[str](), list[str]()
    for number, ((name, uses, results), first, second, index) in enumerate(picks):
        used = ", ".join([values[first % len(values)], values[second % len(values)]][:uses])
        result = f"%v{number} = " if results else ""
        types = f'({", ".join(["T"] * uses)}) -> {"T" if results else "()"} loc("{index}|x")'
        ops.append(f'{result}"ttnn.{name}"({used}) : {types}')
        calls.append(f'{result}emitpy.call_opaque "ttnn.{name}"({used}) : {types}')
        values += [f"%v{number}"] * results
    avoidable = [
        check(read_text(in_function(body, tensor)), AuditOptions(follow="none")).summary.avoidable
        for body, tensor in ((ops, "tensor<4xf32>"), (calls, TENSOR["emitpy"]))
    ]
    assert avoidable[1] <= avoidable[0]


def in_function(body: list[str], tensor: str) -> str:
    text = "func.func @f(%a: T, %b: T) {\n" + "\n".join(body) + "\nreturn\n}\n"
    return re.sub(r"\bT\b", tensor, text)
