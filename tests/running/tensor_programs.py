"""Random programs over tensors and globals, which functions load and store.

They have no regions: where one stores a global, IREE 3.13 writes outside of its buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.running.judging import Program

TENSOR = "tensor<4xi32>"
PRELUDE = f"""ml_program.global private mutable @g(dense<[1, 2, 3, 4]> : {TENSOR}) : {TENSOR}
ml_program.global private mutable @h(dense<[4, 3, 2, 1]> : {TENSOR}) : {TENSOR}
func.func private @bump(%x: {TENSOR}) -> {TENSOR} {{
  %0 = ml_program.global_load @g : {TENSOR}
  %1 = arith.addi %0, %x : {TENSOR}
  ml_program.global_store @g = %1 : {TENSOR}
  return %1 : {TENSOR}
}}
func.func private @turn() {{
  %0 = ml_program.global_load @g : {TENSOR}
  %1 = ml_program.global_load @h : {TENSOR}
  %2 = arith.addi %0, %1 : {TENSOR}
  %3 = arith.subi %0, %1 : {TENSOR}
  ml_program.global_store @g = %2 : {TENSOR}
  ml_program.global_store @h = %3 : {TENSOR}
  return
}}
"""

KINDS = (
    "load",
    "store",
    "load",
    "store",
    "bump",
    "turn",
    "arith",
    "insert",
    "insert_slice",
    "fill",
)


def tensor_program(seeds: Sequence[int], size: int = 7) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    texts = [_Function(Random(seed)).write(f"f{seed}", size) for seed in seeds]
    return Program("".join([PRELUDE, *texts]), tuple(f"f{seed}" for seed in seeds))


class _Function:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.count = 0

    def write(self, name: str, size: int) -> str:
        """A function that sets the globals, and returns them and all tensors that it came by, in one sum each."""
        for k in range(4):
            self.emit(f"%c{k} = arith.constant {k} : index")
        self.emit("%limit = arith.constant 12 : i32")
        for symbol, argument in (("g", "%a"), ("h", "%b")):
            copied = self.define(f"arith.addi {argument}, {argument} : {TENSOR}")
            self.emit(f"ml_program.global_store @{symbol} = {copied} : {TENSOR}")
        tensors = ["%a", "%b"]
        self.statements(tensors, size)
        weight, total = self.define(f"arith.constant dense<7> : {TENSOR}"), tensors[0]
        for tensor in tensors[1:]:
            product = self.define(f"arith.muli {total}, {weight} : {TENSOR}")
            total = self.define(f"arith.addi {product}, {tensor} : {TENSOR}")
        self.emit(f"%last_g = ml_program.global_load @g : {TENSOR}")
        self.emit(f"%last_h = ml_program.global_load @h : {TENSOR}")
        self.emit(f"return {total}, %last_g, %last_h : {TENSOR}, {TENSOR}, {TENSOR}")
        body = "\n".join(self.lines)
        return f"func.func @{name}(%a: {TENSOR}, %b: {TENSOR}) -> ({TENSOR}, {TENSOR}, {TENSOR}) {{\n{body}\n}}\n"

    def emit(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def define(self, expression: str) -> str:
        self.count += 1
        self.emit(f"%v{self.count} = {expression}")
        return f"%v{self.count}"

    def any_of(self, tensors: Sequence[str]) -> str:
        return self.random.choice(tensors[-3:])

    def statements(self, tensors: list[str], count: int) -> None:
        for _ in range(count):
            getattr(self, self.random.choice(KINDS))(tensors)

    def load(self, tensors: list[str]) -> None:
        tensors.append(self.define(f"ml_program.global_load @{self.random.choice('gh')} : {TENSOR}"))

    def store(self, tensors: list[str]) -> None:
        changed = self.define(f"arith.addi {self.any_of(tensors)}, {tensors[-1]} : {TENSOR}")
        self.emit(f"ml_program.global_store @{self.random.choice('gh')} = {changed} : {TENSOR}")

    def bump(self, tensors: list[str]) -> None:
        tensors.append(self.define(f"func.call @bump({self.any_of(tensors)}) : ({TENSOR}) -> {TENSOR}"))

    def turn(self, tensors: list[str]) -> None:
        self.emit("func.call @turn() : () -> ()")

    def arith(self, tensors: list[str]) -> None:
        name = self.random.choice(("addi", "muli", "subi"))
        tensors.append(self.define(f"arith.{name} {self.any_of(tensors)}, {self.any_of(tensors)} : {TENSOR}"))

    def insert(self, tensors: list[str]) -> None:
        number = self.define(
            f"tensor.extract {self.any_of(tensors)}[%c{self.random.randint(0, 3)}] : {TENSOR}"
        )
        place = f"{self.any_of(tensors)}[%c{self.random.randint(0, 3)}]"
        tensors.append(self.define(f"tensor.insert {number} into {place} : {TENSOR}"))

    def insert_slice(self, tensors: list[str]) -> None:
        half = "tensor<2xi32>"
        source = self.define(f"tensor.extract_slice {self.any_of(tensors)}[1] [2] [1] : {TENSOR} to {half}")
        source = self.define(
            f"arith.addi {source}, {source} : {half}"
        )  # IREE copies no slice within one tensor
        place = f"{self.any_of(tensors)}[{self.random.choice((0, 2))}] [2] [1]"
        tensors.append(self.define(f"tensor.insert_slice {source} into {place} : {half} into {TENSOR}"))

    def fill(self, tensors: list[str]) -> None:
        """Writes into a tensor of the program: on tensors that changes nothing of it."""
        target = self.any_of(tensors)
        tensors.append(self.define(f"linalg.fill ins(%limit : i32) outs({target} : {TENSOR}) -> {TENSOR}"))
