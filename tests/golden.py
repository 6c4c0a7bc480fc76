"""Expected output that ``UPDATE_GOLDENS=1 python -m pytest ...`` writes; ``git diff`` shows what changed.

It writes whole files, blocks of pages, and literals: of an ``assert text == "what is expected"`` that fails, it puts
what was found into the test, if it has the same numbers: a phrase may change, a figure, a name or a structure may not.
"""

from __future__ import annotations

import ast
import fcntl
import json
import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import FrameType

IS_UPDATED = bool(os.environ.get("UPDATE_GOLDENS"))
_NUMBER = re.compile(r"\d+")


def golden(text: str, path: Path) -> str:
    """Return what a file expects, which is ``text`` itself if it is to be written there."""
    if IS_UPDATED:
        path.write_text(text)
    return path.read_text()


def update_block(path: Path, shown: str, printed: str) -> None:
    """Put what was printed into a page, for the lines of a block that are printed no more."""
    lines = printed.splitlines() if IS_UPDATED else []
    for line in shown.splitlines():
        same = [one for one in lines if _numbers(one) == _numbers(line)]
        if line not in lines and line.strip() != "...":
            for new in get_close_matches(line, same, n=1):
                _replace(path, f"{line}\n", f"{new}\n")


@cache
def source(path: Path) -> str:
    """The text of a test module as it was when its tests were collected."""
    return path.read_text()


def update_literal(frame: FrameType, found: object, expected: object) -> None:
    """Put what was found into the assertion that a frame is at, or into the parameters of its test."""
    path = Path(frame.f_code.co_filename)
    module = ast.parse(source(path))
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.stmt)]
    tests = [one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == frame.f_code.co_name]
    for statement in nodes:
        is_here = statement.lineno <= frame.f_lineno <= (statement.end_lineno or 0)
        if is_here and isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Compare):
            for node, new in _literals(statement.test.comparators[-1], found, expected, tests):
                old = ast.get_source_segment(source(path), node) or ""
                is_block = old.startswith('"""\\\n') and isinstance(new, str) and not re.search(r'["\\]', new)
                _replace(path, old, f'"""\\\n{new}"""' if is_block else _written(new))


def _literals(
    node: ast.AST, found: object, expected: object, tests: list[ast.FunctionDef]
) -> Iterator[tuple[ast.AST, object]]:
    """Yield the literals that say what is expected, and what was found in their places."""
    if isinstance(found, str | bytes) and _is_phrase(expected) and _numbers(found) == _numbers(expected):
        parameters = [one for test in tests for given in test.decorator_list for one in ast.walk(given)]
        places = parameters if isinstance(node, ast.Name) else [node]
        yield from ((one, found) for one in places if _value(one) == expected)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(found, tuple | list):
        assert isinstance(expected, tuple | list)
        for parts in zip(node.elts, found, expected, strict=False) if len(found) == len(expected) else ():
            if parts[1] != parts[2]:
                yield from _literals(*parts, tests)


def _is_phrase(text: object) -> bool:
    """Whether a text has several words. A single one may be a name, which is a fact."""
    return isinstance(text, str | bytes) and len(text.split()) > 1


def _value(node: ast.AST) -> object:
    try:
        return ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return ...


def _numbers(value: object) -> list[str]:
    return _NUMBER.findall(repr(value))


def _written(text: object) -> str:
    """Return the literal of a text; each of its lines has a line."""
    if isinstance(text, bytes):
        return re.sub('^"', 'b"', _written(text.decode()), flags=re.MULTILINE)
    assert isinstance(text, str)
    parts = text.splitlines(keepends=True)
    lines = [json.dumps(one, ensure_ascii=not one.strip().isprintable()) for one in parts]
    return "\n".join(["(", *lines, ")"]) if lines[1:] else "".join(lines) or '""'


def _replace(path: Path, old: str, new: str) -> None:
    """Replace a part of a file, which other processes of the tests may do, too."""
    with path.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        file.seek(0)
        file.write(text.replace(old, new, 1))
        file.truncate()
