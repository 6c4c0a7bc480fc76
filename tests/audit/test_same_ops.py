"""The ops that a pass left alone are found without refinement, and nothing about them has changed."""

import re
from itertools import compress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import AuditOptions, Diff, diff, read_text, shuffle
from eio_audit.audit.diff.compared_dump import ComparedDump
from eio_audit.audit.diff.matching import match_ops
from tests.internals import Interned, read_dump
from tests.programs import loops, programs

CHAIN = """func.func @f(%x: f32, %w0: f32, %w1: f32, %w2: f32, %w3: f32) -> f32 {{
{layers}  return %r{last} : f32
}}
"""


def chain(*layers: int) -> str:
    """A chain of layers that differ only in their weights."""
    text, last = "", "%x"
    for layer in layers:
        text += (
            f'  %m{layer} = "t.multiply"({last}, %w{layer}) : (f32, f32) -> f32\n'
            f'  %a{layer} = "t.add"(%m{layer}, {last}) : (f32, f32) -> f32\n'
            f'  %r{layer} = "t.relu"(%a{layer}) : (f32) -> f32\n'
        )
        last = f"%r{layer}"
    return CHAIN.format(layers=text, last=layers[-1])


def sides(*texts: str) -> list[ComparedDump]:
    interned = Interned()
    return [ComparedDump(read_dump(read_text(text)[0], AuditOptions()), interned) for text in texts]


def removed(result: Diff) -> list[str | None]:
    return [change.before.result for change in result.ops.removed if change.before]


def compare(before: str, after: str) -> Diff:
    return diff(read_text(before)[0], read_text(after)[0])


@pytest.mark.parametrize("layer", [0, 1, 2, 3])
def test_of_a_chain_of_like_layers_the_one_is_removed_whose_weight_is_unused(layer: int) -> None:
    result = compare(chain(0, 1, 2, 3), chain(*(k for k in range(4) if k != layer)))
    assert removed(result) == [f"%m{layer}", f"%a{layer}", f"%r{layer}"]


def test_weights_of_layers_that_are_exchanged_are_changed_operands() -> None:
    """No op has another text or another user, so none is another op."""
    result = compare(
        chain(0, 1), chain(0, 1).replace("%w0)", "%w)").replace("%w1)", "%w0)").replace("%w)", "%w1)")
    )
    assert (removed(result), len(result.ops.modified)) == ([], 2)


@given(program=programs() | loops(), seed=st.integers(0, 9))
def test_all_ops_of_a_shuffled_program_are_paired(program: str, seed: int) -> None:
    before, after = sides(program, shuffle(read_text(program), seed).decode())
    assert len(match_ops(before, after).ops) == len(before)


@given(program=programs() | loops(), seed=st.integers(0, 9))
def test_untouched_ops_have_no_differences(program: str, seed: int) -> None:
    lines = program.splitlines()
    removable = [k for k, line in enumerate(lines) if re.match(r'  %\d+ = "ttir.add"\(', line)]
    if removable:  # its users use another value
        line = lines.pop(Random(seed).choice(removable))
        name = line.split()[0]
        lines = [re.sub(rf"{name}\b", "%new", other) for other in lines]
        lines.insert(1, '  %new = "t.new"() : () -> i32')
    before, after = sides(program, "\n".join(lines))
    found = match_ops(before, after)
    for old in compress(range(len(before)), found.untouched):
        new = found.ops[old]
        assert before.texts[old].text == after.texts[new].text
        operands = [
            (found.ops.get(owner), number) if owner >= 0 else found.arguments.get((owner, number))
            for owner, number in before.producers[old]
        ]
        assert operands == [*after.producers[new]]
