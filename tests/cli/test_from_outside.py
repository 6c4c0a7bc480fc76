"""Texts that are no MLIR, implicit modules, parts without ops, and reports from another folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eio_audit import AuditOptions, OriginalOrder, check, read_text
from tests.audit.test_fix import SHUFFLED
from tests.cli.running import run

FUNCTION = b"func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n"
IN_MODULE = b"module {\n  func.func @f(%b: i32) -> i32 {\n    %1 = arith.addi %b, %b : i32\n    return %1 : i32\n  }\n}\n"


@pytest.mark.parametrize("command", ["check", "fix", "normalize", "stamp", "trace"])
def test_a_text_that_is_no_mlir_is_an_error(command: str) -> None:
    done = run(command, "-", stdin=b"hello world\n")
    assert (done.returncode, done.stdout.startswith(b"hello")) == (2, False)


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (FUNCTION, IN_MODULE, 0),
        (IN_MODULE, FUNCTION, 0),
        (b"#map = affine_map<(d0) -> (d0)>\n" + FUNCTION, IN_MODULE, 0),
        (FUNCTION, IN_MODULE.replace(b"addi", b"muli"), 1),
        (FUNCTION, IN_MODULE.replace(b"module {", b"module @named {"), 1),
        (FUNCTION, IN_MODULE.replace(b"module {", b'module attributes {x = "y"} {'), 1),
        (FUNCTION, IN_MODULE + IN_MODULE.replace(b"@f", b"@g"), 1),
    ],
)
def test_an_implicit_module_is_a_module(before: bytes, after: bytes, code: int, tmp_path: Path) -> None:
    for name, text in (("before.mlir", before), ("after.mlir", after)):
        (tmp_path / name).write_bytes(text)
    paths = tmp_path / "before.mlir", tmp_path / "after.mlir"
    assert run("diff", "--same-as", "names", *paths).returncode == code


@pytest.mark.parametrize("format_", ["sarif", "gitlab"])
def test_fingerprints_do_not_depend_on_the_current_folder(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dumps").mkdir()
    (tmp_path / "dumps" / "a.mlir").write_text(SHUFFLED)

    def prints(folder: Path, path: str) -> list[str]:
        monkeypatch.chdir(folder)
        document = json.loads(run("check", path, "--format", format_).stdout)
        if format_ == "gitlab":
            return [one["fingerprint"] for one in document]
        return [one["partialFingerprints"]["eioAudit/v1"] for one in document["runs"][0]["results"]]

    assert prints(tmp_path, "dumps/a.mlir") == prints(tmp_path / "dumps", "a.mlir") != []


PART = "func.func @f() {\n  return\n}\n"


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (f"// -----\n\n// -----\n{PART}", PART),
        (f"{PART}// -----\n// -----\n{PART}", f"{PART}// -----\n{PART}"),
        (f"// -----\n{PART}// -----\n", PART),
    ],
)
def test_parts_without_ops_are_left_out(text: str, normal: str) -> None:
    once = run("normalize", "-", stdin=text.encode()).stdout
    assert once.decode() == normal
    assert run("normalize", "-", stdin=once).stdout == once


def test_an_original_order_forgets_the_dumps_that_it_has_judged() -> None:
    def text(number: int) -> str:
        return PART.replace(
            "return", f'"my.{number}"() {{n = {number}}} : () -> () loc("x{number}")\n  return'
        )

    order = OriginalOrder(read_text(text(0))[0])
    options = AuditOptions(order_from=order)
    sizes = []
    for number in range(1, 4):
        check(read_text(text(number)), options)
        kept = order._interned
        sizes.append((len(kept), len(kept.locations), len(kept.texts)))
    assert sizes[0] == sizes[1] == sizes[2]
