"""The same program in another order, numbering and printing form differs only by moved ops.

MLIR itself prints each form. It also says which ops may move: those without effects.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iree.compiler import ir

from eio_audit import Diff, diff, read_text
from tests.internals import displaced
from tests.judge import parse

NAMES = ("custom_assembly.mlir", "shuffled_loops.mlir", "shortened_forms.mlir")
PROGRAMS = [Path(__file__).parent / "data" / name for name in NAMES]
FORMS = [(generic, local) for generic in (True, False) for local in (True, False)]
IDS = [f"{'generic' if generic else 'custom'}-{'inline' if local else 'alias'}" for generic, local in FORMS]


def printed(module: ir.Module, form: tuple[bool, bool], *, locations: bool = True) -> str:
    generic, local = form
    return module.operation.get_asm(
        print_generic_op_form=generic, use_local_scope=local, enable_debug_info=locations
    )


def compare(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


def counts(d: Diff) -> dict[str, int]:
    return {name: len(changes) for name, changes in d.ops.groups.items()}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("before", FORMS, ids=IDS)
@pytest.mark.parametrize("after", FORMS, ids=IDS)
def test_every_form_of_a_program_is_the_same_program(
    path: Path, before: tuple[bool, bool], after: tuple[bool, bool]
) -> None:
    module = parse(path.read_text())
    for locations in (True, False):
        result = compare(*(printed(module, form, locations=locations) for form in (before, after)))
        assert counts(result) == {"moved": 0, "modified": 0, "added": 0, "removed": 0}


UNARY = ["math.absf %{0} : f32", "arith.negf %{0} : f32", "math.exp %{0} : f32"]
BINARY = ["arith.addf %{0}, %{1} : f32", "arith.subf %{0}, %{1} : f32"]
CONSTANT = "arith.constant {0}.0 : f32"


@st.composite
def reordered_programs(draw: st.DrawFn) -> tuple[str, str, list[int]]:
    """Return a block of pure ops, its text in another legal order, and that order. Locations may repeat."""
    count = draw(st.integers(1, 14))
    lines, operands = [], []
    for k in range(count):
        assembly = draw(st.sampled_from([CONSTANT, *UNARY, *BINARY] if k else [CONSTANT]))
        used = [draw(st.integers(0, k - 1)) for place in range(2) if f"%{{{place}}}" in assembly]
        numbers = used if assembly != CONSTANT else [draw(st.integers(0, 3))]
        location = draw(st.sampled_from(["unknown", f'"DEBUG|{draw(st.integers(0, 4))}|net|op"']))
        lines.append(f"    %v{k} = {assembly.replace('%{', '%v{').format(*numbers)} loc({location})\n")
        operands.append(used)
    order: list[int] = []
    left = list(range(count))
    while left:
        ready = [k for k in left if all(used in order for used in operands[k])]
        chosen = draw(st.sampled_from(ready))
        order.append(chosen)
        left.remove(chosen)
    # A separate op uses each value, so that no two ops of a program are interchangeable.
    uses = "".join(
        f'    "t.use{k}"(%v{k}) : (f32) -> () loc("DEBUG|{9 + k}|net|use")\n' for k in range(count)
    )
    program = "module {{\n  func.func @f() {{\n{0}{1}    return\n  }}\n}}\n"
    return program.format("".join(lines), uses), program.format("".join(lines[k] for k in order), uses), order


@given(reordered_programs(), st.sampled_from(FORMS), st.sampled_from(FORMS), st.booleans())
def test_another_order_and_form_is_the_fewest_moves(
    programs: tuple[str, str, list[int]], before: tuple[bool, bool], after: tuple[bool, bool], locations: bool
) -> None:
    old, new = (parse(text) for text in programs[:2])
    result = compare(printed(old, before, locations=locations), printed(new, after, locations=locations))
    assert counts(result) == {"moved": len(displaced(programs[2])), "modified": 0, "added": 0, "removed": 0}
