"""Random programs over tensors that ops of a device change in place, view and free."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.running.judging import Program

TENSOR = "tensor<4xi32>"
PRELUDE = f"""func.func private @touch(%t: {TENSOR}, %x: {TENSOR}) {{
  "ttnn.fill_cache"(%t, %x) : ({TENSOR}, {TENSOR}) -> ()
  return
}}
func.func private @touch_view(%t: {TENSOR}, %x: {TENSOR}) {{
  %0 = "ttnn.reshape"(%t) : ({TENSOR}) -> {TENSOR}
  func.call @touch(%0, %x) : ({TENSOR}, {TENSOR}) -> ()
  return
}}
func.func private @same(%t: {TENSOR}) -> {TENSOR} {{
  return %t : {TENSOR}
}}
"""
VIEWS = ("ttnn.reshape", "ttnn.to_layout", "ttnn.to_memory_config")
DESTINATIONS = ("ttir.add", "ttir.maximum")
WRITES_FIRST = ("ttnn.fill_cache", "ttnn.update_cache", "ttnn.paged_update_cache")
WRITES_SECOND = ("ttnn.copy", "ttnn.write_tensor")
KINDS = (
    *("add", "add", "view", "view", "write_first", "write_first", "write_second", "deallocate", "deallocate"),
    *("destination", "destination", "into_any", "same", "if_", "if_write", "for_", "diamond", "touch"),
)


def device_program(seeds: Sequence[int], size: int = 7, kinds: Sequence[str] = KINDS) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    texts = [_Function(Random(seed), kinds).write(f"f{seed}", size) for seed in seeds]
    return Program("".join([PRELUDE, *texts]), tuple(f"f{seed}" for seed in seeds))


class _Function:
    def __init__(self, random: Random, kinds: Sequence[str]) -> None:
        self.random = random
        self.kinds = kinds
        self.lines: list[str] = []
        self.count = 0
        self.depth = 1
        self.owner: dict[str, str] = {}
        """What a tensor is a view of, where that is known: a tensor that the function made."""

    def write(self, name: str, size: int) -> str:
        for k in range(3):
            self.emit(f"%c{k} = arith.constant {k} : index")
        self.emit("%flag = arith.cmpi slt, %x, %y : i32")
        tensors = ["%a", "%b"]
        self.statements(tensors, size)
        types = ", ".join(TENSOR for _ in tensors)
        self.emit(f"return {', '.join(tensors)} : {types}")
        body = "\n".join(self.lines)
        return (
            f"func.func @{name}(%a: {TENSOR}, %b: {TENSOR}, %x: i32, %y: i32) -> ({types}) {{\n{body}\n}}\n"
        )

    def emit(self, line: str) -> None:
        self.lines.append("  " * self.depth + line)

    def fresh_name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def op(self, name: str, *operands: str) -> str:
        result = self.fresh_name()
        types = ", ".join(TENSOR for _ in operands)
        self.emit(f'{result} = "{name}"({", ".join(operands)}) : ({types}) -> {TENSOR}')
        return result

    def effect(self, name: str, *operands: str) -> None:
        types = ", ".join(TENSOR for _ in operands)
        self.emit(f'"{name}"({", ".join(operands)}) : ({types}) -> ()')

    def any_of(self, tensors: Sequence[str]) -> str:
        return self.random.choice(tensors[-4:])

    def keep(self, *tensors: str) -> None:
        """The function no longer knows who else holds these: they are not freed."""
        owners = {self.owner.get(tensor) for tensor in tensors}
        self.owner = {tensor: owner for tensor, owner in self.owner.items() if owner not in owners}

    def statements(self, tensors: list[str], count: int) -> None:
        for _ in range(count):
            kind = self.random.choice(self.kinds)
            if self.depth > 1 and kind in ("if_", "for_", "if_write", "deallocate", "diamond"):
                kind = "write_first"
            getattr(self, kind)(tensors)

    # ------------------------------------------------------------------ ops

    def add(self, tensors: list[str]) -> None:
        tensors.append(self.op("ttnn.add", self.any_of(tensors), self.any_of(tensors)))
        if self.depth == 1:
            self.owner[tensors[-1]] = tensors[-1]

    def view(self, tensors: list[str]) -> None:
        source = self.any_of(tensors)
        tensors.append(self.op(self.random.choice(VIEWS), source))
        if source in self.owner:
            self.owner[tensors[-1]] = self.owner[source]

    def destination(self, tensors: list[str]) -> None:
        """An op that writes its result into an empty tensor, which others may use as well."""
        empty = self.fresh_name()
        self.emit(f'{empty} = "ttir.empty"() : () -> {TENSOR}')
        made = [self.op(self.random.choice(DESTINATIONS), self.any_of(tensors), self.any_of(tensors), empty)]
        if self.random.random() < 0.3:
            made.append(empty)
        if self.depth == 1:
            self.owner.update(dict.fromkeys(made, empty))
        tensors += made

    def into_any(self, tensors: list[str]) -> None:
        """An op that writes its result into a tensor that may be anywhere, in a loop over and over."""
        target = self.any_of(tensors)
        operands = self.any_of(tensors), self.any_of(tensors), target
        tensors.append(self.op(self.random.choice(DESTINATIONS), *operands))
        if target in self.owner:
            self.owner[tensors[-1]] = self.owner[target]

    def write_first(self, tensors: list[str]) -> None:
        self.effect(self.random.choice(WRITES_FIRST), self.any_of(tensors), self.any_of(tensors))

    def write_second(self, tensors: list[str]) -> None:
        self.effect(self.random.choice(WRITES_SECOND), self.any_of(tensors), self.any_of(tensors))

    def deallocate(self, tensors: list[str]) -> None:
        """Frees a tensor that the function made, by itself or by a view; none of these is used later."""
        freeable = [tensor for tensor in tensors if tensor in self.owner]
        if not freeable:
            self.add(tensors)
            return
        tensor = self.random.choice(freeable)
        owner = self.owner[tensor]
        self.effect("ttnn.deallocate", tensor)
        tensors[:] = [other for other in tensors if self.owner.get(other) != owner]
        self.keep(tensor)

    def touch(self, tensors: list[str]) -> None:
        callee = self.random.choice(("touch", "touch_view"))
        one, other = self.any_of(tensors), self.any_of(tensors)
        self.emit(f"func.call @{callee}({one}, {other}) : ({TENSOR}, {TENSOR}) -> ()")

    def same(self, tensors: list[str]) -> None:
        source, result = self.any_of(tensors), self.fresh_name()
        self.keep(source)
        self.emit(f"{result} = func.call @same({source}) : ({TENSOR}) -> {TENSOR}")
        tensors.append(result)

    # ------------------------------------------------------------------ regions

    def body(self, tensors: Sequence[str]) -> None:
        inner = list(tensors)
        self.depth += 1
        self.statements(inner, self.random.randint(1, 2))
        self.emit(f"scf.yield {inner[-1]} : {TENSOR}")
        self.depth -= 1

    def if_(self, tensors: list[str]) -> None:
        self.keep(*tensors)
        result = self.fresh_name()
        self.emit(f"{result} = scf.if %flag -> ({TENSOR}) {{")
        self.body(tensors)
        self.emit("} else {")
        self.body(tensors)
        self.emit("}")
        tensors.append(result)

    def if_write(self, tensors: list[str]) -> None:
        self.emit("scf.if %flag {")
        self.depth += 1
        self.statements(list(tensors), 2)
        self.depth -= 1
        self.emit("} else {")
        self.depth += 1
        self.statements(list(tensors), 1)
        self.depth -= 1
        self.emit("}")

    def for_(self, tensors: list[str]) -> None:
        """A loop that changes the tensor that it carries."""
        self.keep(*tensors)
        result, carried, counter = (self.fresh_name() for _ in range(3))
        self.emit(
            f"{result} = scf.for {counter} = %c0 to %c2 step %c1 iter_args({carried} = {self.any_of(tensors)})"
            f" -> ({TENSOR}) {{"
        )
        self.depth += 1
        self.effect("ttnn.fill_cache", carried, self.any_of(tensors))
        self.depth -= 1
        self.body([*tensors, carried])
        self.emit("}")
        tensors.append(result)

    def diamond(self, tensors: list[str]) -> None:
        """The rest of the function in another block, which takes a tensor from either of two."""
        self.keep(*tensors)
        names = [self.fresh_name()[2:] for _ in range(3)]
        left, right, join = (f"^bb{name}" for name in names)
        result = self.fresh_name()
        self.emit(f"cf.cond_br %flag, {left}, {right}")
        for label in (left, right):
            self.lines.append(f"{label}:")
            inner = list(tensors)
            self.depth += 1
            self.statements(inner, 2)
            self.depth -= 1
            self.emit(f"cf.br {join}({inner[-1]} : {TENSOR})")
        self.lines.append(f"{join}({result}: {TENSOR}):")
        tensors.append(result)
