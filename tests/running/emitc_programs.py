"""Random EmitC functions: C++ in which ops become statements, or text that is pasted where it is used.

They share variables through lvalues, pointers, arrays, globals, and program text that MLIR does not read. Each
returns a number that depends on all it came by. Nothing in a program is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.running.judging import Program

LVALUE = "!emitc.lvalue<i32>"
ARRAY = "!emitc.array<4xi32>"

PRELUDE = f"""emitc.include <"cstddef">
emitc.include <"cstdint">
emitc.verbatim "static int32_t counter = 1;"
emitc.verbatim "static int32_t tick(int32_t x) {{ counter = counter * 3 + x; return counter; }}"
emitc.verbatim "static int32_t peek() {{ return counter; }}"
emitc.verbatim "static void poke(int32_t *p, int32_t x) {{ *p += x; }}"
emitc.global static @cell : i32 = 4
emitc.func @bump(%x: i32) -> i32 {{
  %g = emitc.get_global @cell : {LVALUE}
  %a = emitc.load %g : <i32>
  %b = emitc.add %a, %x : (i32, i32) -> i32
  emitc.assign %b : i32 to %g : <i32>
  emitc.return %a : i32
}}
"""

PLACES = ("variable", "get_global", "subscript", "dereference")
ACCESSES = ("load", "assign") * 4
TEXT = ("tick", "peek", "poke", "verbatim", "literal", "bump")
OTHERS = ("constant", "arith", "compare", "expression", "conditional", "if_", "for_")
KINDS = (*PLACES, *ACCESSES, *TEXT, *OTHERS)


def emitc_program(seeds: Sequence[int], size: int = 10, kinds: Sequence[str] = KINDS) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    texts = [_FunctionWriter(Random(seed), kinds).write(f"f{seed}", size) for seed in seeds]
    return Program("".join([PRELUDE, *texts]), tuple(f"f{seed}" for seed in seeds))


class _FunctionWriter:
    """Writes one function; each kind of statement is a method of its name."""

    def __init__(self, random: Random, kinds: Sequence[str]) -> None:
        self.random = random
        self.kinds = kinds
        self.lines: list[str] = []
        self.count = 0
        self.numbers = ["%x", "%y"]
        self.places: list[str] = []
        self.flags: list[str] = []

    def write(self, name: str, size: int) -> str:
        for k in range(4):
            self.lines.append(f'%c{k} = "emitc.constant"() <{{value = {k} : index}}> : () -> index')
        initial = '#emitc.opaque<"{1, 2, 3, 4}">'
        self.lines.append(f'%array = "emitc.variable"() <{{value = {initial}}}> : () -> {ARRAY}')
        self.variable()
        self.compare()
        self.statements(size)
        total = self.numbers[0]
        for place in self.places:
            self.numbers.append(self.define(f"emitc.load {place} : <i32>"))
        for number in self.numbers[1:]:
            scaled = self.define(f"emitc.mul {total}, %y : (i32, i32) -> i32")
            total = self.define(f"emitc.bitwise_xor {scaled}, {number} : (i32, i32) -> i32")
        body = "\n".join(f"  {line}" for line in [*self.lines, f"emitc.return {total} : i32"])
        return f"emitc.func @{name}(%x: i32, %y: i32) -> i32 {{\n{body}\n}}\n"

    def statements(self, size: int) -> None:
        for kind in self.random.choices(self.kinds, k=size):
            getattr(self, kind)()

    def define(self, expression: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {expression}")
        return f"%v{self.count}"

    def number(self) -> str:
        return self.random.choice(self.numbers[-6:])

    def place(self) -> str:
        return self.random.choice(self.places[-4:])

    # ------------------------------------------------------------------ places

    def variable(self) -> None:
        value = self.random.randint(1, 9)
        self.places.append(self.define(f'"emitc.variable"() <{{value = {value} : i32}}> : () -> {LVALUE}'))

    def get_global(self) -> None:
        self.places.append(self.define(f"emitc.get_global @cell : {LVALUE}"))

    def subscript(self) -> None:
        index = f"%c{self.random.randrange(4)}"
        self.places.append(self.define(f"emitc.subscript %array[{index}] : ({ARRAY}, index) -> {LVALUE}"))

    def dereference(self) -> None:
        pointer = self.define(f"emitc.address_of {self.place()} : {LVALUE}")
        self.places.append(self.define(f"emitc.dereference {pointer} : !emitc.ptr<i32>"))

    def load(self) -> None:
        self.numbers.append(self.define(f"emitc.load {self.place()} : <i32>"))

    def assign(self) -> None:
        self.lines.append(f"emitc.assign {self.number()} : i32 to {self.place()} : <i32>")

    # ------------------------------------------------------------------ program text

    def tick(self) -> None:
        self.numbers.append(self.define(f'emitc.call_opaque "tick"({self.number()}) : (i32) -> i32'))

    def peek(self) -> None:
        self.numbers.append(self.define('emitc.call_opaque "peek"() : () -> i32'))

    def poke(self) -> None:
        pointer = self.define(f"emitc.address_of {self.place()} : {LVALUE}")
        self.lines.append(
            f'emitc.call_opaque "poke"({pointer}, {self.number()}) : (!emitc.ptr<i32>, i32) -> ()'
        )

    def verbatim(self) -> None:
        self.lines.append(f'emitc.verbatim "counter += {{}};" args {self.number()} : i32')

    def literal(self) -> None:
        self.numbers.append(self.define('emitc.literal "counter" : i32'))

    def bump(self) -> None:
        self.numbers.append(self.define(f"emitc.call @bump({self.number()}) : (i32) -> i32"))

    # ------------------------------------------------------------------ values and control flow

    def constant(self) -> None:
        value = self.random.randint(-9, 9)
        self.numbers.append(self.define(f'"emitc.constant"() <{{value = {value} : i32}}> : () -> i32'))

    def arith(self) -> None:
        name = self.random.choice(("add", "sub", "mul", "bitwise_and", "bitwise_or", "bitwise_xor"))
        self.numbers.append(self.define(f"emitc.{name} {self.number()}, {self.number()} : (i32, i32) -> i32"))

    def compare(self) -> None:
        self.flags.append(self.define(f"emitc.cmp lt, {self.number()}, {self.number()} : (i32, i32) -> i1"))

    def conditional(self) -> None:
        flag = self.random.choice(self.flags)
        self.numbers.append(self.define(f"emitc.conditional {flag}, {self.number()}, {self.number()} : i32"))

    def expression(self) -> None:
        one, other = self.number(), self.number()
        if one == other:
            return self.arith()
        result = self.define(f"emitc.expression {one}, {other} : (i32, i32) -> i32 {{")
        self.lines += [
            f"  %sum = emitc.add {one}, {other} : (i32, i32) -> i32",
            '  %told = emitc.call_opaque "tick"(%sum) : (i32) -> i32',
            "  emitc.yield %told : i32",
            "}",
        ]
        self.numbers.append(result)
        return None

    def if_(self) -> None:
        self.lines.append(f"emitc.if {self.random.choice(self.flags)} {{")
        self.inner()
        self.lines.append("} else {")
        self.inner()
        self.lines.append("}")

    def for_(self) -> None:
        self.count += 1
        self.lines.append(f"emitc.for %i{self.count} = %c0 to %c{self.random.choice((2, 3))} step %c1 {{")
        self.inner()
        self.lines.append("}")

    def inner(self) -> None:
        """Statements whose values are seen only in their region."""
        kept = list(self.numbers), list(self.places), list(self.flags)
        self.statements(self.random.randint(1, 2))
        self.assign()
        self.numbers, self.places, self.flags = kept
