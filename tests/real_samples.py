"""What a pass and then a fix do to the samples: order and modules. And what code generation makes of some.

    python -m tests.real_samples      writes two tables, in docs/real_passes.md and docs/structure.md

Every row of the first is measured on a text: a sample, or the output of ``fix`` for it. Every row of the second
compares ``structure`` with 30 recorded runs of the real pass.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eio_audit import AuditOptions, check, diff, fix, read_text, structure
from tests.internals import Prediction, Stage

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "sample_irs"
DOCUMENT = HERE.parent / "docs" / "real_passes.md"
BEGIN, END = "<!-- tests/real_samples.py: begin -->\n", "<!-- tests/real_samples.py: end -->\n"
PROGRAMS = ("small", "encoder", "resnet")
RECORDED = HERE / "data" / "recover_structure"
STRUCTURE = HERE.parent / "docs" / "structure.md"
RUNS: dict[str, dict[str, int]] = json.loads((RECORDED / "runs.json").read_text())
"""Per recorded program, the number of functions in 30 runs of the real pass, and in how many runs."""
ALL_INDICES = AuditOptions(follow="none")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one text.

    Attributes:
        program: the program it is a state of.
        state: the state.
        ops: how many ops directly in blocks have an op index.
        inversions: of all ops with an index, frees too.
        relabelled: how many indices ``fix`` corrected.
        runs: the number of runs of all modules.
    """

    program: str
    state: str
    ops: int
    inversions: int
    relabelled: int
    runs: int


def rows() -> Iterator[Row]:
    """Yield the rows of the table."""
    for program in PROGRAMS:
        before, after = (
            (SAMPLES / program / f"{when}_inline.mlir").read_bytes() for when in ("before", "after")
        )
        yield measured(program, "before the pass", before)
        yield from fixed(program, "after it", after)
    for program in PROGRAMS:
        final = (SAMPLES / "ttnn" / f"{program}.mlir").read_bytes()
        yield from fixed(f"{program}, TTNN", "as it is", final)
        result = fix(read_text(final), ALL_INDICES, relabel="nested")
        yield measured(f"{program}, TTNN", "`fix --relabel --follow none`", result.text, result.relabelled)


def fixed(program: str, state: str, text: bytes) -> Iterator[Row]:
    """Yield a text and the output of ``fix`` for it."""
    dumps = read_text(text)
    yield measured(program, state, text)
    yield measured(program, "`fix`", fix(dumps).text)
    whole = fix(dumps, relabel="nested")
    yield measured(program, "`fix --relabel`", whole.text, whole.relabelled)


def measured(program: str, state: str, text: bytes, relabelled: int = 0) -> Row:
    """Return the figures of a text."""
    dumps = read_text(text)
    audit = check(dumps, ALL_INDICES)
    runs = diff(dumps[0], dumps[0]).fragmentation.modules
    return Row(
        program,
        state,
        ops=audit.summary.ops,
        inversions=audit.summary.inversions,
        relabelled=relabelled,
        runs=sum(run.before for run in runs),
    )


def table(lines: list[Row]) -> str:
    """Return the rows as Markdown."""
    text = [
        "| program | state | ops | inversions | indices corrected | runs of modules |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for row in lines:
        numbers = (row.ops, row.inversions, row.relabelled, row.runs)
        text.append(f"| {row.program} | {row.state} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return "\n".join(text) + "\n"


def recorded_program(program: str) -> bytes:
    """Return the text of a recorded program."""
    return lzma.decompress((RECORDED / f"{program}.mlir.xz").read_bytes())


def recorded_runs(program: str) -> list[int]:
    """Return the numbers of functions in the recorded runs of a program, ascending."""
    return sorted(int(functions) for functions, times in RUNS[program].items() for _ in range(times))


def recorded_table() -> str:
    """Return what ``structure`` says of the recorded programs, and what the runs made, as Markdown."""
    text = [
        "| program | 30 runs | mean | at least | at most | tried | typically |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for program in RUNS:
        runs = recorded_runs(program)
        one = structure(read_text(recorded_program(program))[0]).predictions[Stage.NOW]
        cells = [_range(runs[0], runs[-1]), f"{sum(runs) / len(runs):.1f}", *_numbers(one)]
        name, _, kind = program.partition(".")
        text.append(f"| {name}, {kind} | {' | '.join(cells)} |")
    return "\n".join(text) + "\n"


def _numbers(one: Prediction) -> list[str]:
    tried = one.tried
    assert tried is not None
    return [f"{one.fewest}", f"{one.most}", _range(tried.fewest, tried.most), f"{one.typical}"]


def _range(fewest: int, most: int) -> str:
    return f"{fewest}" if fewest == most else f"{fewest} to {most}"


def main() -> None:
    """Write the tables."""
    for document, made in ((DOCUMENT, table(list(rows()))), (STRUCTURE, recorded_table())):
        print(made)
        text = document.read_text()
        head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
        document.write_text(head + made + tail)


if __name__ == "__main__":
    main()
