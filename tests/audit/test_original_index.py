import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit import IndexPattern, InputError
from tests.internals import OriginalIndices
from tests.reading import ir_of


def index(location: str, aliases: str = "", pattern: IndexPattern | None = None) -> int | None:
    ir = ir_of(f'"t.a"() : () -> () loc({location})\n{aliases}')
    return OriginalIndices(ir, pattern).index(0)


@pytest.mark.parametrize("pattern", [None, IndexPattern(f"{IndexPattern().expression}(?:)")])
@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ('"DEBUG|15|ResNet[resnet]|/m.py:1|forward|2|add"', 15),
        ('"15|ResNet[resnet]|/m.py:1|forward|2|add"', 15),
        ('"DEBUG|99999999999999999999999|x"', 99999999999999999999999),
        ('"007|x"', 7),
        ('"1\\7C2|x"', 1),
        ('"15|f\\22"', 15),
        ('"-1|unknown|unknown|-1|xla__device_data"', None),
        ('"DEBUG| 4|x"', None),
        ('"DEBUG|٣|x"', None),
        ('"add_123"', None),
        ('"reshape.17"', None),
        ("unknown", None),
        ('"f.py":3:4', None),
        ('"3|f.py":3:4', None),
        ('"X_tm0"("DEBUG|7|X")', 7),
        ('"DEBUG|7|X_tm0"("DEBUG|3|X")', 7),
        ('"DEBUG|-1|X"("DEBUG|3|X")', None),
        ('fused["DEBUG|9|a", "b", "DEBUG|4|c"]', 4),
        ('fused["DEBUG|-1|a", "DEBUG|4|c"]', 4),
        ('callsite("DEBUG|1|callee" at "DEBUG|8|caller")', 8),
        ('callsite("DEBUG|1|callee" at "caller")', 1),
    ],
)
def test_the_index_of_a_location(location: str, expected: int | None, pattern: IndexPattern | None) -> None:
    """The same pattern written otherwise has no short cut."""
    assert index(location, pattern=pattern) == expected


def test_an_alias_may_be_a_number() -> None:
    assert index("#0", '#0 = loc("a"(#1))\n#1 = loc("3|b")\n') == 3


def test_metadata_of_a_fused_location_may_be_an_alias() -> None:
    assert index('fused<#a>["3|b"]', "#a = {x = 1}\n") == 3


def test_a_location_may_hold_comments() -> None:
    assert index('fused[ // "1|a"\n "3|b"]') == 3


def test_aliases_of_aliases() -> None:
    assert (
        index("#loc3", '#loc1 = loc("DEBUG|5|x")\n#loc3 = loc(fused[#loc1, #loc2])\n#loc2 = loc("DEBUG|2|y")')
        == 2
    )


@pytest.mark.slow
def test_a_long_chain_of_aliases() -> None:
    count = 20_000
    chain = "\n".join(f'#loc{k} = loc("n{k}"(#loc{k + 1}))' for k in range(count))
    assert index("#loc0", chain + f'\n#loc{count} = loc("DEBUG|6|x")') == 6


def test_an_alias_that_is_not_defined_is_an_error() -> None:
    with pytest.raises(InputError, match="alias '#loc9' is not defined"):
        index("#loc9")


def test_an_alias_defined_by_itself_is_an_error() -> None:
    with pytest.raises(InputError, match="refers to itself"):
        index("#loc1", '#loc1 = loc("a"(#loc2))\n#loc2 = loc("b"(#loc1))')


def test_another_pattern() -> None:
    assert index('"add.17"', pattern=IndexPattern(r"\.(?P<index>[0-9]+)$")) == 17


@pytest.mark.parametrize(("pattern", "message"), [("(", "malformed"), ("[0-9]+", "no group named 'index'")])
def test_a_pattern_that_cannot_work_is_refused(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IndexPattern(pattern)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ('"DEBUG|3|X_tm0"("DEBUG|3|X")', True),
        ('"DEBUG|3|X"("DEBUG|3|X")', False),
        ('"DEBUG|3|Y"("DEBUG|3|X")', False),
        ('"DEBUG|3|X"', False),
        ('"DEBUG|3|X_tm0"("f.py":1:2)', False),
        ('"DEBUG|3|X_tm0"("DEBUG|3|X"("DEBUG|3|Y"))', True),
        ('"DEBUG|3|X\\22_tm0"("DEBUG|3|X\\22")', True),
        ('"DEBUG|3|X\\5A"("DEBUG|3|X\\5")', False),
        ('"DEBUG|3|X_tm0" ( "DEBUG|3|X" )', True),
    ],
)
def test_derived_ops(location: str, expected: bool) -> None:
    ir = ir_of(f'"t.a"() : () -> () loc({location})')
    assert OriginalIndices(ir).derived_by_op[0] == expected


def origin(name: str) -> tuple[object, ...] | None:
    """The fields of the origin of an op with this location."""
    found = OriginalIndices(ir_of(f'"t.a"() : () -> () loc("{name}")')).parsed.origin(0)
    return found and (found.modules, found.file, found.function, found.line, found.op)


def test_the_fields_of_an_origin() -> None:
    assert origin("DEBUG|14|Net[net]|Conv2d[net.conv0]|/proj/model.py:10|forward|11|convolution") == (
        *(("Net[net]", "Conv2d[net.conv0]"), "/proj/model.py:10", "forward", 11, "convolution"),
    )


def test_of_a_line_number_too_long_to_be_one_the_end_counts() -> None:
    found = origin(f"1|net|m.py|forward|{'9' * 5000}|op")
    assert found == (("net",), "m.py", "forward", 999_999_999, "op")


@pytest.mark.parametrize(("location", "aliases"), [("", ""), ("#loc1", "#loc1 = loc()")])
def test_an_empty_location_is_an_error(location: str, aliases: str) -> None:
    with pytest.raises(InputError, match="expected a location"):
        index(location, aliases)


def test_a_pattern_that_backtracks_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eio_audit.audit.locations.index_pattern.PATTERN_SECONDS", 0.05)
    with pytest.raises(InputError, match="takes too long"):
        index(f'"{"a" * 70}!"', pattern=IndexPattern(r"^(?P<index>(?:a|aa)+)+$"))


@pytest.mark.parametrize(
    ("location", "modules"),
    [
        ('"DEBUG|4|Net[net]|/m.py:1|forward|2|add"', ("Net[net]",)),
        ('"DEBUG|-1|unknown|unknown|-1|xla__device_data"', None),
        ('"DEBUG|-1|unknown|-1|x"("DEBUG|3|Net[net]|/m.py:1|forward|2|add")', ("Net[net]",)),
    ],
)
def test_names_with_a_negative_index_tell_of_no_module(
    location: str, modules: tuple[str, ...] | None
) -> None:
    ir = ir_of(f'"t.a"() : () -> () loc({location})')
    origin = OriginalIndices(ir).parsed.origin(0)
    assert (origin and origin.modules) == modules


@given(st.text("|:.x1é", max_size=12), st.booleans())
def test_the_origin_in_a_location_is_that_of_its_name(fields: str, has_prefix: bool) -> None:
    *left, op = fields.split("|")
    line = int(left.pop()) if left and left[-1].isascii() and left[-1].isdigit() else None
    function = left.pop() if line is not None and left else None
    file = left.pop() if function is not None and left else None
    assert origin(f"{'DEBUG|' * has_prefix}7|{fields}") == (tuple(left), file, function, line, op)


def test_the_lines_of_locations_with_a_part_in_common_that_has_none() -> None:
    ops = "".join(f'"t.a"() : () -> () loc({place})\n' for place in ("#b", "fused[#a, #c]", "#a", "#c"))
    ir = ir_of(ops + '#a = loc("5|a")\n#b = loc("6|b"(#a))\n#c = loc("7|c"("m.py":3:1))\n')
    lines = map(OriginalIndices(ir).parsed.model_line, range(4))
    assert [line and line.line for line in lines] == [None, 3, None, 3]
