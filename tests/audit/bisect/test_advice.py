"""What to change in a pass, against what a pass did that was changed: the real one, and a small model of one."""

import json
import lzma
import re
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eio_audit
from eio_audit.audit.bisect.attempts import read_attempts
from eio_audit.audit.bisect.bisect import flow_of, root_of
from eio_audit.audit.diff import advice as advice_module
from eio_audit.audit.diff.advice import Advice, PassFlow
from eio_audit.audit.diff.made_ops import Group, Kind
from tests.cli.running import SAMPLES
from tests.internals import Attempt, count_inversions

REAL = json.loads((Path(__file__).parents[2] / "data" / "changed_locations.json").read_text())
"""By sample, by the patterns that were changed in the pass itself, the inversions after it."""

ELEMENTWISE = "TTIRCommuteTmsThroughElementwiseRewriter"
CHANGED = {
    "P": f"{ELEMENTWISE}<PermuteOp, ElementwiseBinary, UPWARDS>",
    "U": f"{ELEMENTWISE}<PermuteOp, ElementwiseUnary, UPWARDS>",
    "R": f"{ELEMENTWISE}<ReshapeOp, ElementwiseBinary, UPWARDS>",
    "V": f"{ELEMENTWISE}<ReshapeOp, ElementwiseUnary, UPWARDS>",
    "B": "TTIRCommuteReshapeThroughBroadcast<UPWARDS>",
    "C": "TTIRCommutePermuteThroughBroadcast<UPWARDS>",
    "D": r".*(Reduce|Slice|Softmax).*",
}
"""The patterns that were changed: by letter, an expression for their names."""


def log_of(states: Sequence[str]) -> list[eio_audit.Dump]:
    """States as the dumps of a log."""
    return eio_audit.read_text(
        "".join(
            f"// -----// IR Dump After step{number} (step{number}) //----- //\n{text.strip()}\n\n"
            for number, text in enumerate(states)
        )
    )


def states_and_attempts(
    recording: dict[str, Any], before: str
) -> tuple[list[eio_audit.Dump], list[Attempt | None]]:
    """The states of a recorded pass, and the attempt that made each."""
    with tempfile.TemporaryDirectory() as folder:
        actions = Path(folder) / "actions.log"
        actions.write_text(recording["actions"])
        attempts = read_attempts(actions, recording["changes"], eio_audit.AuditOptions())
    return log_of([before, *recording["states"]]), [None, *map(attempts.get, recording["changes"])]


@cache
def recorded(sample: str) -> tuple[list[eio_audit.Dump], list[Attempt | None]]:
    recording = json.loads(lzma.decompress((SAMPLES / "recorded" / f"{sample}.json.xz").read_bytes()))
    return states_and_attempts(recording, (SAMPLES / sample / "before_alias.mlir").read_text())


def flow_through(states: Sequence[eio_audit.Dump], attempts: Sequence[Attempt | None]) -> PassFlow:
    return flow_of(states, [*map(root_of, attempts)], eio_audit.AuditOptions())


@cache
def flow_of_sample(sample: str) -> PassFlow:
    return flow_through(*recorded(sample))


def advice_of(states: Sequence[eio_audit.Dump], attempts: Sequence[Attempt | None]) -> Advice:
    advice = flow_through(states, attempts).advice()
    assert advice is not None
    return advice


def locations_of(patterns: Collection[str]) -> list[Group]:
    return [Group(pattern, None, Kind.LOCATION) for pattern in patterns]


def patterns_of(letters: str, known: Collection[str]) -> set[str]:
    return {name for name in known for letter in letters if re.fullmatch(CHANGED[letter], name)}


def is_close(estimate: int, truth: int) -> bool:
    return abs(estimate - truth) <= max(5, 0.02 * truth)


@pytest.mark.parametrize(
    ("sample", "off"),
    [("small", 0), *(pytest.param(*row, marks=pytest.mark.slow) for row in (("encoder", 0), ("resnet", 9)))],
)
def test_the_estimate_is_what_the_changed_pass_does(sample: str, off: int) -> None:
    flow = flow_of_sample(sample)
    known = {step.pattern for step in flow.steps if step.pattern is not None}
    found = {letters: flow.inversions(locations_of(patterns_of(letters, known))) for letters in REAL[sample]}
    assert len(found) == 128
    assert max(abs(found[letters] - truth) for letters, truth in REAL[sample].items()) == off


@pytest.mark.parametrize(
    ("sample", "letters", "now"),
    [("small", "PR", 18), ("encoder", "R", 14), pytest.param("resnet", "CD", 789, marks=pytest.mark.slow)],
)
def test_the_patterns_to_change_are_among_the_best(sample: str, letters: str, now: int) -> None:
    advice = advice_of(*recorded(sample))
    assert [advice.now, advice.curve[-1]] == [now, advice.inversions]
    assert {change.kind for change in advice.changes} == {"location"}
    chosen = [change.pattern or "" for change in advice.changes]
    assert len(chosen) == len(letters)
    assert all(re.fullmatch(CHANGED[letter], name) for letter, name in zip(letters, chosen, strict=True))
    truth = REAL[sample]
    assert truth[letters] <= min(truth.values()) + 5
    assert is_close(advice.inversions, truth[letters])
    alone = {one.pattern: now - one.removed for one in advice.alone}
    assert all(is_close(alone.get(CHANGED[letter], now), truth[letter]) for letter in "PURVBC")


def test_what_each_pattern_makes() -> None:
    advice = advice_of(*recorded("small"))
    assert [(one.pattern, one.made, one.carries, 18 - one.removed) for one in advice.alone] == [
        (CHANGED["P"], {"ttir.permute": 5}, "user", 12),
        (CHANGED["R"], {"ttir.reshape": 5}, "user", 15),
        (CHANGED["U"], {"ttir.permute": 1}, "user", 18),
        (CHANGED["V"], {"ttir.reshape": 1}, "user", 21),
    ]


def test_of_many_patterns_not_all_choices_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice_module, "MOST_TRIED", 3)
    advice = advice_of(*recorded("small"))
    assert [change.pattern for change in advice.changes] == [CHANGED["P"], CHANGED["R"]]
    assert (advice.inversions, advice.is_exact) == (0, False)


FUSING = Path(__file__).parents[2] / "data" / "fusing"
"""tt-mlir's ttir-fusing, application by application. Its log of actions tells no locations."""


@pytest.mark.parametrize("program", ["qkv", "qkvp", "bert_encoder_layer", "phi_1_decode_layer"])
@pytest.mark.parametrize("is_whole", [False, True])
def test_slices_are_inserted_elsewhere_and_moved_permutes_get_another_location(
    program: str, is_whole: bool
) -> None:
    """The numbers are those of the rebuilt pass. As a whole, it has no patterns."""
    recording = json.loads(lzma.decompress((FUSING / f"{program}.json.xz").read_bytes()))
    before = (FUSING / f"{program}.mlir").read_text() if program.startswith("qkv") else unpacked(program)
    states, attempts = states_and_attempts(recording, before)
    truth = json.loads((FUSING / "truth.json").read_text())[program]
    advice = advice_of([states[0], states[-1]], [None]) if is_whole else advice_of(states, attempts)
    kinds = {(change.kind, *{op.name for op in change.ops}) for change in advice.changes}
    moved = {("location", "ttir.permute")} if program != "qkv" else set()
    assert kinds == {("place", "ttir.slice_static"), *moved}
    patterns = {(change.pattern or "").partition("<")[0] for change in advice.changes}
    assert patterns == {"" if is_whole else "SharedLHSMatmulFusion"}
    assert [advice.now, advice.inversions] == [truth["as it is"], truth["SLICE_PLACE+PERM_LOC"]]
    assert advice.inversions == min(truth.values())


def unpacked(program: str) -> str:
    return lzma.decompress((FUSING / f"{program}.mlir.xz").read_bytes()).decode()


def state(*ops: str) -> str:
    return "func.func @f(%arg: i32) {\n  " + "\n  ".join(ops) + "\n  return\n}"


def pure(name: str, index: int) -> str:
    return f'%{name} = arith.addi %arg, %arg : i32 loc("{index}|{name}")'


@pytest.mark.parametrize(
    ("attempts", "pattern"),
    [([None, Attempt(1, "ns::Sink", "arith.addi", "%a", 1)], "Sink"), ([None], None)],
)
def test_ops_that_could_stand_where_they_stood_are_at_a_wrong_place(
    attempts: list[Attempt | None], pattern: str | None
) -> None:
    before, after = (
        state(pure("a", 1), pure("b", 2), pure("c", 3)),
        state(pure("b", 2), pure("c", 3), pure("a", 1)),
    )
    states = log_of([*[before] * len(attempts), after])
    [change] = advice_of(states, attempts).changes
    assert (change.kind, change.pattern, change.removed) == ("place", pattern, 2)
    assert [op.title for op in change.ops] == ["#1 arith.addi %a"]


def test_a_root_without_an_index_gives_no_location() -> None:
    root = '%r = "t.r"(%arg) : (i32) -> i32'
    user, made = (f'"t.u"({value}) : (i32) -> () loc("1|u")' for value in ("%r", "%arg"))
    other = '"t.o"(%arg) : (i32) -> () loc("0|o")'
    states = log_of([state(root, other, user), state(root, other, user), state(made, root, other)])
    advice = advice_of(states, [None, Attempt(1, "P", "t.r", "%r")])
    assert {change.kind for change in (*advice.changes, *advice.alone)} == {"place"}


@dataclass(frozen=True)
class Op:
    """An op of the model: what it uses, and its index."""

    name: str
    operands: tuple[int, ...]
    index: int


@dataclass
class Program:
    """A block. Ops have numbers, which are the names of their values; 0 is the argument of the block."""

    ops: dict[int, Op] = field(default_factory=dict)
    order: list[int] = field(default_factory=list)

    def text(self) -> str:
        lines = []
        for number in self.order:
            op = self.ops[number]
            types = ", ".join(["i32"] * len(op.operands))
            used = ", ".join(f"%{one}" for one in op.operands)
            lines.append(f'%{number} = "t.{op.name}"({used}) : ({types}) -> i32 loc("{op.index}|x")')
        text = "\n  ".join(lines)
        return (
            f'func.func @f(%0: i32) {{\n  {text}\n  "t.end"(%{self.order[-1]}) : (i32) -> () loc("99|x")\n}}'
        )

    @property
    def inversions(self) -> int:
        return count_inversions([self.ops[number].index for number in self.order])

    def users(self, number: int) -> list[int]:
        """The ops below an op that use it, directly or through others, in order."""
        found = {number}
        for other in self.order:
            if found & {*self.ops[other].operands}:
                found.add(other)
        return [one for one in self.order if one in found and one != number]

    def use_instead(self, old: int, new: int) -> None:
        """Let the users of a value use another one."""
        for number, op in self.ops.items():
            used = tuple(new if one == old else one for one in op.operands)
            self.ops[number] = replace(op, operands=used)

    def commute(self, moved: int, root: int, new: int, *, at_root: bool) -> None:
        """Replace a layout op on one side of the root by a new one on the other side.

        The new one has the location of the root, or of that op.
        """
        is_user, index = moved in self.users(root), self.ops[root if at_root else moved].index
        self.use_instead(moved, self.ops[moved].operands[0])
        self.order.remove(moved)
        first, *others = self.ops[root].operands
        if is_user:
            self.ops[root] = replace(self.ops[root], operands=(new, *others))
        else:
            self.use_instead(root, new)
        self.ops[new] = Op("layout", (first if is_user else root,), index)
        self.order.insert(self.order.index(root) + (not is_user), new)


@dataclass(frozen=True)
class Application:
    """An application of a pattern of the model: ``commute`` with these arguments."""

    pattern: str
    moved: int
    root: int
    new: int


KEEPING = "Keeping"
"""A pattern that gives the root's location as it is."""


def run_pass(
    program: Program, applications: Sequence[Application], changed: Collection[str]
) -> list[Program]:
    """The states of the model, with some patterns changed."""
    states = [program]
    for one in applications:
        program = Program({**program.ops}, [*program.order])
        at_root = one.pattern == KEEPING or one.pattern in changed
        program.commute(one.moved, one.root, one.new, at_root=at_root)
        states.append(program)
    return states


@st.composite
def passes(draw: st.DrawFn) -> tuple[Program, list[Application]]:
    """A program of adds and layout ops, and applications that move layout ops past adds.

    If both have one location, no state tells whose the new op has.
    """
    program = Program()
    for number in range(1, draw(st.integers(4, 10)) + 1):
        name = draw(st.sampled_from(["add", "layout"]))
        others = [draw(st.integers(0, number - 1))] if name == "add" else []
        program.ops[number] = Op(name, (number - 1, *others), 2 * number)
        program.order.append(number)
    applications: list[Application] = []
    state = program
    for new in range(20, 20 + draw(st.integers(1, 5))):
        choices = [
            pair
            for one in state.order
            for user in state.users(one)
            for pair in ((user, one), (one, user))
            if [state.ops[number].name for number in pair] == ["layout", "add"]
            and state.ops[pair[0]].index != state.ops[pair[1]].index
        ]
        if not choices:
            break
        pattern = draw(st.sampled_from(["Up", "Higher", KEEPING]))
        applications.append(Application(pattern, *draw(st.sampled_from(choices)), new))
        state = run_pass(state, applications[-1:], ())[-1]
    return program, applications


@given(passes())
def test_the_estimate_is_what_a_small_pass_does(case: tuple[Program, list[Application]]) -> None:
    program, applications = case
    states = run_pass(program, applications, ())
    attempts = [
        Attempt(number, f"ns::{one.pattern}", "t.add", f"%{one.root}", states[number - 1].ops[one.root].index)
        for number, one in enumerate(applications, start=1)
    ]
    flow = flow_through(log_of([one.text() for one in states]), attempts)
    patterns = ["Up", "Higher", KEEPING]
    for changed in chain.from_iterable(combinations(patterns, size) for size in range(4)):
        truth = [one.inversions for one in run_pass(program, applications, changed)]
        groups = locations_of(changed)
        assert (flow.inversions(groups), [*flow.curve(groups)]) == (truth[-1], truth)


def test_what_later_applications_make_of_inserted_ops_makes_the_estimate_a_bound() -> None:
    def uses(name: str, result: str, used: str, index: int) -> str:
        return f'%{result} = "t.{name}"(%{used}) : (i32) -> i32 loc("{index}|{name}")'

    matmul, other = uses("matmul", "m", "arg", 1), uses("other", "o", "arg", 2)
    second, end = uses("matmul", "s", "arg", 3), '"t.end"(%m, %o, %s) : (i32, i32, i32) -> () loc("9|end")'
    wide, first = uses("wide", "w", "arg", 1), uses("slice", "m", "w", 1)
    slice_, copy = uses("slice", "s", "w", 3), uses("copy", "s", "w", 3)
    before = state(matmul, other, second, end)
    fused = state(wide, first, slice_, other, end)
    copied = state(wide, first, copy, other, end)
    fuse, later = Attempt(1, "Fuse", "t.matmul", "%m", 1), Attempt(2, "Copy", "t.slice", "%s", 3)
    alone = advice_of(log_of([before, before, fused]), [None, fuse])
    assert ([change.kind for change in alone.changes], alone.inversions, alone.at_most) == (
        ["place"],
        0,
        False,
    )
    both = advice_of(log_of([before, before, fused, copied]), [None, fuse, later])
    assert ([change.kind for change in both.changes], both.inversions, both.at_most) == (["place"], 0, True)
