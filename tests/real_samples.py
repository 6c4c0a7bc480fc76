"""What a pass and then a fix do to the samples: order and modules.

    python -m tests.real_samples      writes the table in sample_irs/README.md

Every row is measured on a text: a sample, or the output of ``fix`` for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from eio_audit import AuditOptions, check, diff, fix, read_text

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "sample_irs"
DOCUMENT = HERE.parent / "sample_irs" / "README.md"
BEGIN, END = "<!-- tests/real_samples.py: begin -->\n", "<!-- tests/real_samples.py: end -->\n"
PROGRAMS = ("small", "encoder", "resnet")
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
    """Return the rows as Markdown, without those that repeat the row above."""
    text = [
        "| program | state | ops | inversions | indices corrected | runs of modules |",
        "|---|---|---:|---:|---:|---:|",
    ]
    above: tuple[object, ...] = ()
    for row in lines:
        numbers = (row.ops, row.inversions, row.relabelled, row.runs)
        if (row.program, *numbers) == above:
            continue
        above = (row.program, *numbers)
        text.append(f"| {row.program} | {row.state} | {' | '.join(f'{number:,}' for number in numbers)} |")
    return "\n".join(text) + "\n"


def main() -> None:
    """Write the table."""
    made, text = table(list(rows())), DOCUMENT.read_text()
    print(made)
    head, tail = text[: text.index(BEGIN) + len(BEGIN)], text[text.index(END) :]
    DOCUMENT.write_text(head + made + tail)


if __name__ == "__main__":
    main()
