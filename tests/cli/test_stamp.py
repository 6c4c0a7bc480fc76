from pathlib import Path

import pytest
from iree.compiler.passmanager import PassManager

from tests.cli.running import SAMPLES, run
from tests.judge import parse

LOOP = b"""\
func.func @f(%m: memref<8xf32>, %lb: index, %ub: index, %step: index) {
  %zero = arith.constant 0.0 : f32
  scf.for %i = %lb to %ub step %step {
    %late = arith.addi %lb, %ub : index
    %early = arith.addi %late, %i : index
    memref.store %zero, %m[%early] : memref<8xf32>
  }
  return
}
"""


def test_a_pass_over_a_stamped_program_is_audited() -> None:
    stamped = run("stamp", "-", stdin=LOOP).stdout.decode()
    module = parse(stamped)
    with module.context:
        PassManager.parse("builtin.module(func.func(loop-invariant-code-motion))").run(module.operation)
    result = run("check", "-v", "-", stdin=module.operation.get_asm(enable_debug_info=True).encode())
    assert result.returncode == 0
    assert b"1 inversion: it is not comparable (1 across the border of a region)" in result.stdout


def test_a_stamped_program_is_in_order() -> None:
    stamped = run("stamp", SAMPLES / "resnet" / "after_alias.mlir").stdout
    assert run("check", "-", stdin=stamped).returncode == 0


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    out = tmp_path / "stamped.mlir"
    result = run("stamp", "-", "-o", out, stdin=b"%0 = my.op\n")
    assert (result.returncode, result.stdout) == (0, b"")
    assert out.read_text() == '%0 = my.op loc("DEBUG|0|my.op"("-":1:6))\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [(b"\n", b"nothing to stamp: the input is empty"), (b"my.op {\n", b"<stdin>:1:7: error: ")],
)
def test_bad_input_writes_nothing(text: bytes, message: bytes, tmp_path: Path) -> None:
    result = run("stamp", "-", "-o", tmp_path / "out.mlir", stdin=text)
    assert (result.returncode, list(tmp_path.iterdir())) == (2, [])
    assert message in result.stderr
