"""``eio-audit normalize`` on the command line."""

from pathlib import Path

from tests.cli.running import run


def test_each_dump_of_several_has_a_line_above_it(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    first = "// -----// IR Dump After CSE (cse) ('func.func' operation: @f) //----- //"
    log.write_text(f"{first}\nfunc.func @f() {{\n  return\n}}\n// -----\nfunc.func @g() {{\n  return\n}}\n")
    printed = run("normalize", log).stdout.decode()
    assert printed == f"{first}\nfunc.func @f() {{\n  return\n}}\n// -----\nfunc.func @g() {{\n  return\n}}\n"


def test_a_single_dump_has_no_line_above_it(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    log.write_text("// -----// IR Dump After CSE (cse) //----- //\nfunc.func @f() {\n  return\n}\n")
    assert run("normalize", log).stdout == b"func.func @f() {\n  return\n}\n"
