"""Write large dumps like those of a real model: TTIR ops with op indices in their locations, or logs of IREE.

    python benchmarks/generate.py flat --ops 100000 > flat.mlir
    python benchmarks/generate.py flat --ops 100000 --shuffle 0.2 > shuffled.mlir
    python benchmarks/generate.py wide > before.mlir; python benchmarks/generate.py interleaved > after.mlir
    python benchmarks/generate.py permuted > before.mlir; python benchmarks/generate.py cancelled > after.mlir
    python benchmarks/generate.py iree --modules 150 > iree.log    # with iree-compile

Everything is streamed, so a million ops need no memory. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import IO

IMAGE = "tensor<1x64x56x56xf32>"
WEIGHT = "tensor<64x64x3x3xf32>"
VECTOR = "tensor<64xf32>"
CHANNELS_LAST = "tensor<1x56x56x64xf32>"
KINDS = (
    "flat", "nested", "alias", "dense", "wide", "interleaved", "permuted", "cancelled", "log", "pipeline",
    "executables", "iree",
)  # fmt: skip
INTERLEAVED = 4
"""The number of independent layers whose ops are in one random order."""
KEPT_EVERY = 5
"""One in so many layers keeps its permutes. A pass has cancelled those of the others."""

FARTHEST = 40
"""The most ops that a shuffled constant moves up. The index of a derived op is as far off."""

FUNCTIONS = 10
"""The number of functions of the module in a log."""
CONSTANT_FUNCTIONS = 6
"""The number of small functions beside the large one of a pipeline's module."""
CHANGES_EVERY = 8
"""One in so many passes of a pipeline changes something."""
SCOPES = (2, *(1,) * 10, 0, *(1,) * 8)
"""In turn, how many modules are around the functions in the dumps of a pipeline. 0: only one function."""

IREE_OPTIONS = (
    "--compile-to=stream",
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=vmvx",
    "--mlir-disable-threading",
    "--mlir-print-ir-after-all",
)


@dataclass(slots=True)
class Op:
    """One op of a layer: its text without location, and the text of its location."""

    text: str
    module: str
    line: int
    name: str


class Model:
    """A ResNet-like chain of layers of half a dozen ops each.

    Args:
        ops: the approximate number of ops, nested ones included.
        nested: whether every third layer has a region.
        dense_bytes: bytes of hexadecimal constants, spread over four ops.
        shuffle: how much a pass has shuffled. This share of the small constants (a sixth of the ops) is
            hoisted over up to FARTHEST ops, which is avoidable. A quarter as many products are ops that the
            pass derived from a later op, with its index. Dependences force these.
    """

    is_wide = False  # whether every layer uses the argument instead of the layer before

    def __init__(
        self,
        ops: int,
        *,
        nested: bool = False,
        dense_bytes: int = 0,
        shuffle: float = 0.0,
        seed: int = 0,
        has_locations: bool = True,
    ) -> None:
        self.ops = ops
        self.has_locations = has_locations
        self.nested = nested
        self.dense_bytes = dense_bytes
        self.shuffle = shuffle
        self.random = random.Random(seed)

    def write(self, out: IO[str], *, alias: bool) -> None:
        """Print the module, with locations in place or in a table at the end."""
        table: list[str] = []
        end = "loc(#loc)" if alias else "loc(unknown)"
        out.write("module @ResNet {\n")
        self.write_function(out, "forward", table if alias else None)
        out.write(f"}} {end}\n")
        if alias:
            out.write("#loc = loc(unknown)\n")
            out.writelines(table)

    def write_function(self, out: IO[str], symbol: str, table: list[str] | None = None) -> None:
        """Print the function. Its locations go into the table, if there is one."""
        arguments = f"%arg0: {IMAGE}, %arg1: {WEIGHT}, %arg2: {VECTOR}, %arg3: i1"
        out.write(f"  func.func @{symbol}({arguments}) -> {IMAGE} {{\n")
        for location, op in self._shuffled(self._located()):
            if not self.has_locations:
                out.write(op.text.replace(" LOC", ""))
            elif table is not None:
                table.append(f"#loc{len(table) + 1} = loc({location})\n")
                out.write(op.text.replace("LOC", f"loc(#loc{len(table)})"))
            else:
                out.write(op.text.replace("LOC", f"loc({location})"))
        end = "loc(unknown)" if table is None else "loc(#loc)"
        out.write(f"    return %arg0 : {IMAGE} {end}\n  }} {end}\n")

    def _located(self) -> Iterator[tuple[str, Op]]:
        """Yield the ops in their original order, each with the content of its location."""
        for index, op in enumerate(self._layers()):
            is_derived = op.name == "mul" and self.random.random() < self.shuffle / 4
            origin = index + self.random.randrange(1, FARTHEST) if is_derived else index
            if not op.text:
                continue
            name = f"DEBUG|{origin}|ResNet[resnet]|{op.module}|/models/resnet/model.py:{op.line}|forward"
            name += f"|{op.line}|aten__{op.name}"
            yield (f'"{name}_tm0"("{name}")' if is_derived else f'"{name}"'), op

    def _shuffled(self, ops: Iterator[tuple[str, Op]]) -> Iterator[tuple[str, Op]]:
        """Hoist constants, which use nothing, but neither into a region nor out of one."""
        recent: list[tuple[str, Op]] = []
        for located in ops:
            is_constant = located[1].name == "zeros"
            is_hoisted = is_constant and self.random.random() < self.shuffle
            distance = self.random.randrange(1, FARTHEST) if is_hoisted else 0
            recent.insert(max(0, len(recent) - distance), located)
            kept = 0 if "scf." in located[1].text else FARTHEST
            while len(recent) > kept:
                yield recent.pop(0)
        yield from recent

    def _layers(self) -> Iterator[Op]:
        value, done, layer, last = 0, 0, 0, "%arg0"
        constants = 4 if self.dense_bytes else 0
        while done < self.ops:
            module, line = f"Sequential[layer{layer % 4 + 1}]|Conv2d[conv{layer}]", 100 + layer % 700
            v = [f"%{value + k}" for k in range(8)]
            ops = [
                f'    {v[0]} = "ttir.zeros"() <{{shape = array<i32: 64>}}> : () -> {VECTOR} LOC\n',
                f'    {v[1]} = "ttir.conv2d"({last}, %arg1) <{{dilation = array<i32: 1, 1>, '
                "groups = 1 : i32, padding = array<i32: 1, 1, 1, 1>, stride = array<i32: 1, 1>}> : "
                f"({IMAGE}, {WEIGHT}) -> {IMAGE} LOC\n",
                f'    {v[2]} = "ttir.batch_norm_inference"({v[1]}, {v[0]}, %arg2, {v[0]}, %arg2) '
                "<{dimension = 1 : i32, epsilon = 9.99999974E-6 : f32}> : "
                f"({IMAGE}, {VECTOR}, {VECTOR}, {VECTOR}, {VECTOR}) -> {IMAGE} LOC\n",
                f'    {v[3]}:2 = "ttir.sort"({v[2]}) {{dim = 1 : si32, note = "a->b (x"}} : '
                f"({IMAGE}) -> ({IMAGE}, {IMAGE}) LOC\n",
                f'    {v[4]} = "ttir.multiply"({v[3]}#0, {v[3]}#1) : ({IMAGE}, {IMAGE}) -> {IMAGE} LOC\n',
                f'    {v[5]} = "ttir.relu"({v[4]}) : ({IMAGE}) -> {IMAGE} LOC\n',
            ]
            names = ("zeros", "convolution", "batch_norm", "sort", "mul", "relu")
            for text, name in zip(ops, names, strict=True):
                yield Op(text, module, line, name)
            value, done, last = value + 6, done + 6, last if self.is_wide else v[5]
            if constants and layer % 5 == 0:
                constants -= 1
                yield Op(self._constant(value), module, line, "constant")
                value, done = value + 1, done + 1
            if self.nested and layer % 3 == 1:
                inner = [f"%{value}", f"%{value + 1}"]
                yield Op(f"    {inner[0]} = scf.if %arg3 -> ({IMAGE}) {{\n", module, line, "")
                relu = f'      {inner[1]} = "ttir.relu"({last}) : ({IMAGE}) -> {IMAGE} LOC\n'
                yield Op(relu, module, line, "relu")
                yield Op(f"      scf.yield {inner[1]} : {IMAGE} LOC\n    }} else {{\n", module, line, "yield")
                yield Op(f"      scf.yield {last} : {IMAGE} LOC\n    }} LOC\n", module, line, "yield")
                value, done, last = value + 2, done + 4, inner[0]
            layer += 1

    def _constant(self, value: int) -> str:
        elements = self.dense_bytes // 4 // 8
        blob = self.random.randbytes(4096).hex().upper() * (elements // 1024 + 1)
        text = f"tensor<{elements}xf32>"
        attribute = f'dense<"0x{blob[: elements * 8]}"> : {text}'
        return f'    %{value} = "ttir.constant"() <{{value = {attribute}}}> : () -> {text} LOC\n'


class WideModel(Model):
    """Layers that are independent of each other."""

    is_wide = True


class InterleavedModel(WideModel):
    """A ``WideModel`` with every op shuffled: INTERLEAVED layers are in one random order, and so on.

    The order keeps the dependences. A quarter of the products have the index of a later op.
    """

    def _shuffled(self, ops: Iterator[tuple[str, Op]]) -> Iterator[tuple[str, Op]]:
        while group := list(islice(ops, 6 * INTERLEAVED)):
            self.random.shuffle(group)
            names = [re.findall(r"%\d+", op.text) for _, op in group]
            missing = {defined for defined, *_ in names}
            while group:
                place = next(k for k, (_, *used) in enumerate(names) if missing.isdisjoint(used))
                missing.remove(names.pop(place)[0])
                yield group.pop(place)


class PermutedModel(Model):
    """A chain of layers that permute their image for a convolution, and back."""

    is_cancelled = False

    def _layers(self) -> Iterator[Op]:
        self.last, self.value, layout = "%arg0", 0, IMAGE
        for layer in range(-(-self.ops // 8)):
            keeps = not self.is_cancelled or layer % KEPT_EVERY == 0
            yield from self._layer(layer, layout, keeps=keeps)
            layout = IMAGE if keeps else CHANNELS_LAST

    def _layer(self, layer: int, layout: str, *, keeps: bool) -> Iterator[Op]:
        """Yield the ops of one layer whose input has ``layout``. A cancelled op has no text."""
        image, axis = (IMAGE, 1) if keeps else (CHANNELS_LAST, 3)
        module, line = f"Sequential[layer{layer % 4 + 1}]|Conv2d[conv{layer}]", 100 + layer % 700

        def op(name: str, text: str, results: str = "") -> Op:
            self.last, self.value = f"%{self.value}", self.value + 1
            return Op(f"    {self.last}{results} = {text} LOC\n", module, line, name)

        def permute(to: str, *, is_there: bool) -> Op:
            of, dims = (IMAGE, "0, 2, 3, 1") if to == CHANNELS_LAST else (CHANNELS_LAST, "0, 3, 1, 2")
            text = f'"ttir.permute"({self.last}) <{{permutation = array<i64: {dims}>}}> : ({of}) -> {to}'
            return op("permute", text) if is_there else Op("", module, line, "permute")

        yield permute(IMAGE, is_there=keeps and layout == CHANNELS_LAST)
        yield permute(CHANNELS_LAST, is_there=keeps or layout == IMAGE)
        conv = f'"ttir.conv2d"({self.last}, %arg1) <{{groups = 1 : i32, stride = array<i32: 1, 1>}}>'
        yield op("convolution", f"{conv} : ({CHANNELS_LAST}, {WEIGHT}) -> {CHANNELS_LAST}")
        yield permute(IMAGE, is_there=keeps)
        convolved = self.last
        yield op("zeros", f'"ttir.zeros"() <{{shape = array<i32: 64>}}> : () -> {VECTOR}')
        norm = f'"ttir.batch_norm_inference"({convolved}, {self.last}, %arg2, {self.last}, %arg2)'
        norm += f" <{{dimension = {axis} : i32}}>"
        yield op("batch_norm", f"{norm} : ({image}{f', {VECTOR}' * 4}) -> {image}")
        sort = f'"ttir.sort"({self.last}) {{dim = {axis} : si32}} : ({image}) -> ({image}, {image})'
        yield op("sort", sort, ":2")
        yield op("mul", f'"ttir.multiply"({self.last}#0, {self.last}#1) : ({image}, {image}) -> {image}')
        yield op("relu", f'"ttir.relu"({self.last}) : ({image}) -> {image}')


class CancelledModel(PermutedModel):
    """A ``PermutedModel`` after a pass like EIO: inverse permutes of neighbours are gone.

    The types of everything between them have changed. One in ``KEPT_EVERY`` layers keeps its own.
    """

    is_cancelled = True


def write_log(out: IO[str], ops: int, dumps: int) -> None:
    """Write a log of passes over a module of FUNCTIONS functions. Every second pass changes two of them.

    It begins with an empty line, so that mlir-opt -split-input-file splits it at its markers.
    """
    seeds = [0] * FUNCTIONS
    for number in range(dumps):
        if number % 2:
            for function in (number, number + 1):
                seeds[function % FUNCTIONS] = number
        out.write(f"\n// -----// IR Dump After TTIRPass{number} (ttir-pass-{number}) //----- //\n")
        out.write("module @ResNet {\n")
        for function, seed in enumerate(seeds):
            model = Model(ops // FUNCTIONS, shuffle=0.1 if seed else 0.0, seed=seed)
            model.write_function(out, f"forward_{function}")
        out.write("} loc(unknown)\n\n")


def write_pipeline(out: IO[str], ops: int, dumps: int) -> None:
    """Write a log like that of a whole pipeline: most passes change nothing, and locations are aliases.

    One function has nearly all ops. Every CHANGES_EVERY-th pass rewrites it. Most dumps show the module, some
    also the module around it, and some only the function, with other alias numbers.
    """
    for number in range(dumps):
        seed = number // CHANGES_EVERY
        depth = SCOPES[number % len(SCOPES)]
        table = [f'#loc{k + 1} = loc("arg{k}")\n' for k in range(10 * depth)]
        functions = io.StringIO()
        Model(ops, shuffle=0.02 if seed else 0.0, seed=seed).write_function(functions, "forward", table)
        for function in range(CONSTANT_FUNCTIONS if depth else 0):
            Model(ops // 50).write_function(functions, f"forward_const_eval_{function}", table)
        out.write(f"\n// -----// IR Dump After TTIRPass{number} (ttir-pass-{number}) //----- //\n")
        out.writelines("  " * level + "module {\n" for level in range(depth))
        out.writelines("  " * (depth - 1) + line for line in functions.getvalue().splitlines(keepends=True))
        out.writelines("  " * level + "} loc(#loc)\n" for level in reversed(range(depth)))
        out.write("#loc = loc(unknown)\n")
        out.writelines([*table, "\n"])


def write_executables(out: IO[str], modules: int, dumps: int, *, renames: bool) -> None:
    """Write a log of nameless modules, one for each executable, as IREE prints them.

    Each pass changes one op of one executable. With ``renames``, it also renames all executables.
    """
    for number in range(dumps):
        name = f"Pass{number}: pass-{number} ('builtin.module' operation)"
        out.write(f"// -----// IR Dump After {name} //----- //\nmodule {{\n")
        for module in range(modules):
            symbol = f"d{module}_{number}" if renames else f"d{module}"
            value = number if module == number % modules else 0
            out.write(
                f"  stream.executable private @{symbol} {{\n    builtin.module {{\n"
                f"      func.func @f{symbol}(%arg0: i32) -> i32 {{\n"
                f"        %c = arith.constant {value} : i32\n"
                f"        %0 = arith.addi %arg0, %c : i32\n"
                "        return %0 : i32\n      }\n    }\n  }\n"
            )
        out.write("}\n\n")


def write_iree(out: IO[str], dispatches: int) -> None:
    """Write what iree-compile prints of its passes for a chain of products, each of another shape.

    Raises:
        CalledProcessError: iree-compile fails.
        FileNotFoundError: iree-compile is missing.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as program:
        write_products(program, dispatches)
        program.flush()
        beside = shutil.which("iree-compile", path=str(Path(sys.executable).parent))
        command = [beside or "iree-compile", program.name, *IREE_OPTIONS, "-o", "/dev/null"]
        subprocess.run(command, stderr=out, check=True)


def write_products(out: IO[str], products: int) -> None:
    """Write a function in which each layer is a product of matrices of another width."""
    widths = [16 + layer for layer in range(products)] + [16]
    out.write("func.func @main(%in: tensor<8x16xf32>) -> tensor<8x16xf32> {\n")
    out.write("  %zero = arith.constant 0.0 : f32\n")
    last = "%in"
    for layer, (width, following) in enumerate(pairwise(widths)):
        weight, result = f"tensor<{width}x{following}xf32>", f"tensor<8x{following}xf32>"
        out.write(
            f"  %w{layer} = arith.constant dense<{layer + 1}.0e-3> : {weight}\n"
            f"  %e{layer} = tensor.empty() : {result}\n"
            f"  %f{layer} = linalg.fill ins(%zero : f32) outs(%e{layer} : {result}) -> {result}\n"
            f"  %m{layer} = linalg.matmul ins({last}, %w{layer} : tensor<8x{width}xf32>, {weight}) "
            f"outs(%f{layer} : {result}) -> {result}\n"
        )
        last = f"%m{layer}"
    out.write(f"  return {last} : tensor<8x16xf32>\n}}\n")


def main() -> None:
    """Write to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--ops", type=int, default=100_000)
    parser.add_argument("--shuffle", type=float, default=0.0, help="share of the constants that are hoisted")
    parser.add_argument("--dense-mb", type=int, default=120)
    parser.add_argument("--dumps", type=int, default=50)
    parser.add_argument("--modules", type=int, default=150, help="of executables and iree")
    parser.add_argument("--rename", action="store_true", help="each pass renames all executables")
    parser.add_argument("--no-locations", action="store_true", help="not for logs")
    arguments = parser.parse_args()
    if arguments.kind == "executables":
        write_executables(sys.stdout, arguments.modules, arguments.dumps, renames=arguments.rename)
        return
    if arguments.kind == "iree":
        write_iree(sys.stdout, arguments.modules)
        return
    if arguments.kind == "log":
        write_log(sys.stdout, arguments.ops, arguments.dumps)
        return
    if arguments.kind == "pipeline":
        write_pipeline(sys.stdout, arguments.ops, arguments.dumps)
        return
    dense_bytes = arguments.dense_mb << 20 if arguments.kind == "dense" else 0
    is_nested = arguments.kind == "nested"
    models = {
        "wide": WideModel,
        "interleaved": InterleavedModel,
        "permuted": PermutedModel,
        "cancelled": CancelledModel,
    }
    model = models.get(arguments.kind, Model)(
        arguments.ops,
        nested=is_nested,
        dense_bytes=dense_bytes,
        shuffle=1.0 if arguments.kind == "interleaved" else arguments.shuffle,
        has_locations=not arguments.no_locations,
    )
    model.write(sys.stdout, alias=arguments.kind == "alias")


if __name__ == "__main__":
    main()
