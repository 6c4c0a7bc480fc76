"""No pattern of the package meets the fault in the ``re`` of Python 3.11.0 to 3.11.4, CPython's gh-106052.

A possessive repetition of a group, like ``(?:...)*+``, ends with a round that fails. What follows must then
match from where that round began. Those versions continue from the position that the engine recorded last,
which may be after bytes that the failed round has passed: ``(?:[^-]|-(?!>))*+`` matches three bytes of
``a->b``. A lookbehind even records an earlier position, and a repetition around it may never end.

The engine compares single bytes without recording. It records its position before a repetition, an assertion,
an atomic group and each alternative. But it skips an alternative whose first byte does not match. So a failed
round leaves its beginning recorded if

- it begins with single bytes, or with the repetition of one, and nothing after them can fail, or
- it consists of alternatives that are all like this, or
- the last of its alternatives begins with the repetition of a byte, or is ``(?!)``: that one is always tried.

Atomic groups and repetitions that are not possessive do not continue after a failure.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eio_audit
from eio_audit.mlir.pattern import _Compiled

Items = Sequence[tuple[Any, Any]]
"""A parsed pattern: opcodes, each with its argument."""

ONE_BYTE = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN, _constants.AT}
"""What is compared without recording. So are ``^``, ``$``, ``\\b`` and the like."""
POSSESSIVE = re.compile(r"[*+?}]\+|\(\?>")
REPETITIONS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}


def goes_wrong(pattern: bytes | str, flags: int = 0) -> bool:
    """Whether a failed round of a possessive repetition may record another position than its beginning."""
    return any(
        op is _constants.POSSESSIVE_REPEAT
        and not is_of_one_byte(argument[2])
        and not notes_beginning(argument[2])
        for op, argument in parts(_parser.parse(pattern, flags))
    )


def parts(items: Items) -> Iterator[tuple[Any, Any]]:
    """Yield all parts of a parsed pattern, at every depth."""
    for op, argument in items:
        yield op, argument
        for inner in inside(op, argument):
            yield from parts(inner)


def inside(op: Any, argument: Any) -> Sequence[Items]:
    """Return the sequences inside a part."""
    if op is _constants.BRANCH:
        return argument[1]
    if op is _constants.ATOMIC_GROUP:
        return [argument]
    if op is _constants.GROUPREF_EXISTS:
        return [choice for choice in argument[1:] if choice is not None]
    if op is _constants.SUBPATTERN or op in REPETITIONS or op in {_constants.ASSERT, _constants.ASSERT_NOT}:
        return [argument[-1]]
    return []


def notes_beginning(items: Items) -> bool:
    """Whether the last recorded position is the sequence's beginning whenever the sequence fails."""
    first = next((place for place, (op, _) in enumerate(items) if op not in ONE_BYTE), len(items))
    if first or not items:
        return not may_fail(items[first:])
    op, argument = items[0]
    if may_fail(items[1:]):
        return False
    if op is _constants.SUBPATTERN:
        return notes_beginning(argument[-1])
    if op is _constants.BRANCH:
        return is_always_tried(argument[1][-1]) or all(map(notes_beginning, argument[1]))
    return is_repeated_byte(op, argument) or not may_fail([items[0]])


def is_always_tried(alternative: Items) -> bool:
    """Whether the engine records the alternative's beginning, and nothing after it."""
    op, argument = alternative[0] if alternative else (None, None)
    if op is _constants.FAILURE or (op is _constants.ASSERT_NOT and not argument[-1]):
        return True
    return is_repeated_byte(op, argument) and not may_fail(alternative[1:])


def may_fail(items: Items) -> bool:
    """Whether there is a text that the sequence does not match."""
    return not all(map(always_matches, items))


def always_matches(item: tuple[Any, Any]) -> bool:
    op, argument = item
    if op in REPETITIONS and argument[0] == 0:
        return True
    if op is _constants.BRANCH:
        return not all(map(may_fail, argument[1]))
    return (op in REPETITIONS or op in {_constants.SUBPATTERN, _constants.ATOMIC_GROUP}) and not any(
        map(may_fail, inside(op, argument))
    )


def is_repeated_byte(op: Any, argument: Any) -> bool:
    return op in REPETITIONS and is_of_one_byte(argument[-1])


def is_of_one_byte(items: Items) -> bool:
    return len(items) == 1 and items[0][0] in ONE_BYTE


def modules() -> list[str]:
    found = pkgutil.walk_packages(eio_audit.__path__, "eio_audit.")
    return sorted(module.name for module in found if not module.name.endswith(".__main__"))


def patterns_of(module: str) -> dict[str, re.Pattern[Any]]:
    """Return the patterns among the globals of a module and of its classes, by name.

    Texts with a possessive quantifier or an atomic group count too, since they are compiled on use.
    """
    values = vars(importlib.import_module(module))
    owners = {"": values} | {
        f"{name}.": vars(value) for name, value in values.items() if isinstance(value, type)
    }
    found = {
        owner + name: value
        for owner, names in owners.items()
        for name, value in names.items()
        if name != "__doc__"
    }
    compiled = {
        name: re.compile(value)
        for name, value in found.items()
        if isinstance(value, bytes | str)
        and len(value) not in (252, 256)  # those of tables for ``bytes.translate``
        and POSSESSIVE.search(value if isinstance(value, str) else value.decode("latin-1"))
    }
    return compiled | {
        name: re.compile(value.pattern, value.flags)
        for name, value in found.items()
        if isinstance(value, re.Pattern | _Compiled)
    }


@pytest.mark.parametrize("module", modules())
def test_no_pattern_goes_wrong(module: str) -> None:
    patterns = patterns_of(module)
    assert [name for name, pattern in patterns.items() if goes_wrong(pattern.pattern, pattern.flags)] == []


def test_the_patterns_are_found() -> None:
    assert {"INNER", "OUTER", "HEADER"} <= patterns_of("eio_audit.mlir.tokens").keys()
    assert "_LINE" in patterns_of("eio_audit.mlir.reading.line_columns")


@pytest.mark.parametrize(
    "path", sorted(Path(eio_audit.__file__).parent.rglob("*.py")), ids=lambda path: path.stem
)
def test_patterns_are_where_the_test_finds_them(path: Path) -> None:
    """Functions use patterns by name. Only globals are written out."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text if "re." in text else "")
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    calls = [call for function in functions for call in ast.walk(function) if uses_re(call)]
    assert [call.lineno for call in calls if not isinstance(call.args[0], ast.Name)] == []


def uses_re(node: ast.AST) -> bool:
    """Whether it is a call ``re.compile(...)``, ``re.search(...)`` and so on."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "re"
    )


@pytest.mark.parametrize(
    "pattern",
    [
        r"(?:[^-]|-(?!>))*+",
        r"(?:-(?!>))++",
        r"(?:,\s*+%x)*+",
        r"(?:,\s*%x)?+",
        r"(?:,%x++){0,4}+",
        r"(?:ab?c)*+",
        r"(?:(a)b?c)*+",
        r"(?:(?!->)[a-z-])*+",
        r"(?:(?<=x)a|x)*+",
        r"(?:a(?:b|cd)|d)*+",
        r"(?:x(?:a(?!>))?+)*+",
        r"(?:-(?!>)|[^-])*+",
        r"(?:(?!)|-(?!>))*+",
        r"(?>(?:-(?!>))*+)",
        r"(?=(?:-(?!>))*+)",
        r"(x)(?(1)(?:-(?!>))*+)",
    ],
)
def test_a_round_that_fails_behind_a_note_is_refused(pattern: str) -> None:
    assert goes_wrong(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        r"[a-z]*+",
        r"(?:abc|[d-f]++|)*+",
        r'"[^"\\]*+(?:\\.[^"\\]*+)*+"',
        r"(?:, %[a-z][a-z]*+(?:#\d++)?)*+",
        r"(?:-(?!>)|[^-]++)*+",
        r"(?:-(?!>)|(?!))*+",
        r"(?>(a)(?:b)? = |)",
        r"(?:-(?!>))*",
    ],
)
def test_a_round_that_fails_where_it_began_is_accepted(pattern: str) -> None:
    assert not goes_wrong(pattern)


Pair = tuple[str, str]
"""A pattern, and the same with ``(?>(?:...)*)`` in place of ``(?:...)*+``."""


def joined(pairs: list[Pair], separator: str = "") -> Pair:
    possessive, atomic = (separator.join(side) for side in zip(*pairs, strict=True))
    return possessive, atomic


def extended(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    sequences = st.lists(inner, min_size=1, max_size=3)
    wrapped = st.sampled_from(["(?:%s)", "(?:%s)?", "(?:%s)*", "(?>%s)", "(?=%s)", "(?!%s)"])
    return st.one_of(
        sequences.map(joined),
        sequences.map(lambda pairs: joined([("(?:", "(?:"), joined(pairs, "|"), (")", ")")])),
        st.tuples(wrapped, inner).map(lambda drawn: (drawn[0] % drawn[1][0], drawn[0] % drawn[1][1])),
        repeated(inner),
    )


def repeated(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    counts = st.sampled_from(["*", "+", "?", "{0,2}"])
    return st.tuples(inner, counts).map(
        lambda drawn: (f"(?:{drawn[0][0]}){drawn[1]}+", f"(?>(?:{drawn[0][1]}){drawn[1]})")
    )


ATOMS = ["a", "b", "[ab]", ".", "a*+", "[ab]++", "b?", r"\b", "(?!)", "(?<=a)", "(?!b)"]
PATTERNS = st.recursive(st.sampled_from([(atom, atom) for atom in ATOMS]), extended, max_leaves=6)


@given(repeated(PATTERNS), st.text("abc", max_size=6))
def test_what_is_accepted_matches_as_an_atomic_group(pair: Pair, text: str) -> None:
    possessive, atomic = pair
    if not goes_wrong(possessive):
        assert ends(possessive, text) == ends(atomic, text)


def ends(pattern: str, text: str) -> list[int]:
    """Return where the matches that begin at each position of the text end, -1 without a match."""
    compiled = re.compile(pattern)
    return [match.end() if (match := compiled.match(text, start)) else -1 for start in range(len(text) + 1)]
