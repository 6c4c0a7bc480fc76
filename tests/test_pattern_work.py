"""No pattern of ``mlir/`` and ``audit/`` takes quadratic time on a text that anybody can write.

A pattern meets long runs of each of its classes, behind a text that it matches so far. A search that starts
anew at each byte of such a run takes over a second on it, and one pass a few milliseconds. So the limit is far from
both, and it counts CPU time.
"""

from __future__ import annotations

import importlib
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import eio_audit
from tests.limits import TooSlowError, limited
from tests.test_patterns import REPETITIONS, Items, inside, modules, parts, patterns_of

LENGTH = 20_000
MOST_SECONDS = 0.3
CHARACTERS = " ax0\"\\\n\t()[]{}<>#%@/-,:=!^.|*?$_;'"
ONE_CHARACTER = {_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN}
SEARCHING = {"search", "finditer", "findall", "sub", "subn", "split"}
MATCHING = {"match", "fullmatch", "match_end"}
CALL = re.compile(
    r"(?:(?P<owner>\w+)\)?\.)?"  # the pattern, or re.compile(the pattern)
    rf"\b(?P<method>{'|'.join(SEARCHING | MATCHING)})\b"
    r"(?=(?:\(\s*(?:[\w.]+\(\s*)?(?:\w+\.)*(?P<given>\w+))?)"  # or the first of what is given
)
ENDS = dict.fromkeys(
    ("_FIELDS_OF_NAME", "_NAME_ONLY", "_NAMES"), "\0"
)  # by pattern, what each of its texts ends with
NOT_SEARCHED = {
    "RESULT": "the results of an op, which the pattern of its header has matched",
    "_SOURCE": "the name of a file",
    "_STATE": "the name of a file",
}
"""The patterns that get no text that anybody can write, and what they get."""
DICTIONARIES = {"_IN_IR", "_INSTEAD_OF_IR"}
"""The dictionaries whose values are patterns. These are searched for."""


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """By module and pattern, the methods that are called on it. A public name has one module, the empty one."""
    found = defaultdict[tuple[str, str], set[str]](set)
    for path in Path(eio_audit.__file__).parent.rglob("*.py"):
        for match in CALL.finditer(path.read_text()):
            for name in filter(None, match.group("owner", "given")):
                found[str(path) if name.startswith("_") else "", name].add(match["method"])
    return found


def patterns() -> Iterator[Any]:
    """The patterns that are used, with how: compiled ones, and texts that are compiled on use."""
    for module in modules():
        if not module.startswith(("eio_audit.mlir", "eio_audit.audit")):
            continue
        loaded = importlib.import_module(module)
        texts = {
            name: re.compile(value)
            for name, value in vars(loaded).items()
            if isinstance(value, str | bytes) and (str(loaded.__file__), name) in uses()
        }
        for name, value in vars(loaded).items():
            for number, text in enumerate(value.values() if isinstance(value, dict) else ()):
                if isinstance(text, bytes) and name in DICTIONARIES:
                    one = f"{name}{number}"
                    yield pytest.param(one, re.compile(text), {"search"}, id=f"{module}.{one}")
        for name, pattern in (patterns_of(module) | texts).items():
            last = name.rpartition(".")[2]
            methods = uses().get((str(loaded.__file__) if last.startswith("_") else "", last), set())
            is_text = isinstance(vars(loaded).get(name), str | bytes)
            if methods or not is_text:
                yield pytest.param(last, pattern, methods, id=f"{module.removeprefix('eio_audit.')}.{name}")


def sample(items: Items) -> str:
    """A short text that a sequence matches, but for what assertions ask."""
    text = ""
    for op, argument in items:
        if op is _constants.BRANCH:
            text += sample(argument[1][0])
        elif op in REPETITIONS:
            text += sample(argument[2]) * argument[0]
        elif op not in {_constants.ASSERT, _constants.ASSERT_NOT}:
            text += "".join(map(sample, inside(op, argument))) or class_of(op, argument)[:1]
    return text


def class_of(op: Any, argument: Any) -> str:
    """Those of the characters that are of a class."""
    if op is _constants.LITERAL:
        return chr(argument)
    if op not in ONE_CHARACTER:
        return ""
    return "".join(one for one in CHARACTERS if is_in(one, op, argument)) or "~"


def is_in(character: str, op: Any, argument: Any) -> bool:
    if op is _constants.IN:
        is_negated = argument[0][0] is _constants.NEGATE
        return any(is_in(character, *one) for one in argument[is_negated:]) != is_negated
    if op is _constants.RANGE:
        return bool(argument[0] <= ord(character) <= argument[1])
    if op is _constants.CATEGORY:
        kind = str(argument).removeprefix("CATEGORY_")
        checks = {"DIGIT": str.isdigit, "SPACE": str.isspace, "WORD": lambda one: one.isalnum() or one == "_"}
        return bool(checks[kind.removeprefix("NOT_")](character)) != kind.startswith("NOT_")
    if op is _constants.ANY:
        return character != "\n"
    return (chr(argument) == character) == (op is _constants.LITERAL)


def told_apart(tree: Items) -> str:
    """One of the characters for each kind that a pattern tells apart: it takes as long on all others."""
    asked = [part for part in parts(tree) if part[0] in ONE_CHARACTER]
    word = _constants.CATEGORY, _constants.CATEGORY_WORD  # for the ends of words
    kinds = {tuple(is_in(one, *part) for part in [*asked, word]): one for one in reversed(CHARACTERS)}
    return "".join(kinds.values())


def repeated(items: Items, characters: str, before: str = "") -> Iterator[tuple[str, str]]:
    """Each text that a part of a pattern repeats, with one that matches what stands before that part.

    A class is repeated as each of these characters that it has.
    """
    for op, argument in items:
        if op in REPETITIONS:
            [*inner] = argument[2]
            of_class = class_of(*inner[0]) if len(inner) == 1 else ""
            units = [one for one in of_class if one in characters][:4] or [of_class[:1] or sample(inner)]
            yield from ((before, unit) for unit in units if unit)
        for sequence in inside(op, argument):
            yield from repeated(sequence, characters, before)
        before += sample([(op, argument)])


def hostile_texts(tree: Items) -> set[str]:
    whole, characters = sample(tree), told_apart(tree)
    texts = {start + one * LENGTH for one in characters for start in ("", whole)}
    for before, unit in repeated(tree, characters):
        run = unit * (LENGTH // len(unit))
        texts |= {before + run, before + run + "\1", whole + run}
        texts.add((before + unit) * (LENGTH // len(before + unit)))
    for one in filter(None, (whole, whole[:-1])):
        texts.add(one * (LENGTH // len(one)))
    return texts


@pytest.mark.parametrize(("name", "pattern", "methods"), list(patterns()))
def test_a_long_run_takes_linear_time(name: str, pattern: re.Pattern[Any], methods: set[str]) -> None:
    is_searched = (not methods or bool(methods & SEARCHING)) and name not in NOT_SEARCHED
    is_matched = (not methods or bool(methods & MATCHING)) and name not in {"_SOURCE", "_STATE"}
    is_bytes = isinstance(pattern.pattern, bytes)
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    for text in hostile_texts(tree):
        given: Any = text + ENDS.get(name, "")
        given = given.encode("latin-1", "replace") if is_bytes else given
        try:
            with limited(MOST_SECONDS):
                if is_searched:
                    pattern.subn(lambda match: match[0], given)
                if is_matched:
                    pattern.match(given)
        except TooSlowError:
            pytest.fail(f"it is slow on {text[:40]!r} ...")


def test_a_search_that_starts_anew_at_each_byte_is_slow() -> None:
    started = time.process_time()
    with pytest.raises(TooSlowError), limited(MOST_SECONDS):
        re.search(r"(?:\s|\"\")+<", " " * LENGTH)
    assert time.process_time() - started < 10 * MOST_SECONDS
