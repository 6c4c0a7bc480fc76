"""The house: data walks one way through the rooms, and every third-party package has its owners."""

import ast
import sys
from pathlib import Path

import eio_audit

PACKAGE = Path(__file__).parent.parent / "eio_audit"
ROOMS = ["mlir", "order", "audit", "report", "cli"]
MAY_USE = {
    "mlir": set(),
    "order": set(),
    "audit": {"mlir", "order"},
    "report": {"mlir", "audit"},
    "cli": {"report", "package"},
    "testing": {"report", "package"},
    "package": {"mlir", "audit"},
}
OWNERS = {
    "click": {"cli"},
    "rich": {"report"},
    "regex": {"audit"},
    "networkx": {"audit", "report"},
    "jinja2": {"report"},
}


def room_of(path: Path) -> str:
    if path.parent == PACKAGE:
        return "testing" if path.stem == "testing" else "package"
    return path.relative_to(PACKAGE).parts[0]


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


def test_the_rest_of_its_room_knows_nothing_of_semantics() -> None:
    """What ops do is told of IR that has been read; reading and writing do not depend on it."""
    room = PACKAGE / "mlir"
    others = [path for path in room.rglob("*.py") if "semantics" not in path.relative_to(room).parts]
    assert others
    assert [path.name for path in others if any("semantics" in name for name in imported(path))] == []


def test_public_names_come_from_the_modules_that_define_them() -> None:
    """Each name is listed three times: for type checkers, for the import on first use, and for ``*``."""
    typed = {
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse((PACKAGE / "__init__.py").read_text()))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eio_audit.")
        for alias in node.names
    }
    homes = [f"eio_audit.{module}.{name}" for module, names in eio_audit._HOMES.items() for name in names]
    assert sorted(homes) == sorted(typed)
    assert sorted(home.rpartition(".")[2] for home in homes) == sorted(eio_audit.__all__)
    for home in homes:
        module, _, name = home.rpartition(".")
        assert getattr(getattr(eio_audit, name), "__module__", module) == module


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
