import pytest

from eio_audit import InputError
from tests.internals import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
    OpaqueLoc,
    Source,
    Span,
    UnknownLoc,
    parse_location,
)
from tests.reading import ir_of


def parse(text: str) -> Location:
    aliases: dict[bytes, Location] = {b"#loc3": NameLoc("c", None)}
    location, missing = parse_location(Source("f", text.encode()), Span(0, len(text.encode())), aliases)
    assert not missing
    return location


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("unknown", UnknownLoc()),
        ('"name"', NameLoc("name", None)),
        ('"name"("child"(unknown))', NameLoc("name", NameLoc("child", UnknownLoc()))),
        ('"file.py":3:7', FileLineColLoc("file.py", 3, 7, ":3:7")),
        ('"f.py":1:2 to 3:4', FileLineColLoc("f.py", 1, 2, ":1:2 to 3:4")),
        ('"f.py":1:2 to :4', FileLineColLoc("f.py", 1, 2, ":1:2 to :4")),
        ('callsite("a" at #loc3)', CallSiteLoc(NameLoc("a", None), NameLoc("c", None))),
        ('fused["a", "b":1:2]', FusedLoc((NameLoc("a", None), FileLineColLoc("b", 1, 2, ":1:2")), None)),
        ('fused<{k = "]"}>["a"]', FusedLoc((NameLoc("a", None),), '{k = "]"}')),
        ("#loc3", NameLoc("c", None)),
        ("#my.loc", OpaqueLoc("#my.loc")),
        ('"a" // b\n', NameLoc("a", None)),
        ('fused[ // "a"\n"b"]', FusedLoc((NameLoc("b", None),), None)),
        ('#my.loc<1, "x">', OpaqueLoc('#my.loc<1, "x">')),
        (r'"a\22b\\c\n"', NameLoc('a"b\\c\n', None)),
    ],
)
def test_every_form(text: str, location: Location) -> None:
    assert parse(text) == location


def test_names_may_be_nested_deeply() -> None:
    depth = 50_000
    location = parse('"a"(' * depth + '"a"' + ")" * depth)
    for _ in range(depth):
        assert isinstance(location, NameLoc)
        assert location.child is not None
        location = location.child
    assert location == NameLoc("a", None)


@pytest.mark.parametrize(
    "text", ["", "name", '"a" "b"', '"a"(', 'callsite("a")', 'fused["a"', "callsite(1 at 2)"]
)
def test_malformed_locations_are_errors(text: str) -> None:
    with pytest.raises(InputError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        '"a"',
        '"a"("b")',
        '"a"("b"("c"))',
        '"a"(#x)',
        "#x",
        '"a"("f.py":1:2)',
        '"a"(unknown)',
        '"a" ("b")',
        r'"\61"("b")',
    ],
)
def test_a_location_of_names_is_what_the_parser_makes_of_it(text: str) -> None:
    ir = ir_of(f'"t.a"() : () -> () loc({text})\n#x = loc("x"(#y))\n#y = loc("y")\n')
    known: dict[bytes, Location] = {b"#x": NameLoc("x", NameLoc("y", None))}
    span = Span(ir.location_start[0], ir.op_end[0] - 1)
    assert Locations(ir).of(0) == parse_location(ir.source, span, known)[0]


def test_an_alias_that_is_a_name_around_itself_is_an_error() -> None:
    ir = ir_of('"t.a"() : () -> () loc(#x)\n#x = loc("x"(#x))\n')
    with pytest.raises(InputError, match="alias '#x' refers to itself"):
        Locations(ir).of(0)
