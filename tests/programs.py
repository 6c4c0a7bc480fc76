"""Random programs for property tests: straight-line functions with op indices in any order."""

from __future__ import annotations

from hypothesis import strategies as st

PURE = "ttir.add"
UNKNOWN = "my.effect"


@st.composite
def programs(draw: st.DrawFn, max_ops: int = 9) -> str:
    """Return a function of pure and effectful ops: unindexed, derived, constant, or with a region."""
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


@st.composite
def loops(draw: st.DrawFn) -> str:
    """Return loads, stores and sums in loops, at most two deep. Custom assembly omits their terminators."""
    lines = ["func.func @f(%m: memref<4xi32>, %n: memref<4xi32>, %i: index, %a: i32) {"]
    depth = 1
    for k in range(draw(st.integers(1, 9))):
        buffer = draw(st.sampled_from(["%m", "%n"]))
        match draw(st.sampled_from(["load", "store", "sum", "open", "close"])):
            case "load":
                line = f"%{k} = memref.load {buffer}[%i] : memref<4xi32>"
            case "store":
                line = f"memref.store %a, {buffer}[%i] : memref<4xi32>"
            case "open" if depth < 3:
                line = f"scf.for %j{k} = %i to %i step %i {{"
            case "close" if depth > 1:
                depth -= 1
                line = "}"
            case _:
                line = f"%{k} = arith.addi %a, %a : i32"
        lines.append("  " * depth + line)
        depth += line.endswith("{")
    lines += ["  " * d + "}" for d in range(depth - 1, 0, -1)]
    return "\n".join([*lines, "  return", "}\n"])


@st.composite
def freeing_programs(draw: st.DrawFn) -> str:
    """Return tensor ops with indices in any order, and frees of their values after their last use."""
    lines: list[str] = []
    live: list[int] = [0]
    sizes = [4]
    for _ in range(draw(st.integers(1, 9))):
        index = draw(st.none() | st.integers(0, 9))
        location = "" if index is None else f' loc("{index}|net|op")'
        if live and draw(st.integers(0, 2)) == 0:
            value = live.pop(draw(st.integers(0, len(live) - 1)))
            flag = draw(st.sampled_from([" <{force = false}>", " <{force = true}>", ""]))
            lines.append(f'"ttnn.deallocate"(%{value}){flag} : (tensor<{sizes[value]}xi8>) -> (){location}')
            continue
        name = draw(st.sampled_from(["ttnn.add", "ttnn.add", "ttnn.reshape"]))
        most = 1 if name == "ttnn.reshape" else 2  # with more it is an op of another form, of unknown effects
        used = draw(st.lists(st.sampled_from(live), max_size=most, unique=True)) if live else []
        operands = ", ".join(f"%{u}" for u in used)
        types = ", ".join(f"tensor<{sizes[u]}xi8>" for u in used)
        live.append(len(sizes))
        sizes.append(draw(st.integers(1, 9)))
        lines.append(f'%{live[-1]} = "{name}"({operands}) : ({types}) -> tensor<{sizes[-1]}xi8>{location}')
    body = "".join(f"  {line}\n" for line in lines)
    return f"func.func @f(%0: tensor<4xi8>) {{\n{body}  return\n}}\n"
