"""The rooms: data flows one way through them, and every third-party package has its owners."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import eio_audit

PACKAGE = Path(__file__).parent.parent / "eio_audit"
ROOMS = ["mlir", "order", "audit", "report", "cli"]
MAY_USE = {
    "mlir": set(),
    "order": set(),
    "audit": {"mlir", "order"},
    "report": {"mlir", "audit"},
    "cli": {"mlir", "audit", "report", "package"},
    "testing": {"mlir", "audit", "report"},
    "package": {"mlir", "audit"},
}
FLOORS = {
    "mlir": [
        {"pattern"},
        {"source", "traits"},
        {"tokens"},
        {"ir"},
        {"location"},
        {"input"},
        {"reading"},
        {"editing", "rewriting", "semantics"},
    ],
    "order": [
        {"effort", "permutation"},
        {"inverted_pairs", "precedence"},
        {"windows"},
        {"search"},
        {"wrong_labels"},
        {"linear_extension"},
    ],
    "audit": [
        {"watchdog"},
        {"command"},
        {"locations", "programs"},
        {"dependence", "options"},
        {"pair_class"},
        {"check"},
        {"explain", "fix", "gate"},
        {"diff"},
        {"log"},
        {"corpus"},
        {"bisect"},
        {"reduce"},
    ],
    "report": [
        {"pages", "wording"},
        {"document", "json"},
        {"documents", "graph", "markdown", "text"},
        {"manual"},
        {"ci", "html"},
    ],
}
"""The modules and folders of a room, from the bottom. Each imports from the floors below it; a folder, from itself."""
OWNERS = {
    "click": {"cli"},
    "rich": {"report"},
    "regex": {"audit"},
    "networkx": {"audit", "report"},
    "jinja2": {"report"},
    "pebble": {"audit"},
    "distributed": {"audit"},
}


def room_of(path: Path) -> str:
    if path.parent == PACKAGE:
        return "testing" if path.stem == "testing" else "package"
    return path.relative_to(PACKAGE).parts[0]


@cache
def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_every_module_stands_in_a_room() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(ROOMS)
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py", "testing.py"}


def test_imports_point_one_way() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        room = room_of(path)
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != "eio_audit":
                continue
            target = parts[1] if len(parts) > 1 and parts[1] in ROOMS else "package"
            is_entry = path.name == "__main__.py" and target == "cli"
            if target != room and target not in MAY_USE[room] and not is_entry:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("room", FLOORS)
def test_imports_in_a_room_go_down(room: str) -> None:
    folder = PACKAGE / room
    floor_of = {part: floor for floor, parts in enumerate(FLOORS[room]) for part in parts}
    parts = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == floor_of.keys()
    wrong = []
    for path in folder.rglob("*.py"):
        part = path.relative_to(folder).with_suffix("").parts[0]
        targets = (name.split(".")[2] for name in imported(path) if name.startswith(f"eio_audit.{room}."))
        wrong += [
            f"{path.relative_to(folder)} imports {target}"
            for target in targets
            if target != part and floor_of[target] >= floor_of[part]
        ]
    assert wrong == []


def test_imports_close_no_circle() -> None:
    """Those inside functions and for type checkers count, too."""
    modules = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): imported(path)
        for path in PACKAGE.rglob("*.py")
        if path.parent != PACKAGE
    }
    TopologicalSorter({name: imports & modules.keys() for name, imports in modules.items()}).prepare()


def test_the_rest_of_its_room_knows_nothing_of_semantics() -> None:
    """The semantics of ops need IR that has been read. Reading and writing do not depend on them."""
    room = PACKAGE / "mlir"
    others = [path for path in room.rglob("*.py") if "semantics" not in path.relative_to(room).parts]
    assert others
    assert [path.name for path in others if any("semantics" in name for name in imported(path))] == []


def written_columns(path: Path) -> set[str]:
    """The attributes of an IR that a module assigns to, deletes from, or calls a method on that changes them."""
    changing = {"append", "clear", "extend", "fromlist", "insert", "pop", "setdefault", "sort", "update"}
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign | ast.Delete):
            targets = list(node.targets)
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in changing
        ):
            targets = [node.func.value]
        for target in targets:
            column = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(column, ast.Attribute):
                owner = column.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                found |= {column.attr} if name in ("ir", "_ir") else set()
    return found


def test_the_reader_alone_writes_the_columns_of_the_ir() -> None:
    reading = PACKAGE / "mlir" / "reading"
    assert "op_start" in written_columns(reading / "builder.py")
    others = [path for path in PACKAGE.rglob("*.py") if reading not in path.parents]
    assert {path.name: found for path in others if (found := written_columns(path))} == {}


@pytest.mark.parametrize("name", dir(eio_audit))
def test_a_public_name_comes_from_the_module_that_defines_it(name: str) -> None:
    value = getattr(eio_audit, name)
    module = eio_audit._modules()[name]
    assert getattr(sys.modules[module], name) is value
    assert getattr(value, "__module__", module) == module


def test_the_list_of_public_names_has_one_import_a_line() -> None:
    stub = (PACKAGE / "__init__.pyi").read_text()
    imports = [node for node in ast.parse(stub).body if isinstance(node, ast.ImportFrom)]
    lines = [f"from {node.module} import {node.names[0].name} as {node.names[0].name}" for node in imports]
    assert lines == [line for line in stub.splitlines() if line.startswith("from ")]
    assert len(set(lines)) == len(eio_audit._modules())


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'eio_audit' has no attribute 'nothing'"):
        _ = eio_audit.nothing  # type: ignore[attr-defined]


@pytest.mark.slow
def test_type_checkers_see_the_types_of_public_names(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text("import eio_audit\nreveal_type(eio_audit.check([]).summary.inversions)\n")
    command = [sys.executable, "-m", "mypy", "--strict", str(program)]
    done = subprocess.run(command, check=False, cwd=PACKAGE.parent, capture_output=True, text=True)
    assert 'Revealed type is "int"' in done.stdout.replace("builtins.", "")
    assert "Success" in done.stdout


def test_third_party_packages_stay_with_their_owners() -> None:
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        for name in imported(path):
            top = name.split(".")[0]
            if top == "eio_audit" or top in sys.stdlib_module_names:
                continue
            if room_of(path) not in OWNERS.get(top, set()):
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []
