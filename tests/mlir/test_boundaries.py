"""Where on a line another op begins."""

import pytest

from tests.internals import Boundaries
from tests.reading import uses


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
