"""``fix`` warns where the order of ops is tt-mlir's schedule of L1."""

from pathlib import Path

import pytest

from tests.cli.running import run

L1 = "#l1 = #ttnn.buffer_type<l1>\n#layout = #ttnn.ttnn_layout<(d0) -> (d0), <1x1>, memref<4xf32, #l1>, <interleaved>>\n"
DRAM = L1.replace("l1", "dram")
PROGRAM = """func.func @f(%a: tensor<4xf32, #layout>) -> tensor<4xf32, #layout> {
  %0 = "ttnn.exp"(%a) : (tensor<4xf32, #layout>) -> tensor<4xf32, #layout> loc("2|exp")
  %1 = "ttnn.abs"(%a) : (tensor<4xf32, #layout>) -> tensor<4xf32, #layout> loc("1|abs")
  return %1 : tensor<4xf32, #layout>
}
"""
WARNING = "the moved ops are beside layouts in L1, and tt-mlir takes their order as its memory schedule"


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        (L1 + PROGRAM, True),
        (PROGRAM.replace("#layout", "#ttnn.ttnn_layout<<1x1>, memref<4xf32, #ttnn.buffer_type<l1>>>"), True),
        (L1.splitlines(keepends=True)[1] + PROGRAM, True),
        (DRAM + PROGRAM, False),
        (L1 + PROGRAM.replace("2|", "0|"), False),
        (L1 + PROGRAM.replace("ttnn.exp", "ttir.exp").replace("ttnn.abs", "ttir.abs"), False),
    ],
)
def test_a_moved_op_beside_layouts_in_l1(text: str, warns: bool) -> None:
    done = run("fix", "-", stdin=text.encode())
    assert done.returncode == 0
    assert (f"warning: <stdin>: {WARNING}" in done.stderr.decode()) == warns


def test_the_warning_comes_once(tmp_path: Path) -> None:
    for name in ("a.mlir", "b.mlir"):
        (tmp_path / name).write_text(L1 + PROGRAM)
    assert run("fix", "--check", tmp_path).stderr.decode().count(WARNING) == 1
    assert run("fix", "--check", "--quiet", tmp_path).stderr == b""
