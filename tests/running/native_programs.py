"""Random programs for a real machine: what ``memref_programs`` writes, and what only a machine can do.

They print, meet in memory through pointers, atomics and vectors, take from the stack and give back, and
change how the machine rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.running.judging import Program
from tests.running.memref_programs import FLAT, KINDS, PRELUDE, Buffer, FunctionWriter, Scope

NATIVE_PRELUDE = f"""llvm.func @putchar(i32) -> i32
llvm.func @fesetround(i32) -> i32
llvm.mlir.global internal @cell(5 : i32) : i32
func.func private @say(%x: i32) {{
  vector.print %x : i32
  return
}}
func.func private @pointer(%m: {FLAT}) -> !llvm.ptr {{
  %0 = memref.extract_aligned_pointer_as_index %m : {FLAT} -> index
  %1 = arith.index_cast %0 : index to i64
  %2 = llvm.inttoptr %1 : i64 to !llvm.ptr
  return %2 : !llvm.ptr
}}
"""

MEMORY = (
    "vector_load",
    "vector_store",
    "transfer_read",
    "transfer_write",
    "atomic_rmw",
    "generic_atomic_rmw",
    "reshape",
    "strided_metadata",
    "assume_alignment",
    "realloc",
    "alloca_scope",
)
POINTERS = ("pointer", "address_of", "llvm_alloca", "llvm_load", "llvm_store", "llvm_load", "llvm_store")
LLVM = (
    *POINTERS,
    "volatile_load",
    "volatile_store",
    "llvm_atomicrmw",
    "llvm_cmpxchg",
    "memcpy",
    "memset",
)
OUTSIDE = ("print_", "putchar", "say", "assert_")
IN_PLACE = ("tensor_in_place",)
STATES = ("guarded_division", "guarded_tensors", "stack_saved", "round_", "convert")
"""What no declared effect tells: an op that must not run, a stack given back, a mode of the machine."""
NATIVE_KINDS = MEMORY + LLVM + OUTSIDE + STATES + IN_PLACE


def native_program(
    seeds: Sequence[int], size: int = 6, kinds: Sequence[str] = NATIVE_KINDS * 3 + KINDS
) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    texts = [_NativeFunction(Random(seed), kinds).write(f"f{seed}", size) for seed in seeds]
    return Program("".join([PRELUDE, NATIVE_PRELUDE, *texts]), tuple(f"f{seed}" for seed in seeds))


TENSOR = "tensor<8xi32>"
_ON_TENSORS = (
    *("extract", "insert", "insert_slice", "fill_tensor", "add_tensors", "write_vector"),
    *("loop_over_a_tensor", "scatter", "scatter"),
)
_DIVISIONS = (
    *("linalg.div", "linalg.div_unsigned", "linalg.elementwise kind=#linalg.elementwise_kind<div>"),
    *("linalg.map { arith.divsi }", "linalg.map { arith.remui }"),
)


class _NativeFunction(FunctionWriter):
    def emit_constants(self) -> None:
        super().emit_constants()
        self.emit("%zero = arith.constant 0 : i32")
        self.emit("%one = arith.constant 1 : i32")
        self.emit("%letters = arith.constant 65 : i32")
        self.emit("%low = arith.constant 15 : i32")
        self.emit(
            "%many = arith.addi %y, %low : i32"
        )  # unknown to the compiler: what it counts is on the stack
        self.emit("%bytes = arith.constant 8 : i64")
        self.emit("%byte = arith.constant 7 : i8")

    # ------------------------------------------------------------------ vectors, atomics, views

    def vector_of(self, scope: Scope) -> str:
        return self.define(f"vector.broadcast {self.number(scope)} : i32 to vector<4xi32>")

    def vector_store(self, scope: Scope) -> None:
        vector = self.vector_of(scope)
        place = f"{self.flat(scope).name}[{self.random.choice(('%c0', '%c3'))}]"
        self.emit(f"{self.vector_dialect()}store {vector}, {place} : {FLAT}, vector<4xi32>")

    def affine_place(self) -> str:
        return self.random.choice(("%c1 + 1", "%c2", "symbol(%c2)", "2", "0"))

    def vector_dialect(self) -> str:
        return self.random.choice(("vector.", "affine.vector_"))

    def transfer_write(self, scope: Scope) -> None:
        vector = self.vector_of(scope)
        self.emit(
            f"vector.transfer_write {vector}, {self.flat(scope).name}[%c1] {{in_bounds = [true]}} : vector<4xi32>, {FLAT}"
        )

    def vector_load(self, scope: Scope) -> None:
        place = f"{self.flat(scope).name}[{self.random.choice(('%c0', '%c2'))}]"
        vector = self.define(f"{self.vector_dialect()}load {place} : {FLAT}, vector<2xi32>")
        scope.numbers.append(self.define(f"vector.reduction <add>, {vector} : vector<2xi32> into i32"))

    def transfer_read(self, scope: Scope) -> None:
        vector = self.define(
            f"vector.transfer_read {self.flat(scope).name}[%c0], %one {{in_bounds = [true]}} : {FLAT}, vector<4xi32>"
        )
        scope.numbers.append(self.define(f"vector.reduction <xor>, {vector} : vector<4xi32> into i32"))

    def atomic_rmw(self, scope: Scope) -> None:
        place = f"{self.flat(scope).name}[{self.index()}]"
        scope.numbers.append(
            self.define(f"memref.atomic_rmw addi {self.number(scope)}, {place} : (i32, {FLAT}) -> i32")
        )

    def generic_atomic_rmw(self, scope: Scope) -> None:
        result, old, new = (self.fresh_name() for _ in range(3))
        self.emit(f"{result} = memref.generic_atomic_rmw {self.flat(scope).name}[{self.index()}] : {FLAT} {{")
        self.emit(f"^bb0({old}: i32):")
        self.emit(f"  {new} = arith.muli {old}, {self.number(scope)} : i32")
        self.emit(f"  memref.atomic_yield {new} : i32")
        self.emit("}")
        scope.numbers.append(result)

    def reshape(self, scope: Scope) -> None:
        """A view by a shape that is itself in memory."""
        shape = self.define("memref.alloca() : memref<1xindex>")
        size = self.define("arith.constant 8 : index")
        self.emit(f"memref.store {size}, {shape}[%c0] : memref<1xindex>")
        self.view(
            scope,
            f"memref.reshape {self.flat(scope).name}({shape}) : ({FLAT}, memref<1xindex>) -> {FLAT}",
            FLAT,
        )

    def strided_metadata(self, scope: Scope) -> None:
        result = self.fresh_name()
        base = "memref<i32>"
        self.emit(
            f"{result}:4 = memref.extract_strided_metadata {self.flat(scope).name} : {FLAT} -> {base}, index, index, index"
        )
        self.view(
            scope,
            f"memref.reinterpret_cast {result}#0 to offset: [0], sizes: [8], strides: [1] : {base} to {FLAT}",
            FLAT,
        )

    def assume_alignment(self, scope: Scope) -> None:
        self.view(scope, f"memref.assume_alignment {self.flat(scope).name}, 4 : {FLAT}", FLAT)

    def realloc(self, scope: Scope) -> None:
        """A buffer that is freed by ``memref.realloc``, whose result is freed in turn."""
        buffers, pointers = list(scope.buffers), list(scope.pointers)
        buffer = self.allocated(scope)
        owned = self.statements(scope, self.random.randint(1, 2))
        grown = self.define(f"memref.realloc {buffer.name} : {FLAT} to memref<16xi32>")
        scope.buffers[:], scope.pointers[:] = buffers, pointers
        scope.numbers.append(self.define(f"memref.load {grown}[{self.index()}] : memref<16xi32>"))
        self.emit(f"memref.dealloc {grown} : memref<16xi32>")
        self.free(owned)

    def alloca_scope(self, scope: Scope) -> None:
        """Without branches, which its lowering does not take."""
        result = self.fresh_name()
        self.emit(f"{result} = memref.alloca_scope -> (i32) {{")
        inner = scope.inner()
        self.depth += 1
        name = self.define(f"memref.alloca() : {FLAT}")
        inner.buffers += [Buffer(name, FLAT)] * 3
        self.emit(f"vector.store {self.vector_of(scope)}, {name}[%c0] : {FLAT}, vector<4xi32>")
        self.poke(inner)
        self.vector_load(inner)
        self.depth -= 1
        self.emit(f"  memref.alloca_scope.return {inner.numbers[-1]} : i32")
        self.emit("}")
        scope.numbers.append(result)

    # ------------------------------------------------------------------ tensors that are buffers

    def tensor_in_place(self, scope: Scope) -> None:
        """A buffer that is a tensor as well: bufferization writes some of its tensors into the buffer."""
        buffers = list(scope.buffers)
        buffer = self.allocated(scope)
        writable = self.random.choice((" writable", " writable", ""))
        tensors = [
            self.define(f"bufferization.to_tensor {buffer.name} restrict{writable} : {FLAT} to {TENSOR}")
        ]
        scope.buffers += [buffer] * 4
        for _ in range(self.random.randint(2, 6)):
            getattr(self, self.random.choice(_ON_TENSORS))(scope, tensors)
            if self.random.random() < 0.5:
                self.random.choice((self.load, self.load, self.store))(scope)
        self.free([buffer])
        scope.buffers[:] = buffers

    def tensor(self, tensors: Sequence[str]) -> str:
        return self.random.choice(tensors[-2:])

    def extract(self, scope: Scope, tensors: list[str]) -> None:
        scope.numbers.append(self.define(f"tensor.extract {self.tensor(tensors)}[{self.index()}] : {TENSOR}"))

    def insert(self, scope: Scope, tensors: list[str]) -> None:
        place = f"{self.tensor(tensors)}[{self.index()}]"
        tensors.append(self.define(f"tensor.insert {self.number(scope)} into {place} : {TENSOR}"))

    def insert_slice(self, scope: Scope, tensors: list[str]) -> None:
        half = "tensor<2xi32>"
        slice_ = self.define(f"tensor.from_elements {self.number(scope)}, {self.number(scope)} : {half}")
        place = f"{self.tensor(tensors)}[{self.random.choice((0, 1))}] [2] [1]"
        tensors.append(self.define(f"tensor.insert_slice {slice_} into {place} : {half} into {TENSOR}"))

    def fill_tensor(self, scope: Scope, tensors: list[str]) -> None:
        outs = f"outs({self.tensor(tensors)} : {TENSOR}) -> {TENSOR}"
        tensors.append(self.define(f"linalg.fill ins({self.number(scope)} : i32) {outs}"))

    def add_tensors(self, scope: Scope, tensors: list[str]) -> None:
        one, other = self.tensor(tensors), self.tensor(tensors)
        tensors.append(self.define(f"arith.addi {one}, {other} : {TENSOR}"))

    def write_vector(self, scope: Scope, tensors: list[str]) -> None:
        vector, target = self.vector_of(scope), self.tensor(tensors)
        write = f"vector.transfer_write {vector}, {target}[%c1] {{in_bounds = [true]}}"
        tensors.append(self.define(f"{write} : vector<4xi32>, {TENSOR}"))

    def loop_over_a_tensor(self, scope: Scope, tensors: list[str]) -> None:
        result, counter, carried = (self.fresh_name() for _ in range(3))
        self.emit(
            f"{result} = scf.for {counter} = %c0 to %c2 step %c1 iter_args({carried} = {self.tensor(tensors)})"
            f" -> ({TENSOR}) {{"
        )
        inner, changed = scope.inner(), [carried]
        self.depth += 1
        self.insert(inner, changed)
        self.load(inner)
        self.insert(inner, changed)
        self.emit(f"scf.yield {changed[-1]} : {TENSOR}")
        self.depth -= 1
        self.emit("}")
        tensors.append(result)

    def scatter(self, scope: Scope, tensors: list[str]) -> None:
        shaped, places, rows = "tensor<1x8x1xi32>", "tensor<1x1xi32>", "tensor<1x1x1xi32>"
        where = self.define(f"arith.constant dense<{self.random.randrange(8)}> : {places}")
        row = self.define(f"tensor.from_elements {self.number(scope)} : {rows}")
        target = self.define(
            f"tensor.expand_shape {self.tensor(tensors)} [[0, 1, 2]] output_shape [1, 8, 1] : {TENSOR} into {shaped}"
        )
        result = self.define(
            f"tosa.scatter {target}, {where}, {row} : ({shaped}, {places}, {rows}) -> {shaped}"
        )
        tensors.append(self.define(f"tensor.collapse_shape {result} [[0, 1, 2]] : {shaped} into {TENSOR}"))

    # ------------------------------------------------------------------ pointers

    def any_pointer(self, scope: Scope) -> str:
        if not scope.pointers:
            getattr(self, self.random.choice(("pointer", "address_of", "llvm_alloca")))(scope)
        return self.random.choice(scope.pointers[-4:])

    def pointer(self, scope: Scope) -> None:
        """A pointer to what a buffer holds."""
        name = self.define(f"func.call @pointer({self.flat(scope).name}) : ({FLAT}) -> !llvm.ptr")
        if self.random.random() < 0.5:
            name = self.define(f"llvm.getelementptr {name}[1] : (!llvm.ptr) -> !llvm.ptr, i32")
        scope.pointers.append(name)

    def address_of(self, scope: Scope) -> None:
        scope.pointers.append(self.define("llvm.mlir.addressof @cell : !llvm.ptr"))

    def llvm_alloca(self, scope: Scope) -> None:
        scope.pointers.append(self.define("llvm.alloca %many x i32 : (i32) -> !llvm.ptr"))
        self.emit(f"llvm.store {self.number(scope)}, {scope.pointers[-1]} : i32, !llvm.ptr")

    def llvm_load(self, scope: Scope, kind: str = "") -> None:
        pointer = self.any_pointer(scope)
        scope.numbers.append(self.define(f"llvm.load {kind}{pointer} : !llvm.ptr -> i32"))

    def llvm_store(self, scope: Scope, kind: str = "") -> None:
        pointer = self.any_pointer(scope)
        self.emit(f"llvm.store {kind}{self.number(scope)}, {pointer} : i32, !llvm.ptr")

    def volatile_load(self, scope: Scope) -> None:
        self.llvm_load(scope, "volatile ")

    def volatile_store(self, scope: Scope) -> None:
        self.llvm_store(scope, "volatile ")

    def llvm_atomicrmw(self, scope: Scope) -> None:
        pointer = self.any_pointer(scope)
        expression = f"llvm.atomicrmw add {pointer}, {self.number(scope)} monotonic : !llvm.ptr, i32"
        scope.numbers.append(self.define(expression))

    def llvm_cmpxchg(self, scope: Scope) -> None:
        pointer, one, other = self.any_pointer(scope), self.number(scope), self.number(scope)
        result = self.define(f"llvm.cmpxchg {pointer}, {one}, {other} acq_rel monotonic : !llvm.ptr, i32")
        scope.numbers.append(self.define(f"llvm.extractvalue {result}[0] : !llvm.struct<(i32, i1)>"))

    def memcpy(self, scope: Scope) -> None:
        """Copies within a buffer, so that both ends are of it."""
        pointer = self.define(f"func.call @pointer({self.flat(scope).name}) : ({FLAT}) -> !llvm.ptr")
        target = self.define(
            f"llvm.getelementptr {pointer}[{self.random.choice((2, 4))}] : (!llvm.ptr) -> !llvm.ptr, i32"
        )
        self.emit(
            f'"llvm.intr.memcpy"({target}, {pointer}, %bytes) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i64) -> ()'
        )

    def memset(self, scope: Scope) -> None:
        pointer = self.define(f"func.call @pointer({self.flat(scope).name}) : ({FLAT}) -> !llvm.ptr")
        self.emit(
            f'"llvm.intr.memset"({pointer}, %byte, %bytes) <{{isVolatile = false}}> : (!llvm.ptr, i8, i64) -> ()'
        )

    def stack_saved(self, scope: Scope) -> None:
        """What is taken from the stack behind a mark is given back and taken again; what is before it stays."""
        kept = self.define("llvm.alloca %many x i32 : (i32) -> !llvm.ptr")
        pointers, buffers = list(scope.pointers), list(scope.buffers)
        mark = self.define("llvm.intr.stacksave : !llvm.ptr")
        self.llvm_alloca(scope)
        self.free(self.statements(scope, self.random.randint(1, 2)))
        self.llvm_load(scope)
        self.emit(f"llvm.intr.stackrestore {mark} : !llvm.ptr")
        scope.pointers[:], scope.buffers[:] = [*pointers, kept], buffers
        self.emit(f"llvm.store {self.number(scope)}, {kept} : i32, !llvm.ptr")
        self.say(scope)  # takes from the stack what is free of it
        scope.numbers.append(self.define(f"llvm.load {kept} : !llvm.ptr -> i32"))

    # ------------------------------------------------------------------ what is seen from outside

    def print_(self, scope: Scope) -> None:
        self.emit(f"vector.print {self.number(scope)} : i32")

    def putchar(self, scope: Scope) -> None:
        low = self.define(f"arith.andi {self.number(scope)}, %low : i32")
        letter = self.define(f"arith.addi {low}, %letters : i32")
        scope.numbers.append(self.define(f"llvm.call @putchar({letter}) : (i32) -> i32"))

    def say(self, scope: Scope) -> None:
        self.emit(f"func.call @say({self.number(scope)}) : (i32) -> ()")

    def assert_(self, scope: Scope) -> None:
        """Fails seldom: what is printed before it is then all that the program does."""
        number = self.number(scope)
        limit = self.define(f"arith.constant {self.random.choice((1000, 100000, 60, 15))} : i32")
        flag = self.define(f"arith.cmpi slt, {number}, {limit} : i32")
        self.emit(f'cf.assert {flag}, "large"')

    def guarded_division(self, scope: Scope) -> None:
        """A division that is defined because the program ends before it by zero."""
        divisor = self.define(f"arith.andi {self.number(scope)}, %one : i32")
        flag = self.define(f"arith.cmpi ne, {divisor}, %zero : i32")
        self.emit(f'cf.assert {flag}, "zero"')
        scope.numbers.append(self.define(f"arith.divsi {self.number(scope)}, {divisor} : i32"))

    def guarded_tensors(self, scope: Scope) -> None:
        """The same with tensors of known extents."""
        divisor = self.define(f"arith.andi {self.number(scope)}, %one : i32")
        flag = self.define(f"arith.cmpi ne, {divisor}, %zero : i32")
        self.emit(f'cf.assert {flag}, "zero"')
        one, other = (self.define(f"tensor.splat {x} : {TENSOR}") for x in (self.number(scope), divisor))
        result, division = self.define(f"tensor.empty() : {TENSOR}"), self.random.choice(_DIVISIONS)
        text = f"{division} ins({one}, {other} : {TENSOR}, {TENSOR}) outs({result} : {TENSOR})"
        quotient = self.define(text if "map" in text else f"{text} -> {TENSOR}")
        scope.numbers.append(self.define(f"tensor.extract {quotient}[{self.index()}] : {TENSOR}"))

    def round_(self, scope: Scope) -> None:
        """Rounds upward, downward or to nearest from now on (x86)."""
        mode = self.define(f"arith.constant {self.random.choice((0, 1024, 2048))} : i32")
        self.emit(f"llvm.call @fesetround({mode}) : (i32) -> i32")

    def convert(self, scope: Scope) -> None:
        """A number that no float holds, as the machine rounds it now."""
        number = self.define(f"arith.constant {(1 << 25) + self.random.choice((1, 3))} : i32")
        rounded = self.define(
            f"llvm.intr.experimental.constrained.sitofp {number} dynamic ignore : i32 to f32"
        )
        scope.numbers.append(self.define(f"arith.bitcast {rounded} : f32 to i32"))
