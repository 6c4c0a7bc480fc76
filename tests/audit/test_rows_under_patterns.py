"""A project's row under a pattern says what ops do, not what their regions mean. All commands agree on that."""

import pytest

from eio_audit import AuditOptions, diff, normal_form, read_text
from eio_audit.mlir.semantics.calls import Calls
from tests.internals import Dependences, OpTable, OpTraits, Source, read_ir

ROWS = {"a pattern": {"my.*": OpTraits()}, "its name": {"my.table": OpTraits()}}
F, G = "func.func private @f()", "func.func private @g()"
CALL = "func.func @h() {\n  call @f() : () -> ()\n  return\n}\n"


@pytest.mark.parametrize(("row", "may_move"), [("a pattern", False), ("its name", True)])
def test_the_order_of_symbols(row: str, may_move: bool) -> None:
    options = AuditOptions(ops=ROWS[row])
    one, other = (f"my.table @t {{\n{first}\n{second}\n}}\n" for first, second in ((F, G), (G, F)))
    old, new = (read_text(text)[0] for text in (one, other))
    assert diff(old, new, options).sameness.sameness == ("order" if may_move else "none")
    forms = [normal_form(dump, options, ordered=True).text for dump in (old, new)]
    assert (forms[0] == forms[1]) is may_move
    ir = read_ir(Source("test.mlir", one.encode()), op_table=OpTable(ROWS[row]))
    assert bool(list(Dependences(ir).of([1])[1].edges())) is not may_move


@pytest.mark.parametrize(("row", "is_known"), [("a pattern", False), ("its name", True)])
def test_a_call_out_of_the_op(row: str, is_known: bool) -> None:
    """The op may be a symbol table with another ``@f``."""
    text = f"func.func @f() {{\n  return\n}}\nmy.table {{\n{CALL}}}\n"
    ir = read_ir(Source("test.mlir", text.encode()), op_table=OpTable(ROWS[row]))
    assert bool(Calls(ir).callee) is is_known
