"""A log gets the same answer behind any prefix, in any order of threads, among any lines of loggers."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Trace, read_text, trace
from tests.audit.test_trace import NOISE
from tests.internals import compare_runs
from tests.logs import dump, function
from tests.mlir.test_prefixes import PREFIXES, behind

INVALID = (
    'func.func @{0}(%a: i32) -> i32 {{\n  %0 = "t.mul"(%1) : (i32) -> i32\n  %1 = "t.add"() : () -> i32\n}}\n'
)
ERROR = "m.mlir:3:1: error: failed to legalize operation 'ttir.add'\n"


@st.composite
def threads(draw: st.DrawFn) -> list[list[str]]:
    """By function, its dumps in order. The last pass of some fails, with an error and invalid IR."""
    orders = st.lists(st.integers(0, 5), min_size=1, max_size=4)
    printed = []
    for name in draw(st.lists(st.sampled_from("fgh"), min_size=1, max_size=3, unique=True)):
        states = draw(st.lists(orders, min_size=1, max_size=3))
        dumps = [dump("After", f"p{k}", function(name, *order)) for k, order in enumerate(states)]
        if draw(st.booleans()):
            dumps.append(ERROR + dump("After", "last", INVALID.format(name)).replace("LAST", "LAST Failed"))
        printed.append(dumps)
    return printed


def interleaved(printed: list[list[str]], random: Random) -> list[str]:
    left, dumps = [list(one) for one in printed], list[str]()
    while left := [one for one in left if one]:
        dumps.append(random.choice(left).pop(0))
    return dumps


def answer(result: Trace) -> list[object]:
    """Of each function, what is said of its passes."""
    assert result.errors == ()
    return sorted(
        (
            (p.function or p.functions, p.pass_name, p.failed, p.changed, p.made, p.left, p.op_counts),
            [(part, fault.kind) for part, fault in p.faults],
            [(error.message, error.op_name, len(error.op_lines)) for error in p.errors],
        )
        for p in result.passes
    )


@given(
    printed=threads(),
    prefix=st.sampled_from(["", *PREFIXES]),
    noise=st.lists(st.sampled_from(NOISE), max_size=4),
    random=st.randoms(use_true_random=False),
)
def test_the_answer_is_that_of_the_clean_log(
    printed: list[list[str]], prefix: str, noise: list[bytes], random: Random
) -> None:
    clean = "".join(text for one in printed for text in one)
    dumps = interleaved(printed, random)
    for line in noise:
        dumps.insert(random.randint(1, len(dumps)), line.decode() + "\n")
    pasted = behind("".join(dumps), prefix) if prefix else "".join(dumps)
    assert answer(trace(read_text(pasted))) == answer(trace(read_text(clean)))
    assert compare_runs(read_text(clean), read_text(pasted)).is_same
