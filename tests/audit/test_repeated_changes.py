"""Changes that repeat: which are the same, and what is said of them."""

from eio_audit import OpChange, diff, read_text
from tests.internals import repeated_changes


def changes(before: list[str], after: list[str]) -> tuple[OpChange, ...]:
    def function(ops: list[str]) -> str:
        return "func.func @f(%a: i32) {\n" + "\n".join(ops) + "\nreturn\n}\n"

    return diff(read_text(function(before))[0], read_text(function(after))[0]).ops.modified


def op(number: int, attribute: str, module: str = "") -> str:
    location = f' loc("{number}|{module}|net.py:1|f|2|x")' if module else f' loc("{number}")'
    return f'%{number} = "t.op"(%a) {{x = {attribute}}} : (i32) -> i32{location}'


def sizes(found: tuple[OpChange, ...]) -> list[int]:
    return [len(one.changes) for one in repeated_changes(found)]


def test_without_modules_the_words_decide() -> None:
    before = [op(k, str(k // 2)) for k in range(4)]
    after = [op(k, "9") for k in range(4)]
    assert sizes(changes(before, after)) == [2, 2]


def test_in_layers_of_one_kind_numbers_may_differ() -> None:
    modules = ["A[net.0]", "A[net.1]", "B[net.0]", "A[net.23]"]
    before = [op(k, str(k), module) for k, module in enumerate(modules)]
    after = [op(k, "9", module) for k, module in enumerate(modules)]
    repeated = repeated_changes(changes(before, after))
    assert [(one.places, one.modules, one.module) for one in repeated] == [
        ((0, 1, 3), 3, "A[net.*]"),
        ((2,), 1, "B[net.0]"),
    ]


def test_another_word_is_another_change() -> None:
    modules = ["A[net.0]", "A[net.1]"]
    before = [op(k, "1", module) for k, module in enumerate(modules)]
    after = [op(0, "true", modules[0]), op(1, "false", modules[1])]
    assert sizes(changes(before, after)) == [1, 1]
