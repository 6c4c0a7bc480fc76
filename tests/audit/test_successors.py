"""An op that takes the place of another inherits its pairs: they stay with the pass that made them."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import read, read_text, trace
from eio_audit.order import inverted_pairs

BLAME = Path(__file__).parent.parent / "data" / "blame"
_OP = re.compile(r"(\w+?)(\d+)=([\w.]+)\(([\w,]*)\)")


def body(text: str) -> str:
    """Return ops as MLIR. ``a5=t.exp(x,y)`` is op ``%a`` with the index 5, which uses two arguments."""
    lines = []
    for name, index, op, operands in _OP.findall(text):
        used = [f"%{re.sub(r'[0-9]', '', one)}" for one in operands.split(",") if one]
        types = ", ".join(["i32"] * len(used))
        lines.append(f'  %{name} = "{op}"({", ".join(used)}) : ({types}) -> i32 loc("{index}|op")')
    return "\n".join(lines)


def charged(*states: str) -> list[tuple[str | None, int, int, int]]:
    """Return what the passes p1, p2, and so on are charged with: pairs made, undone and left."""
    dumps = []
    for number, state in enumerate(states):
        functions = [
            f"func.func @f{k}(%x: i32, %y: i32) {{\n{body(one)}\n}}" for k, one in enumerate(state.split(";"))
        ]
        marker = f"// -----// IR Dump After P{number} (p{number}) //----- //"
        dumps.append("\n".join([marker, "module {", *functions, "}\n"]))
    result = trace(read_text("\n".join(dumps)))
    assert result.errors == ()
    assert result.initial_left + sum(one.left for one in result.passes) == result.at_end_of_log.inversions
    return [(one.pass_name, one.made, one.undone, one.left) for one in result.passes[1:]]


ORDERED = "b3=t.exp(x) c5=t.tanh(y) d9=t.add(b,c)"
SHUFFLED = "c5=t.tanh(y) b3=t.exp(x) d9=t.add(b,c)"


@pytest.mark.parametrize(
    ("replaced", "left"),
    [
        pytest.param("c5=u.tanh(y) b3=t.exp(x) d9=t.add(b,c)", 1, id="one for one"),
        pytest.param("c5=u.tanh(y) b3=u.exp(x) d9=u.add(b,c)", 1, id="all of them"),
        pytest.param("c7=u.tanh(y) b3=t.exp(x) d9=t.add(b,c)", 1, id="one for one under another index"),
        pytest.param("c7=u.tanh(y) b3=t.exp(x) d9=u.add(b,c)", 1, id="as its user is converted, too"),
        pytest.param(
            "p5=u.neg(y) q5=u.exp(p) c5=u.neg(q) b3=t.exp(x) d9=t.add(b,c)", 3, id="one for many, same index"
        ),
        pytest.param(
            "p7=u.neg(y) q7=u.exp(p) c7=u.neg(q) b3=t.exp(x) d9=t.add(b,c)",
            3,
            id="one for many, another index",
        ),
        pytest.param(
            "p5=u.neg(y) q5=u.neg(y) c5=u.sub(p,q) f3=u.cos(x) b3=u.sin(f) d9=t.add(b,c)",
            6,
            id="many for either",
        ),
        pytest.param("c5=t.tanh(y) e5=t.cast(c) b3=t.exp(x) d9=t.add(b,e)", 2, id="a cast behind it"),
        pytest.param("e5=t.cast(y) c5=t.tanh(e) b3=t.exp(x) d9=t.add(b,c)", 2, id="a cast in front of it"),
    ],
)
def test_what_replaces_an_op_inherits_its_pairs(replaced: str, left: int) -> None:
    assert charged(ORDERED, SHUFFLED, replaced) == [("p1", left, 0, left), ("p2", 0, 0, 0)]


def test_an_op_for_many_inherits_the_pairs_of_each() -> None:
    """The index of an op that stays changes to that of a removed one, whose pair has ended."""
    shuffled = "c5=t.tanh(y) e7=t.neg(c) b6=t.exp(x) d9=t.add(b,e)"
    fused = "c7=t.tanh(y) b6=t.exp(x) d9=t.add(b,c)"
    assert charged("c5=t.tanh(y) b6=t.exp(x) e7=t.neg(c) d9=t.add(b,e)", shuffled, fused) == [
        ("p1", 2, 0, 1),
        ("p2", 0, 0, 0),
    ]


def test_pairs_are_inherited_through_a_chain_of_passes() -> None:
    steps = ["c5=u.tanh(y)", "p5=v.neg(y) c5=v.neg(p)", "p6=w.neg(y) c6=w.neg(p)", "c6=z.all(y)"]
    found = charged(ORDERED, SHUFFLED, *(f"{one} b3=t.exp(x) d9=t.add(b,c)" for one in steps))
    assert found == [("p1", 2, 0, 1), *((f"p{k}", 0, 0, 0) for k in range(2, 6))]


def test_a_composite_op_that_is_inlined_where_it_stood_makes_no_pair() -> None:
    slices = "a80=t.slice(x) b81=t.slice(x) c82=t.slice(y) d83=t.slice(y)"
    parts = "p61=t.mul(x,x) q61=t.sum(p) r61=t.add(q,y) s61=t.rsqrt(r) u61=t.mul(x,s) v61=t.mul(u,y) k61=t.cast(v)"
    user = "z90=t.use(a,b,c,d,k)"
    composite = "k61=t.composite(x,y)"
    found = charged(
        f"{composite} {slices} {user}",
        f"{slices} {composite} {user}",
        f"{slices} {parts} {user}",
    )
    assert found == [("p1", 28, 0, 28), ("p2", 0, 0, 0)]


def test_an_op_put_elsewhere_while_it_is_replaced_makes_a_pair() -> None:
    assert charged(ORDERED, ORDERED, "c5=u.tanh(y) b3=t.exp(x) d9=t.add(b,c)") == [
        ("p1", 0, 0, 0),
        ("p2", 1, 0, 1),
    ]


def test_an_op_put_back_while_it_is_replaced_undoes_a_pair() -> None:
    assert charged(ORDERED, SHUFFLED, "b3=t.exp(x) c5=u.tanh(y) d9=t.add(b,c)") == [
        ("p1", 1, 0, 0),
        ("p2", 0, 1, 0),
    ]


def test_an_op_of_the_same_index_that_replaces_none_makes_its_own_pairs() -> None:
    added = f"{SHUFFLED} e5=t.cos(x) f3=t.sin(x)"
    assert charged(ORDERED, SHUFFLED, added) == [("p1", 1, 0, 1), ("p2", 4, 0, 4)]


@pytest.mark.parametrize(
    ("converted", "made", "undone"),
    [
        pytest.param("p5=u.cat(x) n6=t.neg(y) q5=u.cat(y) d9=t.use(p,q)", 0, 0, id="by both"),
        pytest.param("p5=u.cat(x) n6=t.neg(y) q5=u.cat(y) d9=u.use(p,q)", 0, 0, id="by operands"),
        pytest.param("p5=u.cat(y) n6=t.neg(y) q5=u.cat(x) d9=t.use(p,q)", 0, 0, id="by users"),
        pytest.param("q5=u.cat(y) n6=t.neg(y) p5=u.cat(x) d9=u.use(p,q)", 1, 1, id="both are moved"),
    ],
)
def test_twins_are_told_by_operands_and_users_before_their_places(
    converted: str, made: int, undone: int
) -> None:
    ordered = "p5=t.cat(x) q5=t.cat(y) n6=t.neg(y) d9=t.use(p,q)"
    shuffled = "p5=t.cat(x) n6=t.neg(y) q5=t.cat(y) d9=t.use(p,q)"
    assert charged(ordered, shuffled, converted) == [("p1", 1, 0, 1 - undone), ("p2", made, undone, made)]


def test_twins_of_two_functions_are_told_by_their_functions() -> None:
    ordered = "b2=t.exp(x) p5=t.cat(x,b);q5=t.cat(x,y)"
    shuffled = "b7=t.exp(x) p5=t.cat(x,b);q5=t.cat(x,y)"
    converted = "b7=u.exp(x) p5=u.cat(x,b);q5=u.cat(x,y)"
    assert charged(ordered, shuffled, converted) == [("p1", 1, 0, 1), ("p2", 0, 0, 0)]


def test_an_op_that_copies_a_pair_of_the_first_dump_is_charged_to_no_pass() -> None:
    split = "p5=u.neg(y) c5=u.neg(p) b3=t.exp(x) d9=t.add(b,c)"
    assert charged(SHUFFLED, split) == [("p1", 0, 0, 0)]


@given(st.data())
def test_a_new_pair_has_the_first_origin_of_the_pairs_it_stands_for(data: st.DataObject) -> None:
    """Ops 0 to 5 are followed through two states; then ops 6 to 9 are added, and stand in the place of some."""
    keys = data.draw(st.lists(st.integers(0, 4), min_size=10, max_size=10))
    orders = [data.draw(st.permutations(range(6))) for _ in range(2)]
    last = data.draw(st.permutations(sorted(data.draw(st.sets(st.integers(0, 9))))))
    places = st.dictionaries(st.integers(0, 9), st.sets(st.integers(0, 5), min_size=1, max_size=3))
    replaced = {op: olds for op, olds in data.draw(places).items() if op in last}
    pairs, known, made = inverted_pairs.InvertedPairs(), {}, Counter[int]()
    for number, order in enumerate([*orders, last]):
        inverted = {pair for pair in combinations(order, 2) if keys[pair[0]] > keys[pair[1]]}
        stands_for = replaced if number == 2 else {}
        now = {}
        for first, second in inverted:
            olds = product({first, *stands_for.get(first, ())}, {second, *stands_for.get(second, ())})
            origins = [known[old] for old in olds if old in known]
            now[first, second] = known.get((first, second), min(origins, default=number))
            made[now[first, second]] += (first, second) not in known
        known = now
        block = inverted_pairs.KeyedOps([*order], [keys[op] for op in order], number)
        pairs.update(range(10), [block], stands_for)
    assert (+pairs.made, pairs.left) == (+made, Counter(known.values()))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("scf_lift", {"convert-scf-to-cf": 6}),
        ("to_llvm", {"convert-scf-to-cf": 14, "finalize-memref-to-llvm": 3}),
    ],
)
def test_a_conversion_inherits_what_the_one_before_it_left(name: str, expected: dict[str, int]) -> None:
    """mlir-opt lifts control flow that it has lowered, and lowers to LLVM; casts of memref's indices are new."""
    result = trace(read(BLAME / f"{name}.log"))
    assert {one.pass_name: one.left for one in result.passes if one.left} == expected


def test_a_twin_in_another_function_does_not_hide_who_made_a_pair() -> None:
    """A log of bert: concats with a twin at their location are hoisted, then converted."""
    result = trace(read(BLAME / "bert.log.xz"))
    left = [(one.pass_name, one.left) for one in result.passes if one.left]
    assert left == [("ttir-fusing", 18), ("ttir-erase-inverse-ops", 5), ("const-eval-hoist-transform", 2)]
    converted = next(one for one in result.passes if one.pass_name == "convert-ttir-to-ttnn")
    assert (converted.made, converted.undone) == (0, 0)
