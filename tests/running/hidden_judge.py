"""Programs over buffers in which some ops have a custom form without types, run by xdsl's interpreter.

To the model such an op has no row, and the types of its results are unknown. Before a program runs, each is
written again as the op that it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from tests.running import xdsl_judge
from tests.running.judging import Judge, Outcomes, Program
from tests.running.memref_programs import memref_program

_OP = re.compile(
    r"^(?P<start> +(?:%\w+ = )?)(?P<name>(?:affine|arith|func|memref)\.\w+)(?P<text>.*[^{\n]) : (?P<types>[^{\n]+)$",
    re.MULTILINE,
)
_HIDDEN = re.compile(r'my\.op(?P<text>.*?) \{name = "(?P<name>[^"]+)", types = "(?P<types>[^"]+)"\}')


def hidden_program(seeds: Sequence[int], share: float = 0.3) -> Program:
    """A module with a function per seed; a seed always gives the same function, named after it."""
    program = memref_program(seeds)
    head, *functions = re.split(r"(?=^func\.func @)", program.text, flags=re.MULTILINE)
    hidden = [_hidden(text, Random(seed), share) for seed, text in zip(seeds, functions, strict=True)]
    return Program("".join([head, *hidden]), program.functions)


def _hidden(function: str, random: Random, share: float) -> str:
    def replaced(match: re.Match[str]) -> str:
        if random.random() > share:
            return match[0]
        start, name, text, types = match.group("start", "name", "text", "types")
        return f'{start}my.op{text} {{name = "{name}", types = "{types}"}}'

    return _OP.sub(replaced, function)


def run(program: Program) -> Outcomes:
    """What each function returns and leaves in memory."""
    shown = _HIDDEN.sub(r"\g<name>\g<text> : \g<types>", program.text)
    return xdsl_judge.run(Program(shown, program.functions))


HIDDEN = Judge(hidden_program, run, xdsl_judge.XDSL.at_once)
