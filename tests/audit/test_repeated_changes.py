"""Changes that repeat: which are the same, and what is said of them."""

from typing import Any

from eio_audit import diff, read_text
from eio_audit.audit.diff.dump_comparison import repeated_changes


def repeated(before: list[str], after: list[str]) -> Any:
    def function(ops: list[str]) -> str:
        return "func.func @f(%a: i32) {\n" + "\n".join(ops) + "\nreturn\n}\n"

    result = diff(read_text(function(before))[0], read_text(function(after))[0])
    return repeated_changes(result.comparison, result.ops.found["modified"])


def op(number: int, attribute: str, module: str = "") -> str:
    location = f' loc("{number}|{module}|net.py:1|f|2|x")' if module else f' loc("{number}")'
    return f'%{number} = "t.op"(%a) {{x = {attribute}}} : (i32) -> i32{location}'


def sizes(before: list[str], after: list[str]) -> list[int]:
    return [len(one.changes) for one in repeated(before, after)]


def test_without_modules_the_words_decide() -> None:
    before = [op(k, str(k // 2)) for k in range(4)]
    after = [op(k, "9") for k in range(4)]
    assert sizes(before, after) == [2, 2]


def test_in_layers_of_one_kind_numbers_may_differ() -> None:
    modules = ["A[net.0]", "A[net.1]", "B[net.0]", "A[net.23]"]
    before = [op(k, str(k), module) for k, module in enumerate(modules)]
    after = [op(k, "9", module) for k, module in enumerate(modules)]
    found = repeated(before, after)
    assert [(one.places, one.modules, one.module) for one in found] == [
        ((0, 1, 3), 3, "A[net.*]"),
        ((2,), 1, "B[net.0]"),
    ]


def test_another_word_is_another_change() -> None:
    modules = ["A[net.0]", "A[net.1]"]
    before = [op(k, "1", module) for k, module in enumerate(modules)]
    after = [op(0, "true", modules[0]), op(1, "false", modules[1])]
    assert sizes(before, after) == [1, 1]
