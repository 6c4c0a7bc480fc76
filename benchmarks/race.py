"""Race one commit against another: the CPU time of whole processes, in turn, on one machine.

    python benchmarks/race.py main                       this checkout as it is against main
    python benchmarks/race.py 36ccd840 2ba0a0ec --rows check,trace

A row has the median of new / old, pair by pair, and its spread: the quartiles. Below 1, the new commit is
faster. A spread that contains 1 shows no difference; ask for more runs. The inputs are those of run.py, the
samples, and logs of many nameless modules.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

from run import AUDIT, CASES, DIFF, ENVIRONMENT, HERE, BenchmarkError, generate, run

RESNET = HERE.parent / "sample_irs" / "resnet"
TRACE = ("trace", "--fail-on", "never")
IREE = ("iree", "--modules", "150")
_CODES = (0, 1)  # `diff` of two logs that differ exits with 1


class Race(NamedTuple):
    """One command. FILE and AFTER in it are its inputs: the arguments of generate.py."""

    title: str
    command: tuple[str, ...]
    inputs: tuple[tuple[str, ...], ...] = ()


def _of(case: str, title: str) -> Race:
    """Return the race of a case of run.py."""
    known = CASES[case]
    return Race(title, known.audit, tuple(filter(None, (known.generate, known.generate_after))))


def _executables(modules: int, *, renamed: bool = True) -> tuple[str, ...]:
    return "executables", "--modules", str(modules), "--dumps", "5", *(["--rename"] if renamed else [])


RACES = {
    "check": _of("flat", "`check`, 100k ops in order"),
    "check-all": _of("check-all", "`check`, 100k ops, every op shuffled"),
    "fix-all": _of("fix-all", "`fix`, the same"),
    "diff-all": _of("diff-all", "`diff`, the same in order and shuffled"),
    "normalize-all": _of("normalize-all", "`normalize --order`, the same shuffled"),
    "trace": _of("trace", "`trace`, 50 dumps of 10k ops"),
    "pipeline": _of("pipeline", "`trace`, 110 dumps of a pipeline"),
    "resnet": Race("`trace`, the passes of the ResNet", (*TRACE, str(RESNET / "all_passes_alias.log"))),
    "resnet-diff": Race(
        "`diff`, the ResNet",
        ("diff", "--fail-on", "never", *(str(RESNET / f"{side}_alias.mlir") for side in ("before", "after"))),
    ),
    "resnet-relabel": Race(
        "`fix --relabel`, the ResNet",
        ("fix", "--quiet", "--relabel", str(RESNET / "after_alias.mlir"), "-o", "/dev/null"),
    ),
    "iree": Race("`trace`, iree-compile, 150 dispatches", (*TRACE, "FILE"), (IREE,)),
    "executables-250": Race("`trace`, 250 nameless modules", (*TRACE, "FILE"), (_executables(250),)),
    "executables-500": Race("`trace`, 500 nameless modules", (*TRACE, "FILE"), (_executables(500),)),
    "executables-diff": Race(
        "`diff`, two such logs", DIFF, (_executables(500), _executables(500, renamed=False))
    ),
    "executables-history": Race(
        "`history` in one", ("history", "FILE", "%0 of @fd0_0"), (_executables(500),)
    ),
}


def checked_out(commit: str, folder: Path) -> Mapping[str, str]:
    """Write the package of a commit into a folder. Return the environment that runs it.

    Raises:
        BenchmarkError: git has no such commit.
    """
    done = subprocess.run(
        ["git", "archive", commit, "eio_audit"], cwd=HERE.parent, capture_output=True, check=False
    )
    if done.returncode:
        raise BenchmarkError(done.stderr.decode(errors="replace").strip())
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return {**ENVIRONMENT, "PYTHONPATH": str(folder)}


def seconds(race: Race, sides: tuple[Mapping[str, str], ...], folder: Path, runs: int) -> list[list[float]]:
    """Return the CPU times of a race, by side. The sides take turns to begin.

    Raises:
        BenchmarkError: a command fails.
    """
    files = dict(
        zip(("FILE", "AFTER"), map(str, (generate(made, folder) for made in race.inputs)), strict=False)
    )
    command = [*AUDIT, *(files.get(word, word) for word in race.command)]
    for side in sides:
        run(command, side, _CODES)  # so that files and byte code are cached
    times: list[list[float]] = [[] for _ in sides]
    for turn in range(runs):
        for side in range(len(sides)) if turn % 2 else reversed(range(len(sides))):
            times[side].append(run(command, sides[side], _CODES).cpu)
    return times


def row(title: str, old: list[float], new: list[float]) -> str:
    """Return the row of a race."""
    ratios = [after / before for before, after in zip(old, new, strict=True)]
    low, _, high = quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    milliseconds = [f"{median(times) * 1000:.0f}" for times in (old, new)]
    return f"| {' | '.join([title, *milliseconds, f'{median(ratios):.2f}', f'{low:.2f} to {high:.2f}'])} |"


def main() -> int:
    """Run the races. Return 2 if a command failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", help="a commit")
    parser.add_argument("new", nargs="?", help="another commit, instead of this checkout as it is")
    parser.add_argument("--rows", metavar="NAMES", help=f"only these, of {','.join(RACES)}")
    parser.add_argument("--runs", type=int, default=9, help="how often each side runs")
    parser.add_argument("--folder", type=Path, help="keep the inputs here, and reuse what is here")
    arguments = parser.parse_args()
    names = arguments.rows.split(",") if arguments.rows else list(RACES)
    if unknown := [name for name in names if name not in RACES]:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(RACES)}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="eio-audit-") as temporary:
        inputs = arguments.folder or Path(temporary, "inputs")
        inputs.mkdir(parents=True, exist_ok=True)
        try:
            old = checked_out(arguments.old, Path(temporary, "old"))
            new = checked_out(arguments.new, Path(temporary, "new")) if arguments.new else ENVIRONMENT
        except BenchmarkError as error:
            parser.error(str(error))
        print(f"| CPU ms | {arguments.old} | {arguments.new or 'checkout'} | new / old | quartiles |")
        print("|---|---:|---:|---:|---:|", flush=True)
        for name in names:
            try:
                times = seconds(RACES[name], (old, new), inputs, arguments.runs)
            except (BenchmarkError, subprocess.CalledProcessError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                failed = True
                continue
            print(row(RACES[name].title, *times), flush=True)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
