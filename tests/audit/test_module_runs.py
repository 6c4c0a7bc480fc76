"""How torn modules are."""

import re

from hypothesis import given

from eio_audit import AuditOptions, Diff, check, diff, fix, read_text
from tests.programs import freeing_programs, programs

FREES = AuditOptions(follow=["frees"])


def program(*locations: str) -> str:
    ops = "".join(f'  "ttir.abs"() : () -> i32 loc({location})\n' for location in locations)
    return f"func.func @f() {{\n{ops}  return\n}}\n"


def compared(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


A = '"DEBUG|{}|Net[net]|A[net.a]|/m.py:10|forward|11|abs"'
B = '"DEBUG|{}|Net[net]|B[net.b]|/m.py:20|call|21|abs"'
IN_ORDER = program(A.format(1), A.format(2), B.format(3), B.format(4))
TORN = program(A.format(1), B.format(3), A.format(2), B.format(4))


def test_runs_of_modules_inside_one_another() -> None:
    result = compared(IN_ORDER, TORN).fragmentation
    assert [(one.path, one.before, one.after, one.fixed) for one in result.modules] == [
        (("Net[net]", "A[net.a]"), 1, 2, 1),
        (("Net[net]", "B[net.b]"), 1, 2, 1),
        (("Net[net]",), 1, 1, 1),
    ]


def test_runs_of_source_functions() -> None:
    result = compared(IN_ORDER, TORN).fragmentation
    assert [(one.name, one.before, one.after, one.fixed) for one in result.functions] == [
        ("/m.py:10 forward", 1, 2, 1),
        ("/m.py:20 call", 1, 2, 1),
    ]


def test_ops_without_a_module_do_not_tear_one() -> None:
    result = compared(IN_ORDER, program(A.format(1), '"DEBUG|1|x"', A.format(2))).fragmentation
    assert [(one.name, one.after) for one in result.modules] == [
        ("Net[net]", 1),
        ("A[net.a]", 1),
        ("B[net.b]", 0),
    ]


def test_frees_that_get_a_label_lie_in_its_module() -> None:
    free = '  "ttnn.deallocate"(%0) : (tensor<4xi8>) -> ()'
    use = '  %0 = "ttnn.abs"(%a) : (tensor<4xi8>) -> tensor<4xi8>'
    texts = use, free, use.replace("%0", "%1")
    locations = A.format(1), B.format(3), A.format(2)
    ops = [f"{op} loc({location})" for op, location in zip(texts, locations, strict=True)]
    text = "\n".join(["func.func @f(%a: tensor<4xi8>) {", *ops, "  return", "}"])
    (dump,) = read_text(text)
    [first, *_] = diff(dump, dump, FREES).fragmentation.modules
    assert (first.path[-1], first.after, first.fixed, first.relabelled) == ("A[net.a]", 2, 2, 1)


def in_modules(text: str) -> str:
    """The program with ops of two modules and three source functions."""

    def located(match: re.Match[str]) -> str:
        index = int(match[1])
        return f"{index}|Net[n]|L[n.{index % 2}]|m.py:{index % 3}|f|1|op"

    return re.sub(r"(?:DEBUG\|)?(\d+)\|net\|op", located, text)


def require_the_pieces_of_what_fix_writes(text: str, options: AuditOptions) -> None:
    (dump,) = read_text(text)
    told = diff(dump, dump, options).fragmentation
    for stage, relabel in (("fixed", None), ("relabelled", "nested")):
        (written,) = read_text(fix([dump], options, relabel=relabel).text)
        if check([written], options).summary.not_comparable:
            continue  # with their new indices, ops are copies of others: their order stays
        found = diff(written, written, options).fragmentation
        for said, seen in ((told.modules, found.modules), (told.functions, found.functions)):
            pieces = {one.path: getattr(one, stage) for one in said if getattr(one, stage)}
            assert pieces == {one.path: one.after for one in seen}


@given(programs())
def test_the_pieces_after_a_fix_are_those_of_the_text_that_fix_writes(text: str) -> None:
    require_the_pieces_of_what_fix_writes(in_modules(text), AuditOptions())


@given(freeing_programs())
def test_so_they_are_where_frees_follow_their_last_use(text: str) -> None:
    require_the_pieces_of_what_fix_writes(in_modules(text), FREES)
