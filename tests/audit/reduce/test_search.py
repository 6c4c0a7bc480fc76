"""The search as a whole: what it leaves, whatever the program is."""

import re
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eio_audit.audit.reduce.steps import KINDS
from eio_audit.mlir.editing.program import program_text
from tests.audit.reduce.cutting import program_of, reduced
from tests.tools import mlir_tool, needs_mlir_opt

LEAF, LOOP, IF, CALL, BRANCH = range(5)


def program(shape: list[tuple[int, int, int]]) -> str:
    """A program with an op, loop, choice, call or branch for each item, which uses values by the others."""
    body, values, count = ["^bb0(%x: i32, %c: i1):"], ["%x"], 0
    for kind, one, other in shape:
        first, second = values[one % len(values)], values[other % len(values)]
        name, count = f"%{count}", count + 1
        if kind == LEAF:
            body.append(f'{name}:2 = "a.leaf{count}"({first}, {second}) : (i32, i32) -> (i32, i32)')
            values += [f"{name}#0", f"{name}#1"]
        elif kind == LOOP:
            body.append(f'{name} = "a.loop"({first}) ({{')
            body.append(f"^bb0(%a{count}: i32):")
            body.append(f'%b{count} = "a.step{count}"(%a{count}, {second}) : (i32, i32) -> i32')
            body.append(f'"a.yield"(%b{count}) : (i32) -> ()')
            body.append("}) : (i32) -> i32")
            values.append(name)
        elif kind == IF:
            body.append(f'{name} = "a.if"(%c) ({{')
            body.append(f'"a.yield"({first}) : (i32) -> ()')
            body.append("}, {")
            body.append(f'"a.yield"({second}) : (i32) -> ()')
            body.append("}) : (i1) -> i32")
            values.append(name)
        elif kind == CALL:
            body.append(f'{name} = "func.call"({first}, %c) <{{callee = @g}}> : (i32, i1) -> i32')
            values.append(name)
        else:
            sizes = "operandSegmentSizes = array<i32: 1, 1, 0>"
            body.append(f'"cf.cond_br"(%c, {first})[^bb{count}, ^end{count}] <{{{sizes}}}> : (i1, i32) -> ()')
            body += [f"^bb{count}(%d{count}: i32):", f'"a.use"(%d{count}) : (i32) -> ()']
            body += [f'"cf.br"()[^end{count}] : () -> ()', f"^end{count}:"]
    body.append(f'"func.return"({values[-1]}) : (i32) -> ()')
    callee = '^bb0(%x: i32, %c: i1):\n%0 = "a.callee"(%x) : (i32) -> i32\n"func.return"(%0) : (i32) -> ()'
    functions = (
        f'"func.func"() <{{function_type = (i32, i1) -> i32, sym_name = "{name}"}}> ({{\n{text}\n}}) : () -> ()'
        for name, text in (("g", callee), ("f", "\n".join(body)))
    )
    return '"builtin.module"() ({\n' + "\n".join(functions) + "\n}) : () -> ()\n"


shapes = st.lists(st.tuples(st.integers(LEAF, BRANCH), st.integers(0, 9), st.integers(0, 9)), max_size=8)


def is_whole(text: str) -> bool:
    """Whether each value that an op names is defined above it."""
    seen = set[str]()
    for line in text.splitlines():
        label = re.match(r"\s*\^\w+\((.*)\):", line)
        defined, _, rest = line.rpartition(' = "') if ' = "' in line else ("", "", line)
        if label:
            seen |= set(re.findall(r"%\w+", line))
            continue
        used = set(re.findall(r"%\w+", rest.partition(" <{")[0].partition(" : ")[0]))
        if not used <= seen:
            return False
        seen |= set(re.findall(r"%\w+", defined))
    return True


def keeps(words: set[str]) -> Callable[[str], bool]:
    return lambda text: all(f'"{word}"' in text for word in words)


def names(text: str) -> set[str]:
    return {name for name in re.findall(r'"(a\.\w+)"', text) if name != "a.yield"}


@given(shapes, st.data())
def test_the_result_has_what_was_asked_for_and_each_value_is_defined(
    shape: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    text = program(shape)
    wanted = data.draw(st.sets(st.sampled_from(sorted(names(text))), max_size=2))
    found = reduced(text, keeps(wanted))
    assert keeps(wanted)(found)
    assert is_whole(found), found
    assert names(found) == wanted, found
    assert len(found) <= len(text)


@given(shapes, st.data())
def test_a_second_run_cuts_nothing(shape: list[tuple[int, int, int]], data: st.DataObject) -> None:
    text = program(shape)
    wanted = data.draw(st.sets(st.sampled_from(sorted(names(text))), max_size=2))
    found = reduced(text, keeps(wanted))
    assert reduced(found, keeps(wanted)) == found


@pytest.mark.slow
@given(shapes, st.data())
def test_the_result_does_not_depend_on_how_many_are_judged_at_once(
    shape: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    text = program(shape)
    wanted = data.draw(st.sets(st.sampled_from(sorted(names(text))), max_size=2))
    found = {reduced(text, keeps(wanted), jobs) for jobs in (1, 2, 4)}
    assert len(found) == 1


def is_read(text: str) -> bool:
    command = [str(mlir_tool("mlir-opt")), "--allow-unregistered-dialect", "-o", "/dev/null"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@needs_mlir_opt
@settings(max_examples=30)
@given(shapes, st.data())
def test_each_step_alone_leaves_what_the_compiler_reads(
    shape: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    """Values may be cut in any way; only attributes and the calls that keep values may be needed."""
    text = program(shape)
    assert is_read(text)
    start = program_of(text)
    for kind in KINDS[:6]:
        items = kind.items(start)
        if items:
            some = data.draw(st.sets(st.sampled_from(items), min_size=1))
            cut = program_text(kind.without(start, some if not kind.is_single else {min(some)})).decode()
            assert is_read(cut), cut


@pytest.mark.slow
@needs_mlir_opt
@settings(max_examples=10)
@given(shapes, st.data())
def test_the_result_is_read_by_the_compiler(shape: list[tuple[int, int, int]], data: st.DataObject) -> None:
    text = program(shape)
    wanted = data.draw(st.sets(st.sampled_from(sorted(names(text))), max_size=2))

    def holds(candidate: str) -> bool:
        return keeps(wanted)(candidate) and is_read(candidate)

    found = reduced(text, holds)
    assert holds(found)
    assert names(found) == wanted, found
    assert reduced(found, holds, 2) == found


def test_an_empty_property_leaves_an_empty_program() -> None:
    assert (
        reduced(program([(LEAF, 0, 0), (LOOP, 1, 1)]), lambda _: True)
        == '"builtin.module"() ({\n^bb0:\n}) : () -> ()\n'
    )
