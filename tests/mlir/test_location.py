import pytest

from eio_audit import InputError
from tests.internals import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    NameLoc,
    OpaqueLoc,
    Source,
    Span,
    UnknownLoc,
    parse_location,
)


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
