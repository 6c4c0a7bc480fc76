"""Logs for tests: functions in some order, in modules, behind the markers of passes."""

from __future__ import annotations

from hypothesis import strategies as st


def function(name: str, *indices: int | None) -> str:
    """A function of independent ops with these indices, in this order."""
    ops = [
        f'  %{k} = "ttir.add"(%a) : (i32) -> i32' + ("" if index is None else f' loc("{index}|op")')
        for k, index in enumerate(indices)
    ]
    return "\n".join([f"func.func @{name}(%a: i32) -> i32 {{", *ops, "  return %a : i32", "}", ""])


def module(*functions: str) -> str:
    return nested(*functions)


def dump(when: str, pass_name: str, text: str, suffix: str = "") -> str:
    return f"// -----// IR Dump {when} {pass_name.upper()} ({pass_name}){suffix} //----- //\n{text}\n\n"


def nested(*inner: str, header: str = "module", location: str = "") -> str:
    """A module around other texts, as MLIR prints it."""
    lines = "".join(f"  {line}\n" for text in inner for line in text.splitlines())
    return f"{header} {{\n{lines}}}{location}\n"


CALLER = """func.func @f(%a: memref<i32>, %b: i32) {
  func.call @g(%a) : (memref<i32>) -> () loc("2|op")
  memref.store %b, %a[] : memref<i32> loc("1|op")
  return
}
"""
PURE = 'func.func @g(%a: memref<i32>) {\n  %0 = arith.constant 1 : i32 loc("3|op")\n  return\n}\n'
READS = PURE.replace("arith.constant 1 : i32", "memref.load %a[] : memref<i32>")


@st.composite
def logs(draw: st.DrawFn, *, has_namesakes: bool = True) -> str:
    """Dumps of a few functions in a few states, alone, in modules and in modules around these.

    With namesakes, several modules may have a function of one name.
    """
    inner = "f" if has_namesakes else "i"

    def texts(*names: str) -> list[str]:
        return [
            function(name, *draw(st.sampled_from([(1, 2, 3), (2, 1, 3), (3, None), ()]))) for name in names
        ]

    dumps = []
    for number in range(draw(st.integers(1, 7))):
        text = draw(
            st.sampled_from(
                [
                    *texts("f", "g"),
                    module(*texts("f", "g")),
                    module(*texts("f"), CALLER.replace("@f", "@c"), draw(st.sampled_from([PURE, READS]))),
                    nested(
                        nested(*texts(inner), header="module @i"), nested(*texts("h"), header="module @j")
                    ),
                    nested(*texts(inner), header="module @i"),
                ]
            )
        )
        if draw(st.booleans()):
            text = text.replace('loc("1|op")', f"loc(#loc{number})") + f'#loc{number} = loc("1|op")\n'
        kinds = draw(st.sampled_from([("Before",), ("After",), ("Before", "After")]))
        dumps += [dump(when, f"p{draw(st.integers(0, 2))}", text) for when in kinds]
    return "".join(dumps * draw(st.integers(1, 2)))
