"""Builds the generated op table, ``op_traits.json``, from the dialects' own definitions (ODS).

Reads every ODS file of a tree that no other one includes with ``llvm-tblgen --dump-json``, makes a row of
each op, and puts these rows in the place of those that the source had. The rows of other sources stay. On
Debian, ``llvm-22`` and ``libmlir-22-dev`` have what the source ``llvm`` needs::

    python scripts/build_op_traits.py --source llvm "MLIR 22.1.8" --include /usr/lib/llvm-22/include/mlir

For another project, name the tree of its dialects, and with ``--search`` where the files that it includes
are found::

    python scripts/build_op_traits.py --source stablehlo "REVISION (DATE) stablehlo chlo" \
        --include ~/stablehlo/stablehlo/dialect --search ~/stablehlo --search /usr/lib/llvm-22/include

A source has the ops that files of its tree define, not those of the files that these include. ``--also``
names more trees of the same source.

The legend that is written along tells what a row says. What definitions leave out is in ``own_traits.json``,
which is written by hand.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "eio_audit" / "mlir" / "op_traits.json"
LEGEND = {
    "effects": "'pure' = declares no memory effect; list = declared effects (read/write/alloc/free); "
    "'recursive' = effects of its nested ops; 'dynamic' = decided in C++ (destination_style ops: effects "
    "only on memref-typed operands); 'unknown' = declares nothing, treat as any effect. An op that is not "
    "listed is unknown.",
    "on": "the operand or result an effect is bound to, '?' where its position varies; 'stack' = the memory "
    "that is freed with its function. An effect that is bound to nothing concerns all memory.",
    "flags": "terminator, isolated, symbol, symbol_table, graph_region, region_kind, call, function, "
    "constant, view, destination_style, no_terminator, branch, affine_scope; segments = an attribute gives "
    "the sizes of its groups of operands; may_trap = pure or recursive, but not said to be speculatable: "
    "running it where it did not run may be undefined; fresh = no result shares an operand",
    "operands": "the greatest number of operands, 'any' without a limit; not told for every source",
}
KINDS = {"Read": "read", "Write": "write", "Allocate": "alloc", "Free": "free"}
_SEGMENTS = "segments"
FLAGS = {
    "AffineScope": "affine_scope",
    "AttrSizedOperandSegments": _SEGMENTS,
    "BranchOpInterface": "branch",
    "CallOpInterface": "call",
    "ConstantLike": "constant",
    "DestinationStyleOpInterface": "destination_style",
    "FunctionOpInterface": "function",
    "HasOnlyGraphRegion": "graph_region",
    "IsIsolatedFromAbove": "isolated",
    "IsTerminator": "terminator",
    "NoTerminator": "no_terminator",
    "RegionBranchOpInterface": "branch",
    "RegionKindInterface": "region_kind",
    "SymbolOpInterface": "symbol",
    "SymbolTable": "symbol_table",
    "ViewLikeOpInterface": "view",
}
SPECULATABLE = {
    "AlwaysSpeculatableImplTrait",
    "RecursivelySpeculatableIfAllInputsStaticImplTrait",
    "RecursivelySpeculatableIfStaticDimInOutputIsStaticInInputImplTrait",
    "RecursivelySpeculatableImplTrait",
    "SpeculatableIfAllInputsStaticImplTrait",
    "SpeculatableIfStaticDimInOutputIsStaticInInputImplTrait",
}
"""Traits of ops that are speculatable. Any op may trap if a shape is known only at run time (``traits.py``),
so those of StableHLO that ask for static shapes are among them."""
IF_STATIC = {
    "stablehlo.bitcast_convert",
    "stablehlo.concatenate",
    "stablehlo.convolution",
    "stablehlo.dot_general",
    "stablehlo.fft",
    "stablehlo.reshape",
    "stablehlo.transpose",
}
"""Ops whose own C++ code asks for static shapes and nothing else (``getSpeculatability``)."""
READERS = {"HasValueSemantics", "ReadOnly"}
"""Traits of torch-mlir: the op writes none of its operands, and it may raise an error. The first says also
that no result shares an operand."""
EFFECTS = "MemoryEffectOpInterface"
NOTHING = {"effects": "unknown"}
"""The row of an op that declares nothing; the table leaves it out."""
_VARIADIC = ("Variadic", "VariadicOfVariadic")
_ANYWHERE = ""
"""The place of an effect that is bound to nothing."""
_DEFAULT = "::mlir::SideEffects::DefaultResource"
_STACK = "::mlir::SideEffects::AutomaticAllocationScopeResource"

Row = dict[str, Any]
Places = dict[str, set[str]]


class Definitions:
    """The records of one ODS file, as ``llvm-tblgen --dump-json`` prints them.

    Args:
        records: the records.
        files: the names of the files whose ops count. None: all.
    """

    def __init__(self, records: Mapping[str, Any], files: Collection[str] | None = None) -> None:
        self._records = records
        self._files = files

    def _is_of_tree(self, op: Mapping[str, Any]) -> bool:
        """Whether one of the files defines the op, or a class that makes it."""
        places = (place.rpartition(":")[0] for place in op.get("!locs", ()))
        return self._files is None or any(place in self._files for place in places)

    def ops(self) -> Iterator[tuple[str, Row]]:
        """Each op's full name and row."""
        for name in self._records["!instanceof"].get("Op", ()):
            op = self._records[name]
            if not self._is_of_tree(op):
                continue
            full = f"{self._record(op['opDialect'])['name']}.{op['opName']}"
            yield full, self._row(op, full)

    def _record(self, reference: Mapping[str, str]) -> Mapping[str, Any]:
        record: Mapping[str, Any] = self._records[reference["def"]]
        return record

    def _row(self, op: Mapping[str, Any], full: str) -> Row:
        traits = list(self._flat(op["traits"]))
        names = {_trait_name(trait) for trait in traits}
        effects = self._effects(op, traits)
        row = _listed(effects) if isinstance(effects, dict) else {"effects": effects}
        flags = {flag for trait, flag in FLAGS.items() if trait in names}
        if _is_graph_region(op.get("extraClassDeclaration") or ""):
            flags.add("graph_region")
        if row == NOTHING and names & READERS:
            row = {"effects": ["read"], "on": {"operand ?": ["read"]}}
            flags |= {"may_trap", "fresh"} if "HasValueSemantics" in names else {"may_trap"}
        is_speculatable = full in IF_STATIC or not names.isdisjoint(SPECULATABLE)
        if row["effects"] in ("pure", "recursive") and not is_speculatable:
            flags.add("may_trap")
        if row == NOTHING and flags <= {_SEGMENTS}:
            return row
        row |= {"flags": sorted(flags)} if flags else {}
        return {**row, "operands": self._most_operands(op)}

    def _most_operands(self, op: Mapping[str, Any]) -> int | str:
        """The greatest number of operands."""
        arguments = [self._classes(reference) for reference, _ in op["arguments"]["args"]]
        operands = [classes for classes in arguments if "TypeConstraint" in classes]
        is_limited = all(classes.isdisjoint(_VARIADIC) for classes in operands)
        return len(operands) if is_limited else "any"

    def _classes(self, reference: Mapping[str, str]) -> set[str]:
        """The classes of an operand, attribute or result: its constraint's."""
        variable = self._record(reference)
        constraint = self._record(variable["constraint"]) if "constraint" in variable else variable
        return set(constraint["!superclasses"])

    def _effects(self, op: Mapping[str, Any], traits: Sequence[Mapping[str, Any]]) -> str | Places:
        """The word for an op's effects, or its effects by the place that they are bound to."""
        interfaces = [trait for trait in traits if _trait_name(trait) == EFFECTS]
        declared = [trait for trait in interfaces if "effects" in trait]
        places: Places = defaultdict(set)
        for trait in declared:
            self._add(trait["effects"], _ANYWHERE, places)
        for what in ("operand", "result"):
            self._add_bound(op[f"{'argument' if what == 'operand' else what}s"]["args"], what, places)
        if places:
            return places
        if len(interfaces) > len(declared):
            return "dynamic"
        if any(_trait_name(trait) == "HasRecursiveMemoryEffects" for trait in traits):
            return "recursive"
        return "pure" if declared else "unknown"

    def _flat(self, traits: Iterable[Mapping[str, str]]) -> Iterator[Mapping[str, Any]]:
        for trait in map(self._record, traits):
            yield trait
            yield from self._flat(trait.get("traits", ()))

    def _add_bound(self, variables: Sequence[Any], what: str, places: Places) -> None:
        """Adds the effects on operands, attributes or results, in whatever order and number these come."""
        position, is_fixed = 0, True
        for reference, _ in variables:
            classes = self._classes(reference)
            place = _ANYWHERE
            if "TypeConstraint" in classes:  # neither an attribute nor a property
                is_fixed &= classes.isdisjoint(_VARIADIC)
                place = f"{what} {position if is_fixed else '?'}"
                is_fixed &= "Optional" not in classes
                position += 1
            self._add(self._record(reference).get("decorators") or (), place, places)

    def _add(self, effects: Iterable[Mapping[str, str]], place: str, places: Places) -> None:
        for effect in map(self._record, effects):
            if effect.get("interfaceTrait", "").partition("::")[0] != EFFECTS:
                continue
            kind = KINDS[effect["effect"].rpartition("::")[2]]
            if effect["resource"] == _STACK:
                places["stack"].add(kind)
                if place:
                    places[place].add(kind)
            else:
                places[place if effect["resource"] == _DEFAULT else _ANYWHERE].add(kind)


def _is_graph_region(declaration: str) -> bool:
    """Whether a definition says in its C++ text that its regions are graph regions, whatever region it is."""
    body = re.search(r"getRegionKind\([^{]*\{\s*return\s+([\w:]+)\s*;\s*\}", declaration)
    return body is not None and body[1].endswith("RegionKind::Graph")


def _listed(places: Places) -> Row:
    """The row of an op with effects. One that is bound to nothing as well concerns all memory anyway."""
    anywhere = places.get(_ANYWHERE, set())
    row: Row = {"effects": _sorted(anywhere.union(*places.values()))}
    on = {place: _sorted(kinds - anywhere) for place, kinds in sorted(places.items()) if kinds - anywhere}
    return {**row, "on": on} if on else row


def _sorted(kinds: Iterable[str]) -> list[str]:
    return sorted(kinds, key=list(KINDS.values()).index)


def _trait_name(trait: Mapping[str, Any]) -> str:
    return str(trait.get("trait", "")).partition("::")[0]


def roots(folder: Path, search: Sequence[Path]) -> list[Path]:
    """ODS files of a tree that together include all of them: those that no other one includes.

    Of files that include each other, and that no other one includes, it is the first.
    """
    includes = {file: _included(file, search) for file in sorted(folder.rglob("*.td"))}
    others = {name for file, names in includes.items() for name in names if name != file}
    found, reached = [], set[Path]()
    for file in sorted(includes, key=lambda file: (file in others, file)):
        if file in reached:
            continue
        found.append(file)
        pending = [file]
        while pending:
            if (name := pending.pop()) in includes and name not in reached:
                reached.add(name)
                pending += includes[name]
    return sorted(found)


def _included(file: Path, search: Sequence[Path]) -> list[Path]:
    names = re.findall(r'^\s*include\s+"([^"]+)"', file.read_text("utf-8"), re.MULTILINE)
    return [base / name for name in names for base in (file.parent, *search)]


def rows(folder: Path, search: Sequence[Path], tblgen: str) -> dict[str, Row]:
    """The rows of all ops that the ODS files of a tree define, by full name; ``NOTHING`` among them.

    Args:
        folder: the tree.
        search: where the files that they include are found.
        tblgen: llvm-tblgen.
    """
    found = dict[str, Row]()
    files = {file.name for file in folder.rglob("*.td")}
    for file in roots(folder, search):
        includes = [f"-I{path}" for path in (*search, file.parent)]
        dump = subprocess.run([tblgen, "--dump-json", *includes, file], capture_output=True, check=False)
        if dump.returncode:
            raise SystemExit(f"{file}: {dump.stderr.decode(errors='replace')}")
        for name, row in Definitions(json.loads(dump.stdout), files).ops():
            if found.setdefault(name, row) != row:
                raise SystemExit(f"{file}: {name} has two definitions: {found[name]} and {row}")
    return dict(sorted(found.items()))


def table_text(table: Mapping[str, Any]) -> str:
    """The table as a file, one op a line."""
    sources = [
        f"{json.dumps(source)}: {{\n"
        + ",\n".join(f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(ops.items()))
        + "\n}"
        for source, ops in sorted(table["ops"].items())
    ]
    legend, revisions = json.dumps(table["legend"]), json.dumps(table["sources"], sort_keys=True)
    return f'{{\n"legend": {legend},\n"sources": {revisions},\n"ops": {{\n' + ",\n".join(sources) + "\n}\n}\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the table with new rows for one source."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", nargs=2, required=True, metavar=("NAME", "REVISION"))
    parser.add_argument("--include", type=Path, required=True, metavar="DIR", help="the tree of its dialects")
    parser.add_argument(
        "--also", type=Path, action="append", default=[], metavar="DIR", help="another tree of the source"
    )
    parser.add_argument(
        "--search",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="where files are included from",
    )
    parser.add_argument("--tblgen", default=shutil.which("llvm-tblgen-22") or "llvm-tblgen", metavar="TOOL")
    options = parser.parse_args(arguments)
    name, revision = options.source
    new = dict[str, Row]()
    for folder in (options.include, *options.also):
        new |= rows(folder, [folder.parent, *options.search], options.tblgen)
    table = json.loads(TABLE.read_text("utf-8"))
    table["legend"] = LEGEND
    table["sources"][name] = revision
    table["ops"][name] = {op: row for op, row in new.items() if row != NOTHING}
    TABLE.write_text(table_text(table), "utf-8")
    print(f"{len(new)} ops of {name}, {len(table['ops'][name])} rows", file=sys.stderr)


if __name__ == "__main__":
    main()
