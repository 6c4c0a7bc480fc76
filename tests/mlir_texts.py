"""Random texts that MLIR reads: few names, so that most of them mean several values; comments and line ends."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import NamedTuple

from tests.tools import mlir_tool

NAMES = ["0", "1", "2", "3", "17", "a", "b", "a_0", "a_1", "arg0", "-", "$x", "x.y", "_"]
COMMENTS = ["", "", "", " // %0 = {", ' // "', "// loc(", " // x\r", " // \r\r // y"]
ABOVE = ["", "", "", "", "// CHECK: %a\n", "  // one\n// two\n", "\n", "// away\n\n", "// c\r"]
GAPS = [" ", "\t", "\r", "\n\n", " \n \n", "\n//\n", "\n  // %0\n\n"]
LOCATIONS = [
    '"DEBUG|{}|m"',
    'fused["DEBUG|{}|m", "x"]',
    'fused<"%0 = ">["DEBUG|{}|m"]',
    'callsite("DEBUG|{}|m" at "f":1:2)',
    '"DEBUG|{}|m"(fused["a", "b"])',
]
SPLIT = b"// -----\n"
TOKEN = re.compile(
    rb'//[^\r\n]*|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|%[\w$.-]+(?:#\d+)?|[@#!^][\w$.-]+|->|::|\d[\w.]*|[A-Za-z_][\w$.]*|[^\s\w]|\s+'
)
GLUED = re.compile(rb"[\w$.#@-]")


class _Value(NamedTuple):
    name: str  # as an operand, such as ``%0#1``
    is_index: bool = False


class _Program:
    """One function. ``scopes`` has the values that are visible, by region; a name is free if none has it."""

    def __init__(self, seed: int, size: int, *, is_odd: bool = False) -> None:
        self.random = Random(seed)
        self.is_odd = is_odd
        self.left = size
        self.fresh = 100
        self.scopes: list[list[_Value]] = [[]]
        self.taken: list[set[str]] = [set()]
        self.uses_aliases = self.random.random() < 0.3
        self.indices = list(range(size))
        self.random.shuffle(self.indices)
        self.places: list[str] = []

    def text(self) -> str:
        x, n, c, m = (self.define(is_index=k == 1, is_other=k > 1) for k in range(4))
        self.flag, self.memory = c, m
        body = self.block(1)
        head = f"func.func @f({x}: f32, {n}: index, {c}: i1, {m}: memref<?xf32>) -> f32 {{\n"
        text = f"{head}{body}  return {self.used()} : f32\n}}\n"
        if self.random.random() < 0.2:
            text = f"module {{ // one\n{text}func.func private @g() // two\n}}\n"
        text += "".join(self.places)
        return text.replace("\n", "\r\n") if self.random.random() < 0.2 else text

    def define(self, *, is_index: bool = False, is_other: bool = False, results: int = 1) -> str:
        free = [name for name in NAMES if not any(name in taken for taken in self.taken)]
        self.fresh += 1
        name = self.random.choice(free) if free and self.random.random() < 0.8 else str(self.fresh)
        self.taken[-1].add(name)
        if not is_other:
            for number in range(results):
                numbered = f"%{name}#{number}" if results > 1 else f"%{name}"
                self.scopes[-1].append(_Value(numbered, is_index))
        return f"%{name}"

    def used(self, *, is_index: bool = False) -> str:
        visible = [value for scope in self.scopes for value in scope if value.is_index == is_index]
        return self.random.choice(visible[-6:] if self.random.random() < 0.5 else visible).name

    def open(self) -> None:
        self.scopes.append([])
        self.taken.append(set())

    def close(self) -> None:
        self.scopes.pop()
        self.taken.pop()

    def block(self, depth: int) -> str:
        count = self.random.randint(1, 7 if depth == 1 else 3)
        if depth == 1:
            count = self.left
        lines = []
        while count > 0 and self.left > 0:
            count -= 1
            self.left -= 1
            above = self.random.choice(ABOVE)
            op = self.op(depth)
            gap = "\n" if self.random.random() < 0.9 else self.random.choice(GAPS)
            comment = self.random.choice(COMMENTS) if gap == "\n" else ""
            indentation = self.random.choice(["  " * depth] * 6 + ["", "\t"])
            lines.append(f"{above}{indentation}{op}{self.location()}{comment}{gap}")
        return "".join(lines)

    def location(self) -> str:
        if self.random.random() < 0.1:
            return ""
        form = self.random.choice(LOCATIONS) if self.is_odd else LOCATIONS[0]
        location = f"loc({form.format(self.indices.pop() if self.indices else 0)})"
        if not self.uses_aliases:
            return f" {location}"
        name = f"#loc{len(self.places)}"
        self.places.append(f"{name} = {location}\n")
        return f" loc({name})"

    def op(self, depth: int) -> str:
        kinds = [self.sum, self.sum, self.negation, self.negation, self.generic, self.store, self.unknown]
        if self.is_odd:
            kinds += [self.with_flags, self.atomic, self.comparison, self.cast, self.call]
        nested = [self.loop, self.loop, self.choice, self.pair, self.region, self.inline, self.loop_while]
        nested += [self.map, self.affine, self.module, self.parallel]
        if self.is_odd:
            nested += [self.unreachable, self.switch]
        is_nested = depth < 4 and self.random.random() < 0.45
        return self.random.choice(nested if is_nested else kinds)(depth)

    def sum(self, _: int) -> str:
        between = self.random.choice([" ", " ", " // %b\n", " // c\r", "\n    "])
        operands = f"{self.used()},{between}{self.used()}"
        return f"{self.define()} = arith.addf {operands} : f32"

    def negation(self, _: int) -> str:
        value, note = self.used(), self.random.choice(["", "", ' {note = "%0 = // {"}', ' {n = "\\22%a"}'])
        return f"{self.define()} = arith.negf {value}{note} : f32"

    def generic(self, _: int) -> str:
        operands = f"{self.used()}, {self.used()}"
        return f'{self.define()} = "arith.mulf"({operands}) : (f32, f32) -> f32'

    def unknown(self, _: int) -> str:
        value = self.used()
        return f'{self.define(results=2)}:2 = "my.two"({value}) : (f32) -> (f32, f32)'

    def store(self, _: int) -> str:
        return f"memref.store {self.used()}, {self.memory}[{self.used(is_index=True)}] : memref<?xf32>"

    def with_flags(self, _: int) -> str:
        operands = f"{self.used()}, {self.used()}"
        return f"{self.define()} = arith.mulf {operands} fastmath<nnan,ninf> : f32"

    def atomic(self, _: int) -> str:
        value, place = self.used(), f"{self.memory}[{self.used(is_index=True)}]"
        return f"{self.define()} = memref.atomic_rmw addf {value}, {place} : (f32, memref<?xf32>) -> f32"

    def comparison(self, _: int) -> str:
        value = self.used()
        return f"{self.define(is_other=True)} = arith.cmpf olt, {value}, {value} : f32"

    def cast(self, _: int) -> str:
        value = self.used()
        return f"{self.define(is_other=True)} = arith.extf {value} : f32 to f64"

    def call(self, _: int) -> str:
        return f'"my.call"({self.used()}) <{{callee = @f}}> {{"a b" = "loc("}} : (f32) -> ()'

    def unreachable(self, depth: int) -> str:
        self.open()
        a, b = self.define(), self.define()
        body = self.block(depth + 1)
        self.close()
        late = f"{a} = arith.negf {b} : f32\n{b} = arith.negf {a} : f32\n{body}"
        return f"scf.execute_region {{\nscf.yield\n^bb1:\n{late}cf.br ^bb1\n}}"

    def switch(self, depth: int) -> str:
        n = self.used(is_index=True)
        parts = []
        for _ in range(2):
            self.open()
            parts.append(self.block(depth + 1))
            self.close()
        return (
            f"scf.index_switch {n}\ncase 2 {{\n{parts[0]}scf.yield\n}}\ndefault {{\n{parts[1]}scf.yield\n}}"
        )

    def loop(self, depth: int) -> str:
        n, start, has_state = self.used(is_index=True), self.used(), self.random.random() < 0.5
        self.open()
        header = f"scf.for {self.define(is_index=True)} = {n} to {n} step {n}"
        state = self.define() if has_state else ""
        body = self.block(depth + 1)
        end = self.used()
        self.close()
        if not has_state:
            return f"{header} {{\n{body}}}"
        state = f"iter_args({state} = {start}) -> (f32)"
        return f"{self.define()} = {header} {state} {{\n{body}scf.yield {end} : f32\n}}"

    def affine(self, depth: int) -> str:
        self.open()
        i = self.define(is_index=True)
        body = self.block(depth + 1)
        self.close()
        return f"affine.for {i} = 0 to 4 {{\n{body}}}"

    def parallel(self, depth: int) -> str:
        n = self.used(is_index=True)
        self.open()
        i, j = self.define(is_index=True), self.define(is_index=True)
        body = self.block(depth + 1)
        self.close()
        return f"scf.parallel ({i}, {j}) = ({n}, {n}) to ({n}, {n}) step ({n}, {n}) {{\n{body}}}"

    def choice(self, depth: int) -> str:
        self.open()
        then = self.block(depth + 1)
        self.close()
        if self.random.random() < 0.5:
            return f"scf.if {self.flag} {{\n{then}}}"
        self.open()
        otherwise = self.block(depth + 1)
        self.close()
        return f"scf.if {self.flag} {{\n{then}}} else {{\n{otherwise}}}"

    def pair(self, depth: int) -> str:
        parts = []
        for _ in range(2):
            self.open()
            parts.append(f"{self.block(depth + 1)}scf.yield {self.used()}, {self.used()} : f32, f32\n")
            self.close()
        then, otherwise = parts
        return f"{self.define(results=2)}:2 = scf.if {self.flag} -> (f32, f32) {{\n{then}}} else {{\n{otherwise}}}"

    def region(self, depth: int) -> str:
        self.open()
        a = self.define()
        body = self.block(depth + 1)
        self.close()
        return f'"my.r"() ({{\n^bb0({a}: f32): // %0\n{body}"my.end"() : () -> ()\n}}) : () -> ()'

    def inline(self, depth: int) -> str:
        self.open()
        body = self.block(depth + 1)
        if self.random.random() < 0.5:
            body += f"cf.br ^bb1({self.used()} : f32)\n^bb1({self.define()}: f32):\n{self.block(depth + 1)}"
        end = self.used()
        self.close()
        return f"{self.define()} = scf.execute_region -> f32 {{\n{body}scf.yield {end} : f32\n}}"

    def loop_while(self, depth: int) -> str:
        start = self.used()
        self.open()
        a = self.define()
        before = self.block(depth + 1)
        value = self.used()
        self.close()
        self.open()
        b = self.define()
        after = self.block(depth + 1)
        end = self.used()
        self.close()
        regions = (
            f"{{\n{before}scf.condition({self.flag}) {value} : f32\n}} do {{\n^bb0({b}: f32):\n"
            f"{after}scf.yield {end} : f32\n}}"
        )
        return f"{self.define()} = scf.while ({a} = {start}) : (f32) -> f32 {regions}"

    def map(self, depth: int) -> str:
        maps = "indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]"
        self.open()
        a, b = self.define(), self.define()
        body = self.block(depth + 1)
        end = self.used()
        self.close()
        m = self.memory
        return (
            f'linalg.generic {{{maps}, iterator_types = ["parallel"]}} ins({m} : memref<?xf32>) '
            f"outs({m} : memref<?xf32>) {{\n^bb0({a}: f32, {b}: f32):\n{body}linalg.yield {end} : f32\n}}"
        )

    def module(self, depth: int) -> str:
        """A module of its own: nothing around it is visible, but MLIR lets no name be used again."""
        kept, self.scopes = self.scopes, [[]]
        kept_left, kept_memory, kept_flag, self.left = self.left, self.memory, self.flag, 2
        self.open()
        x, n, self.flag, self.memory = (self.define(is_index=k == 1, is_other=k > 1) for k in range(4))
        header = f"func.func @g({x}: f32, {n}: index, {self.flag}: i1, {self.memory}: memref<?xf32>)"
        body = self.block(depth + 2)
        self.close()
        self.scopes, self.left, self.memory, self.flag = kept, kept_left, kept_memory, kept_flag
        return f"builtin.module {{\n{header} {{\n{body}return\n}}\n}}"


def generated(seed: int, size: int = 12) -> str:
    """A program. A few are no MLIR."""
    return _Program(seed, size).text()


def places(text: bytes) -> Iterator[tuple[int, int]]:
    """Where a line end may be put in place of the blanks between two tokens, outside of ``<...>``."""
    tokens, depth = list(TOKEN.finditer(text)), 0
    for token, after in pairwise(tokens):
        depth += (token[0] == b"<") - (token[0] == b">" and depth > 0)
        is_blank = after[0].isspace()
        is_one = bool(GLUED.match(token[0][-1:]) and GLUED.match(after[0])) or after[0] in b"<:"
        if (
            depth
            or token[0].isspace()
            or token[0] in b"@#!:"
            or token[0].startswith(b"//")
            or b"\n" in after[0]
        ):
            continue
        if is_blank or not is_one:
            yield token.end(), after.end() if is_blank else token.end()


def torn_at(text: bytes, place: tuple[int, int]) -> list[bytes]:
    start, end = place
    line = text[text.rfind(b"\n", 0, start) + 1 :]
    indentation = line[: len(line) - len(line.lstrip())]
    breaks = [
        b"\n" + indentation,
        b"\n",
        b"\n%b// x\n%b" % (indentation, indentation),
        b" // x\n\n" + indentation,
    ]
    return [text[:start] + between + text[end:] for between in breaks]


def odd(seed: int, size: int = 10) -> bytes:
    """A program with more kinds of ops, locations and blocks, torn at some places. A few are no MLIR."""
    random = Random(seed)
    text = _Program(seed, size, is_odd=True).text().encode()
    for _ in range(random.choice([0, 3, 30])):
        text = random.choice(torn_at(text, random.choice(list(places(text)))))
    return text


def read_by_mlir(texts: list[bytes]) -> list[bytes | None]:
    """Each text as MLIR prints it, or None if MLIR refuses it, with one start of ``mlir-opt``.

    The printed lines are sorted and without the names of values, so that the order of ops does not count.
    """
    command = [str(mlir_tool("mlir-opt")), "--allow-unregistered-dialect", "--split-input-file", "-"]
    command += ["--mlir-print-debuginfo", "--mlir-print-local-scope"]
    data = SPLIT.join(text if text.endswith(b"\n") else text + b"\n" for text in texts)
    done = subprocess.run(command, input=data, capture_output=True, timeout=300, check=False)
    return [_without_order(part) if part.strip() else None for part in done.stdout.split(SPLIT)]


def _without_order(printed: bytes) -> bytes:
    names = rb"%[\w$.-]+(?:#\d+)?|\"[^\"]*\":\d+:\d+"  # the second is the place of an op without a location
    return b"\n".join(sorted(re.sub(names, b"%", printed).splitlines()))
