"""What to change, against the change made by hand: lines of the later dump are moved, or get another location."""

import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

import eio_audit
from eio_audit.audit.bisect.bisect import flow_of
from eio_audit.audit.diff.advice import PassFlow
from eio_audit.audit.diff.made_ops import Group, Kind, Root

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
    # A whole pass does not tell whether it inserted the slices elsewhere, or moved what is between them.
    if has_pattern and advice is not None and not inversions(before):
        assert [(change.kind, advice.inversions) for change in advice.changes] == [("place", 0)]


@given(
    st.permutations(range(9)),
    st.permutations(range(9)),
    st.lists(st.sampled_from("abc"), min_size=9, max_size=9),
)
def test_the_inversions_of_a_group_are_those_that_are_gone_without_its_ops(
    before: list[int], after: list[int], names: list[str]
) -> None:
    lines = [op(name, f"v{index}", "x", index=index) for index, name in enumerate(names)]
    later = [lines[index] for index in after]
    found = flow([lines[index] for index in before], later, None)
    found.named, found.places = (), frozenset()
    inversions_at = found.inversions_at()
    for group in {one.place for one in found.steps[0].ops if one.place is not None}:
        own = {lines[one.op_index] for one in found.steps[0].ops if one.place == group}
        others = [line for line in later if line not in own]
        assert found.inversions_of(group, inversions_at) == inversions(later) - inversions(others)


def relabelled(lines: Sequence[str], indices: dict[str, int]) -> list[str]:
    """Give the lines with some names other indices."""
    return [
        re.sub(r'loc\("\d+', f'loc("{indices[name]}', line)
        if (name := line.partition(" ")[0]) in indices
        else line
        for line in lines
    ]


@st.composite
def layouts(draw: st.DrawFn) -> tuple[list[str], list[str], dict[str, int]]:
    """A program with casts, the same with a layout op in the place of each, and the indices of the casts.

    A layout op carries the location of the producer of its operand, as one that asks its input for it does.
    """
    size = draw(st.integers(3, 10))
    before, after, casts = list[str](), list[str](), dict[str, int]()
    known = {"x": -1}
    for place in range(size):
        used = draw(st.sampled_from([*known]))
        if known[used] >= 0 and draw(st.booleans()):
            casts[f"%v{place}"] = 2 * place
            before.append(op("cast", f"v{place}", used, index=2 * place))
            after.append(op("layout", f"v{place}", used, index=known[used]))
        else:
            before.append(op("other", f"v{place}", used, "w", index=2 * place))
            after.append(before[-1])
            known[f"v{place}"] = 2 * place
    end = op("end", "end", *(f"v{place}" for place in range(size)), index=2 * size)
    return [*before, end], [*after, end], casts


@given(layouts())
def test_ops_that_stand_where_they_should_get_the_location_of_those_that_they_replace(
    case: tuple[list[str], list[str], dict[str, int]],
) -> None:
    before, after, casts = case
    assert inversions(relabelled(after, casts)) == 0
    advice = flow(before, after, None).advice()
    if advice is not None:
        assert advice.now == inversions(after)
        assert [(change.kind, change.pattern) for change in advice.changes] == [("location", None)]
        assert advice.inversions == 0


@st.composite
def fusions_of_weights(draw: st.DrawFn) -> tuple[list[str], list[str], int]:
    """As ``fusions``, in order: a permute before each matmul, which a concat of all uses after the fusion.

    The permutes keep their locations. The result has the place of the first matmul.
    """
    size = draw(st.integers(4, 10))
    places = sorted(draw(st.sets(st.integers(0, size - 1), min_size=2, max_size=4)))
    before, after, known = list[str](), list[str](), ["x"]
    for place in range(size):
        if place in places:
            before += [
                op("permute", f"p{place}", "w", index=3 * place),
                op("matmul", f"v{place}", "x", f"p{place}", index=3 * place + 1),
            ]
            if place == places[0]:
                root = 3 * place + 1
                after += (op("permute", f"p{one}", "w", index=3 * one) for one in places)
                after.append(op("concat", "all", *(f"p{one}" for one in places), index=root))
                after.append(op("wide", "wide", "x", "all", index=root))
                after += (op("slice", f"v{one}", "wide", index=3 * one + 1) for one in places)
        else:
            used = draw(st.sampled_from(known))
            before.append(op("other", f"v{place}", used, "w", index=3 * place))
            after.append(before[-1])
        known.append(f"v{place}")
    end = op("end", "end", *(f"v{place}" for place in range(size)), index=3 * size)
    return [*before, end], [*after, end], places[0]


@given(fusions_of_weights(), st.booleans())
def test_slices_are_inserted_elsewhere_and_moved_ops_get_the_location_that_they_serve(
    case: tuple[list[str], list[str], int], has_pattern: bool
) -> None:
    before, after, first = case
    root = Root("Fuse", "t.matmul", f"%v{first}", 3 * first + 1)
    advice = flow(before, after, root if has_pattern else None).advice()
    if advice is not None:
        assert advice.now == inversions(after)
        # A whole pass does not tell whether it moved the permutes, or what is between them.
        assert advice.inversions <= (0 if has_pattern else advice.now)
        assert {change.kind for change in advice.changes} <= {"place", "location"}
