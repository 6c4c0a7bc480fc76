"""Measure eio-audit against mlir-opt on generated dumps: whole processes, in turn, on one machine.

    python benchmarks/run.py                       every row; writes the table in the docs
    python benchmarks/run.py --quick               without the rows of a million ops; writes nothing
    python benchmarks/run.py --rows fix,dense      some rows; writes nothing

The eio-audit under test is the checkout around this script, run by the interpreter of the script. mlir-opt is
``$MLIR_OPT``, else ``mlir-opt-22`` or ``mlir-opt`` on the path. Linux only, where wait4 reports peak memory
in KiB.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE / "speed.md"
TABLE_BEGIN = "<!-- benchmarks/run.py: begin -->"
TABLE_END = "<!-- benchmarks/run.py: end -->"

YARDSTICK = ("--allow-unregistered-dialect", "--mlir-print-debuginfo", "FILE", "-o", "/dev/null")
SPLIT = ("-split-input-file", *YARDSTICK)
AUDIT = (sys.executable, "-m", "eio_audit")
PASS = (sys.executable, "-c", "pass")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPATH"] = str(HERE.parent)
"""An installed package has byte code. A checkout gets it from the run that is not measured."""
FOLDER = Path("/")
"""The working folder of processes. No configuration is there, and that of the checkout must not be read."""
BASE_BYTES = 20 << 20
"""What the memory target allows in addition to a multiple of the file size."""


class BenchmarkError(Exception):
    """A measured process did not do what its row requires."""


@dataclass(frozen=True, slots=True)
class Case:
    """Two commands to measure in turn. FILE in them is the generated input, AFTER a second one.

    Attributes:
        audit: the arguments of eio-audit.
        generate: the arguments of generate.py. Empty if no input is needed.
        generate_after: the arguments for the second input.
        runs: how often each command runs.
        is_clean: whether the input must be in order. Otherwise it must have avoidable inversions.
        against_python: whether to compare with ``python -c pass`` instead of mlir-opt.
        yardstick: the arguments of mlir-opt.
        other_audit: arguments of eio-audit to compare with, instead of mlir-opt.
    """

    audit: tuple[str, ...]
    generate: tuple[str, ...] = ()
    generate_after: tuple[str, ...] = ()
    runs: int = 7
    is_clean: bool = True
    against_python: bool = False
    yardstick: tuple[str, ...] = YARDSTICK
    other_audit: tuple[str, ...] = ()


CHECK = ("check", "FILE")
DIFF = ("diff", "--fail-on", "never", "FILE", "AFTER")
OPS = ("--ops", "10000")
FLAT = ("flat", "--ops", "100000")
SHUFFLED = (*FLAT, "--shuffle", "0.2")
TINY = ("flat", "--ops", "20")
WIDE = ("wide", "--ops", "100000")
INTERLEAVED = ("interleaved", "--ops", "100000")
"""Every op is shuffled."""
FIX = ("fix", "--quiet", "FILE", "-o", "/dev/null")
PAGE = ("--format", "html", "--fail-on", "never")
CASES = {
    "flat": Case(CHECK, FLAT),
    "check-json": Case((*CHECK, "--format", "json"), FLAT, other_audit=CHECK),
    "check-html": Case((*CHECK, *PAGE), SHUFFLED, runs=3, is_clean=False),
    "nested": Case(CHECK, ("nested", "--ops", "100000")),
    "million": Case(CHECK, ("flat", "--ops", "1000000"), runs=3),
    "fix": Case(FIX, SHUFFLED, is_clean=False),
    "check-all": Case((*CHECK, "--fail-on", "never"), INTERLEAVED, runs=3, is_clean=False),
    "fix-all": Case(FIX, INTERLEAVED, runs=3, is_clean=False),
    "diff-all": Case(DIFF, WIDE, INTERLEAVED, runs=3),
    "normalize-all": Case(("normalize", "--order", "FILE"), INTERLEAVED, runs=3, is_clean=False),
    "dense": Case(CHECK, ("dense", "--ops", "1000", "--dense-mb", "120")),
    "trace": Case(
        ("trace", "--fail-on", "never", "FILE"),
        ("log", "--ops", "10000", "--dumps", "50"),
        is_clean=False,
        yardstick=SPLIT,
    ),
    "pipeline": Case(
        ("trace", "--fail-on", "never", "FILE"),
        ("pipeline", "--ops", "1700", "--dumps", "110"),
        is_clean=False,
        yardstick=SPLIT,
    ),
    "diff": Case(DIFF, ("permuted", *OPS), ("cancelled", *OPS)),
    "diff-plain": Case(DIFF, ("permuted", *OPS, "--no-locations"), ("cancelled", *OPS, "--no-locations")),
    "diff-shuffled": Case(DIFF, FLAT, SHUFFLED, runs=3),
    "diff-html": Case(("diff", *PAGE, "FILE", "AFTER"), FLAT, SHUFFLED, runs=3),
    "normalize": Case(("normalize", "--order", "FILE"), SHUFFLED, runs=3, is_clean=False),
    "trace-html": Case(
        ("trace", *PAGE, "FILE"),
        ("log", "--ops", "3000", "--dumps", "100"),
        runs=3,
        is_clean=False,
        yardstick=SPLIT,
    ),
    "small": Case(CHECK, ("flat", "--ops", "1000"), runs=15),
    "version": Case(("--version",), runs=15, against_python=True),
    "help": Case(("check", "-h"), runs=15, against_python=True),
    "tiny-diff": Case(DIFF, TINY, (*TINY, "--shuffle", "0.2"), runs=15, against_python=True),
    "tiny-trace": Case(
        ("trace", "--fail-on", "never", "FILE"),
        ("log", "--ops", "10", "--dumps", "3"),
        runs=15,
        against_python=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Run:
    """One process: seconds and bytes."""

    wall: float
    cpu: float
    peak_bytes: int


@dataclass(slots=True)
class Measurement:
    """The runs of one case. ``ours[k]`` and ``theirs[k]`` ran one after the other."""

    file_bytes: int
    facts: dict[str, int]
    ours: list[Run] = field(default_factory=list)
    theirs: list[Run] = field(default_factory=list)

    def ratio(self, of: Callable[[Run], float]) -> float:
        """Return the median of the ratios, pair by pair."""
        return median(of(a) / of(b) for a, b in zip(self.ours, self.theirs, strict=True))


@dataclass(frozen=True, slots=True)
class Figure:
    """What a row shows: a figure by wall time and one by CPU time. Memory has only one figure."""

    wall: float
    cpu: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Row:
    """One target.

    Attributes:
        title: what is measured.
        cases: the measurements it needs.
        figure: computed from these.
        target: the largest figure allowed.
        aim: a good figure.
    """

    title: str
    cases: tuple[str, ...]
    figure: Callable[..., Figure]
    target: float
    aim: float | None = None


def ratio(measured: Measurement) -> Figure:
    """Return the time of eio-audit divided by that of the other command."""
    ours, theirs = (median(run.cpu for run in runs) for runs in (measured.ours, measured.theirs))
    detail = f"{_seconds(ours)} against {_seconds(theirs)} of CPU"
    return Figure(measured.ratio(lambda r: r.wall), measured.ratio(lambda r: r.cpu), detail)


def growth(small: Measurement, large: Measurement) -> Figure:
    """Return how many times longer the larger input takes."""
    wall = median(r.wall for r in large.ours) / median(r.wall for r in small.ours)
    cpu = median(r.cpu for r in large.ours) / median(r.cpu for r in small.ours)
    return Figure(wall, cpu, f"{large.file_bytes / small.file_bytes:.1f} times the bytes")


def peak(measured: Measurement) -> Figure:
    """Return the peak memory in MB."""
    found = median(run.peak_bytes for run in measured.ours) / 1e6
    return Figure(found, None, f"for a file of {measured.file_bytes / 1e6:.0f} MB")


def memory(*measured: Measurement) -> Figure:
    """Return the largest peak memory beyond the base, divided by the file size."""
    shares = []
    for m in measured:
        peak = median(run.peak_bytes for run in m.ours)
        detail = f"{peak / 1e6:.0f} MB for a file of {m.file_bytes / 1e6:.0f} MB"
        shares.append(((peak - BASE_BYTES) / m.file_bytes, detail))
    worst, detail = max(shares)
    return Figure(worst, None, detail)


ROWS = {
    "flat": Row("`check`, 100k ops flat, clean", ("flat",), ratio, 0.5, 0.4),
    "nested": Row("`check`, 100k ops with nested regions", ("nested",), ratio, 0.7, 0.5),
    "million": Row("`check`, 1M ops flat", ("million",), ratio, 0.45, 0.35),
    "fix": Row("`fix`, 100k ops flat, mildly shuffled", ("fix",), ratio, 1.35, 1.0),
    "check-all": Row("`check`, 100k ops in independent layers, every op shuffled",
                     ("check-all",), ratio, 3.5),
    "fix-all": Row("`fix`, the same", ("fix-all",), ratio, 3),
    "diff-all": Row("`diff`, the same in order and shuffled, against reading the first",
                    ("diff-all",), ratio, 5),
    "normalize-all": Row("`normalize --order`, the same shuffled", ("normalize-all",), ratio, 4),
    "dense": Row("`check`, 120 MB of dense constants in 1k ops", ("dense",), ratio, 0.3, 0.15),
    "trace": Row("`trace`, 50 dumps of 10k ops in one log, against mlir-opt -split-input-file",
                 ("trace",), ratio, 0.35, 0.2),
    "pipeline": Row("`trace`, 110 dumps of a pipeline, 62 MB; one pass in eight changes something",
                    ("pipeline",), ratio, 0.15),
    "diff": Row("`diff`, 10k ops before and after a layout pass, against reading the first",
                ("diff",), ratio, 13),
    "diff-plain": Row("the same without indices and locations", ("diff-plain",), ratio, 13),
    "diff-shuffled": Row("`diff`, 100k ops flat, clean and mildly shuffled, against reading the first",
                         ("diff-shuffled",), ratio, 5),
    "diff-html": Row("the same as a page", ("diff-html",), ratio, 9),
    "normalize": Row("`normalize --order`, 100k ops flat, mildly shuffled", ("normalize",), ratio, 4),
    "check-json": Row("`check --format json` / `check`, 100k ops flat, clean",
                      ("check-json",), ratio, 1.15),
    "check-html": Row("`check --format html`, 100k ops flat, mildly shuffled", ("check-html",), ratio, 2.7),
    "trace-html": Row("`trace --format html`, 100 dumps of 3k ops in one log",
                      ("trace-html",), ratio, 1.7),
    "growth": Row("`check`, time at 1M ops / time at 100k ops", ("flat", "million"), growth, 11),
    "memory": Row("`check`, flat: (peak memory - 20 MB) / file size, worst of 100k and 1M ops",
                  ("flat", "million"), memory, 2.5),
    "memory-nested": Row("the same, nested regions", ("nested",), memory, 2.5),
    "memory-dense": Row("the same, dense constants", ("dense",), memory, 2.5),
    "peak-check-html": Row("`check --format html`, 100k ops: peak MB", ("check-html",), peak, 200),
    "peak-diff": Row("`diff`, 100k ops: peak MB", ("diff-shuffled",), peak, 300),
    "peak-diff-all": Row("`diff`, the same, every op shuffled: peak MB", ("diff-all",), peak, 300),
    "peak-diff-html": Row("the same as a page: peak MB", ("diff-html",), peak, 350),
    "version": Row("`eio-audit --version` / `python -c pass`", ("version",), ratio, 2, 1.3),
    "small": Row("`check`, 1k ops flat", ("small",), ratio, 2),
    "help": Row("`eio-audit check -h` / `python -c pass`", ("help",), ratio, 9),
    "tiny-diff": Row("`diff`, 20 ops / `python -c pass`", ("tiny-diff",), ratio, 14),
    "tiny-trace": Row("`trace`, 3 dumps of 10 ops / `python -c pass`", ("tiny-trace",), ratio, 14),
}  # fmt: skip


# ---------------------------------------------------------------------- measuring


def run(
    command: Sequence[str], environment: Mapping[str, str] = ENVIRONMENT, codes: Sequence[int] = (0,)
) -> Run:
    """Run one process to its end and discard its output. ``codes`` are its exit codes if it does not fail.

    Raises:
        BenchmarkError: the process fails.
    """
    # Peak memory survives exec, so a child never shows less than this process had when it forked. So this
    # process must stay small, and other processes generate the inputs.
    started = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=FOLDER, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert child.stderr
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        words = said.decode(errors="replace").strip().splitlines()
        why = words[0] if words else "no message"
        raise BenchmarkError(f"{Path(command[0]).name} exited with {child.returncode}: {why}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def generate(arguments: Sequence[str], folder: Path) -> Path:
    """Return the input for these arguments of generate.py. Make it unless the folder has it."""
    path = folder / ("-".join(a.removeprefix("--") for a in arguments) + ".mlir")
    if not path.exists():
        partial_path = path.with_suffix(".part")
        with partial_path.open("wb") as out:
            subprocess.run([sys.executable, HERE / "generate.py", *arguments], stdout=out, check=True)
        partial_path.replace(path)
    return path


def facts_of(file: Path) -> dict[str, int]:
    """Return what eio-audit itself reports about an input, so that a row states facts.

    Raises:
        BenchmarkError: eio-audit cannot read the input.
    """
    command = [*AUDIT, "check", "--format", "json", "--fail-on", "never", str(file)]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, check=False)
    if done.returncode != 0:
        raise BenchmarkError(done.stderr.decode(errors="replace").strip())
    summary = json.loads(done.stdout)["summary"]
    return {name: summary[name] for name in ("ops", "displaced", "inversions", "forced", "avoidable")}


def measure(case: Case, mlir_opt: str | None, folder: Path, runs: int | None) -> Measurement:
    """Run the two commands of a case in turn. Skip the other command without mlir-opt.

    Raises:
        BenchmarkError: a command fails, or the input is not what the case requires.
    """
    file = generate(case.generate, folder) if case.generate else None
    files = {"FILE": file, "AFTER": generate(case.generate_after, folder) if case.generate_after else None}
    is_indexed = file is not None and "--no-locations" not in case.generate
    measured = Measurement(file.stat().st_size if file else 0, facts_of(file) if file and is_indexed else {})
    if file and is_indexed and case.is_clean != (measured.facts["avoidable"] == 0):
        raise BenchmarkError(f"{file.name} has {measured.facts['avoidable']} avoidable inversions")
    ours = [*AUDIT, *(str(files.get(a, a)) for a in case.audit)]
    if case.against_python:
        theirs = list(PASS)
    elif case.other_audit:
        theirs = [*AUDIT, *(str(files.get(a, a)) for a in case.other_audit)]
    else:
        theirs = [mlir_opt, *(str(file) if a == "FILE" else a for a in case.yardstick)] if mlir_opt else []
    for command in filter(None, (ours, theirs)):
        if measured.file_bytes < 100 << 20:
            run(command)  # so that files and byte code are cached
    for _ in range(runs or case.runs):
        measured.ours.append(run(ours))
        if theirs:
            measured.theirs.append(run(theirs))
    return measured


# ---------------------------------------------------------------------- reporting


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def result_of(row: Row, measured: dict[str, Measurement], failures: dict[str, str]) -> dict[str, object]:
    """Return a row as data. If it could not be measured, it has the reason instead of figures."""
    result: dict[str, object] = {"title": row.title, "target": row.target, "aim": row.aim}
    cases = [measured[name] for name in row.cases if name in measured]
    if len(cases) < len(row.cases):
        return {**result, "not_measured": "; ".join(failures[n] for n in row.cases if n in failures)}
    if row.figure is ratio and not cases[0].theirs:
        return {**result, "not_measured": "mlir-opt is missing"}
    figure = row.figure(*cases)
    # A row must meet both times: wall time suffers from neighbours, CPU time hides waiting.
    worse = max(figure.wall, figure.cpu or 0)
    return {
        **result,
        "worse": round(worse, 3),
        "wall": round(figure.wall, 3),
        "cpu": None if figure.cpu is None else round(figure.cpu, 3),
        "met": worse <= row.target,
        "detail": figure.detail,
        "runs": min(len(case.ours) for case in cases),
    }


def table(rows: Sequence[dict[str, object]]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| work | target | ratio | met | |", "|---|---|---|---|---|"]
    for row in rows:
        cells = [str(row["title"]), f"<= {row['target']:g}"]
        if "not_measured" in row:
            cells += ["", "", f"not measured: {row['not_measured']}"]
        else:
            cells += [f"{row['worse']:.2f}", "yes" if row["met"] else "**no**", str(row["detail"])]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _output_of(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def machine(mlir_opt: str | None) -> dict[str, object]:
    """Return the machine and the versions that the figures were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    said = _output_of(mlir_opt, "--version") if mlir_opt else ""
    commit = _output_of("git", "rev-parse", "--short", "HEAD")
    changed = _output_of("git", "status", "--porcelain", "--untracked-files=no", "eio_audit")
    return {
        "machine": f"{platform.system()} {platform.machine()}, {model}".rstrip(", "),
        "cpu_count": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "mlir_opt": next((line.strip() for line in said.splitlines() if "version" in line), None),
        "commit": (commit or "unknown") + ("+changes" if changed else ""),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }


def write(about: dict[str, object], rows: list[dict[str, object]]) -> None:
    """Write the table between its markers in the document."""
    text = DOCUMENT.read_text()
    head, _, rest = text.partition(TABLE_BEGIN)
    _, marker, tail = rest.partition(TABLE_END)
    if not marker:
        raise BenchmarkError(f"{DOCUMENT.name} has no lines {TABLE_BEGIN} and {TABLE_END}")
    caption = (
        f"{about['date']}, commit {about['commit']}, Python {about['python']}, {about['mlir_opt']}; "
        f"{about['machine']}, {about['cpu_count']} CPUs, load average {about['load_average']} at the start."
    )
    DOCUMENT.write_text(f"{head}{TABLE_BEGIN}\n{caption}\n\n{table(rows)}\n{TABLE_END}{tail}")


def main() -> int:
    """Run the rows. Return 1 if a row misses its target, 2 if one could not be measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="three runs, and no row of a million ops")
    parser.add_argument("--rows", metavar="NAMES", help=f"only these, of {','.join(ROWS)}")
    parser.add_argument("--runs", type=int, help="how often each command runs, instead of 3 to 15 times")
    parser.add_argument("--folder", type=Path, help="keep the inputs here, and reuse what is here")
    arguments = parser.parse_args()
    names = arguments.rows.split(",") if arguments.rows else list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"no such row: {', '.join(unknown)}; there are {', '.join(ROWS)}")
    found = (os.environ.get("MLIR_OPT"), "mlir-opt-22", "mlir-opt")
    mlir_opt = next((path for name in found if name and (path := shutil.which(name))), None)
    if mlir_opt is None:
        print("mlir-opt is missing: the rows that need it are not measured. Install it, as Debian's", end=" ")
        print("mlir-22-tools, or say where it is: MLIR_OPT=/path/to/mlir-opt")
    about = machine(mlir_opt)
    wanted = dict.fromkeys(name for row in names for name in ROWS[row].cases)
    runs = arguments.runs or (3 if arguments.quick else None)
    measured: dict[str, Measurement] = {}
    failures: dict[str, str] = {}
    if arguments.quick and "million" in wanted:
        del wanted["million"]
        failures["million"] = "left out by --quick"
    with tempfile.TemporaryDirectory(prefix="eio-audit-") as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        step = partial(measure, mlir_opt=mlir_opt, folder=folder, runs=runs)
        for name in wanted:
            print(f"measuring {name} ...", file=sys.stderr, flush=True)
            try:
                measured[name] = step(CASES[name])
            except BenchmarkError as error:
                failures[name] = str(error)
    rows = [{"name": name, **result_of(ROWS[name], measured, failures)} for name in names]
    print(table(rows))
    complete = not any("not_measured" in row for row in rows)
    if complete and len(names) == len(ROWS) and not arguments.quick:
        write(about, rows)
    else:
        print("nothing was written: only a run of every row is recorded", file=sys.stderr)
    return 2 if not complete else int(not all(row["met"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
