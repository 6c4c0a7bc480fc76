"""Pairs of different programs that only a part of their text tells apart, and pairs that are the same.

The text of an op's own syntax, of an attribute or of a type may mean anything. So may the order of ops that act
or have no row. What is not proven to mean the same is different.
"""

import re

import pytest

from eio_audit import diff, normal_form, read_text


def op(text: str, aliases: str = "", arguments: str = "%a: i32, %b: i32") -> str:
    """A program with this op."""
    return f"{aliases}func.func @f({arguments}) {{\n  {text}\n  return\n}}\n"


def branch(text: str) -> str:
    """A program whose first block ends with this op. The blocks below it are ^a and ^b."""
    return f"func.func @f(%c: i1) {{\n  {text}\n^a:\n  return\n^b:\n  return\n}}\n"


def generic(attribute: str, aliases: str = "") -> str:
    """A program with an op in generic form that has this attribute."""
    return op(f'"t.x"() {{k = {attribute}}} : () -> ()', aliases)


def blocks(*lines: str) -> str:
    """A program with an op in generic form that has these labels and ops in its region."""
    return '"t.r"() ({\n' + "\n".join(lines) + "\n}) : () -> ()\n"


def sameness(one: str, other: str) -> str:
    return diff(read_text(one)[0], read_text(other)[0]).sameness.sameness


def normal(text: str, *, ordered: bool = False) -> str:
    return normal_form(read_text(text)[0], ordered=ordered).text.decode()


DIGITS = "A" * 70_000
X, Y = '"t.x"() : () -> ()', '"t.y"() : () -> ()'

TEXTS = {
    # values
    "a value in an attribute": (
        op('"t.x"(%a) {k = #my.g<%a>} : (i32) -> ()'),
        op('"t.x"(%a) {k = #my.g<%b>} : (i32) -> ()'),
    ),
    "a value in an attribute, renamed": (
        op('"t.x"(%a) {k = #my.g<%a>} : (i32) -> ()'),
        op('"t.x"(%b) {k = #my.g<%b>} : (i32) -> ()', arguments="%b: i32, %a: i32"),
    ),
    "a value in the type of an element": (
        op('"t.x"(%a) : (i32) -> tensor<2x!my.t<%a>>'),
        op('"t.x"(%a) : (i32) -> tensor<2x!my.t<%b>>'),
    ),
    "no value in an attribute": (generic("#my.g<%p>"), generic("#my.g<%q>")),
    "a value in a type": (op('"t.x"() : () -> !my.t<%a>'), op('"t.x"() : () -> !my.t<%b>')),
    "a value in a string": (generic('"%a"'), generic('"%b"')),
    # blocks
    "a block in an attribute": (branch("t.br #my.g<^a> ^a, ^b"), branch("t.br #my.g<^b> ^a, ^b")),
    "no block in an attribute": (op("t.x %a {k = #my.g<^p>} : i32"), op("t.x %a {k = #my.g<^q>} : i32")),
    "no block in an op's own syntax": (op("t.x ^p : i32"), op("t.x ^q : i32")),
    "successors of an op in its own syntax": (branch("t.br ^a, ^b"), branch("t.br ^b, ^a")),
    "a block in a string": (
        branch('"t.br"()[^a, ^b] {s = "^a"} : () -> ()'),
        branch('"t.br"()[^a, ^b] {s = "^b"} : () -> ()'),
    ),
    "the arguments of an empty block": (
        blocks("^x(%0: i1):", "^y:", X),
        blocks("^x(%0: i2):", "^y:", X),
    ),
    "the arguments of an empty last block": (blocks(X, "^x(%0: i1):"), blocks(X, "^x(%0: i2):")),
    # locations
    "a location in an op's own syntax": (
        op('t.x at loc("a") with %a : i32'),
        op('t.x at loc("b") with %a : i32'),
    ),
    "a location in parentheses": (op('t.x(loc("a")) %a : i32'), op('t.x(loc("b")) %a : i32')),
    "a location after an operand": (op('t.x %a loc("a") 4 : i32'), op('t.x %a loc("b") 4 : i32')),
    "a location after an operand's type": (op('t.x %a : i32 loc("a") 4'), op('t.x %a : i32 loc("b") 4')),
    "a location after an operand of an op with a region": (
        op(f't.x %a : i32 loc("a") {{\n{X}\n}}'),
        op(f't.x %a : i32 loc("b") {{\n{X}\n}}'),
    ),
    "a location after the arguments of a region": (
        f't.f @a(%x: i32) at loc("a") {{\n{X}\n}}\n',
        f't.f @a(%x: i32) at loc("b") {{\n{X}\n}}\n',
    ),
    "a location after more than an argument": (
        f't.f @a(%x: i32 by loc("a")) {{\n{X}\n}}\n',
        f't.f @a(%x: i32 by loc("b")) {{\n{X}\n}}\n',
    ),
    "a location at the end where no others are printed": (op('t.x at loc("a")'), op('t.x at loc("b")')),
    "a location at the end where only some others are printed": (
        op('t.x at loc("a")\n  t.y').rstrip() + ' loc("f")\n',
        op('t.x at loc("b")\n  t.y').rstrip() + ' loc("f")\n',
    ),
    "a location of an argument where no others are printed": (
        f't.f @a(%x: i32 loc("a")) {{\n{X}\n}}\n',
        f't.f @a(%x: i32 loc("b")) {{\n{X}\n}}\n',
    ),
    "a location in an attribute": (generic('#my.g<1 loc("a")>'), generic('#my.g<1 loc("b")>')),
    "a location in an argument's type": (
        blocks('^x(%0: !my.t<1 loc("a")>):', X),
        blocks('^x(%0: !my.t<1 loc("b")>):', X),
    ),
    "a location that is an attribute": (generic('loc("a")'), generic('loc("b")')),
    "a location that is an argument's attribute": (
        op(X, arguments='%a: i32 {l = loc("a")}'),
        op(X, arguments='%a: i32 {l = loc("b")}'),
    ),
    "a location's alias and a string's": (generic("#l", '#l = loc("a")\n'), generic("#l", '#l = "a"\n')),
    "a spaced location's alias and a string's": (
        generic("#l", '#l = loc ("a")\n'),
        generic("#l", '#l = "a"\n'),
    ),
    "a location's alias and a string's in an alias": (
        generic("#m", '#m = [#l]\n#l = loc("a")\n'),
        generic("#m", '#m = [#l]\n#l = "a"\n'),
    ),
    # numbers
    "a version in an attribute": (generic("#my.v<1.1>"), generic("#my.v<1.10>")),
    "a version in an attribute in a list": (generic("[#my.a<#my.v<1.0>>]"), generic("[#my.a<#my.v<1.00>>]")),
    "a version of three parts": (generic("#my<v 1.1.0>"), generic("#my<v 1.10.0>")),
    "a version in a type": (op('"t.x"() : () -> !my.v<1.1>'), op('"t.x"() : () -> !my.v<1.10>')),
    "a version in the type of an element": (
        op('"t.x"() : () -> tensor<2x!my.v<1.1>>'),
        op('"t.x"() : () -> tensor<2x!my.v<1.10>>'),
    ),
    "a version in a tensor's encoding": (
        op('"t.x"() : () -> tensor<2xf32, #my.e<1.1>>'),
        op('"t.x"() : () -> tensor<2xf32, #my.e<1.10>>'),
    ),
    "a version in an op's own syntax": (op("t.use 1.1 : i32"), op("t.use 1.10 : i32")),
    "a version in the braces of an op's own syntax": (op("t.x {v = 1.1} : i32"), op("t.x {v = 1.10} : i32")),
    "a version of a module": (
        "module attributes {v = #my.v<1.1>} {\n}\n",
        "module attributes {v = #my.v<1.10>} {\n}\n",
    ),
    "a version in an alias": (generic("#v", "#v = #my.v<1.1>\n"), generic("#v", "#v = #my.v<1.10>\n")),
    "numbers in a dialect's attribute": (generic("#my.a<dense<1.0>>"), generic("#my.a<dense<1.00>>")),
    "a number in a string": (generic('"1.1"'), generic('"1.10"')),
    "a sign": (generic("-0.0 : f32"), generic("0.0 : f32")),
    "a number's type": (generic("1.0 : f32"), generic("1.0 : f64")),
    "an integer and its hexadecimal digits": (generic("0x10 : i32"), generic("10 : i32")),
    # blanks and comments
    "blanks in a string": (generic('"a b"'), generic('"a  b"')),
    "blanks in a symbol": (generic('@"a b"'), generic('@"a  b"')),
    "blanks in an attribute of an unlisted dialect": (generic("#my.g<a b>"), generic("#my.g<a  b>")),
    "slashes in an attribute": (generic("#my.g<http://a\n>"), generic("#my.g<http://b\n>")),
    "a comment's end in an attribute": (
        generic("#ttcore.g<a // c\n b>"),
        generic("#ttcore.g<a // c b\n>"),
    ),
    "a comment's end in an alias": (
        generic("#g", "#g = [1 // c\n, 2 ]\n"),
        generic("#g", "#g = [1 // c , 2\n]\n"),
    ),
    # aliases
    "an alias of another value": (generic("#a", "#a = 1 : i32\n"), generic("#a", "#a = 2 : i32\n")),
    "a very long alias": (
        generic("#a", f'#a = dense<"0x{DIGITS}A"> : tensor<8xi8>\n'),
        generic("#a", f'#a = dense<"0x{DIGITS}B"> : tensor<8xi8>\n'),
    ),
    "an alias before an arrow": (op("t.x %a : !x->!y", "!x = i32\n"), op("t.x %a : !x->!y", "!x = i64\n")),
    # functions
    "a result's parentheses in a string": (
        'func.func private @f() attributes {a = "-> (x)"}\n',
        'func.func private @f() attributes {a = "-> x"}\n',
    ),
    "a result's parentheses in an attribute": (
        "func.func private @f() attributes {a = #my.g<-> (x)>}\n",
        "func.func private @f() attributes {a = #my.g<-> x>}\n",
    ),
    # outside ops
    "metadata with a quote in a comment": (
        op(X) + '{-# // "\n dialect_resources: {builtin: {a: "0x01"}} #-}\n',
        op(X) + '{-# // "\n dialect_resources: {builtin: {a: "0x02"}} #-}\n',
    ),
    "a line that may be an op": ("my.version 1\n" + op(X), "my.version 2\n" + op(X)),
    "lines that may be an op": ("my.version 1,\n  1\n" + op(X), "my.version 1,\n  2\n" + op(X)),
    "a function of an old MLIR": ("func private @g(i32)\n" + op(X), "func private @g(i64)\n" + op(X)),
}


@pytest.mark.parametrize("what", TEXTS)
def test_texts_that_may_mean_something_else_are_told_apart(what: str) -> None:
    one, other = TEXTS[what]
    assert sameness(one, other) == "none"
    assert normal(one) != normal(other)
    assert normal(one, ordered=True) != normal(other, ordered=True)


def ops(*texts: str, around: str = "module") -> tuple[str, str]:
    """A program with two ops in a region of an op, and the one with the ops in the other order."""
    one, other = ("\n".join(order) for order in (texts, texts[::-1]))
    return f"{around} {{\n{one}\n}}\n", f"{around} {{\n{other}\n}}\n"


F, G = "func.func private @f()", "func.func private @g()"

ORDERS = {
    "unlisted ops": ops('"fx.connect"() {v = 1} : () -> ()', '"fx.connect"() {v = 2} : () -> ()'),
    "unlisted ops at top level": (f"{X}\n{Y}\n", f"{Y}\n{X}\n"),
    "unlisted ops in custom form": ops("my.i @a", "my.i @b"),
    "unlisted ops with regions": ops("util.initializer {\nt.a\n}", "util.initializer {\nt.b\n}"),
    "unlisted ops with symbols": ops("my.f @f() {\nt.a\n}", "my.f @g() {\nt.b\n}"),
    "unlisted ops in a module of a device": ops(X, Y, around="gpu.module @m"),
    "unlisted ops in a nested module": ops(
        "module @a {\nutil.initializer {\nt.a\n}\n}", "module @b {\nutil.initializer {\nt.b\n}\n}"
    ),
    "an unlisted op and a function": ops("util.initializer {\nt.a\n}", F),
    "listed ops that declare nothing": ops(
        'spirv.ExecutionMode @f "LocalSize", 1',
        'spirv.ExecutionMode @f "LocalSize", 2',
        around="spirv.module L G",
    ),
    "program text": ops('emitc.verbatim "int a;"', 'emitc.verbatim "int b = a;"'),
    "an include and a function": ops('emitc.include "a.h"', F),
    "members of a class": ops("emitc.field @a : i32", "emitc.field @b : i64", around="emitc.class @C"),
    "variables of SPIR-V": ops(
        "spirv.SpecConstant @a = 1 : i32",
        "spirv.SpecConstantComposite @b (@a, @a) : !spirv.array<2 x i32>",
        around="spirv.module Logical GLSL450",
    ),
    "a variable and a function of SPIR-V": ops(
        "spirv.GlobalVariable @v : !spirv.ptr<f32, Private>",
        'spirv.func @f() -> () "None" {\nspirv.Return\n}',
        around="spirv.module Logical GLSL450",
    ),
    "memories of WebAssembly": ops(
        "wasmssa.memory @a !wasmssa<limit[1: 2]>", "wasmssa.memory @b !wasmssa<limit[1: 2]>"
    ),
    "constructors": ops("acc.global_ctor @a {\nacc.terminator\n}", "acc.global_ctor @b {\nacc.terminator\n}"),
    "patterns": ops(
        'pdl.pattern @a : benefit(1) {\n%0 = pdl.operation "t.a"\npdl.rewrite %0 with "x"\n}',
        'pdl.pattern @b : benefit(1) {\n%0 = pdl.operation "t.a"\npdl.rewrite %0 with "y"\n}',
    ),
    "globals in a section": ops(
        'llvm.mlir.global constant @a(1 : i32) {section = "x"} : i32',
        'llvm.mlir.global constant @b(2 : i32) {section = "x"} : i32',
    ),
    "two functions of one name": ops(F, F + " attributes {a}"),
    "two functions of one name in quotes": ops(F, 'func.func private @"f"()'),
    "modules without names": ops(f"module {{\n{F}\n}}", f"module {{\n{G}\n}}"),
    "functions in an unlisted op": ops(F, G, around="my.table @t"),
    "functions in an unlisted op in generic form": (blocks(F, G, X), blocks(G, F, X)),
    "a function and an unlisted op in an unlisted op": (blocks(F, X, Y), blocks(X, F, Y)),
    "stores in a module": tuple(
        f"%m = memref.alloc() : memref<i32>\n%a = arith.constant 1 : i32\n{order}"
        for order in (
            "memref.store %a, %m[] : memref<i32>\nt.x %m\n",
            "t.x %m\nmemref.store %a, %m[] : memref<i32>\n",
        )
    ),
    "unlisted ops beside a use before its definition": tuple(
        blocks('%x = "t.a"(%y) : (i32) -> i32', '%y = "t.b"() : () -> i32', *order)
        for order in ((X, Y), (Y, X))
    ),
}


@pytest.mark.parametrize("what", ORDERS)
def test_orders_that_may_mean_something_else_are_told_apart(what: str) -> None:
    one, other = ORDERS[what]
    assert sameness(one, other) == "none"
    assert normal(one, ordered=True) != normal(other, ordered=True)


LOCATED = op(X, '#l = loc("q")\n', '%a: i32 loc("x"), %b: (i32) -> i32 {k = 1} loc(#l)')

SAME = {
    "locations of arguments": (LOCATED, op(X, arguments="%a: i32, %b: (i32) -> i32 {k = 1}")),
    "locations of block arguments": (
        blocks('^x(%0: tensor<2xi1> loc("a"), %1: !my.t<x> loc("b")):', X),
        blocks("^x(%0: tensor<2xi1>, %1: !my.t<x>):", X),
    ),
    "locations of arguments without a type": (
        op(f'affine.for %i loc("i") = 0 to 4 {{\n{X}\n}}'),
        op(f"affine.for %i = 0 to 4 {{\n{X}\n}}"),
    ),
    "locations of arguments in an unlisted op": (
        f't.f @a(%x: i32 loc("a"), %y: i32 loc("c")) {{\n{X} loc("d")\n}} loc("e")\n',
        f't.f @a(%x: i32 loc("b"), %y: i32) {{\n{X}\n}} loc(unknown)\n',
    ),
    "an alias of a location": (generic("#a", '#a = loc("x")\n'), generic('loc("x")')),
    "names of aliases of a location": (
        generic("loc(#a)", '#a = loc("x")\n'),
        generic("loc(#b)", '#b = loc("x")\n'),
    ),
    "spelling of numbers": (generic("dense<[1.0, 2.5]>"), generic("dense<[1.000000e+00, 2.500000e+00]>")),
    "spelling of numbers in an alias": (generic("#a", "#a = 1.0 : f32\n"), generic("1.000000e+00 : f32")),
    "names of blocks": (branch("t.br ^a, ^b"), branch("t.br ^x, ^b").replace("^a:", "^x:")),
    "names of blocks beside an attribute": (
        branch("t.br ^a, ^b {g = #my.g<^a>}"),
        branch("t.br ^x, ^b {g = #my.g<^a>}").replace("^a:", "^x:"),
    ),
    "line ends in an attribute of a listed dialect": (
        generic("#ttcore.g<a,\n  b>"),
        generic("#ttcore.g<a, b>"),
    ),
}


@pytest.mark.parametrize("what", SAME)
def test_printing_is_not_told_apart(what: str) -> None:
    one, other = SAME[what]
    assert sameness(one, other) == "names"
    assert normal(one) == normal(other)


def test_symbols_of_listed_ops_may_change_places() -> None:
    one, other = ops(F, "module @m {\nmemref.global @g : memref<i32>\nfunc.func private @h()\n}")
    assert sameness(one, other) == "order"
    assert normal(one, ordered=True) == normal(other, ordered=True)


def test_symbols_are_sorted_between_ops_that_stay() -> None:
    one, other = (f"{first}\n{second}\n{X}\nfunc.func private @e()\n" for first, second in ((F, G), (G, F)))
    assert sameness(one, other) == "order"
    assert (
        normal(one, ordered=True) == normal(other, ordered=True) == f"{F}\n{G}\n{X}\nfunc.func private @e()\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "%b, %o, %s, %t = memref.extract_strided_metadata %m : memref<4xi32> -> memref<i32>, index, index, index"
        "\n  t.use %o, %t",
        "t.f @g(%x: i32) {\n    t.use %x, %a\n  }",
        "t.f @g(%x: i32, %y: i32) {\n  }\n  t.for %i = 1 {\n    t.use %i, %a\n  }",
    ],
    ids=["several names of results", "a symbol that uses an argument around it", "after such a symbol"],
)
def test_values_get_different_names(text: str) -> None:
    one = op(text, arguments="%a: i32, %m: memref<4xi32>")
    other = re.sub(r"%(\w)", r"%new_\1", one)
    assert normal(one) == normal(other)
    assert sameness(one, normal(one)) == "names"
