"""In a graph region nothing moves, and only symbols may have moved in a program that is the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from eio_audit import diff, fix, normal_form, read_text

SYMBOLS = ("func.func private @s{0}()", "memref.global @s{0} : memref<i32>", "module @s{0} {{\n}}")
OTHERS = (
    '"fx.connect"() {{v = {0}}} : () -> ()',
    "fx.export @s{0}",
    "fx.init @s{0} {{\n  fx.run\n}}",
    "module @s{0} {{\n  fx.init {{\n    fx.run\n  }}\n}}",
    "%c{0} = arith.constant {0} : i32",
    '%u{0} = "fx.use"(%first) {{v = {0}}} : (i32) -> i32',
)
LISTED = ("", "module", "gpu.module @m", "emitc.class @m")
UNLISTED = ("fx.module", "fx.module @m")
FIRST = '%first = "fx.first"(%last) : (i32) -> i32'
LAST = '%last = "fx.last"() : () -> i32'


@dataclass(frozen=True)
class Body:
    """The ops of a graph region, each with an index that asks for another order.

    Attributes:
        around: the op with the region. Empty for the top level.
        ops: the ops between the first and the last, which uses before definitions make a graph region.
        symbols: those of them that are symbols of listed ops.
    """

    around: str
    ops: tuple[str, ...]
    symbols: frozenset[str]

    def text(self, ops: tuple[str, ...]) -> str:
        body = "\n".join((FIRST, *ops, LAST)) + "\n"
        return f"{self.around} {{\n{body}}}\n" if self.around else body

    def runs(self, ops: tuple[str, ...]) -> list[frozenset[str]]:
        """What an order is, but for the order of symbols between two ops that stay."""
        runs = [frozenset[str]()]
        for op in ops:
            if op in self.symbols and self.around not in UNLISTED:
                runs[-1] |= {op}
            else:
                runs += [frozenset({op}), frozenset()]
        return runs


@st.composite
def bodies(draw: st.DrawFn) -> Body:
    kinds = draw(st.lists(st.sampled_from(SYMBOLS * 2 + OTHERS), min_size=2, max_size=7))
    indices = draw(st.permutations(range(len(kinds))))
    ops = [
        f'{kind.format(k)} loc("{index}|m")'
        for k, (kind, index) in enumerate(zip(kinds, indices, strict=True))
    ]
    symbols = frozenset(op for op, kind in zip(ops, kinds, strict=True) if kind in SYMBOLS)
    return Body(draw(st.sampled_from(LISTED + UNLISTED)), tuple(ops), symbols)


@given(bodies())
def test_a_fix_moves_nothing(body: Body) -> None:
    text = body.text(body.ops)
    assert fix(read_text(text)).text.decode() == text


@given(bodies(), st.integers(0, 99))
def test_only_symbols_may_have_changed_places(body: Body, seed: int) -> None:
    ops, random = list(body.ops), Random(seed)
    for _ in range(random.randint(1, 3)):
        k = random.randrange(len(ops) - 1)
        ops[k], ops[k + 1] = ops[k + 1], ops[k]
    before, after = body.text(body.ops), body.text(tuple(ops))
    (one,), (other,) = read_text(before), read_text(after)
    is_same = body.runs(body.ops) == body.runs(tuple(ops))
    assert (diff(one, other).sameness.sameness != "none") == is_same
    assert (normal_form(one, ordered=True).text == normal_form(other, ordered=True).text) == is_same
