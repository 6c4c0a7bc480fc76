"""The picture of modules and functions."""

from xml.etree import ElementTree

import eio_audit
from tests.cli.running import SAMPLES
from tests.internals import (
    CodegenFunction,
    Stage,
    down_to,
    drawing_of,
    module_tree,
    render,
    rendered,
)
from tests.report.pages import Page, column


def draw_structure(functions: list[CodegenFunction]) -> str:
    return render("structure.svg", drawing=drawing_of(functions))


def function(*paths: tuple[str, ...]) -> CodegenFunction:
    parts = dict.fromkeys(paths, 1)
    return CodegenFunction("f", "@f", "m.py:1", "f", (), len(parts), 0, 0, 0, 0, 1, parts)


TORN = [function(("N", "A")), function(("N", "B")), function(("N", "A"), ("N",))]


def test_the_tree_has_a_module_below_the_one_around_it() -> None:
    assert [(node.path, node.ops, node.functions, node.own) for node in module_tree(TORN)] == [
        (("N",), 4, [0, 1, 2], [2]),
        (("N", "A"), 2, [0, 2], [0, 2]),
        (("N", "B"), 1, [1], [1]),
    ]


def test_as_many_levels_as_there_is_room_for() -> None:
    nodes = module_tree(TORN)
    assert [node.name for node in down_to(nodes, 3)] == ["N", "A", "B"]
    assert [node.name for node in down_to(nodes, 2)] == ["N"]
    assert [node.name for node in down_to(module_tree([function(("A",), ("B",))]), 1)] == ["A"]


def test_a_mark_for_each_function_of_a_module_and_bands_for_those_of_inner_ones() -> None:
    picture = ElementTree.fromstring(draw_structure(TORN))
    rows = picture.findall("{*}g")
    marks = [[rect.get("class") for rect in row.findall("{*}rect")] for row in rows]
    assert [row.get("class") for row in rows] == ["whole", "torn", "whole"]
    assert marks == [
        ["row", "inside", "own"],
        ["row", "inside", "inside", "own", "own"],
        ["row", "inside", "own"],
    ]


def test_names_are_escaped() -> None:
    assert ElementTree.fromstring(draw_structure([function(("<b>&\x1b[0m",))])) is not None


def test_the_page_has_the_picture_and_both_tables() -> None:
    (dump,) = eio_audit.read(str(SAMPLES / "resnet" / "after_alias.mlir"))
    structure = eio_audit.structure(dump)
    page = Page(rendered(structure, "html"))
    functions = structure.predictions[Stage.NOW].functions
    assert column(page.islands["functions-rows"], "function") == [one.name for one in functions]
    assert column(page.islands["torn-rows"], "now")[0] == structure.modules[0].functions[Stage.NOW]
    assert "svg" in page.tags()
    assert "functions, typically 172" in page.words
