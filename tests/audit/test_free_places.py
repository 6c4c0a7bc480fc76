import re

import pytest
from hypothesis import given

from eio_audit import AuditOptions, check, explain, fix, read, read_text
from eio_audit.audit.check.keyed_dump import OrderKeys
from eio_audit.order.precedence import after_last_uses
from tests.cli.running import SAMPLES
from tests.internals import OriginalIndices, audit_dump
from tests.programs import freeing_programs
from tests.reading import ir_of

FREES = AuditOptions()
COUNTED = AuditOptions(follow="none")
T = "tensor<4xf32>"


def op(result: str, index: int, operand: str = "%a", name: str = "ttnn.abs") -> str:
    return f'  {result} = "{name}"({operand}) : ({T}) -> {T} loc("{index}|x")'


def free(value: str, index: int, force: str = "false") -> str:
    return f'  "ttnn.deallocate"({value}) <{{force = {force}}}> : ({T}) -> () loc("{index}|x")'


def function(*ops: str) -> str:
    return "\n".join([f"func.func @f(%a: {T}) {{", *ops, "  return", "}"])


def fixed(*ops: str, options: AuditOptions = FREES) -> list[str]:
    return fix(read_text(function(*ops)), options).text.decode().split("\n")[1:-2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"ttnn.deallocate"(%a) <{force = false}> : (tensor<4xf32>) -> ()', True),
        ("memref.dealloc %m : memref<4xf32>", True),
        ("gpu.dealloc %m : memref<4xf32>", True),
        ("%t = gpu.dealloc async [%a] %m : memref<4xf32>", False),
        ('%t = "ttnn.conv2d"(%a) <{deallocate_activation = true}> : (tensor<4xf32>) -> tensor<4xf32>', False),
        ('"memref.store"(%a) : (tensor<4xf32>) -> ()', False),
        ('"my.free"(%a) : (tensor<4xf32>) -> ()', False),
    ],
)
def test_what_only_frees_is_decided_by_the_op_table(text: str, expected: bool) -> None:
    ir = ir_of(f'func.func @f(%a: {T}, %m: memref<4xf32>) {{\n{text} loc("1|x")\nreturn\n}}')
    assert OrderKeys(ir, OriginalIndices(ir), FREES).frees_by_op[1] == expected
    assert OrderKeys(ir, OriginalIndices(ir), FREES).follows(1) == ("frees" if expected else None)


def test_an_op_that_is_taken_to_do_nothing_frees_nothing() -> None:
    ir = ir_of(function(free("%a", 1)))
    options = AuditOptions(follow=["frees"], assume_pure=["ttnn.*"])
    assert OrderKeys(ir, OriginalIndices(ir), options).follows(1) is None


def test_a_free_stands_behind_the_last_use_and_counts_in_no_inversion() -> None:
    ops = [op("%0", 5), op("%2", 6, "%0"), free("%0", 9), op("%3", 1)]
    before = check(read_text(function(*ops)), FREES).summary
    assert (before.inversions, before.followed) == (2, 1)
    assert check(read_text(function(*ops)), COUNTED).summary.inversions == 3
    assert fixed(*ops) == [ops[3], ops[0], ops[1], ops[2]]


def test_frees_of_one_last_use_stand_in_textual_order() -> None:
    ops = [op("%0", 2), op("%1", 1), op("%2", 3, "%0, %1"), free("%1", 9), op("%3", 4), free("%0", 9)]
    assert fixed(*ops) == [ops[1], ops[0], ops[2], ops[3], ops[5], ops[4]]


def test_a_free_stays_where_nothing_else_moves() -> None:
    ops = [op("%0", 1), op("%1", 2), free("%0", 0)]
    result = fix(read_text(function(*ops)), FREES)
    assert (result.before.avoidable, result.changed, result.moved) == (0, False, 0)
    assert result.text.decode() == function(*ops)


def test_a_free_without_an_index_follows_too_and_a_block_without_any_index_is_left() -> None:
    ops = [op("%0", 2), op("%1", 1), free("%0", 0).partition(" loc(")[0]]
    assert fixed(*ops) == [ops[1], ops[0], ops[2]]
    ops = [op("%0", 1), op("%1", 3), op("%2", 2), free("%0", 0).partition(" loc(")[0]]
    assert fixed(*ops) == [ops[0], ops[3], ops[2], ops[1]]
    bare = [line.partition(" loc(")[0] for line in ops]
    assert fixed(*bare) == bare


def test_a_free_of_an_argument_that_nothing_uses_comes_first() -> None:
    assert fixed(op("%0", 1), free("%a", 9)) == [op("%0", 1), free("%a", 9)]  # %0 uses it
    ops = [f'  %{k} = "ttnn.zeros"() : () -> i32 loc("{index}|x")' for k, index in enumerate((2, 1))]
    assert fixed(*ops, free("%a", 9)) == [free("%a", 9), *ops[::-1]]


def test_a_forced_free_stays_behind_the_uses_of_views_and_one_that_is_not_need_not() -> None:
    view = op("%1", 2, "%0", "ttnn.reshape")
    last = [op("%3", 5), op("%4", 4)]
    forced = [op("%0", 1), view, op("%2", 3, "%1"), free("%0", 9, "true"), *last]
    assert fixed(*forced) == [*forced[:4], *last[::-1]]
    unforced = [*forced[:3], free("%0", 9), *last]
    assert fixed(*unforced) == [*unforced[:2], unforced[3], unforced[2], *last[::-1]]


def test_a_block_of_frees_alone() -> None:
    [block] = check(read_text(function(free("%a", 2), free("%a", 1))), FREES).dumps[0].blocks
    assert (block.indexed, block.followed, block.followed_frees, block.moved) == (0, 2, 2, 0)


def test_frees_in_a_graph_region_stay() -> None:
    text = "module {\n" + "\n".join([op("%0", 1, "%9"), op("%9", 2, "%0"), free("%0", 0)]) + "\n}"
    assert not fix(read_text(text), FREES).changed


@pytest.mark.parametrize("name", ["small", "encoder", "resnet"])
def test_the_samples_stay_as_they_are_if_frees_follow(name: str) -> None:
    """Their inversions are 24 of 120 in the small one, and none can be avoided."""
    result = fix(read(str(SAMPLES / "ttnn" / f"{name}.mlir")), FREES)
    assert not result.changed
    assert result.before.inversions == result.before.minimum == (24 if name == "small" else 0)


def test_how_much_of_the_disorder_has_a_free_at_an_end() -> None:
    dumps = read(str(SAMPLES / "ttnn" / "small.mlir"))
    [block] = [block for block in check(dumps, COUNTED).dumps[0].blocks if block.inversions]
    assert (block.frees, block.inversions, block.at_frees) == (21, 120, 96)


@given(freeing_programs())
def test_a_fix_puts_frees_at_their_last_uses_if_it_moves_ops_and_a_second_run_changes_nothing(
    text: str,
) -> None:
    once = fix(read_text(text), FREES)
    again = fix(read_text(once.text), FREES)
    assert again.text == once.text
    assert again.before.inversions == once.before.minimum
    assert once.changed == (once.text != text.encode()) == (once.moved > 0)
    assert once.changed == (once.before.avoidable > 0)
    assert not once.changed or is_each_free_at_its_last_use(once.text.decode())


@given(freeing_programs())
def test_following_frees_leaves_no_more_inversions_among_the_others_than_counting_them(text: str) -> None:
    counted, following = fix(read_text(text), COUNTED), fix(read_text(text), FREES)
    among_others = check(read_text(counted.text), FREES).summary.inversions
    assert following.before.minimum <= among_others


def is_each_free_at_its_last_use(text: str) -> bool:
    """Read from the text alone where no free is forced; what a forced one waits for the dependences say."""
    lines = [line.strip() for line in text.split("\n")[1:-3]]
    is_free = [line.startswith('"ttnn.deallocate"') for line in lines]
    none_is_forced = all("force = false" in line for line, free in zip(lines, is_free, strict=True) if free)
    for place, line in enumerate(lines):
        if not (is_free[place] and none_is_forced):
            continue
        value = re.escape(re.findall(r"\((%\d+)\)", line)[0])
        uses = [k for k in range(place) if re.search(rf"{value}\b", lines[k])]
        between = lines[(uses[-1] if uses else -1) + 1 : place]
        if not all(other.startswith('"ttnn.deallocate"') for other in between):
            return False
    dump = audit_dump(read_text(text)[0])
    block = dump.ir.op_block[1] if len(dump.ir) > 1 else 0
    graph = dump.dependences.of([block])[block]
    order = list(range(len(dump.ir.block_ops[block])))
    return after_last_uses(order, dump.keys.frees_in(block), graph.precedence) == order


def test_an_explanation_says_what_a_free_follows() -> None:
    text = function(op("%0", 5), op("%1", 3, "%0"), free("%0", 9), op("%2", 1), free("%2", 1), free("%a", 0))
    [plain] = explain(read_text(text), "4", COUNTED).ops
    [followed] = explain(read_text(text), "4", FREES).ops
    assert plain.last_use is not None and followed.last_use is not None
    assert (plain.follows, plain.last_use.result) == (None, "%1")
    assert (followed.follows, followed.last_use.result, followed.consumer) == ("frees", "%1", None)
    [of_argument] = explain(read_text(text), "7", COUNTED).ops
    assert of_argument.last_use is not None
    assert of_argument.last_use.result == "%2"
    [as_fixed] = explain(read_text(text), "7", FREES).ops
    assert as_fixed.last_use is not None
    assert as_fixed.last_use.result == "%0"
    [no_free] = explain(read_text(text), "%1").ops
    assert no_free.last_use is None
