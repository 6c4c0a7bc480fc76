import pytest
from hypothesis import given

from eio_audit import AuditOptions, check, read_text
from tests.internals import BlockMemory, LiveBytes, after_last_uses, audit_dump
from tests.programs import freeing_programs

T = "tensor<256xf32>"  # 1,024 bytes


def op(result: str, operands: str = "", name: str = "ttnn.add", index: int = 1) -> str:
    types = ", ".join([T] * len(operands.split(","))) if operands else ""
    return f'{result} = "{name}"({operands}) : ({types}) -> {T} loc("{index}|x")'


def free(value: str, index: int = 1, force: str = "false") -> str:
    return f'"ttnn.deallocate"({value}) <{{force = {force}}}> : ({T}) -> () loc("{index}|x")'


def memory(*ops: str, arguments: str = "", follow: tuple[str, ...] = ()) -> BlockMemory:
    text = "\n".join([f"func.func @f({arguments}) {{", *ops, "return", "}"])
    result = check(read_text(text), AuditOptions(follow=follow), measures_memory=True)
    [block] = result.dumps[0].blocks
    assert block.memory is not None
    return block.memory


CHAIN = [op("%0"), op("%1", "%0"), op("%2", "%1"), op("%3", "%2")]


@pytest.mark.parametrize(
    ("ops", "peak"),
    [
        pytest.param(CHAIN, 2, id="without frees to the last use"),
        pytest.param([*CHAIN, free("%0")], 4, id="to the free, and what nothing frees to the end"),
        pytest.param([*CHAIN[:2], free("%0"), *CHAIN[2:]], 3, id="a free at the last use"),
        pytest.param([op("%0"), op("%1"), op("%2"), op("%3", "%0, %2")], 3, id="until the last of several"),
        pytest.param([op("%0", name="ttnn.relu"), op("%1")], 1, id="what nothing uses goes at once"),
        pytest.param(['%0 = "a.b"() : () -> i64 loc("1|x")'], 0, id="plain values hold nothing"),
    ],
)
def test_how_long_tensors_are_held(ops: list[str], peak: int) -> None:
    assert memory(*ops).peak == peak * 1024


def test_arguments_are_held_until_they_are_freed_or_to_the_end() -> None:
    arguments = f"%a: {T}, %b: {T}"
    use, other = op("%0", "%a"), op("%1", "%0")
    assert memory(use, other, arguments=arguments).peak == 4 * 1024
    assert memory(use, free("%a"), free("%b"), other, arguments=arguments).peak == 3 * 1024


def test_a_value_that_a_region_uses_is_held_until_then() -> None:
    region = f'"scf.if"(%c) ({{\n"ttnn.relu"(%0) : ({T}) -> {T}\nscf.yield\n}}) : (i1) -> ()'
    assert memory(op("%0"), op("%1"), region, arguments="%c: i1").peak == 2 * 1024


def test_a_value_that_another_block_uses_is_held_to_the_end() -> None:
    ops = [op("%0"), op("%1"), op("%2", "%1"), "cf.br ^bb1", "^bb1:", op("%3", "%0")]
    [first, second] = (
        check(read_text("\n".join(["func.func @f() {", *ops, "return", "}"])), measures_memory=True)
        .dumps[0]
        .blocks
    )
    assert first.memory is not None and second.memory is not None
    assert (first.memory.peak, second.memory.peak) == (3 * 1024, 1024)


def test_memrefs_are_held_until_they_are_freed_and_views_hold_nothing() -> None:
    m = "memref<256xf32>"
    alloc = [f'%{k} = memref.alloc() : {m} loc("1|x")' for k in range(2)]
    view = f"%v = memref.cast %0 : {m} to memref<?xf32>"
    dealloc = [f"memref.dealloc %{k} : {m}" for k in range(2)]
    assert memory(*alloc).peak == 2 * 1024
    assert memory(alloc[0], dealloc[0], alloc[1], dealloc[1]).peak == 1024
    through_view = memory(alloc[0], view, "memref.dealloc %v : memref<?xf32>", alloc[1])
    assert (through_view.peak, through_view.unsized) == (1024, 0)


def test_a_convolution_frees_its_input_where_it_says_so() -> None:
    conv = '%1 = "ttnn.conv2d"(%0) <{conv2d_config = #ttnn.conv2d_config<deallocate_activation = FLAG>}> : '
    conv += f"({T}) -> {T}"
    freeing = conv.replace("FLAG", "true")
    assert memory(op("%0"), freeing, op("%2", "%1"), free("%1")).peak == 2 * 1024
    assert memory(op("%0"), conv.replace("FLAG", "false"), op("%2", "%1"), free("%1")).peak == 3 * 1024


def test_values_of_unknown_size_are_counted_apart() -> None:
    held = memory(op("%0"), op("%1", "%0").replace(f"-> {T}", "-> tensor<?xf32>"))
    assert (held.peak, held.unsized) == (1024, 1)


def test_a_graph_region_and_an_audit_that_is_not_asked_say_nothing() -> None:
    text = "\n".join(["module {", op("%0", name="ttnn.relu"), "}"])
    [block] = check(read_text(text), measures_memory=True).dumps[0].blocks
    assert block.memory is None
    [block] = check(read_text(f"func.func @f() {{\n{op('%0')}\nreturn\n}}")).dumps[0].blocks
    assert block.memory is None


SHUFFLED = [op("%0", index=9), free("%0", 9), op("%1", index=5), free("%1", 1), op("%2", index=3)]


def test_what_a_fix_costs() -> None:
    plain = memory(*SHUFFLED, follow=("none",))
    assert (plain.peak, plain.peak_fixed, plain.away, plain.away_fixed) == (1024, 2048, 0, 0)
    following = memory(*SHUFFLED)
    assert (following.peak, following.peak_fixed, following.away, following.away_fixed) == (1024, 2048, 0, 0)


@given(freeing_programs())
def test_frees_at_their_last_use_never_hold_more(text: str) -> None:
    dump = audit_dump(read_text(text)[0])
    live = LiveBytes(dump.ir, dump.dependences.effects)
    for block in dump.blocks:
        order = dump.orders.get(block, range(len(dump.ir.block_ops[block])))
        graph, frees = dump.dependences.of([block])[block], dump.keys.frees_in(block)
        put_back = after_last_uses(order, frees, graph.precedence)
        assert live.of(block).peak(put_back) <= live.of(block).peak(order)
