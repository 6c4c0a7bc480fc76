"""How well ops are matched when nothing tells them apart but the program: recall and wrong pairs.

    python benchmarks/matching.py [FOLDER...]      prints a Markdown table

Each pair of dumps is the state of a program before and after a pass of a real compiler. The places of its
ops are unique (``stamp``), so they tell which op is which: ops of one name and one place, alone with it on
both sides, are *true pairs*. Then all locations are taken out, the dumps are matched, and the pairs are
scored. A *line diff* of the same texts, with value names and locations taken out, is scored the same way.

The pairs are those of ``sample_irs/`` (the passes of their logs, one by one, and what the logs did in all)
and of ``tests/data/real_passes``, which real passes of IREE and MLIR run over. A folder may hold more:
``NAME/before*.mlir`` and ``NAME/after*.mlir``.
"""

from __future__ import annotations

import difflib
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import regex

from eio_audit import Dump, read, read_text, stamp
from eio_audit.audit.diff.matching import match_ops
from eio_audit.audit.diff.refinement import ComparedOps
from eio_audit.audit.functions import functions_around
from eio_audit.audit.locations.location_numbers import NO_LOCATION, Interned
from eio_audit.audit.locations.original_index import OriginalIndices
from eio_audit.mlir.reading.reader import read_ir

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # for the tests, which are not installed

from tests.real_passes import PROGRAMS, TOOLS, Program, printed  # noqa: E402

LOCATION = regex.compile(rb' ?\bloc(\((?:[^()"]|"(?:[^"\\]|\\.)*"|(?1))*\))')
ALIAS = re.compile(rb"^#loc[0-9]* = .*\n?", re.MULTILINE)
LAYOUT_OPS = {"ttir.permute", "ttir.reshape", "ttir.transpose"}
"""Passes of tt-mlir give these the places of other ops, so these tell nothing."""
VALUE = re.compile(r"%[\w$.:#-]+")


@dataclass(frozen=True, slots=True)
class Score:
    """What was found of the true pairs."""

    true: int
    found: int
    wrong: int
    seconds: float = 0.0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.true + other.true,
            self.found + other.found,
            self.wrong + other.wrong,
            self.seconds + other.seconds,
        )


def without_locations(text: bytes) -> bytes:
    """The text with no location in it."""
    return LOCATION.sub(b"", ALIAS.sub(b"", text))


def compared(before: Dump, after: Dump) -> list[ComparedOps]:
    """The ops of two dumps as they are compared."""
    interned = Interned()
    irs = [read_ir(dump.source, dump.span) for dump in (before, after)]
    return [ComparedOps(ir, OriginalIndices(ir), functions_around(ir), interned) for ir in irs]


def truth(before: Dump, after: Dump) -> dict[int, int]:
    """The true pairs: by op before, the op after."""
    sides = []
    for ops in compared(before, after):
        keys = list(zip(ops.names, ops.locations, strict=True))
        counts = Counter(keys)
        unique = (
            key for key in keys if counts[key] == 1 and key[1] != NO_LOCATION and key[0] not in LAYOUT_OPS
        )
        sides.append({key: keys.index(key) for key in unique})
    return {op: sides[1][key] for key, op in sides[0].items() if key in sides[1]}


def matched(before: bytes, after: bytes) -> tuple[dict[int, int], float]:
    """What eio-audit pairs, and the CPU time that takes."""
    start = time.process_time()
    sides = compared(read_text(before)[0], read_text(after)[0])
    return match_ops(*sides).ops, time.process_time() - start


def by_lines(before: bytes, after: bytes) -> dict[int, int]:
    """What a line diff pairs: the first lines of ops, value names taken out."""
    lines: list[list[str]] = []
    for text in (before, after):
        (dump,) = read_text(text)
        ir = read_ir(dump.source, dump.span)
        lines.append(
            [VALUE.sub("%", ir.text(op).decode("utf-8", "replace").split("\n")[0]) for op in range(len(ir))]
        )
    blocks = difflib.SequenceMatcher(None, *lines, autojunk=False).get_matching_blocks()
    return {a + k: b + k for a, b, size in blocks for k in range(size)}


def score(true: dict[int, int], found: dict[int, int], seconds: float = 0.0) -> Score:
    """Wrong is a pair one end of which has another partner in truth."""
    partner = {new: old for old, new in true.items()}
    right = sum(found.get(old) == new for old, new in true.items())
    wrong = sum(
        (old in true and true[old] != new) or (new in partner and partner[new] != old)
        for old, new in found.items()
    )
    return Score(len(true), right, wrong, seconds)


def pairs(folders: list[Path]) -> Iterator[tuple[str, Dump, Dump]]:
    """The pairs of dumps, by kind."""
    for folder in [ROOT / "sample_irs", *folders]:
        for before in sorted(folder.glob("*/before*inline.mlir")) or sorted(folder.glob("*/before*.mlir")):
            after = before.with_name(before.name.replace("before", "after"))
            yield f"{before.parent.name}: EIO", read(before)[0], read(after)[0]
        for log in sorted(folder.glob("*/all_passes_inline.log")):
            dumps = read(log)
            for k in range(len(dumps) - 1):
                if dumps[k].text != dumps[k + 1].text:
                    yield f"{log.parent.name}: other passes", dumps[k], dumps[k + 1]
            yield f"{log.parent.name}: all passes at once", dumps[0], dumps[-1]
    for path in PROGRAMS:
        program = Program.read(path)
        if tool := TOOLS[program.tool]():
            stamped = stamp(read_text(path.read_bytes())).decode()
            texts = (printed(tool, stamped, f"builtin.module({passes})") for passes in ("", program.passes))
            (before,), (after,) = map(read_text, texts)
            yield f"{program.tool}: {path.stem}", before, after


def main() -> None:
    """Prints the table."""
    rows: dict[str, tuple[Score, Score]] = {}
    for name, before, after in pairs([Path(argument) for argument in sys.argv[1:]]):
        true = truth(before, after)
        if not true:
            continue
        hidden = [without_locations(dump.text) for dump in (before, after)]
        mine, line = score(true, *matched(*hidden)), score(true, by_lines(*hidden))
        old = rows.get(name, (Score(0, 0, 0), Score(0, 0, 0)))
        rows[name] = old[0] + mine, old[1] + line
    print("| pairs | true | found | wrong | line diff: found | wrong |\n|---|---|---|---|---|---|")
    for name, (mine, line) in rows.items():
        print(
            f"| {name} | {mine.true} | {mine.found / mine.true:.1%} | {mine.wrong} |"
            f" {line.found / line.true:.1%} | {line.wrong} |"
        )


if __name__ == "__main__":
    main()
