"""Which pass of a command is bisected."""

from pathlib import Path

import pytest

import eio_audit
from eio_audit.audit.bisect.survey import Survey, choose_pass
from tests.internals import CompilerCommand, CompilerRun


def state(indices: str, function: str = "f") -> str:
    ops = [f'  "t.op"() : () -> () loc("{index}|x")\n' for index in indices]
    return f"func.func @{function}() {{\n{''.join(ops)}  return\n}}\n"


def survey_of(tmp_path: Path, *steps: tuple[str, str, str]) -> Survey:
    """The first run of a compiler whose passes have a name, a state before and one after."""
    text = ""
    for name, before, after in steps:
        function = before.partition("@")[2].partition("(")[0]
        for when, shown in (("Before", before), ("After", after)):
            text += f"// -----// IR Dump {when} {name} ({name}) ('func.func' operation: @{function}) //----- //\n{shown}\n\n"
    messages = tmp_path / "messages"
    messages.write_text(text)
    command = CompilerCommand(("mlir-opt",))
    dumps = eio_audit.read_text(text)
    return Survey(command, CompilerRun(command, 0, messages), dumps, eio_audit.trace(dumps), None)


def step(name: str, before: str, after: str, function: str = "f") -> tuple[str, str, str]:
    return name, state(before, function), state(after, function)


@pytest.mark.parametrize(
    ("steps", "chosen", "left"),
    [
        # What a later pass repairs does not count.
        ([step("a", "123", "321"), step("b", "321", "123"), step("c", "123", "132")], "c", 1),
        # If nothing is left, it is the pass that made most.
        ([step("a", "123", "132"), step("b", "132", "321"), step("c", "321", "123")], "b", 0),
        # If no pass put ops out of order, it is the one that changed most.
        ([step("a", "123", "12"), step("b", "12", "")], "b", 0),
        # A pass counts with all functions that it runs on.
        (
            [
                step("a", "123456", "231456", "f"),
                step("a", "123", "231", "g"),
                step("b", "231456", "231654", "f"),
            ],
            "a",
            2,
        ),
    ],
)
def test_the_pass_that_left_most_is_chosen(
    steps: list[tuple[str, str, str]], chosen: str, left: int, tmp_path: Path
) -> None:
    question = choose_pass(survey_of(tmp_path, *steps), None, None)
    assert (question.pass_name, question.left) == (chosen, left)
