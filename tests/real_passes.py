"""What real passes do to the order of ops: stamp a program, run a pass of a real compiler, check, fix, judge.

    python -m tests.real_passes      writes the table in benchmarks/real_passes.md

The programs are in tests/data/real_passes. Their first line has the tool and the pass, the second describes
the program. iree-opt comes with the package iree-base-compiler, mlir-opt (22) with a distribution of LLVM.
Without mlir-opt, its rows are left out and nothing is written.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from eio_audit import Summary, check, fix, read_text, stamp
from tests.judge import same_program
from tests.tools import NO_MLIR_OPT, iree_opt, mlir_tool

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted((HERE / "data" / "real_passes").glob("*.mlir"))
DOCUMENT = HERE.parent / "benchmarks" / "real_passes.md"
BEGIN, END = "<!-- tests/real_passes.py: begin -->\n", "<!-- tests/real_passes.py: end -->\n"


@dataclass(frozen=True, slots=True)
class Program:
    """A program and the pass to run on it."""

    path: Path
    tool: str
    passes: str
    about: str

    @classmethod
    def read(cls, path: Path) -> Program:
        command, about, _ = path.read_text().split("\n", 2)
        tool, _, passes = command.removeprefix("// ").partition(" ")
        return cls(path, tool, passes, about.removeprefix("// "))


@dataclass(frozen=True, slots=True)
class Result:
    """What a pass did, before and after a fix.

    Attributes:
        program: the program.
        changed: whether the pass changed anything at all.
        after: the order after the pass.
        fixed: the order after the fix.
        same: whether MLIR finds the same program in the text after the pass and in the fixed text.
        relabelled: the order after ``fix --relabel``.
        same_but_labels: whether MLIR finds the same program in its text, except for locations.
    """

    program: Program
    changed: bool
    after: Summary
    fixed: Summary
    same: bool
    relabelled: Summary
    same_but_labels: bool


TOOLS = {"iree-opt": iree_opt, "mlir-opt": partial(mlir_tool, "mlir-opt")}


def run(program: Program) -> Result:
    """Stamp a program, run its pass, check and fix the result."""
    dumps = read_text(program.path.read_bytes(), program.path.name)
    stamped = stamp(dumps).decode()
    tool = TOOLS[program.tool]()
    assert tool is not None, f"{program.tool} is not installed"
    after = printed(tool, stamped, f"builtin.module({program.passes})")
    dumps = read_text(after, program.path.name)
    result = fix(dumps)
    whole = fix(dumps, relabel="nested").text
    return Result(
        program,
        changed=after != printed(tool, stamped, "builtin.module()"),
        after=result.before,
        fixed=check(read_text(result.text)).summary,
        same=same_program(after, result.text.decode()),
        relabelled=check(read_text(whole)).summary,
        same_but_labels=same_program(after, whole.decode(), but_for_locations=True),
    )


def printed(tool: str, text: str, pipeline: str) -> str:
    command = [tool, f"--pass-pipeline={pipeline}", "--mlir-print-debuginfo", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def table(results: list[Result]) -> str:
    """Return the results as Markdown."""
    lines = [
        "| pass | of | program | inversions | forced | avoidable | after `fix` | MLIR: same program |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for result in results:
        after, program = result.after, result.program
        names = "`, `".join(program.passes.rpartition("(")[2].rstrip(")").split(","))
        unordered = after.inversions - after.forced - after.knock_on - after.avoidable
        inversions = f"{unordered} in a graph region" if unordered else after.inversions
        cells = [f"`{names}`", program.tool, program.about, inversions, after.forced, after.avoidable]
        lines.append(
            "| "
            + " | ".join(map(str, [*cells, result.fixed.inversions, "yes" if result.same else "**no**"]))
            + " |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the table."""
    programs = [Program.read(path) for path in PROGRAMS]
    results = [run(program) for program in programs if TOOLS[program.tool]()]
    print(table(results))
    if len(results) < len(programs):
        sys.exit(f"{NO_MLIR_OPT}; its rows are missing, so nothing is written")
    text = DOCUMENT.read_text()
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    DOCUMENT.write_text(head + table(results) + tail)


if __name__ == "__main__":
    main()
