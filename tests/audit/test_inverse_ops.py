"""What a pass that erases inverse ops did: cancelled, moved in vain, left."""

import pytest

from eio_audit import Diff, diff, read, read_text
from tests.cli.running import SAMPLES

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


def compare(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def cancelled(result: Diff) -> list[tuple[str | None, str | None]]:
    """The results of the two ops of each cancelled pair."""
    return [(pair.first.op.result, pair.second.op.result) for pair in result.inverse_ops.cancelled]


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
    assert cancelled(result) == [("%0", "%2")]
    found = result.inverse_ops
    assert (found.moved, found.gone, found.added, found.remaining) == ((), (), (), ())


def test_a_pair_that_is_still_there() -> None:
    result = compare(PAIR, PAIR)
    [pair] = result.inverse_ops.remaining
    assert (cancelled(result), pair.first.op.result, pair.second.op.result) == ([], "%0", "%2")


def test_a_permute_moved_up_in_vain_is_known_by_its_location() -> None:
    before = func(op("relu", "0", "a", T, E), permute("1", "0", Q))
    after = func(permute("0", "a", f'"DEBUG|3|q_tm0"({Q})'), op("relu", "1", "0", U, E))
    [moved] = compare(before, after).inverse_ops.moved
    assert (moved.before.op.result, [one.op.result for one in moved.after]) == ("%1", ["%0"])


def test_a_permute_moved_down_in_vain_is_known_by_what_it_feeds() -> None:
    """A pass gives it the location of the op it passes."""
    before = func(permute("0", "a", P), op("relu", "1", "0", U, E))
    after = func(op("relu", "0", "a", T, E), permute("1", "0", E))
    [moved] = compare(before, after).inverse_ops.moved
    assert (moved.before.op.result, [one.op.result for one in moved.after]) == ("%0", ["%1"])


def test_a_permute_that_is_put_back_in_order_was_not_moved_in_vain() -> None:
    others = [op("relu", "0", "a", T, '"DEBUG|1|e"'), op("abs", "1", "b", T, '"DEBUG|2|r"')]
    late = permute("2", "a", '"DEBUG|3|p"')
    in_order, shuffled = func(*others, late), func(late, *others)
    assert len(compare(in_order, shuffled).inverse_ops.moved) == 1
    assert compare(shuffled, in_order).inverse_ops.moved == ()


def test_copies_are_the_price_of_cancelling() -> None:
    add = '%{0} = "ttir.add"(%{1}, %{2}) : ({3}, {3}) -> {3} loc("DEBUG|2|e")'
    before = func(permute("0", "a", P), add.format(1, 0, "b", U), permute("2", "1", Q, back=True))
    after = func(permute("0", "b", f'"DEBUG|3|q_tm1"({Q})', back=True), add.format(1, "a", 0, T))
    result = compare(before, after)
    assert cancelled(result) == [("%0", "%2")]
    assert [[one.op.result for one in copies.after] for copies in result.inverse_ops.copies] == [["%0"]]
    assert result.inverse_ops.moved == ()


def test_a_permute_without_an_inverse_that_is_gone() -> None:
    before = func(permute("0", "a", P), op("relu", "1", "a", T, E))
    result = compare(before, func(op("relu", "0", "a", T, E)))
    assert [one.op.result for one in result.inverse_ops.gone] == ["%0"]


def described(result: Diff) -> list[str]:
    found = result.inverse_ops
    pairs = [("cancelled", found.cancelled), ("still there", found.remaining)]
    moves = [("copies", found.copies), ("moved", found.moved)]
    return [
        *(
            f"{what} {one.first.op.title} and {one.second.op.title}, {one.between} between"
            for what, of in pairs
            for one in of
        ),
        *(
            f"{what} {one.before.op.title} -> {', '.join(new.op.title for new in one.after)}"
            for what, of in moves
            for one in of
        ),
    ]


def sample(program: str) -> Diff:
    paths = (str(SAMPLES / program / f"{when}_inline.mlir") for when in ("before", "after"))
    return diff(*(read(path)[0] for path in paths))


def test_what_the_real_pass_did_to_a_small_program() -> None:
    assert described(sample("small")) == [
        "cancelled #14 ttir.permute %3 and #23 ttir.permute %8, 4 between",
        "cancelled #14 ttir.reshape %2 and #23 ttir.reshape %9, 4 between",
        "copies #23 ttir.permute %8 -> #23 ttir.permute %2, #23 ttir.permute %5, #23 ttir.permute %8",
        "copies #23 ttir.reshape %9 -> #23 ttir.reshape %3, #23 ttir.reshape %6, #23 ttir.reshape %9",
        "moved #23 ttir.reshape %11 -> #25 ttir.reshape %15",
        "moved #23 ttir.permute %12 -> #25 ttir.permute %16",
    ]


@pytest.mark.parametrize(
    ("program", "before", "after", "pairs", "cancelled", "remaining", "inversions"),
    [("small", 7, 9, 2, 2, 0, 18), ("encoder", 60, 48, 7, 2, 5, 6), ("resnet", 132, 94, 40, 40, 0, 782)],
)
def test_what_the_real_pass_did(
    program: str, before: int, after: int, pairs: int, cancelled: int, remaining: int, inversions: int
) -> None:
    result = sample(program).inverse_ops
    assert (result.before, result.after, result.inverse_before) == (before, after, pairs)
    assert (len(result.cancelled), len(result.remaining)) == (cancelled, remaining)
    assert result.inversions == inversions
