"""The script that builds the generated op table, and the table against the definitions it was built from."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "eio_audit" / "mlir" / "op_traits.json"
READINGS = json.loads((ROOT / "eio_audit" / "mlir" / "own_traits.json").read_text("utf-8"))["readings"]
MLIR = Path("/usr/lib/llvm-22/include/mlir")
TBLGEN = shutil.which("llvm-tblgen-22") or ""

needs_mlir = pytest.mark.skipif(
    not (TBLGEN and MLIR.is_dir()), reason="needs llvm-tblgen-22 and the definitions in libmlir-22-dev"
)

Rows = dict[str, dict[str, Any]]

DIALECT = """
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
def My_Dialect : Dialect { let name = "my"; let cppNamespace = "::my"; }
class My_Op<string name, list<Trait> traits = []> : Op<My_Dialect, name, traits>;
"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_op_traits", ROOT / "scripts" / "build_op_traits.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def upstream(script: ModuleType) -> Rows:
    rows: Rows = script.rows(MLIR, [MLIR.parent], TBLGEN)
    return rows


def row(script: ModuleType, folder: Path, op: str) -> dict[str, Any]:
    """The row of the one op that is defined by ``op``."""
    (folder / "MyOps.td").write_text(DIALECT + op, "utf-8")
    rows: Rows = script.rows(folder, [folder, MLIR.parent], TBLGEN)
    assert list(rows) == ["my.op"]
    return rows["my.op"]


@needs_mlir
@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ('def My_Op0 : My_Op<"op"> {}', {"effects": "unknown"}),
        ('def My_Op0 : My_Op<"op", [Pure]> {}', {"effects": "pure"}),
        ('def My_Op0 : My_Op<"op", [NoMemoryEffect]> {}', {"effects": "pure", "flags": ["may_trap"]}),
        ('def My_Op0 : My_Op<"op", [RecursiveMemoryEffects]> {}', {"effects": "recursive", "flags": ["may_trap"]}),
        ('def My_Op0 : My_Op<"op", [RecursiveMemoryEffects, RecursivelySpeculatable]> {}', {"effects": "recursive"}),
        ('def My_Op0 : My_Op<"op", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {}', {"effects": "dynamic"}),
        ('def My_Op0 : My_Op<"op", [Pure, Terminator, IsolatedFromAbove]> {}', {"effects": "pure", "flags": ["isolated", "terminator"]}),
        ('def My_Op0 : My_Op<"op", [MemoryEffects<[MemWrite]>]> {}', {"effects": ["write"]}),
        (
            'def My_Op0 : My_Op<"op"> { let arguments = (ins I32:$i, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$m); }',
            {"effects": ["read", "write"], "on": {"operand 1": ["read", "write"]}},
        ),
        (  # two operands of one place keep the effects of both
            'def My_Op0 : My_Op<"op"> { let arguments = (ins Variadic<I32>:$t, Arg<AnyMemRef, "", [MemWrite]>:$d, Arg<AnyMemRef, "", [MemRead]>:$s); }',
            {"effects": ["read", "write"], "on": {"operand ?": ["read", "write"]}},
        ),
        (  # an attribute has no place among the operands
            'def My_Op0 : My_Op<"op"> { let arguments = (ins I32Attr:$a, Arg<AnyMemRef, "", [MemRead]>:$m); }',
            {"effects": ["read"], "on": {"operand 0": ["read"]}},
        ),
        (  # a symbol is not an operand
            'def My_Op0 : My_Op<"op"> { let arguments = (ins Arg<SymbolRefAttr, "", [MemRead]>:$g); }',
            {"effects": ["read"]},
        ),
        (
            'def My_Op0 : My_Op<"op"> { let results = (outs Res<AnyMemRef, "", [MemAlloc<DefaultResource>]>:$r); }',
            {"effects": ["alloc"], "on": {"result 0": ["alloc"]}},
        ),
        (
            'def My_Op0 : My_Op<"op"> { let results = (outs Res<AnyMemRef, "", [MemAlloc<AutomaticAllocationScopeResource>]>:$r); }',
            {"effects": ["alloc"], "on": {"result 0": ["alloc"], "stack": ["alloc"]}},
        ),
        (  # what is bound to nothing is not lost behind what is bound
            'def My_Op0 : My_Op<"op", [MemoryEffects<[MemWrite]>]> { let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$m); }',
            {"effects": ["read", "write"], "on": {"operand 0": ["read"]}},
        ),
        (
            'def My_Resource : Resource<"::my::Resource">; def My_Op0 : My_Op<"op"> { let arguments = (ins Arg<AnyMemRef, "", [MemWrite<My_Resource>]>:$m); }',
            {"effects": ["write"]},
        ),
    ],
)  # fmt: skip
def test_a_row_says_what_a_definition_declares(
    script: ModuleType, tmp_path: Path, op: str, expected: dict[str, Any]
) -> None:
    found = row(script, tmp_path, op)
    found.pop("operands", None)
    assert found == expected


@needs_mlir
@pytest.mark.parametrize(
    ("arguments", "traits", "flags", "operands"),
    [
        ("", "Pure", None, 0),
        ("I32:$a, I32Attr:$b, AnyMemRef:$c", "Pure", None, 2),
        ("I32:$a, Optional<I32>:$b", "Pure", None, 2),
        ("I32:$a, Variadic<I32>:$b", "Pure", None, "any"),
        ("Variadic<I32>:$a, Optional<I32>:$b", "Pure, AttrSizedOperandSegments", ["segments"], "any"),
    ],
)
def test_a_row_says_how_many_operands_an_op_has(
    script: ModuleType,
    tmp_path: Path,
    arguments: str,
    traits: str,
    flags: list[str] | None,
    operands: int | str,
) -> None:
    op = f'def My_Op0 : My_Op<"op", [{traits}]> {{ let arguments = (ins {arguments}); }}'
    found = row(script, tmp_path, op)
    assert (found.get("flags"), found["operands"]) == (flags, operands)


@needs_mlir
def test_the_groups_of_operands_are_no_effect(script: ModuleType, tmp_path: Path) -> None:
    op = 'def My_Op0 : My_Op<"op", [AttrSizedOperandSegments]> { let arguments = (ins Optional<I32>:$a); }'
    assert row(script, tmp_path, op) == {"effects": "unknown"}


@pytest.mark.slow
@needs_mlir
def test_the_shipped_rows_are_those_of_mlir(script: ModuleType, upstream: Rows) -> None:
    shipped = json.loads(SHIPPED.read_text("utf-8"))["ops"]["llvm"]
    assert shipped == {name: row for name, row in upstream.items() if row != script.NOTHING}


@pytest.mark.slow
@needs_mlir
def test_ops_that_are_said_to_declare_nothing_do(script: ModuleType, upstream: Rows) -> None:
    dialects = {name.partition(".")[0] for name in upstream}
    names = {name for reading in READINGS if "declares" in reading for name in reading["ops"]}
    known = {name for name in names if name.partition(".")[0] in dialects}
    assert [name for name in sorted(known) if upstream.get(name) != script.NOTHING] == []
    assert known


def test_the_shipped_table_is_written_by_the_script(script: ModuleType) -> None:
    text = SHIPPED.read_text("utf-8")
    table = json.loads(text)
    assert table["legend"] == script.LEGEND
    assert script.table_text(table) == text


def test_a_copy_loses_no_write(script: ModuleType) -> None:
    row = json.loads(SHIPPED.read_text("utf-8"))["ops"]["llvm"]["gpu.memcpy"]
    assert (row["effects"], row["on"]) == (["read", "write"], {"operand ?": ["read", "write"]})


@needs_mlir
def test_rows_of_other_sources_stay(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, folder = tmp_path / "table.json", tmp_path / "my" / "dialect"
    folder.mkdir(parents=True)
    table.write_text(SHIPPED.read_text("utf-8"), "utf-8")
    (folder / "MyOps.td").write_text(
        DIALECT + 'def My_Op0 : My_Op<"op", [Pure]> {}\ndef My_Op1 : My_Op<"silent"> {}', "utf-8"
    )
    monkeypatch.setattr(script, "TABLE", table)
    script.main(
        ["--source", "my", "1.0", "--include", str(folder), "--search", str(MLIR.parent), "--tblgen", TBLGEN]
    )
    built, shipped = json.loads(table.read_text("utf-8")), json.loads(SHIPPED.read_text("utf-8"))
    assert built["ops"] == {**shipped["ops"], "my": {"my.op": {"effects": "pure", "operands": 0}}}
    assert built["sources"]["my"] == "1.0"
    assert capsys.readouterr().err == "2 ops of my, 1 rows\n"
