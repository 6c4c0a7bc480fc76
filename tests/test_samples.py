"""The figures of sample_irs/README.md, for every form of the samples."""

import re
from pathlib import Path

import pytest

from eio_audit import AuditOptions, Summary, check, fix, read
from eio_audit.mlir.input.folders import find_files
from tests.internals import in_orders, read_ir

SAMPLES = Path(__file__).parent.parent / "sample_irs"
FILES = sorted(Path(p) for p in find_files(str(SAMPLES)))
MLIR_FILES = [path for path in FILES if path.parent.name != "ttnn"]
"""Files that MLIR reads without tt-mlir's dialects. The final dumps have custom assembly of these."""
DUMP_FILES = [path for path in MLIR_FILES if path.suffix == ".mlir"]


def figures(summary: Summary) -> tuple[int, int, int, int, int]:
    return summary.ops, summary.indexed, summary.inversions, summary.forced, summary.minimum


@pytest.mark.parametrize("form", ["inline", "alias"])
@pytest.mark.parametrize(
    ("program", "before", "after"),
    [
        ("small", (16, 14, 0, 0, 0), (18, 16, 18, 18, 18)),
        ("encoder", (166, 164, 0, 0, 0), (154, 152, 14, 14, 14)),
        ("resnet", (272, 271, 0, 0, 0), (234, 233, 789, 388, 767)),
    ],
)
def test_pairs(program: str, form: str, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    for when, expected in (("before", before), ("after", after)):
        summary = check(read(str(SAMPLES / program / f"{when}_{form}.mlir"))).summary
        assert figures(summary) == expected
        assert summary.certified


@pytest.mark.parametrize("log", ["eio_only_inline.log", "eio_only_alias.log"])
def test_the_pass_alone(log: str) -> None:
    before, after = check(read(str(SAMPLES / "small" / log))).dumps
    assert (before.pass_name, before.when, after.when) == ("ttir-erase-inverse-ops", "before", "after")
    assert figures(before.summary) == (12, 11, 0, 0, 0)
    assert figures(after.summary) == (13, 12, 9, 9, 9)
    assert after.summary.certified


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("small", (51, 16, 24, 24, 24)),
        ("encoder", (280, 92, 0, 0, 0)),
        ("resnet", (700, 161, 0, 0, 0)),
    ],
)
def test_final_dumps(program: str, expected: tuple[int, ...]) -> None:
    [audit] = check(read(str(SAMPLES / "ttnn" / f"{program}.mlir"))).dumps
    assert figures(audit.summary) == expected


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("small", (51, 37, 120, 60, 60)),
        ("encoder", (280, 218, 0, 0, 0)),
        ("resnet", (700, 389, 0, 0, 0)),
    ],
)
def test_final_dumps_with_the_indices_of_frees(program: str, expected: tuple[int, ...]) -> None:
    dumps = read(str(SAMPLES / "ttnn" / f"{program}.mlir"))
    [audit] = check(dumps, AuditOptions(follow="none")).dumps
    assert figures(audit.summary) == expected
    assert sum(block.at_frees for block in audit.blocks) == (96 if program == "small" else 0)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("small/after_alias.mlir", (0, 0)),
        ("encoder/after_alias.mlir", (0, 0)),
        ("resnet/after_alias.mlir", (22, 0)),
        ("ttnn/small.mlir", (0, 0)),
        ("ttnn/encoder.mlir", (0, 0)),
        ("ttnn/resnet.mlir", (0, 0)),
    ],
)
def test_no_sample_has_a_hoisted_constant(path: str, expected: tuple[int, int]) -> None:
    summary = check(read(str(SAMPLES / path))).summary
    assert (summary.avoidable, summary.avoidable_constants) == expected


def test_generic_assembly_gives_the_same_figures() -> None:
    before, after = check(read(str(SAMPLES / "small" / "eio_inline_generic.log"))).dumps
    assert figures(before.summary) == (16, 14, 0, 0, 0)
    assert figures(after.summary) == (18, 16, 18, 18, 18)


@pytest.mark.parametrize(
    "log", sorted(SAMPLES.glob("*/all_passes_*.log")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_logs_name_their_passes(log: Path) -> None:
    audits = check(read(str(log))).dumps
    named = dict.fromkeys(audit.pass_name for audit in audits)
    assert list(named) == [
        "canonicalize",
        "inline",
        "ttir-flatten-sliding-window",
        "ttir-explicate-tms",
        "ttir-erase-inverse-ops",
        "ttir-implicit-broadcast-fold",
        "cse",
    ]
    assert [audit.line for audit in audits] == [
        number for number, line in enumerate(log.read_text().split("\n"), 1) if line.startswith("// -----//")
    ]


def test_a_folder_of_dumps() -> None:
    audits = [
        audit for path in find_files(str(SAMPLES / "small" / "tree")) for audit in check(read(path)).dumps
    ]
    assert len(audits) == 16
    after = next(a for a in audits if a.pass_name == "ttir-erase-inverse-ops" and a.when == "after")
    assert figures(after.summary) == (18, 16, 18, 18, 18)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_pieces_tile_the_file(path: Path) -> None:
    """Writing every block in its own order gives the same bytes."""
    for dump in read(str(path)):
        ir = read_ir(dump.source, dump.span)
        orders = {block: range(len(ops)) for block, ops in enumerate(ir.block_ops) if ops}
        assert in_orders(ir, orders) == dump.source.data[dump.span.start : dump.span.end]


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.parent.name not in {"miscompile", "mlir_opt"}],
    ids=lambda path: str(path.relative_to(SAMPLES)),
)
def test_every_op_of_the_samples_is_read(path: Path) -> None:
    """Each op of these files is on its own line and ends with a location."""
    for dump in read(str(path)):
        ir = read_ir(dump.source, dump.span)
        text = dump.source.data[dump.span.start : dump.span.end]
        lines = re.findall(rb"^ *[%\"\w}][^\n]* loc\([^\n]*\)$", text, re.MULTILINE)
        assert len(ir) == len(lines)
        assert all(ir.location_text(op) for op in range(len(ir)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_fixes_keep_what_is_not_avoidable_to_the_byte(path: Path) -> None:
    dumps = read(str(path))
    result = fix(dumps)
    if "resnet" in path.parts and "after" in path.name:
        assert (result.before.inversions, result.before.minimum) == (789, 767)
    assert result.changed == (result.before.avoidable > 0)
    if not result.changed:
        assert result.text == dumps[0].source.data
