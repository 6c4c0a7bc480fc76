"""Measure commands on hostile dumps of growing size: whole processes, seconds and peak memory.

    python benchmarks/bounded.py                     every shape; writes bounded.md
    python benchmarks/bounded.py --shapes nest,grid  some shapes; writes nothing

Each shape is measured at half and all of the size. Linear time doubles. The whole is 5 MB. A run that takes
longer than ``--limit`` seconds is ended. Linux only, like run.py.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hostile import SHAPES, lines
from run import AUDIT, ENVIRONMENT, FOLDER, machine

DOCUMENT = Path(__file__).with_suffix(".md")
TABLE_BEGIN = "<!-- benchmarks/bounded.py: below -->"
WHOLE_BYTES = 5_000_000
PARTS = (2, 1)
FILE = "FILE"  # stands for the path of the dump
COMMANDS = {
    "check": ("check", "--quiet", "--fail-on", "never", FILE),
    "fix": ("fix", "--quiet", "--output", "/dev/null", FILE),
    "trace": ("trace", "--quiet", "--fail-on", "never", FILE),
    "diff": ("diff", "--quiet", FILE, FILE),
    "normalize": ("normalize", "--output", "/dev/null", FILE),
    "history": ("history", FILE, "%0"),
}
NO_SUCH_OP = "error: no "  # not every shape has an op of that name: the search for it is measured, too
MOST_SECONDS = 10.0
MOST_BYTES = 1 << 30
MEMORY_LIMIT = 4 << 30
"""The memory limit of a run, so that a run that asks for too much does not bring the machine down."""


@dataclass(frozen=True, slots=True)
class Run:
    """One process: its seconds of CPU time, and how it failed, if it did."""

    seconds: float
    peak_bytes: int
    failure: str = ""

    @property
    def is_bounded(self) -> bool:
        """Whether it stayed within what any input of 5 MB may take."""
        return not self.failure and self.seconds <= MOST_SECONDS and self.peak_bytes <= MOST_BYTES

    def __str__(self) -> str:
        if self.failure:
            return f"**{self.failure}**"
        return f"{self.seconds:.1f}"


def run(command: Iterable[str], limit: float) -> Run:
    """Run a process to its end, or for ``limit`` seconds of CPU time."""
    limits = f'ulimit -t {limit:.0f}; ulimit -v {MEMORY_LIMIT >> 10}; exec "$@"'
    child = subprocess.Popen(
        ["sh", "-c", limits, "sh", *command],
        cwd=FOLDER,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert child.stderr
    said = child.stderr.read().decode(errors="replace").strip()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    failure = ""
    if child.returncode < 0:
        failure = f"over {limit:.0f} s"
    elif child.returncode and NO_SUCH_OP not in said:
        failure = "out of memory" if "MemoryError" in said else said.splitlines()[0][:60]
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, failure)


def write(shape: str, size: int, path: Path) -> int:
    """Write a shape. Return its size in bytes."""
    with path.open("w") as out:
        out.writelines(f"{line}\n" for line in lines(shape, size))
    return path.stat().st_size


def whole_size(shape: str, path: Path) -> int:
    """Return the size at which a shape has about as many bytes as the largest input."""
    size = 1_000
    for _ in range(4):
        size = max(int(size * min(WHOLE_BYTES / write(shape, size, path), 20)), 1)
    return size


def measure(shape: str, folder: Path, limit: float) -> dict[str, list[Run]]:
    """Return, for each command, a run for each part of a shape."""
    path = folder / f"{shape}.mlir"
    size = whole_size(shape, path)
    runs: dict[str, list[Run]] = {name: [] for name in COMMANDS}
    for part in PARTS:
        write(shape, size // part, path)
        for name, command in COMMANDS.items():
            if runs[name] and runs[name][-1].failure:
                runs[name].append(Run(0, 0, "not run"))
                continue
            words = (str(path) if word == FILE else word for word in command)
            runs[name].append(run([*AUDIT, *words], limit))
    path.unlink()
    return runs


def row(shape: str, runs: dict[str, list[Run]]) -> str:
    """Return the row of a shape. Its growth and its peak are those of the worse command."""
    wholes = [whole for _, whole in runs.values()]
    growth = max(whole.seconds / half.seconds if half.seconds else 0 for half, whole in runs.values())
    peak = max(whole.peak_bytes for whole in wholes)
    return f"| {' | '.join([shape, *map(str, wholes), f'{growth:.1f}', f'{peak / 1e6:.0f}'])} |"


def main() -> int:
    """Measure. Return 1 if a run is not bounded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", metavar="NAMES", help=f"only these, of {','.join(SHAPES)}")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a run is ended")
    arguments = parser.parse_args()
    names = arguments.shapes.split(",") if arguments.shapes else list(SHAPES)
    if unknown := [name for name in names if name not in SHAPES]:
        parser.error(f"no such shape: {', '.join(unknown)}")
    about = machine(None)
    columns = ["shape", *(f"`{name}`, seconds" for name in COMMANDS), "times half", "MB"]
    rows = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    print("\n".join(rows), flush=True)
    is_bounded = True
    with tempfile.TemporaryDirectory(prefix="eio-audit-") as folder:
        for shape in names:
            started = time.monotonic()
            runs = measure(shape, Path(folder), arguments.limit)
            is_bounded &= all(each.is_bounded for parts in runs.values() for each in parts)
            rows.append(row(shape, runs))
            print(rows[-1], flush=True)
            print(f"{shape}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    if not arguments.shapes:
        caption = (
            f"{about['date']}, commit {about['commit']}, Python {about['python']}; "
            f"{about['machine']}, {about['cpu_count']} CPUs."
        )
        introduction, begin, _ = DOCUMENT.read_text().partition(TABLE_BEGIN)
        DOCUMENT.write_text(f"{introduction}{begin}\n{caption}\n\n" + "\n".join(rows) + "\n")
    return int(not is_bounded)


if __name__ == "__main__":
    sys.exit(main())
