"""The rooms: data flows one way through them, and every third-party package has its owners."""

import ast
import subprocess
import sys
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
MLIR_FLOORS = [
    ["files", "traits", "printable", "post_order"],
    ["source"],
    ["tokens"],
    ["aliases"],
    ["ir"],
    ["location"],
    ["input"],
    ["reading"],
    ["rewriting", "semantics"],
]
"""The modules and folders of mlir/, from the bottom: each imports from floors below it, a folder also from itself."""
AUDIT_FLOORS = [
    {"functions", "command"},
    {"locations"},
    {"dependence", "op_label", "options"},
    {"check"},
    {"explain", "fix", "gate"},
    {"codegen"},
    {"diff"},
    {"log"},
    {"corpus"},
]
OWNERS = {
    "click": {"cli"},
    "rich": {"report"},
    "regex": {"audit"},
    "networkx": {"audit", "report"},
    "jinja2": {"report"},
    "pebble": {"audit"},
    "distributed": {"audit"},
}


ORDER_FLOORS = [  # lowest first: modules and folders of order/
    ["effort", "permutation", "inversions", "displaced", "precedence", "unindexed"],
    ["windows", "closure"],
    ["bounds"],
    ["search"],
    ["fewest_moved", "wrong_labels"],
    ["linear_extension", "group_order", "group_bounds"],
]


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


def test_imports_inside_order_point_down_and_close_no_circle() -> None:
    floor_of = {name: floor for floor, names in enumerate(ORDER_FLOORS) for name in names}
    wrong, imports = [], {}
    for path in (PACKAGE / "order").rglob("*.py"):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(["eio_audit", *parts])
        imports[name] = {one for one in imported(path) if one.startswith("eio_audit.order")}
        if parts != ("order", "__init__"):
            above = (one for one in imports[name] if floor_of[one.split(".")[2]] > floor_of[parts[1]])
            wrong += [f"{name} imports {one}" for one in above]
    assert wrong == []
    assert set().union(*imports.values()) <= imports.keys()  # a module, not its folder
    TopologicalSorter(imports).prepare()  # raises when imports close a circle


def test_imports_inside_audit_go_down() -> None:
    """A folder, or a module directly in ``audit/``, imports from the floors below it, and from itself."""
    floor_of = {part: floor for floor, parts in enumerate(AUDIT_FLOORS) for part in parts}
    room = PACKAGE / "audit"
    assert {path.stem for path in room.iterdir() if path.stem not in ("__init__", "__pycache__")} == {
        *floor_of
    }
    wrong = []
    for path in room.rglob("*.py"):
        part = path.relative_to(room).with_suffix("").parts[0]
        for name in imported(path):
            target = (name.split(".") + [""] * 3)[2] if name.startswith("eio_audit.audit.") else part
            if target != part and floor_of[target] >= floor_of[part]:
                wrong.append(f"{path.relative_to(room)} imports {name}")
    assert wrong == []


def test_the_rest_of_its_room_knows_nothing_of_semantics() -> None:
    """The semantics of ops need IR that has been read. Reading and writing do not depend on them."""
    room = PACKAGE / "mlir"
    others = [path for path in room.rglob("*.py") if "semantics" not in path.relative_to(room).parts]
    assert others
    assert [path.name for path in others if any("semantics" in name for name in imported(path))] == []


def test_imports_in_mlir_go_down() -> None:
    floors = {name: number for number, names in enumerate(MLIR_FLOORS) for name in names}
    wrong = []
    for path in (PACKAGE / "mlir").rglob("*.py"):
        here = path.relative_to(PACKAGE / "mlir").parts[0].removesuffix(".py")
        for name in imported(path):
            _, _, there = name.partition("eio_audit.mlir.")
            there = there.partition(".")[0]
            if there and there != here and floors[there] >= floors[here]:
                wrong.append(f"{path.relative_to(PACKAGE)} imports {name}")
    assert wrong == []


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
