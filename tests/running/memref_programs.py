"""Random programs in which most ops meet in memory: functions over buffers, views of these and globals.

A function takes two buffers, which may be one, and returns every number that it came by, so that its results
and what it leaves in memory tell in which order its ops ran. Nothing in a program is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.running.judging import Program

FLAT = "memref<8xi32>"
GRID = "memref<2x4xi32>"
DYNAMIC = "memref<?xi32>"
SIGNATURE = f"%a: {FLAT}, %b: {FLAT}, %x: i32, %y: i32"

PRELUDE = f""""memref.global"() <{{initial_value = dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi32>, sym_name = "g", sym_visibility = "private", type = {FLAT}}}> : () -> ()
"memref.global"() <{{initial_value = dense<[8, 7, 6, 5, 4, 3, 2, 1]> : tensor<8xi32>, sym_name = "h", sym_visibility = "private", type = {FLAT}}}> : () -> ()
func.func private @poke(%m: {FLAT}, %i: index, %x: i32) {{
  memref.store %x, %m[%i] : {FLAT}
  return
}}
func.func private @peek(%m: {FLAT}, %i: index) -> i32 {{
  %0 = memref.load %m[%i] : {FLAT}
  return %0 : i32
}}
func.func private @bump(%x: i32) -> i32 {{
  %c0 = arith.constant 0 : index
  %g = memref.get_global @g : {FLAT}
  %0 = memref.load %g[%c0] : {FLAT}
  %1 = arith.addi %0, %x : i32
  memref.store %1, %g[%c0] : {FLAT}
  return %1 : i32
}}
func.func private @bump_twice(%x: i32) -> i32 {{
  %0 = func.call @bump(%x) : (i32) -> i32
  %1 = func.call @bump(%0) : (i32) -> i32
  return %1 : i32
}}
func.func private @peek_global(%i: index) -> i32 {{
  %g = memref.get_global @g : {FLAT}
  %0 = func.call @peek(%g, %i) : ({FLAT}, index) -> i32
  return %0 : i32
}}
func.func private @same(%m: {FLAT}) -> {FLAT} {{
  return %m : {FLAT}
}}
func.func private @fresh(%x: i32) -> {FLAT} {{
  %0 = memref.alloc() : {FLAT}
  linalg.fill ins(%x : i32) outs(%0 : {FLAT})
  return %0 : {FLAT}
}}
func.func private @drop(%m: {FLAT}) {{
  memref.dealloc %m : {FLAT}
  return
}}
func.func private @mix(%x: i32, %y: i32) -> i32 {{
  %0 = arith.muli %x, %y : i32
  %1 = arith.xori %0, %x : i32
  return %1 : i32
}}
"""

ACCESSES = ("load", "store") * 4 + ("copy", "fill", "affine_load", "affine_store", "elementwise")
VIEWS = ("subview", "cast", "reinterpret_cast", "expand_shape", "collapse_shape", "select", "get_global")
REGIONS = ("if_", "if_store", "for_", "for_swap", "while_", "switch", "execute_region", "affine_for")
CALLS = ("poke", "peek", "bump", "bump_twice", "peek_global", "same", "mix")
LIFETIMES = ("temporary", "owned", "stack")
ARITH = ("arith", "compare")
SIMPLE = frozenset(ACCESSES + VIEWS + CALLS + ARITH)
KINDS = ACCESSES * 2 + VIEWS + REGIONS + CALLS + LIFETIMES + ARITH


def memref_program(seeds: Sequence[int], size: int = 4, kinds: Sequence[str] = KINDS) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    texts = [FunctionWriter(Random(seed), kinds).write(f"f{seed}", size) for seed in seeds]
    return Program("".join([PRELUDE, *texts]), tuple(f"f{seed}" for seed in seeds))


@dataclass(frozen=True)
class Buffer:
    name: str
    type: str


@dataclass
class Scope:
    """What an op may use where it stands."""

    numbers: list[str]
    flags: list[str]
    buffers: list[Buffer]
    pointers: list[str]

    def inner(self) -> Scope:
        return Scope(list(self.numbers), list(self.flags), list(self.buffers), list(self.pointers))

    def of_type(self, *types: str) -> list[Buffer]:
        return [buffer for buffer in self.buffers if buffer.type in types]


class FunctionWriter:
    """Writes one function; each kind of statement is a method of its name."""

    def __init__(self, random: Random, kinds: Sequence[str]) -> None:
        self.random = random
        self.kinds = kinds
        self.lines: list[str] = []
        self.count = 0
        self.depth = 1
        self.level = 0

    def write(self, name: str, size: int) -> str:
        scope = Scope(["%x", "%y"], [], [Buffer("%a", FLAT), Buffer("%b", FLAT)], [])
        self.emit_constants()
        scope.flags.append(self.define("arith.cmpi slt, %x, %y : i32"))
        owned = self.statements(scope, size)
        if self.random.random() < 0.4:
            self.diamond(scope)
            owned += self.statements(scope, size // 2)
        self.free(owned)
        types = ", ".join("i32" for _ in scope.numbers)
        self.emit(f"return {', '.join(scope.numbers)} : {types}")
        body = "\n".join(self.lines)
        return f"func.func @{name}({SIGNATURE}) -> ({types}) {{\n{body}\n}}\n"

    # ------------------------------------------------------------------ text

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def emit_constants(self) -> None:
        for k in range(4):
            self.emit(f"%c{k} = arith.constant {k} : index")

    def define(self, expression: str) -> str:
        name = self.fresh_name()
        self.emit(f"{name} = {expression}")
        return name

    def fresh_name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def label(self) -> str:
        self.count += 1
        return f"^bb{self.count}"

    def nested(self, scope: Scope, size: int = 2) -> None:
        """A few statements in a region; what they own is freed at its end."""
        self.depth += 1
        self.free(self.statements(scope, self.random.randint(1, size)))
        self.depth -= 1

    # ------------------------------------------------------------------ choices

    def number(self, scope: Scope) -> str:
        """Any number, the last ones more likely."""
        return self.random.choice(scope.numbers[-4:] if self.random.random() < 0.6 else scope.numbers)

    def flat(self, scope: Scope) -> Buffer:
        return self.random.choice(scope.of_type(FLAT)[-4:] + scope.of_type(FLAT)[:2])

    def any_buffer(self, scope: Scope) -> Buffer:
        return self.random.choice(scope.buffers[-5:] if self.random.random() < 0.7 else scope.buffers)

    def index(self) -> str:
        return f"%c{self.random.choice((0, 0, 1, 2))}"

    def place(self, buffer: Buffer) -> str:
        return f"%c{self.random.randint(0, 1)}, {self.index()}" if buffer.type == GRID else self.index()

    # ------------------------------------------------------------------ statements

    def statements(self, scope: Scope, count: int) -> list[Buffer]:
        """Statements, and the buffers that they own by now."""
        owned: list[Buffer] = []
        self.level += 1
        for _ in range(count):
            kind = self.random.choice(self.kinds)
            if self.level > 3 and kind not in SIMPLE:
                kind = "store"
            if kind == "owned":
                owned.append(self.allocated(scope))
            else:
                method: Callable[[Scope], None] = getattr(self, kind)
                method(scope)
        self.level -= 1
        return owned

    def load(self, scope: Scope) -> None:
        buffer = self.any_buffer(scope)
        scope.numbers.append(self.define(f"memref.load {buffer.name}[{self.place(buffer)}] : {buffer.type}"))

    def store(self, scope: Scope) -> None:
        buffer = self.any_buffer(scope)
        self.emit(f"memref.store {self.number(scope)}, {buffer.name}[{self.place(buffer)}] : {buffer.type}")

    def affine_load(self, scope: Scope) -> None:
        place = self.affine_place()
        scope.numbers.append(self.define(f"affine.load {self.flat(scope).name}[{place}] : {FLAT}"))

    def affine_store(self, scope: Scope) -> None:
        place = self.affine_place()
        self.emit(f"affine.store {self.number(scope)}, {self.flat(scope).name}[{place}] : {FLAT}")

    def affine_place(self) -> str:
        return self.random.choice(("%c1 + 1", "%c2", "%c0"))

    def copy(self, scope: Scope) -> None:
        source, target = self.flat(scope), self.flat(scope)
        if source != target:
            self.emit(f"memref.copy {source.name}, {target.name} : {FLAT} to {FLAT}")

    def fill(self, scope: Scope) -> None:
        self.emit(f"linalg.fill ins({self.number(scope)} : i32) outs({self.flat(scope).name} : {FLAT})")

    def elementwise(self, scope: Scope) -> None:
        """``target[i] += source[i]``."""
        source, target = self.flat(scope), self.flat(scope)
        one, same = "affine_map<(d0) -> (d0)>", self.fresh_name()
        self.emit(
            f'linalg.generic {{indexing_maps = [{one}, {one}], iterator_types = ["parallel"]}} '
            f"ins({source.name} : {FLAT}) outs({target.name} : {FLAT}) {{"
        )
        self.emit(f"^bb0({same}i: i32, {same}o: i32):")
        self.emit(f"  {same} = arith.addi {same}i, {same}o : i32")
        self.emit(f"  linalg.yield {same} : i32")
        self.emit("}")

    # ------------------------------------------------------------------ views

    def view(self, scope: Scope, expression: str, result: str) -> None:
        scope.buffers.append(Buffer(self.define(expression), result))

    def subview(self, scope: Scope) -> None:
        offset = self.random.randint(0, 4)
        result = f"memref<4xi32, strided<[1], offset: {offset}>>"
        self.view(
            scope, f"memref.subview {self.flat(scope).name}[{offset}] [4] [1] : {FLAT} to {result}", result
        )

    def reinterpret_cast(self, scope: Scope) -> None:
        offset = self.random.randint(0, 4)
        result = f"memref<4xi32, strided<[1], offset: {offset}>>"
        source = self.flat(scope).name
        self.view(
            scope,
            f"memref.reinterpret_cast {source} to offset: [{offset}], sizes: [4], strides: [1] : {FLAT} to {result}",
            result,
        )

    def cast(self, scope: Scope) -> None:
        if dynamic := scope.of_type(DYNAMIC):
            self.view(scope, f"memref.cast {self.random.choice(dynamic).name} : {DYNAMIC} to {FLAT}", FLAT)
        self.view(scope, f"memref.cast {self.flat(scope).name} : {FLAT} to {DYNAMIC}", DYNAMIC)

    def expand_shape(self, scope: Scope) -> None:
        source = self.flat(scope).name
        self.view(
            scope, f"memref.expand_shape {source} [[0, 1]] output_shape [2, 4] : {FLAT} into {GRID}", GRID
        )

    def collapse_shape(self, scope: Scope) -> None:
        if not scope.of_type(GRID):
            self.expand_shape(scope)
        source = self.random.choice(scope.of_type(GRID)).name
        self.view(scope, f"memref.collapse_shape {source} [[0, 1]] : {GRID} into {FLAT}", FLAT)

    def select(self, scope: Scope) -> None:
        flag, one, other = self.random.choice(scope.flags), self.flat(scope).name, self.flat(scope).name
        self.view(scope, f"arith.select {flag}, {one}, {other} : {FLAT}", FLAT)

    def get_global(self, scope: Scope) -> None:
        self.view(scope, f"memref.get_global @{self.random.choice('gh')} : {FLAT}", FLAT)

    # ------------------------------------------------------------------ lifetimes

    def allocated(self, scope: Scope) -> Buffer:
        if self.random.random() < 0.3:
            name = self.define(f"func.call @fresh({self.number(scope)}) : (i32) -> {FLAT}")
        else:
            name = self.define(f"memref.alloc() : {FLAT}")
            self.emit(f"linalg.fill ins({self.number(scope)} : i32) outs({name} : {FLAT})")
        scope.buffers.append(Buffer(name, FLAT))
        return scope.buffers[-1]

    def free(self, owned: Sequence[Buffer]) -> None:
        for buffer in owned:
            if self.random.random() < 0.3:
                self.emit(f"func.call @drop({buffer.name}) : ({FLAT}) -> ()")
            else:
                self.emit(f"memref.dealloc {buffer.name} : {FLAT}")

    def temporary(self, scope: Scope) -> None:
        """A buffer that is freed before the scope ends."""
        buffers, pointers = list(scope.buffers), list(scope.pointers)
        buffer = self.allocated(scope)
        owned = self.statements(scope, self.random.randint(1, 3))
        self.load(scope)
        self.free([*owned, buffer])
        scope.buffers[:], scope.pointers[:] = buffers, pointers

    def stack(self, scope: Scope) -> None:
        name = self.define(f"memref.alloca() : {FLAT}")
        self.emit(f"linalg.fill ins({self.number(scope)} : i32) outs({name} : {FLAT})")
        scope.buffers.append(Buffer(name, FLAT))

    # ------------------------------------------------------------------ calls

    def call(self, callee: str, operands: str, types: str, result: str) -> str:
        return self.define(f"func.call @{callee}({operands}) : ({types}) -> {result}")

    def poke(self, scope: Scope) -> None:
        operands = f"{self.flat(scope).name}, {self.index()}, {self.number(scope)}"
        self.emit(f"func.call @poke({operands}) : ({FLAT}, index, i32) -> ()")

    def peek(self, scope: Scope) -> None:
        operands = f"{self.flat(scope).name}, {self.index()}"
        scope.numbers.append(self.call("peek", operands, f"{FLAT}, index", "i32"))

    def bump(self, scope: Scope) -> None:
        scope.numbers.append(self.call("bump", self.number(scope), "i32", "i32"))

    def bump_twice(self, scope: Scope) -> None:
        scope.numbers.append(self.call("bump_twice", self.number(scope), "i32", "i32"))

    def peek_global(self, scope: Scope) -> None:
        scope.numbers.append(self.call("peek_global", self.index(), "index", "i32"))

    def same(self, scope: Scope) -> None:
        scope.buffers.append(Buffer(self.call("same", self.flat(scope).name, FLAT, FLAT), FLAT))

    def mix(self, scope: Scope) -> None:
        operands = f"{self.number(scope)}, {self.number(scope)}"
        scope.numbers.append(self.call("mix", operands, "i32, i32", "i32"))

    # ------------------------------------------------------------------ arith

    def arith(self, scope: Scope) -> None:
        name = self.random.choice(("addi", "subi", "muli", "xori"))
        expression = f"arith.{name} {self.number(scope)}, {self.number(scope)} : i32"
        scope.numbers.append(self.define(expression))

    def compare(self, scope: Scope) -> None:
        expression = f"arith.cmpi slt, {self.number(scope)}, {self.number(scope)} : i32"
        scope.flags.append(self.define(expression))

    # ------------------------------------------------------------------ regions

    def branch(self, scope: Scope, yield_op: str = "scf.yield") -> None:
        """The body of one of several regions, which hands out a number and a buffer."""
        inner = scope.inner()
        buffer = self.flat(inner).name
        self.nested(inner)
        number = inner.numbers[-1]
        self.emit(f"  {yield_op} {number}, {buffer} : i32, {FLAT}")

    def take(self, scope: Scope, result: str) -> None:
        scope.numbers.append(f"{result}#0")
        scope.buffers.append(Buffer(f"{result}#1", FLAT))

    def if_(self, scope: Scope) -> None:
        result = self.fresh_name()
        self.emit(f"{result}:2 = scf.if {self.random.choice(scope.flags)} -> (i32, {FLAT}) {{")
        self.branch(scope)
        self.emit("} else {")
        self.branch(scope)
        self.emit("}")
        self.take(scope, result)

    def if_store(self, scope: Scope) -> None:
        self.emit(f"scf.if {self.random.choice(scope.flags)} {{")
        self.nested(scope.inner())
        self.emit("}")

    def switch(self, scope: Scope) -> None:
        result = self.fresh_name()
        self.emit(f"{result}:2 = scf.index_switch {self.index()} -> i32, {FLAT}")
        self.emit("case 1 {")
        self.branch(scope)
        self.emit("}")
        self.emit("default {")
        self.branch(scope)
        self.emit("}")
        self.take(scope, result)

    def execute_region(self, scope: Scope) -> None:
        result = self.fresh_name()
        self.emit(f"{result}:2 = scf.execute_region -> (i32, {FLAT}) {{")
        self.branch(scope)
        self.emit("}")
        self.take(scope, result)

    def for_(self, scope: Scope) -> None:
        """A loop that carries a number."""
        result, carried, counter = self.fresh_name(), self.fresh_name(), self.fresh_name()
        self.emit(
            f"{result} = scf.for {counter} = %c0 to %c2 step %c1 iter_args({carried} = {self.number(scope)}) -> (i32) {{"
        )
        inner = scope.inner()
        inner.numbers.append(carried)
        self.nested(inner, 3)
        self.emit(f"  memref.store {inner.numbers[-1]}, {self.flat(scope).name}[{counter}] : {FLAT}")
        self.emit(f"  scf.yield {inner.numbers[-1]} : i32")
        self.emit("}")
        scope.numbers.append(result)

    def for_swap(self, scope: Scope) -> None:
        """A loop that carries two buffers and swaps them."""
        result, one, other, counter = (self.fresh_name() for _ in range(4))
        first, second = self.flat(scope).name, self.flat(scope).name
        self.emit(
            f"{result}:2 = scf.for {counter} = %c0 to %c3 step %c1 iter_args({one} = {first}, {other} = {second})"
            f" -> ({FLAT}, {FLAT}) {{"
        )
        inner = scope.inner()
        inner.buffers += [Buffer(one, FLAT), Buffer(other, FLAT)]
        self.nested(inner)
        self.emit(f"  memref.store {inner.numbers[-1]}, {one}[{counter}] : {FLAT}")
        self.emit(f"  scf.yield {other}, {one} : {FLAT}, {FLAT}")
        self.emit("}")
        scope.buffers += [Buffer(f"{result}#0", FLAT), Buffer(f"{result}#1", FLAT)]

    def while_(self, scope: Scope) -> None:
        """A loop that counts up and does things before and after its condition."""
        result, counter, condition, taken, following = (self.fresh_name() for _ in range(5))
        self.emit(f"{result} = scf.while ({counter} = %c0) : (index) -> index {{")
        self.nested(scope.inner(), 1)
        self.emit(f"  {condition} = arith.cmpi slt, {counter}, %c2 : index")
        self.emit(f"  scf.condition({condition}) {counter} : index")
        self.emit("} do {")
        self.emit(f"^bb0({taken}: index):")
        self.nested(scope.inner())
        self.emit(f"  {following} = arith.addi {taken}, %c1 : index")
        self.emit(f"  scf.yield {following} : index")
        self.emit("}")

    def affine_for(self, scope: Scope) -> None:
        counter = self.fresh_name()
        self.emit(f"affine.for {counter} = 0 to 3 {{")
        inner = scope.inner()
        self.nested(inner)
        self.emit(f"  affine.store {inner.numbers[-1]}, {self.flat(scope).name}[{counter} + 1] : {FLAT}")
        self.emit("}")

    # ------------------------------------------------------------------ blocks

    def diamond(self, scope: Scope) -> None:
        """Two blocks, one of which is run, and a third one that takes a number and a buffer from either."""
        left, right, join = self.label(), self.label(), self.label()
        number, buffer, passed = self.fresh_name(), self.fresh_name(), self.fresh_name()
        self.emit(
            f"cf.cond_br {self.random.choice(scope.flags)}, {left}({self.flat(scope).name} : {FLAT}), {right}"
        )
        for label in (left, right):
            inner = scope.inner()
            self.lines.append(f"{label}({passed}: {FLAT}):" if label == left else f"{label}:")
            if label == left:
                inner.buffers.append(Buffer(passed, FLAT))
            self.free(self.statements(inner, 3))
            chosen = self.flat(scope).name if label == right else passed
            self.emit(f"cf.br {join}({inner.numbers[-1]}, {chosen} : i32, {FLAT})")
        self.lines.append(f"{join}({number}: i32, {buffer}: {FLAT}):")
        scope.numbers.append(number)
        scope.buffers.append(Buffer(buffer, FLAT))
