"""What a pass that erases inverse ops did: cancelled, moved in vain, left."""

import pytest

from eio_audit import diff, read, read_text
from tests.cli.running import SAMPLES
from tests.internals import InverseOps, LayoutOp, LayoutPair

T, U = "tensor<2x3xf32>", "tensor<3x2xf32>"
SWAP = "<{permutation = array<i64: 1, 0>}>"


def func(*lines: str) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @f(%a: {T}, %b: {T}) {{\n{body}  return\n}}\n"


def permute(result: str, operand: str, location: str, *, back: bool = False) -> str:
    types = f"({U}) -> {T}" if back else f"({T}) -> {U}"
    return f'%{result} = "ttir.permute"(%{operand}) {SWAP} : {types} loc({location})'


def op(name: str, result: str, operand: str, type_: str, location: str) -> str:
    return f'%{result} = "ttir.{name}"(%{operand}) : ({type_}) -> {type_} loc({location})'


def compare(before: str, after: str) -> InverseOps:
    return diff(read_text(before)[0], read_text(after)[0]).inverse_ops


def results(pair: LayoutPair) -> tuple[str | None, str | None]:
    return pair.first.op.result, pair.second.op.result


P, E, Q = '"DEBUG|1|p"', '"DEBUG|2|e"', '"DEBUG|3|q"'
PAIR = func(
    permute("0", "a", P),
    op("relu", "1", "0", U, E),
    permute("2", "1", Q, back=True),
    op("abs", "3", "2", T, '"DEBUG|4|r"'),
)
CANCELLED = func(op("relu", "0", "a", T, E), op("abs", "1", "0", T, '"DEBUG|4|r"'))


def test_a_cancelled_pair() -> None:
    result = compare(PAIR, CANCELLED)
    assert [results(pair) for pair in result.cancelled] == [("%0", "%2")]
    assert (result.moved, result.gone, result.added, result.remaining) == ((), (), (), ())


def test_a_pair_that_is_still_there() -> None:
    result = compare(PAIR, PAIR)
    assert (result.cancelled, [results(pair) for pair in result.remaining]) == ((), [("%0", "%2")])


def test_a_permute_moved_up_in_vain_is_known_by_its_location() -> None:
    before = func(op("relu", "0", "a", T, E), permute("1", "0", Q))
    after = func(permute("0", "a", f'"DEBUG|3|q_tm0"({Q})'), op("relu", "1", "0", U, E))
    [moved] = compare(before, after).moved
    assert (moved.before.op.result, [one.op.result for one in moved.after]) == ("%1", ["%0"])


def test_a_permute_moved_down_in_vain_is_known_by_what_it_feeds() -> None:
    """A pass gives it the location of the op it passes."""
    before = func(permute("0", "a", P), op("relu", "1", "0", U, E))
    after = func(op("relu", "0", "a", T, E), permute("1", "0", E))
    [moved] = compare(before, after).moved
    assert (moved.before.op.result, [one.op.result for one in moved.after]) == ("%0", ["%1"])


def test_a_permute_that_is_put_back_in_order_was_not_moved_in_vain() -> None:
    others = [op("relu", "0", "a", T, '"DEBUG|1|e"'), op("abs", "1", "b", T, '"DEBUG|2|r"')]
    late = permute("2", "a", '"DEBUG|3|p"')
    in_order, shuffled = func(*others, late), func(late, *others)
    assert len(compare(in_order, shuffled).moved) == 1
    assert compare(shuffled, in_order).moved == ()


def test_copies_are_the_price_of_cancelling() -> None:
    add = '%{0} = "ttir.add"(%{1}, %{2}) : ({3}, {3}) -> {3} loc("DEBUG|2|e")'
    before = func(permute("0", "a", P), add.format(1, 0, "b", U), permute("2", "1", Q, back=True))
    after = func(permute("0", "b", f'"DEBUG|3|q_tm1"({Q})', back=True), add.format(1, "a", 0, T))
    result = compare(before, after)
    assert [results(pair) for pair in result.cancelled] == [("%0", "%2")]
    assert [[one.op.result for one in copies.after] for copies in result.copies] == [["%0"]]
    assert result.moved == ()


def test_a_permute_without_an_inverse_that_is_gone() -> None:
    before = func(permute("0", "a", P), op("relu", "1", "a", T, E))
    result = compare(before, func(op("relu", "0", "a", T, E)))
    assert [one.op.result for one in result.gone] == ["%0"]


def line(one: LayoutOp) -> str:
    return f"#{one.op.index} {one.op.name} line {one.op.line}"


def described(result: InverseOps) -> list[str]:
    return [
        *(f"cancelled {line(p.first)} and {line(p.second)}, {p.between} between" for p in result.cancelled),
        *(f"copies {line(m.before)} -> {', '.join(map(line, m.after))}" for m in result.copies),
        *(f"moved {line(m.before)} -> {', '.join(map(line, m.after))}" for m in result.moved),
        *(f"still there {line(p.first)} and {line(p.second)}, {p.between} between" for p in result.remaining),
    ]


def sample(program: str) -> InverseOps:
    paths = (str(SAMPLES / program / f"{when}_inline.mlir") for when in ("before", "after"))
    return diff(*(read(path)[0] for path in paths)).inverse_ops


def test_what_the_real_pass_did_to_a_small_program() -> None:
    assert described(sample("small")) == [
        "cancelled #14 ttir.permute line 6 and #23 ttir.permute line 11, 4 between",
        "cancelled #14 ttir.reshape line 5 and #23 ttir.reshape line 12, 4 between",
        "copies #23 ttir.permute line 11 -> #23 ttir.permute line 5, #23 ttir.permute line 8, #23 ttir.permute line 11",
        "copies #23 ttir.reshape line 12 -> #23 ttir.reshape line 6, #23 ttir.reshape line 9, #23 ttir.reshape line 12",
        "moved #23 ttir.reshape line 14 -> #25 ttir.reshape line 18",
        "moved #23 ttir.permute line 15 -> #25 ttir.permute line 19",
    ]


@pytest.mark.parametrize(
    ("program", "before", "after", "pairs", "cancelled", "remaining", "inversions"),
    [("small", 7, 9, 2, 2, 0, 18), ("encoder", 60, 48, 7, 2, 5, 6), ("resnet", 132, 94, 40, 40, 0, 782)],
)
def test_what_the_real_pass_did(
    program: str, before: int, after: int, pairs: int, cancelled: int, remaining: int, inversions: int
) -> None:
    result = sample(program)
    assert (result.before, result.after, result.inverse_before) == (before, after, pairs)
    assert (len(result.cancelled), len(result.remaining)) == (cancelled, remaining)
    assert result.inversions == inversions
