"""What a location says: every form that MLIR prints, with its aliases resolved."""

import pytest

from eio_audit import InputError
from eio_audit.mlir.location import Locations
from tests.reading import ir_of


def location_of(text: str, aliases: str = "") -> object:
    return Locations(ir_of(f'"t.a"() : () -> () loc({text})\n{aliases}')).of(0)


@pytest.mark.parametrize(
    ("text", "location"),
    [
        ("unknown", "UnknownLoc()"),
        ('"name"', "NameLoc(name='name', child=None)"),
        ('"name"("child"(unknown))', "NameLoc(name='name', child=NameLoc(name='child', child=UnknownLoc()))"),
        ('"file.py":3:7', "FileLineColLoc(file='file.py', line=3, column=7, text=':3:7')"),
        ('"f.py":1:2 to 3:4', "FileLineColLoc(file='f.py', line=1, column=2, text=':1:2 to 3:4')"),
        ('"f.py":1:2 to :4', "FileLineColLoc(file='f.py', line=1, column=2, text=':1:2 to :4')"),
        (
            'callsite("a" at #loc3)',
            "CallSiteLoc(callee=NameLoc(name='a', child=None), caller=NameLoc(name='c', child=None))",
        ),
        (
            'fused["a", "b":1:2]',
            "FusedLoc(locations=(NameLoc(name='a', child=None), FileLineColLoc(file='b', line=1, column=2, text=':1:2')), metadata=None)",
        ),
        (
            'fused<{k = "]"}>["a"]',
            "FusedLoc(locations=(NameLoc(name='a', child=None),), metadata='{k = \"]\"}')",
        ),
        ("#loc3", "NameLoc(name='c', child=None)"),
        ('"a"(#loc3)', "NameLoc(name='a', child=NameLoc(name='c', child=None))"),
        ("#loc4", "NameLoc(name='d', child=NameLoc(name='c', child=None))"),
        ('"a"("f.py":1:2)', "NameLoc(name='a', child=FileLineColLoc(file='f.py', line=1, column=2, text=':1:2'))"),
        ('"a" ("b")', "NameLoc(name='a', child=NameLoc(name='b', child=None))"),
        (r'"\61"("b")', "NameLoc(name='a', child=NameLoc(name='b', child=None))"),
        ("#my.loc", "OpaqueLoc(text='#my.loc')"),
        ('"a" // b\n', "NameLoc(name='a', child=None)"),
        ('fused[ // "a"\n"b"]', "FusedLoc(locations=(NameLoc(name='b', child=None),), metadata=None)"),
        ('#my.loc<1, "x">', "OpaqueLoc(text='#my.loc<1, \"x\">')"),
        (r'"a\22b\\c\n"', "NameLoc(name='a\"b\\\\c\\n', child=None)"),
    ],
)  # fmt: skip
def test_every_form(text: str, location: str) -> None:
    assert repr(location_of(text, '#loc3 = loc("c")\n#loc4 = loc("d"(#loc3))\n')) == location


def test_names_may_be_nested_deeply() -> None:
    depth = 50_000
    location = location_of('"a"(' * depth + '"b"' + ")" * depth)
    names = []
    while location is not None:
        names.append(location.name)
        location = location.child
    assert names == ["a"] * depth + ["b"]


@pytest.mark.parametrize(
    "text", ["", "name", '"a" "b"', '"a"(', 'callsite("a")', 'fused["a"', "callsite(1 at 2)"]
)
def test_malformed_locations_are_errors(text: str) -> None:
    with pytest.raises(InputError):
        location_of(text)


def test_an_alias_that_is_a_name_around_itself_is_an_error() -> None:
    with pytest.raises(InputError, match="alias '#x' refers to itself"):
        location_of("#x", '#x = loc("x"(#x))\n')
