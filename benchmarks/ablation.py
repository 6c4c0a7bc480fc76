"""Measure what each part of the search for orders contributes: the same blocks with one part turned off.

    python benchmarks/ablation.py               # some minutes of CPU time; ends in a Markdown table
    python benchmarks/ablation.py FOLDER        # also with the dumps of a folder
    python benchmarks/ablation.py --parts nothing "`improve` (local search)"

The blocks are all distinct disordered blocks of the dumps in ``sample_irs/`` and ``tests/data/``, and
generated blocks: the shapes of hostile.py in three sizes, noisy keys over few to many random dependences, and
two large blocks. They are the same in each run, and each has the same limit of steps. A part is turned off
here, not in the package: a function that does nothing replaces its function. *Gap* is the sum of the
differences between the inversions of the orders and the lower bounds.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from multiprocessing import Pool
from pathlib import Path
from unittest import mock

import hostile

import eio_audit
from eio_audit.audit.check import disorder
from eio_audit.order import linear_extension, search
from eio_audit.order.effort import STEPS_PER_OP, Effort
from eio_audit.order.linear_extension import restore_order
from eio_audit.order.precedence import Precedence
from eio_audit.order.search import Order
from eio_audit.order.windows import CyclePacking

HERE = Path(__file__).resolve().parent
DUMPS = (HERE.parent / "sample_irs", HERE.parent / "tests" / "data")
SUFFIXES = (".mlir", ".log", ".txt")
SIZES = (30, 80, 200)
LARGE = (("jittered", 12_000), ("tree", 12_000))
STEPS = 1_000_000  # the limit of a block, plus STEPS_PER_OP for each of its ops

Keyed = tuple[list[int | None], Precedence]
Patch = tuple[object, str, object]
"""An owner, the name of an attribute, and its replacement."""


def _keep_order(_: object, order: Iterable[int], *__: object) -> list[int]:
    return list(order)


PARTS: dict[str, tuple[Patch, ...]] = {
    "nothing": (),
    "`pull_up`": ((search, "pull_up", search.push_down),),
    "`push_down`": ((search, "push_down", search.pull_up),),
    "alternating paths of the packing": ((CyclePacking, "_augment", lambda *_: None),),
    "`improve` (local search)": ((search, "improve", _keep_order),),
    "fewer moved ops": ((linear_extension, "few_moved", _keep_order),),
}


# ---------------------------------------------------------------------- blocks


def real_blocks(folders: Iterable[Path]) -> list[Keyed]:
    """Return the distinct disordered blocks of all dumps in some folders."""
    found: dict[object, Keyed] = {}

    def record(
        keys: list[int | None], precedence: Precedence, inversions: int | None, effort: Effort
    ) -> Order:
        found.setdefault((tuple(keys), precedence.columns), (list(keys), precedence))
        return restore_order(keys, precedence, inversions, effort)

    with mock.patch.object(disorder, "restore_order", record):
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                if path.suffix in SUFFIXES:
                    eio_audit.check(eio_audit.read(path))
    return list(found.values())


def generated_blocks() -> Iterator[Keyed]:
    """Yield blocks of many kinds, the same each time."""
    for shape in hostile.ORDER:
        for size in SIZES:
            block = shape(size)
            if isinstance(block, hostile.Block) and shape is not hostile.small_windows:
                yield keyed(block)
    for size in SIZES:
        for degree in (0.5, 1, 2, 4):
            for spread in (0.05, 0.2, 1):
                for seed in range(3):
                    yield keyed(noisy(size, degree, spread, seed))
    for name, size in LARGE:
        yield keyed(getattr(hostile, name)(size))


def noisy(size: int, degree: float, spread: float, seed: int) -> hostile.Block:
    """Return ascending keys with noise of a share of all places, over random dependences."""
    chance, block = random.Random(f"{size} {degree} {spread} {seed}"), hostile.Block()
    for op in range(size):
        wanted = int(degree) + (chance.random() < degree % 1)
        key = int(op + chance.gauss(0, spread * size)) + size * 5
        block.add(key, *sorted({chance.randrange(op) for _ in range(wanted if op else 0)}))
    return block


def keyed(block: hostile.Block) -> Keyed:
    """Return the input of the search for a generated block."""
    edges = [(operand, op) for op, operands in enumerate(block.operands) for operand in operands]
    precedence = Precedence.from_edges(len(block.keys), [p for p, _ in edges], [u for _, u in edges])
    return [None if key == hostile.NO_KEY else key for key in block.keys], precedence


@cache
def all_blocks(folders: tuple[Path, ...]) -> dict[str, list[Keyed]]:
    """Return the blocks by their origin."""
    return {"real": real_blocks(folders), "generated": list(generated_blocks())}


# ---------------------------------------------------------------------- measuring


def measure(part: str, folders: tuple[Path, ...]) -> list[str]:
    """Return a row of the table for each kind of block, measured with a part turned off."""
    rows = []
    blocks = all_blocks(folders)
    with ExitStack() as stack:
        for owner, name, replacement in PARTS[part]:
            stack.enter_context(mock.patch.object(owner, name, replacement))
        for kind, keyed_blocks in blocks.items():
            start, steps, found = time.process_time(), 0, []
            for keys, precedence in keyed_blocks:
                effort = Effort(STEPS)
                found.append(restore_order(keys, precedence, effort=effort))
                steps += STEPS + STEPS_PER_OP * len(keys) - effort.left
            seconds = time.process_time() - start
            rows.append(row(part, kind, found, steps, seconds))
    return rows


def row(part: str, kind: str, found: list[Order], steps: int, seconds: float) -> str:
    """Return a row of the table."""
    inversions = sum(restoration.inversions for restoration in found)
    cells = (
        part,
        kind,
        f"{len(found)}",
        f"{inversions:,}",
        f"{sum(restoration.certified for restoration in found)}",
        f"{inversions - sum(restoration.lower_bound for restoration in found):,}",
        f"{sum(restoration.moved for restoration in found):,}",
        f"{steps / 1e6:,.1f}",
        f"{seconds:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, help="with more dumps")
    parser.add_argument("--parts", nargs="*", choices=PARTS, default=list(PARTS))
    arguments = parser.parse_args()
    folders = (*DUMPS, *arguments.folders)
    print("| turned off | blocks | | inversions | certified | gap | moved | million steps | CPU seconds |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with Pool() as pool:
        for rows in pool.imap(partial(measure, folders=folders), arguments.parts):
            print("\n".join(rows), flush=True)


if __name__ == "__main__":
    main()
