import pytest

from eio_audit import AuditOptions, OriginalOrder, check, fix, read_text

BEFORE = """func.func @f(%a: i32) -> i32 {
  %0 = "ttir.abs"(%a) : (i32) -> i32
  %1 = "ttir.neg"(%a) : (i32) -> i32
  %2 = "ttir.add"(%0, %1) : (i32, i32) -> i32
  return %2 : i32
}
"""
AFTER = """func.func @f(%arg0: i32) -> i32 {
  %0 = "ttir.neg"(%arg0) : (i32) -> i32
  %1 = "my.new"() : () -> i32
  %2 = "ttir.abs"(%arg0) : (i32) -> i32
  %3 = "ttir.add"(%2, %0) : (i32, i32) -> i32
  return %3 : i32
}
"""
OPTIONS = AuditOptions(order_from=OriginalOrder(read_text(BEFORE)[0]))


def test_ops_without_indices_are_ordered_as_in_another_dump() -> None:
    summary = check(read_text(AFTER), OPTIONS).summary
    assert (summary.indexed, summary.inversions, summary.avoidable) == (5, 1, 1)


def test_a_fix_restores_that_order() -> None:
    lines = fix(read_text(AFTER), OPTIONS).text.decode().split("\n")
    assert [line.split('"')[1] for line in lines if '"' in line] == [
        "ttir.abs",
        "ttir.neg",
        "my.new",
        "ttir.add",
    ]


def test_indices_in_locations_do_not_count_then() -> None:
    indexed = AFTER.replace(": (i32) -> i32\n", ': (i32) -> i32 loc("DEBUG|1|x")\n')
    assert check(read_text(indexed), OPTIONS).summary.inversions == 1


def test_numbers_of_dumps_that_were_compared_are_forgotten() -> None:
    original = OriginalOrder(read_text(BEFORE)[0])
    known = dict(original._interned)
    check(read_text(AFTER), AuditOptions(order_from=original))
    assert original._interned == known


CALL = """func.func @g(%a: i32) -> i32 {
  %0 = "ttir.exp"(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f(%a: i32, %b: i32) -> (i32, i32) {
  %0 = "ttir.abs"(%b) : (i32) -> i32
  %1 = "ttir.neg"(%b) : (i32) -> i32
  %2 = func.call @g(%a) : (i32) -> i32
  return %1, %2 : i32, i32
}
"""


def inlined(*first: str) -> str:
    """``@f`` with the body of ``@g`` in it; some ops of ``@f`` come first."""
    ops = {
        "abs": '  %0 = "ttir.abs"(%b) : (i32) -> i32\n',
        "neg": '  %1 = "ttir.neg"(%b) : (i32) -> i32\n',
        "exp": '  %2 = "ttir.exp"(%a) : (i32) -> i32\n',
    }
    body = "".join(map(ops.__getitem__, first))
    return f"func.func @f(%a: i32, %b: i32) -> (i32, i32) {{\n{body}  return %1, %2 : i32, i32\n}}\n"


@pytest.mark.parametrize(
    ("order", "inversions"),
    [(("abs", "neg", "exp"), 0), (("exp", "abs", "neg"), 0), (("neg", "abs", "exp"), 1)],
)
def test_ops_of_two_functions_that_were_put_together_had_no_order(
    order: tuple[str, ...], inversions: int
) -> None:
    options = AuditOptions(order_from=OriginalOrder(read_text(CALL)[0]))
    assert check(read_text(inlined(*order)), options).summary.inversions == inversions
