import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from eio_audit import Dump, read_text, trace
from eio_audit.audit.log.scope_steps import ChangedOp
from eio_audit.audit.programs.scope_text import Lines, ScopeText
from eio_audit.mlir.input.function_texts import Aliases
from eio_audit.mlir.source import Span
from tests.audit.test_history import function, log
from tests.internals import STATUSES, Source, StoredSteps
from tests.logs import module
from tests.report.stored import lines_of, texts_of


def text_of(
    name: str, lines: Sequence[bytes], places: Iterable[int], ops: Iterable[int], *definitions: bytes
) -> ScopeText:
    """A text in which one op begins on each line; -1 for none."""
    aliases = Aliases([(name, value) for name, _, value in (one.partition(b" = ") for one in definitions)])
    dump = Dump(Source(name, b""), Span(0, 0), None, 1)
    numbers = [() if op < 0 else (op,) for op in ops]
    made = Lines([*lines], [*places], [0] * len(lines), [aliases] * len(lines), numbers)
    return ScopeText(dump, made, {}, None)


LINES = st.one_of(
    st.binary(max_size=8).map(lambda line: line.replace(b"\n", b"")),
    st.from_regex(rb"%[0-9]{1,11} = [a-z]\.add %[0-9]{1,3}, (\"%007\"|%c0_5|%%1)", fullmatch=True),
)


@st.composite
def texts(draw: st.DrawFn) -> ScopeText:
    lines = draw(st.lists(LINES, max_size=8))
    numbers = st.lists(st.integers(-1, 6), min_size=len(lines), max_size=len(lines))
    places = draw(st.integers(1, 50))
    return text_of(
        draw(st.sampled_from(("a.log", "b.log"))), lines, range(places, places + len(lines)), draw(numbers)
    )


@given(st.lists(texts(), max_size=6))
def test_texts_come_back_to_the_byte(given_texts: list[ScopeText]) -> None:
    steps = StoredSteps()
    for before, after in zip(given_texts[::2], given_texts[1::2], strict=False):
        add(steps, 0, before, after, ())
    data = unpacked(steps)
    stored = [*texts_of(data)]
    for number, (_, before, after, *_changes) in enumerate(data["steps"]):
        for place, text in ((before, given_texts[2 * number]), (after, given_texts[2 * number + 1])):
            assert stored[place] == (
                text.dump.source.name,
                text.lines.texts,
                [ops[0] if ops else -1 for ops in text.lines.ops],
                text.lines.numbers,
            )


def add(
    steps: StoredSteps,
    index: int,
    before: ScopeText,
    after: ScopeText,
    changes: Sequence[ChangedOp],
    others: Mapping[int, int] | None = None,
) -> None:
    texts = [(text.dump, zip(*text.lines.columns, strict=True)) for text in (before, after)]
    steps.add(index, texts, changes, others or {})


def unpacked(steps: StoredSteps) -> Any:
    """The data of a page, as its script reads them."""
    return json.loads(json.dumps(steps.data()))


def test_renumbered_lines_share_a_template() -> None:
    before, after = (
        [f"%{number + shift} = a.b %{number + shift - 1}".encode() for number in (5, 6, 7)]
        for shift in (0, 1)
    )
    steps = StoredSteps()
    add(steps, 0, *(text_of("a.log", lines, range(1, 4), (0, 1, 2)) for lines in (before, after)), ())
    assert steps.data()["templates"] == ["%\n = a.b %\n"]
    assert steps.data()["numbers"] == [5, 1, 1, 1, 1, 1, 1, 1]


def test_the_text_after_a_pass_is_stored_once() -> None:
    text = text_of("a.log", [b"a", b"b"], (1, 2), (0, 1))
    other = text_of("a.log", [b"a", b"c"], (4, 5), (0, 2))
    steps = StoredSteps()
    add(steps, 0, text, other, ())
    add(steps, 1, other, text, ())
    data = steps.data()
    assert data["states"] == [[0, [0, 1], [1, 1], [1, 1], []], [0, [0, 2], [1, 2], [4, 1], []]]
    assert [step[:3] for step in data["steps"]] == [[0, 0, 1], [1, 1, 0]]


def test_changes_are_columns() -> None:
    text = text_of("a.log", [b"a"], (1,), (4,))
    changes = (
        ChangedOp("added", "a.b", "@f", None, 0, 4),
        ChangedOp("removed", "a.c", None, 0, None, 2),
    )
    steps = StoredSteps()
    add(steps, 3, text, text, changes, {4: 2})
    assert steps.data()["names"] == ["a.b", "a.c", "@f"]
    columns = [[0, 1], [4, 2], [2, -1], [0, 1], [2, -1], [-1, 0], [0, -1]]
    assert steps.data()["steps"] == [[3, 0, 0, *columns]]
    assert [steps.counts[3][status] for status in STATUSES] == [1, 1, 0, 0]


def test_broken_encoding_comes_through() -> None:
    steps = StoredSteps()
    add(steps, 0, *[text_of("a.log", [b"\xff%1"], (1,), (0,))] * 2, ())
    assert lines_of(unpacked(steps)) == [b"\xff%1"]


def test_the_definitions_of_aliases_are_lines_beside_the_text() -> None:
    steps = StoredSteps()
    add(steps, 0, *[text_of("a.log", [b"a"], (1,), (0,), b"#map = affine_map<() -> ()>")] * 2, ())
    assert steps.data()["states"] == [[0, [0], [1], [1], [1]]]


def test_an_inlined_op_names_its_copy_that_the_caller_alone_showed_before() -> None:
    f, g = function("%a = t.a %x"), function("%c = t.c %x", name="g")
    both = function("%c = t.c %x", "%a = t.a %x", name="g")
    steps = StoredSteps()
    trace(read_text(log(module(f, g), f, both, module(both))), watches=[steps])
    data = unpacked(steps)
    found = {
        STATUSES[status]: (number, other)
        for _, _, _, statuses, numbers, others, names, *_ in data["steps"]
        for status, number, other, name in zip(statuses, numbers, others, names, strict=True)
        if data["names"][name] == "t.a"
    }
    (copy, _), (_, other) = found["added"], found["removed"]
    assert other == copy
