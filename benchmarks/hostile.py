"""Write dumps of hostile shapes: small files that would take a careless program forever.

    python benchmarks/hostile.py chains --size 5000 > chains.mlir

``SHAPES`` has them all. The size is about the number of ops, or of whatever the shape has many of. The same
arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Lines = Iterator[str]
NO_KEY = -1


@dataclass(slots=True)
class Block:
    """Pure ops, each with a key and the numbers of the ops that it uses."""

    keys: list[int] = field(default_factory=list)
    operands: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, key: int, *operands: int) -> int:
        """Append an op and return its number."""
        self.keys.append(key)
        self.operands.append(operands)
        return len(self.keys) - 1

    def lines(self) -> Lines:
        """Return the block as a function."""
        yield "func.func @f(%a: i32) {"
        for op, (key, operands) in enumerate(zip(self.keys, self.operands, strict=True)):
            used = ", ".join(f"%{operand}" for operand in operands) or "%a"
            location = "" if key == NO_KEY else f' loc("{key}|")'
            yield f"  %{op} = ttir.add {used} : i32{location}"
        yield "  return"
        yield "}"


LEVELS = 5_000
"""How deep a function is nested at most. Regions that are nested more than 10,000 deep are an error."""


def _function(body: Iterable[str], name: str = "f") -> Lines:
    yield f"func.func @{name}(%a: i32, %c: i1, %m: memref<i32>) {{"
    yield from body
    yield "  return"
    yield "}"


def _functions(body: Callable[[range], Lines], levels: int) -> Lines:
    """Yield functions that have all levels together."""
    for start in range(0, levels, LEVELS):
        yield from _function(body(range(start, min(start + LEVELS, levels))), f"f{start}")


# ---------------------------------------------------------------------- dependences against keys


def chains(size: int) -> Block:
    """Interleaved chains, each against the keys of the next: one ascends, one descends."""
    block, count = Block(), max(int(size**0.5), 1)
    length = max(size // count, 1)
    for place in range(length):
        for chain in range(count):
            key = place if chain % 2 else length - place
            block.add(key * count + chain, *([len(block.keys) - count] if place else []))
    return block


def few_chains(size: int) -> Block:
    """Four long chains, two against two."""
    block = Block()
    for op in range(size):
        place, chain = divmod(op, 4)
        block.add(place if chain % 2 else size - place, *([op - 4] if place else []))
    return block


def long_chains(size: int) -> Block:
    """Ten consecutive chains with interleaved, descending keys."""
    block, length = Block(), max(size // 10, 1)
    for op in range(length * 10):
        chain, place = divmod(op, length)
        block.add((length - place) * 10 + chain, *([op - 1] if place else []))
    return block


def many_chains(size: int) -> Block:
    """Chains of ten ops whose keys are random."""
    chance, block, count = random.Random(0), Block(), max(size // 10, 1)
    for op in range(count * 10):
        block.add(chance.randrange(size), *([op - count] if op >= count else []))
    return block


def reversed_chain(size: int) -> Block:
    """One chain against its keys, so that all pairs are forced."""
    block = Block()
    for op in range(size):
        block.add(size - op, *([op - 1] if op else []))
    return block


def opposed_pairs(size: int) -> Block:
    """Producers and users far after them, again and again. Their keys nest the pairs."""
    block, half = Block(), size // 2
    for op in range(half):
        block.add(size - op)
    for op in range(half):
        block.add(op, op)
    return block


def crossed_pairs(size: int) -> Block:
    """The same with random pairs."""
    chance, block, half = random.Random(0), Block(), size // 2
    users = chance.sample(range(half), half)
    for _ in range(half):
        block.add(half + chance.randrange(half))
    for op in range(half):
        block.add(chance.randrange(half), users[op])
    return block


def bipartite(size: int) -> Block:
    """Producers with large keys, and users with small keys that each use about ten of them."""
    chance, block, half = random.Random(0), Block(), size // 2
    for op in range(half):
        block.add(size - op)
    for op in range(half):
        block.add(op, *(chance.randrange(half) for _ in range(10)))
    return block


def all_pairs(size: int) -> Block:
    """A complete bipartite graph, all of it forced. Its size is the number of operands."""
    block, half = Block(), max(int(size**0.5), 1)
    for op in range(half):
        block.add(2 * half - op)
    for op in range(half):
        block.add(half - op, *range(half))
    return block


def _random(size: int, degree: float, reach: int | None) -> Block:
    chance, block = random.Random(0), Block()
    keys = chance.sample(range(size), size)
    for op in range(size):
        wanted = int(degree) + (chance.random() < degree % 1)
        low = 0 if reach is None else max(0, op - reach)
        block.add(keys[op], *sorted({chance.randrange(low, op) for _ in range(wanted if op else 0)}))
    return block


def sparse(size: int) -> Block:
    """Random keys, and one dependence for every five ops."""
    return _random(size, 0.2, None)


def tree(size: int) -> Block:
    """Random keys, one dependence for each op."""
    return _random(size, 1, None)


def dense(size: int) -> Block:
    """Random keys, three dependences for each op."""
    return _random(size, 3, None)


def local(size: int) -> Block:
    """Random keys, and two dependences for each op, on ops nearby."""
    return _random(size, 2, 50)


def jittered(size: int) -> Block:
    """Ascending keys with noise, and dependences nearby: a large window that is nearly in order."""
    chance, block = random.Random(0), Block()
    for op in range(size):
        block.add(
            int(op + chance.gauss(0, 30)),
            *({max(0, op - chance.randrange(1, 40)) for _ in "ab"} if op else ()),
        )
    return block


def grid(size: int) -> Block:
    """A square. Each op uses the op above and the op on the left, and the keys run against both."""
    block, side = Block(), max(int(size**0.5), 1)
    for op in range(side * side):
        row, column = divmod(op, side)
        operands = ([op - side] if row else []) + ([op - 1] if column else [])
        block.add((side - column) * side + row, *operands)
    return block


def ladder(size: int) -> Block:
    """Two chains with rungs. The keys descend in one chain and ascend in the other."""
    block = Block()
    for op in range(size):
        place, side = divmod(op, 2)
        operands = ([op - 2] if place else []) + ([op - 1] if side and place % 3 == 0 else [])
        block.add(place if side else size - place, *operands)
    return block


def unindexed(size: int) -> Block:
    """Ops in the wrong order, each with an unindexed producer above all and an unindexed user below."""
    block, third = Block(), size // 3
    for _ in range(third):
        block.add(NO_KEY)
    for op in range(third):
        block.add(third - op, op)
    for op in range(third):
        block.add(NO_KEY, 2 * third - 1 - op)
    return block


def one_user(size: int) -> Block:
    """Ops without order, and one in the middle of the keys that uses all of them."""
    block = Block()
    for op in range(size):
        block.add(2 * (size - op))
    block.add(size, *range(size))
    return block


def antichain(size: int) -> Block:
    """Random keys and no dependence."""
    return _random(size, 0, None)


def equal_keys(size: int) -> Block:
    """Only two keys, and one dependence for each op."""
    block = _random(size, 1, None)
    block.keys = [key % 2 for key in block.keys]
    return block


def sawtooth(size: int) -> Block:
    """Keys that ascend and fall back, and a chain through every hundredth op against them."""
    block, length = Block(), 100
    for op in range(size):
        place = op % length
        is_linked = place == 0 and op > 0
        block.add(
            size - op if place == 0 else place * size // length + op // length,
            *([op - length] if is_linked else []),
        )
    return block


def small_blocks(size: int) -> Lines:
    """Blocks of ten disordered ops each, in separate functions."""
    for number in range(size // 10):
        rows = _random(10, 1, None)
        chance = random.Random(number)
        chance.shuffle(rows.keys)
        lines = list(rows.lines())
        yield lines[0].replace("@f", f"@f{number}")
        yield from lines[1:]


def middle_blocks(size: int) -> Lines:
    """Blocks of five hundred ops each in interleaved chains, all different."""
    for number in range(max(size // 500, 1)):
        rows = chains(500)
        chance = random.Random(number)
        rows.keys = [key + chance.randrange(40) for key in rows.keys]
        lines = list(rows.lines())
        yield lines[0].replace("@f", f"@f{number}")
        yield from lines[1:]


def small_windows(size: int) -> Block:
    """One block that splits into windows of three hundred ops, each with random keys."""
    chance, block = random.Random(0), Block()
    for start in range(0, size, 300):
        keys = chance.sample(range(start, start + 300), 300)
        for op in range(300):
            block.add(keys[op], *([start + chance.randrange(op)] if op and op % 2 else []))
    return block


# ---------------------------------------------------------------------- memory


def nest(size: int) -> Lines:
    """Nested scf.if with a deallocation at each level."""

    def body(levels: range) -> Lines:
        for level in levels:
            yield f'memref.dealloc %m : memref<i32> loc("{size - level}|")'
            yield "scf.if %c {"
        yield from ['} loc("1|")'] * len(levels)

    return _functions(body, size)


def deallocs(size: int) -> Lines:
    """Deallocations of one buffer, in the wrong order."""
    return _function(f'  memref.dealloc %m : memref<i32> loc("{size - op}|")' for op in range(size))


def own_deallocs(size: int) -> Lines:
    """Allocations, then their deallocations in reverse order."""

    def body() -> Lines:
        for op in range(size // 2):
            yield f'  %{op} = memref.alloc() : memref<i32> loc("{size // 2 - op}|")'
        for op in range(size // 2):
            yield f'  memref.dealloc %{op} : memref<i32> loc("{size - op}|")'

    return _function(body())


def globals_(size: int) -> Lines:
    """Deallocations, then loads of global variables."""

    def body() -> Lines:
        for op in range(size // 2):
            yield f'  memref.dealloc %m : memref<i32> loc("{size - op}|")'
        for op in range(size // 2):
            yield f'  %{op} = ml_program.global_load @g : i32 loc("{size // 2 - op}|")'

    return _function(body())


def loads_and_stores(size: int) -> Lines:
    """Alternating series of loads and stores of one buffer, against their indices."""

    def body() -> Lines:
        for op in range(size):
            location = f'loc("{size - op}|")'
            if op // 50 % 2:
                yield f"  memref.store %a, %m[] : memref<i32> {location}"
            else:
                yield f"  %{op} = memref.load %m[] : memref<i32> {location}"

    return _function(body())


def unknown_ops(size: int) -> Lines:
    """Ops that may do anything, with loads between them."""

    def body() -> Lines:
        for op in range(size):
            location = f'loc("{size - op}|")'
            if op % 2:
                yield f"  my.op %a : i32 {location}"
            else:
                yield f"  %{op} = memref.load %m[] : memref<i32> {location}"

    return _function(body())


def calls(size: int) -> Lines:
    """Functions that each call the previous one twice, against their indices."""
    yield "func.func @f0() {"
    yield "  return"
    yield "}"
    for number in range(1, size // 2):
        yield f"func.func @f{number}() {{"
        yield f'  func.call @f{number - 1}() : () -> () loc("2|")'
        yield f'  func.call @f{number - 1}() : () -> () loc("1|")'
        yield "  return"
        yield "}"


# ---------------------------------------------------------------------- structure


def deep(size: int) -> Lines:
    """Nested regions with two disordered ops in each."""

    def body(levels: range) -> Lines:
        for level in levels:
            yield f'%x{level} = ttir.add %a : i32 loc("2|")'
            yield f'%y{level} = ttir.add %a : i32 loc("1|")'
            yield "scf.if %c {"
        yield from ["}"] * len(levels)

    return _functions(body, size // 3)


def operands(size: int) -> Lines:
    """One op with ``size`` operands, all of one value, after two ops in the wrong order."""
    used = ", ".join(["%x"] * size)

    def body() -> Lines:
        yield '  %x = ttir.add %a : i32 loc("3|")'
        yield '  %y = ttir.add %a : i32 loc("1|")'
        yield f'  ttir.add {used} : i32 loc("2|")'

    return _function(body())


def results(size: int) -> Lines:
    """One op with ``size`` results, used backwards."""

    def body() -> Lines:
        yield f'  %x:{size} = "ttir.sort"(%a) : (i32) -> ({", ".join(["i32"] * size)}) loc("1|")'
        for op in range(size // 10):
            yield f'  %{op} = ttir.add %x#{size - op * 10 - 1} : i32 loc("{size - op}|")'

    return _function(body())


def alias_chain(size: int) -> Lines:
    """Locations that are aliases of aliases, and so on."""
    yield from _function(f"  %{op} = ttir.add %a : i32 loc(#loc{size - op})" for op in range(min(size, 100)))
    yield '#loc0 = loc("1|")'
    for number in range(1, size + 1):
        yield f'#loc{number} = loc("{number}|"(#loc{number - 1}))'


def alias_tree(size: int) -> Lines:
    """Fused locations of two aliases each, which are fused locations of two aliases, and so on."""
    yield from _function(f"  %{op} = ttir.add %a : i32 loc(#loc{size - op})" for op in range(min(size, 100)))
    yield '#loc0 = loc("1|")'
    for number in range(1, size + 1):
        yield f"#loc{number} = loc(fused[#loc{number - 1}, #loc{number - 1}])"


def fused(size: int) -> Lines:
    """Two ops in the wrong order, with fused locations of ``size`` parts."""
    parts = ", ".join(f'"{number}|"' for number in range(size // 2, 0, -1))

    def body() -> Lines:
        yield f"  %x = ttir.add %a : i32 loc(fused[{parts}])"
        yield f"  %y = ttir.add %a : i32 loc(fused[{parts}])"

    return _function(body())


def nested_locations(size: int) -> Lines:
    """Two ops in the wrong order, with nested names in the location of each."""

    def body() -> Lines:
        for op in ("x", "y"):
            names = "".join(f'"{level}|"(' for level in range(size // 2))
            yield f'  %{op} = ttir.add %a : i32 loc({names}"{op}"{")" * (size // 2)})'

    return _function(body())


def brackets(size: int) -> Lines:
    """An attribute of nested brackets, after two ops in the wrong order."""

    def body() -> Lines:
        yield '  %x = ttir.add %a : i32 loc("3|")'
        yield '  %y = ttir.add %a : i32 loc("1|")'
        yield f'  %z = ttir.add %a {{v = {"[" * size}{"]" * size}}} : i32 loc("2|")'

    return _function(body())


def dumps(size: int) -> Lines:
    """A log of tiny dumps, all disordered."""
    for number in range(size // 2):
        yield f"// -----// IR Dump After P{number} (p{number}) //----- //"
        yield "func.func @f(%a: i32) {"
        yield '  %x = ttir.add %a : i32 loc("2|")'
        yield '  %y = ttir.add %a : i32 loc("1|")'
        yield "  return"
        yield "}"


def jumps(size: int) -> Lines:
    """Blocks that jump to the next, with two disordered ops in each, and values from far above."""

    def body() -> Lines:
        for number in range(size // 3):
            if number:
                yield f"^bb{number}:"
            yield f'  %x{number} = ttir.add %a : i32 loc("2|")'
            yield f'  %y{number} = ttir.add %x{number // 2} : i32 loc("1|")'
            yield f"  cf.br ^bb{number + 1}"
        yield f"^bb{size // 3}:"

    return _function(body())


def captures(size: int) -> Lines:
    """Ops with regions that use values of all earlier ops."""

    def body() -> Lines:
        for op in range(size // 3):
            yield "  scf.if %c {"
            yield f'    %y{op} = ttir.add {f"%x{op - 1}" if op else "%a"} : i32 loc("1|")'
            yield f'  }} loc("{size - op}|")'
            yield f'  %x{op} = ttir.add %a : i32 loc("{op}|")'

    return _function(body())


Shape = Callable[[int], Block | Lines]
ORDER: tuple[Shape, ...] = (
    chains,
    few_chains,
    long_chains,
    many_chains,
    reversed_chain,
    opposed_pairs,
    crossed_pairs,
    bipartite,
    all_pairs,
    sparse,
    tree,
    dense,
    local,
    jittered,
    grid,
    ladder,
    unindexed,
    one_user,
    antichain,
    equal_keys,
    sawtooth,
    small_blocks,
    middle_blocks,
    small_windows,
)
"""Shapes for the search for orders."""

OTHERS: tuple[Shape, ...] = (
    nest,
    deallocs,
    own_deallocs,
    globals_,
    loads_and_stores,
    unknown_ops,
    calls,
    deep,
    operands,
    results,
    alias_chain,
    alias_tree,
    fused,
    nested_locations,
    brackets,
    dumps,
    jumps,
    captures,
)
"""Shapes for the reader, and for memory effects."""

SHAPES = {shape.__name__.rstrip("_").replace("_", "-"): shape for shape in ORDER + OTHERS}


def lines(shape: str, size: int) -> Lines:
    """Return the lines of a shape of some size."""
    made = SHAPES[shape](size)
    return made.lines() if isinstance(made, Block) else made


def main() -> None:
    """Write to standard output."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shape", choices=SHAPES)
    parser.add_argument("--size", type=int, default=10_000)
    arguments = parser.parse_args()
    sys.stdout.writelines(f"{line}\n" for line in lines(arguments.shape, arguments.size))


if __name__ == "__main__":
    main()
