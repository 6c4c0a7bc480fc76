"""docs/glossary.md names classes, attributes and options that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.internals import COMMANDS, entries

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "glossary.md").read_text()
PAGE = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
CODE = set(re.findall(r"`([^`]+)`", PAGE))


@cache
def definitions() -> list[ast.ClassDef | ast.FunctionDef]:
    """Return the classes and functions of all modules."""
    trees = [ast.parse(path.read_text()) for path in (ROOT / "eio_audit").rglob("*.py")]
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)]


def attributes_in_the_package(name: str) -> set[str]:
    """Return the fields, methods and properties that the classes of a name define."""
    found: set[str] = set()
    for node in definitions():
        if isinstance(node, ast.ClassDef) and node.name == name:
            found |= {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            fields = [item.target for item in node.body if isinstance(item, ast.AnnAssign)]
            found |= {field.id for field in fields if isinstance(field, ast.Name)}
    return found


@pytest.mark.parametrize("name", sorted(code for code in CODE if re.fullmatch(r"[A-Z]\w*[a-z]\w*", code)))
def test_a_class_exists(name: str) -> None:
    assert name in {node.name for node in definitions()}


@pytest.mark.parametrize("name", sorted(code for code in CODE if re.fullmatch(r"[A-Z]\w+\.\w+", code)))
def test_an_attribute_exists(name: str) -> None:
    owner, _, attribute = name.partition(".")
    assert attribute in attributes_in_the_package(owner)


def test_options_and_commands_exist() -> None:
    reference = (ROOT / "docs" / "cli.md").read_text()
    options = [code for code in CODE if code.startswith("--")]
    assert [option for option in options if f"`{option} " not in reference] == []
    assert [code for code in CODE if code.startswith("eio-audit ") and code.split()[1] not in COMMANDS] == []


def test_no_word_has_two_rows() -> None:
    words = [name for entry in entries() for name in entry.names]
    assert [word for word in set(words) if words.count(word) > 1] == []
