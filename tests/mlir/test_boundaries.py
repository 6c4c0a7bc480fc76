"""Where on a line another op begins."""

import pytest

from eio_audit.mlir.reading.boundaries import Boundaries
from tests.reading import names, uses


def test_a_list_of_operands_is_not_read_again_from_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    op_with_results = Boundaries.op_with_results

    def counted(self: Boundaries, offset: int, *, any_name: bool) -> bool:
        asked.append(offset)
        return op_with_results(self, offset, any_name=any_name)

    monkeypatch.setattr(Boundaries, "op_with_results", counted)
    text = f"func.func @f() {{\n  %0 = t.a\n  t.b {', '.join(['%0'] * 50)} : i32\n  return\n}}\n"
    assert len(uses(text)) == 50
    assert len(asked) < 10


@pytest.mark.parametrize(
    "text",
    [
        "stream.cmd.dispatch @e::@d {\n  ro %r#0[%r#1 for %r#2] : !r,\n  wo %r#3[%r#1 for %r#2] : !r\n}\n",
        "firrtl.match %r#0 : !e {\n  case a(%x) {\n    firrtl.skip\n  }\n}\n",
        "rtg.handlers {\n  handle @f(%s: i32) {\n    rtg.skip %s : i32\n  }\n}\n",
    ],
)
def test_a_word_behind_a_brace_may_be_no_op(text: str) -> None:
    assert names(f"%r:4 = my.values\n{text}") == ["my.values", text.partition(" ")[0]]


def test_another_word_behind_a_brace_is_one() -> None:
    text = "ssp.instance @m {\n  graph {\n    operation<@Bar>()\n  }\n}\n"
    assert names(text) == ["ssp.instance", "  ssp.graph", "    operation"]
