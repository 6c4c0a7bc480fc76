"""Builds the generated op table, ``op_traits.json``, from dialects' own definitions (ODS).

Reads every ``.td`` file that no other file includes with ``llvm-tblgen --dump-json``, makes one row of each op, and
puts the rows of a source in the place of those it had. The rows of sources that are not named stay. On Debian,
``mlir-22-tools`` and ``libmlir-22-dev`` have what the source ``llvm`` needs::

    python scripts/build_op_traits.py --source llvm "MLIR 22.1.8" --include /usr/lib/llvm-22/include/mlir

Other projects name their own tree, and with ``--search`` where the files they include are found::

    python scripts/build_op_traits.py --source stablehlo "REVISION (DATE) stablehlo chlo" \
        --include ~/stablehlo/stablehlo/dialect --search ~/stablehlo

What a row says is told by the legend that is written along.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "eio_audit" / "mlir" / "op_traits.json"
LEGEND = {
    "effects": "'pure' = declares no memory effect; list = declared effects (read/write/alloc/free); 'recursive' = "
    "effects of its nested ops; 'dynamic' = decided in C++ (destination_style ops: effects only on memref-typed "
    "operands); 'unknown' = declares nothing, treat as any effect. An op that is not listed is unknown.",
    "on": "the operand or result an effect is bound to, '?' where its position varies; 'stack' is the memory that is "
    "freed with its function. An effect of a kind that is bound to nothing concerns all memory.",
    "flags": "terminator, isolated, symbol, symbol_table, graph_region, region_kind, call, function, constant, view, "
    "destination_style, no_terminator, branch, affine_scope; may_trap = has no effect (or those of its regions) but "
    "is not said to be speculatable: running it where it did not run may be undefined",
}
KINDS = {"Allocate": "alloc", "Free": "free", "Read": "read", "Write": "write"}
KIND_ORDER = ("read", "write", "alloc", "free")
FLAGS = {
    "IsTerminator": "terminator",
    "IsIsolatedFromAbove": "isolated",
    "SymbolOpInterface": "symbol",
    "SymbolTable": "symbol_table",
    "HasOnlyGraphRegion": "graph_region",
    "RegionKindInterface": "region_kind",
    "CallOpInterface": "call",
    "FunctionOpInterface": "function",
    "ConstantLike": "constant",
    "ViewLikeOpInterface": "view",
    "DestinationStyleOpInterface": "destination_style",
    "NoTerminator": "no_terminator",
    "BranchOpInterface": "branch",
    "RegionBranchOpInterface": "branch",
    "AffineScope": "affine_scope",
}
SPECULATABLE = {"AlwaysSpeculatableImplTrait", "RecursivelySpeculatableImplTrait"}
VARYING = {"Variadic", "VariadicOfVariadic", "Optional"}
EFFECT_INTERFACE = "MemoryEffectOpInterface"
DEFAULT_RESOURCE = "::mlir::SideEffects::DefaultResource"
STACK = "::mlir::SideEffects::AutomaticAllocationScopeResource"

Row = dict[str, Any]


class Definitions:
    """The records of one ODS file, as ``llvm-tblgen --dump-json`` prints them."""

    def __init__(self, records: Mapping[str, Any]) -> None:
        self._records = records

    def ops(self) -> Iterator[tuple[str, Row]]:
        """Each op's full name and row."""
        for name in self._records["!instanceof"].get("Op", ()):
            op = self._records[name]
            if op["opName"] and (dialect := self._record(op["opDialect"])["name"]):
                yield f"{dialect}.{op['opName']}", self._row(op)

    def _record(self, reference: Any) -> Mapping[str, Any]:
        record: Mapping[str, Any] = self._records[reference["def"]]
        return record

    def _row(self, op: Mapping[str, Any]) -> Row:
        traits = list(self._flat(op["traits"]))
        names = {_trait_name(trait) for trait in traits}
        bound = defaultdict[str, set[str]](set)
        declares = self._add_effects_of_op(traits, bound)
        declares |= self._add_effects_of_values(op["arguments"], "operand", bound)
        declares |= self._add_effects_of_values(op["results"], "result", bound)
        flags = {flag for trait, flag in FLAGS.items() if trait in names}
        row: Row = {"effects": "unknown"}
        if any(bound.values()):
            anywhere = bound.pop("", set())
            row["effects"] = _sorted_kinds(anywhere.union(*bound.values()))
            on = {place: _sorted_kinds(kinds - anywhere) for place, kinds in sorted(bound.items())}
            if on := {place: kinds for place, kinds in on.items() if kinds}:
                row["on"] = on
        elif any(_trait_name(trait) == EFFECT_INTERFACE and not _is_static(trait) for trait in traits):
            row["effects"] = "dynamic"
        elif "HasRecursiveMemoryEffects" in names:
            row["effects"] = "recursive"
        elif declares:
            row["effects"] = "pure"
        if row["effects"] in ("pure", "recursive") and not names & SPECULATABLE:
            flags.add("may_trap")
        if flags:
            row["flags"] = sorted(flags)
        return row

    def _flat(self, traits: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
        for reference in traits:
            trait = self._record(reference)
            yield trait
            yield from self._flat(trait.get("traits", ()))

    def _add_effects_of_op(self, traits: Iterable[Mapping[str, Any]], bound: dict[str, set[str]]) -> bool:
        static = [trait for trait in traits if _trait_name(trait) == EFFECT_INTERFACE and _is_static(trait)]
        for trait in static:
            self._add_effects(trait["effects"], "", bound)
        return bool(static)

    def _add_effects_of_values(
        self, variables: Mapping[str, Any], what: str, bound: dict[str, set[str]]
    ) -> bool:
        position, is_fixed, declares = 0, True, False
        for reference, _ in variables["args"]:
            variable = self._record(reference)
            constraint = self._record(variable["constraint"]) if "constraint" in variable else variable
            is_value = "TypeConstraint" in constraint["!superclasses"]
            is_varying = bool(VARYING.intersection(constraint["!superclasses"]))
            place = ""
            if is_value:
                is_exact = is_fixed and (not is_varying or "Optional" in constraint["!superclasses"])
                place = f"{what} {position if is_exact else '?'}"
                is_fixed &= not is_varying
                position += 1
            effects = variable.get("decorators") or ()
            declares |= self._add_effects(effects, place, bound)
        return declares

    def _add_effects(self, effects: Iterable[Any], place: str, bound: dict[str, set[str]]) -> bool:
        declares = False
        for effect in map(self._record, effects):
            if effect.get("interfaceTrait", "").partition("::")[0] != EFFECT_INTERFACE:
                continue
            declares = True
            kind = KINDS[effect["effect"].rpartition("::")[2]]
            if effect["resource"] == STACK:
                bound["stack"].add(kind)
            bound[place if effect["resource"] in (DEFAULT_RESOURCE, STACK) and place else ""].add(kind)
            if effect["resource"] == STACK and not place:
                bound[""].discard(kind)
        return declares


def _trait_name(trait: Mapping[str, Any]) -> str:
    return str(trait.get("cppInterfaceName") or trait.get("trait") or "").partition("::")[0]


def _is_static(trait: Mapping[str, Any]) -> bool:
    return "SideEffectsTraitBase" in trait["!superclasses"]


def _sorted_kinds(kinds: Iterable[str]) -> list[str]:
    return sorted(kinds, key=KIND_ORDER.index)


def roots(folder: Path, search: Sequence[Path]) -> list[Path]:
    """The ODS files of a tree that no other of them includes."""
    files = sorted(folder.rglob("*.td"))
    included = set[Path]()
    for file in files:
        for name in re.findall(r'^\s*include\s+"([^"]+)"', file.read_text("utf-8"), re.MULTILINE):
            included.update(base / name for base in (file.parent, *search))
    return [file for file in files if file not in included]


def rows(folder: Path, search: Sequence[Path], tblgen: str) -> dict[str, Row]:
    """The rows of all ops that the ODS files of a tree define, by full name.

    Ops that declare nothing and have no flags are left out: an op without a row is of unknown effect.
    """
    found = dict[str, Row]()
    includes = [f"-I{path}" for path in search]
    for file in roots(folder, search):
        dump = subprocess.run([tblgen, "--dump-json", *includes, f"-I{file.parent}", file], capture_output=True, check=False)
        if dump.returncode:
            raise SystemExit(f"{file}: {dump.stderr.decode(errors='replace')}")
        for name, row in Definitions(json.loads(dump.stdout)).ops():
            if found.setdefault(name, row) != row:
                raise SystemExit(f"{file}: {name} is defined twice: {found[name]} and {row}")
    return {name: row for name, row in sorted(found.items()) if row != {"effects": "unknown"}}


def text(table: Mapping[str, Any]) -> str:
    """The table as a file, one op a line."""
    lines = ["{", f'"legend": {json.dumps(table["legend"])},', f'"sources": {json.dumps(table["sources"])},']
    lines.append('"ops": {')
    for number, (source, ops) in enumerate(sorted(table["ops"].items())):
        lines.append(f"{json.dumps(source)}: {{")
        entries = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(ops.items())]
        lines.append(",\n".join(entries))
        lines.append("}" if number + 1 == len(table["ops"]) else "},")
    return "\n".join([*lines, "}", "}", ""])


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the table with new rows for one source."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--source",
        nargs=2,
        required=True,
        metavar=("NAME", "REVISION"),
        help="the rows to build, and what of it",
    )
    parser.add_argument(
        "--include", type=Path, required=True, metavar="DIR", help="the tree with the source's ODS files"
    )
    parser.add_argument(
        "--search", type=Path, action="append", default=[], metavar="DIR", help="where includes are found"
    )
    parser.add_argument("--tblgen", default=shutil.which("llvm-tblgen-22") or "llvm-tblgen", metavar="TOOL")
    options = parser.parse_args(arguments)
    name, revision = options.source
    search = [options.include.parent, *options.search]
    table = json.loads(TABLE.read_text("utf-8"))
    table["legend"] = LEGEND
    table["sources"][name] = revision
    table["ops"][name] = rows(options.include, search, options.tblgen)
    TABLE.write_text(text(table), "utf-8")
    print(f"{TABLE}: {len(table['ops'][name])} rows of {name}", file=sys.stderr)


if __name__ == "__main__":
    main()
