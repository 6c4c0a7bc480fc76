"""What the documentation names exists: files, names of the code, options, keys of JSON and of the op table."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from eio_audit.mlir.traits import FLAGS
from tests.cli.json_schema import schema
from tests.cli.reference import FACTS, anywhere, option_names

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FOLDERS = ROOT, ROOT / "eio_audit", ROOT / "eio_audit" / "mlir", ROOT / "eio_audit" / "order"
PATH = re.compile(r"(?:[\w.-]+/)+(?:[\w-]+\.\w+)?|[\w-]+\.(?:py|json)")
NAME = re.compile(r"_?[A-Z]\w*[a-z]\w*(?:\.\w+)?|_[A-Z_]+|[a-z]+(?:_[a-z]+)+")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
FLAGS_OF_TOOLS = {
    *("--allow-unregistered-dialect", "--dump-pass-pipeline", "--irdl-file", "--load-", "--log-actions-to"),
    *(
        "--no-implicit-module",
        "--rows",
        "--split-input-file",
        "--strip-debuginfo",
        "--verify-",
        "--word-diff",
    ),
}
"""Options of other programs, besides those that begin with ``--mlir-``."""
NAMES_ELSEWHERE = {
    *("AlwaysSpeculatable", "AutomaticAllocationScopeResource", "CSEPass", "DefaultResource"),
    *(
        "DestinationStyleOpInterface",
        "Dropout",
        "FileCheck",
        "FuseElementwiseOps",
    ),
    *("RecursivelySpeculatable", "SideEffectInterfaces.h", "arm_sme"),
    *("export_path", "has_side_effect", "memory_effects", "ml_program", "no_unwind"),
    *("output_operand_aliases", "output_tensor", "require_serial", "running_mean", "tile_id", "will_return"),
}
"""Names of MLIR, of its dialects and of other programs."""
FILES_OF_READERS = {"OUT/MODEL/PIPELINE/N_PassName.mlir", ".vscode/tasks.json", "report/"}
FUNCTIONS = re.findall(r"`([\w/]+\.py)`, `(\w+)`", (ROOT / "docs/internals/architecture.md").read_text())


def named(page: Path) -> list[str]:
    """What a page sets as code in its prose."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return sorted(set(re.findall(r"`([^`\n]+)`", prose)))


@cache
def defined() -> set[str]:
    """All names that the code of the repository defines, and the members of its JSON."""
    found = {*FLAGS, *(key for one in schema()["$defs"].values() for key in one["properties"])}
    for path in [*(ROOT / "eio_audit").rglob("*.py"), *(ROOT / "scripts").rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return found


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_path_exists(page: Path) -> None:
    paths = [one for one in named(page) if PATH.fullmatch(one) and one not in FILES_OF_READERS]
    assert [one for one in paths if not any((folder / one).exists() for folder in FOLDERS)] == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_a_name_is_defined(page: Path) -> None:
    names = {one for one in named(page) if NAME.fullmatch(one)} - NAMES_ELSEWHERE
    assert [one for one in names if not {*one.split(".")} <= defined()] == []


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.name)
def test_an_option_exists(page: Path) -> None:
    given = {option for one in named(page) for option in OPTION.findall(one)}
    others = {option for option in given if option.startswith("--mlir-")} | FLAGS_OF_TOOLS
    assert given - others - option_names() == set()


@pytest.mark.parametrize(("path", "name"), FUNCTIONS)
def test_a_name_is_defined_in_its_module(path: str, name: str) -> None:
    text = (ROOT / "eio_audit" / path).read_text()
    assert re.search(rf"^(?:def |class )?{name}\b", text, re.MULTILINE)


def test_the_page_on_the_code_names_every_room() -> None:
    assert {"mlir/", "order/", "audit/", "report/", "cli/"} <= {
        *named(ROOT / "docs/internals/architecture.md")
    }


@pytest.mark.parametrize("pattern", FACTS)
def test_a_number_that_the_code_gives_is_in_the_documentation(pattern: str) -> None:
    assert any(re.search(anywhere(pattern), page.read_text()) for page in DOCUMENTS)
