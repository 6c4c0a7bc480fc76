"""What to change, against the change made by hand: lines of the later dump are moved, or get another location."""

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

import eio_audit
from tests.internals import Group, Kind, PassFlow, Root, flow_of

TITLE = "// -----// IR Dump After step (step) //----- //\n"


def op(name: str, result: str, *operands: str, index: int) -> str:
    types = ", ".join(["i32"] * len(operands))
    return f'%{result} = "t.{name}"({", ".join(f"%{one}" for one in operands)}) : ({types}) -> i32 loc("{index}|x")'


def text_of(lines: Sequence[str]) -> str:
    return "\n  ".join(["func.func @f(%x: i32, %w: i32) {", *lines, "return", "}"])


def inversions(lines: Sequence[str]) -> int:
    """Count pairs one by one."""
    keys = [int(found[1]) for line in lines if (found := re.search(r'loc\("(\d+)', line))]
    return sum(first > second for k, first in enumerate(keys) for second in keys[k + 1 :])


def flow(before: Sequence[str], after: Sequence[str], root: Root | None) -> PassFlow:
    """The states of a pass with one application of a pattern, or without patterns."""
    states = [before, before, after] if root else [before, after]
    dumps = eio_audit.read_text("".join(f"{TITLE}{text_of(lines)}\n\n" for lines in states))
    return flow_of(dumps, [None, root] if root else [None], eio_audit.AuditOptions())


@st.composite
def fusions(draw: st.DrawFn) -> tuple[list[str], list[str], list[str]]:
    """A program with several matmuls of one value, the same with these fused, and the names of the slices.

    Their slices stand behind the wide matmul. Each carries the location of the matmul that it replaces.
    """
    size = draw(st.integers(4, 12))
    places = sorted(draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=4)))
    order = draw(st.permutations(range(size))) if draw(st.booleans()) else range(size)
    before, after, known = list[str](), list[str](), ["x"]
    for place in range(size):
        index = 2 * order[place]
        if place in places:
            before.append(op("matmul", f"v{place}", "x", "w", index=index))
            if place == places[0]:
                after.append(op("wide", "wide", "x", "w", index=index))
                after += (op("slice", f"v{one}", "wide", index=2 * order[one]) for one in places)
        else:
            used = draw(st.sampled_from(known))
            before.append(op("other", f"v{place}", used, "w", index=index))
            after.append(before[-1])
        known.append(f"v{place}")
    before.append(op("end", "end", *(f"v{place}" for place in range(size)), index=2 * size))
    return before, [*after, before[-1]], [f"%v{place} " for place in places]


def inserted_by_hand(before: Sequence[str], after: Sequence[str], names: Sequence[str]) -> list[str]:
    """Move each line to where the line with its name stood before: in front of the next one that is still there."""
    moved = [line for line in after if line.startswith(tuple(names))]
    stay = [line for line in after if line not in moved]
    for line in moved:
        name = line.partition("=")[0]
        place = next(k for k, one in enumerate(before) if one.startswith(name))
        behind = next(one for one in before[place + 1 :] if one in stay and one not in moved)
        stay.insert(stay.index(behind), line)
    return stay


@given(fusions(), st.booleans())
def test_ops_inserted_where_those_stood_that_they_replace(
    case: tuple[list[str], list[str], list[str]], has_pattern: bool
) -> None:
    before, after, slices = case
    first = int(re.findall(r'matmul".*loc\("(\d+)', "\n".join(before))[0])
    root = Root("Fuse", "t.matmul", slices[0].strip(), first) if has_pattern else None
    found = flow(before, after, root)
    assert found.inversions(()) == inversions(after)
    if has_pattern:
        by_hand = inversions(inserted_by_hand(before, after, slices))
        assert found.inversions({Group("Fuse", "t.slice", Kind.PLACE)}) == by_hand
    advice = found.advice()
    if advice is not None and not inversions(before):
        assert [(change.kind, advice.inversions) for change in advice.changes] == [("place", 0)]
