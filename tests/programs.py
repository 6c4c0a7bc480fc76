"""Random programs for property tests: straight-line functions with op indices in any order."""

from __future__ import annotations

from hypothesis import strategies as st

PURE = "ttir.add"
UNKNOWN = "my.effect"


@st.composite
def programs(draw: st.DrawFn, max_ops: int = 9) -> str:
    """A function of pure and effectful ops, some of them unindexed, derived or constants, some with a region."""
    count = draw(st.integers(1, max_ops))
    lines = []
    for k in range(count):
        used = draw(st.lists(st.integers(0, k - 1), max_size=2, unique=True)) if k else []
        operands = ", ".join(f"%{u}" for u in used)
        types = ", ".join("i32" for _ in used)
        name = draw(st.sampled_from([PURE, PURE, PURE, UNKNOWN]))
        index = draw(st.none() | st.integers(0, max_ops))
        location = "" if index is None else f' loc("DEBUG|{index}|net|op")'
        if index is not None and draw(st.integers(0, 3)) == 0:
            location = f' loc("DEBUG|{index}|net|op_tm0"("DEBUG|{index}|net|op"))'
        comment = draw(st.sampled_from(["", "", " // %9 { loc("]))
        if draw(st.integers(0, 6)) == 0:
            lines.append(
                f'%{k} = "my.region"() ({{\n    "{name}"({operands}) : ({types}) -> ()\n  }}) : () -> i32{location}{comment}'
            )
        else:
            lines.append(f'%{k} = "{name}"({operands}) : ({types}) -> i32{location}{comment}')
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @f() {{\n{body}  return\n}}\n"
