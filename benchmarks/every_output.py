"""Write down all that the commands print, so that two versions of the code can be compared to the byte.

    python benchmarks/every_output.py before
    python benchmarks/every_output.py after
    diff --recursive before after

Each command runs on each sample and each test input. A file of the folder is one command line: its output and
its exit code. A change of the code that should change no report leaves the two folders the same.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import runpy
import sys
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from shlex import join
from typing import NoReturn

CLONE = Path(__file__).parent.parent
INPUTS = ["sample_irs", "tests/data"]

LARGE_BYTES = 200_000
"""Above this size an input gets only the main formats of a report."""


def formats_of(kind: str) -> list[str]:
    """The formats of a kind of result."""
    return list(import_module("eio_audit.cli.reports").RENDERERS[kind])


def command_lines() -> Iterator[list[str]]:
    """Yield the arguments of every run."""
    files = sorted(str(path) for folder in INPUTS for path in Path(folder).rglob("*") if _is_input(path))
    for file in files:
        yield from _of_any_file(file)
        if file.endswith(".log"):
            yield from _of_a_log(file)
        elif "samples" in file or "sample_irs" in file:
            yield from _of_a_sample(file)
    for before in (file for file in files if re.search(r"/before_\w+\.mlir$", file)):
        after = before.replace("before_", "after_")
        yield from (["diff", before, after, "--format", format_] for format_ in formats_of("Diff"))
        yield ["diff", before, after, "--verbose"]
        yield ["diff", before, after, "--unified", "3"]
        yield ["diff", before, before.replace("_alias", "_inline")]
    for format_ in formats_of("Verdict"):
        yield ["check", "sample_irs", "--format", format_, "--jobs", "2" if format_ == "json" else "1"]
    yield ["check", "sample_irs", "--verbose", "--statistics"]
    yield ["trace", "sample_irs"]
    yield ["trace", "sample_irs", "--format", "json", "--jobs", "2"]
    yield from _of_a_compiler()
    yield from (["help", code] for code in ["EIO001", "EIO002", "EIO003", "EIO004", "EIO108"])


def _is_input(path: Path) -> bool:
    return path.suffix in {".mlir", ".log"}


def _of_any_file(file: str) -> Iterator[list[str]]:
    in_all_formats = "sample_irs" in file and Path(file).stat().st_size < LARGE_BYTES
    formats = formats_of("Verdict") if in_all_formats else ["text", "json"]
    yield from (["check", file, "--format", format_] for format_ in formats)
    yield ["check", file, "--verbose", "--follow", "none"]
    yield ["fix", file]
    yield ["fix", file, "--relabel"]
    yield ["fix", file, "--relabel=flat"]
    yield ["fix", file, "--diff", "--follow", "none"]
    yield ["normalize", file, "--order"]
    if in_all_formats:
        yield ["normalize", file]
        yield ["stamp", file]


def _of_a_log(file: str) -> Iterator[list[str]]:
    yield from (["trace", file, "--format", format_] for format_ in formats_of("ModelTraces"))
    yield ["trace", file, "--verbose", "--follow", "derived"]
    yield ["diff", file, "--pass", "ttir-erase-inverse-ops"]
    yield ["diff", file, "--pass", "ttir-erase-inverse-ops", "--format", "json"]
    for op in ("#8", "%8"):
        yield from (["history", file, op, "--format", format_] for format_ in formats_of("History"))
    yield ["check", file, "--dump", "last", "--order-from", "first", "--format", "json"]


def _of_a_sample(file: str) -> Iterator[list[str]]:
    for op in ("#8", "%8", "%16"):
        yield from (["explain", file, op, "--format", format_] for format_ in formats_of("Explanation"))
    yield ["graph", file, "--format", "json"]
    yield ["graph", file, "--format", "dot"]
    yield ["graph", file, "--around", "%8", "--format", "svg"]


def _of_a_compiler() -> Iterator[list[str]]:
    """One process at a time: the number of runs is always the same."""
    words = ["-j", "1", "--", sys.executable, "sample_irs/recorded/erase_inverse_ops.py"]
    words += ["--ttir-erase-inverse-ops", "sample_irs/small/before_alias.mlir"]
    yield from (["bisect", "--format", format_, *words] for format_ in formats_of("Bisection"))
    for options in ("--op %12", "--show 22", "--show 23", "--test order", "--test avoidable"):
        yield from (["bisect", *options.split(), "--format", format_, *words] for format_ in ("text", "json"))
    yield ["bisect", "--stop-after-pass", "--test", "changed", *words]
    for log in ("sample_irs/small/all_passes_alias.log", "sample_irs/small/tree"):
        yield ["bisect", "--test", "order", log]
    words[3] = "sample_irs/recorded/commute_upwards.py"
    yield from (["reduce", "--format", format_, *words] for format_ in formats_of("Reduction"))
    yield ["reduce", "--lit", *words]


def write_run(folder: Path, arguments: list[str]) -> None:
    """Run one command line and write its exit code, and what it printed, to a file of the folder."""
    line = join(["eio-audit", *arguments])
    digest = hashlib.sha256(line.encode()).hexdigest()[:6]
    name = re.sub(r"[^\w.=-]+", "_", " ".join(arguments))[:120]
    with (folder / f"{name}_{digest}.txt").open("wb") as file:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            _run_and_exit(arguments)
        _, status = os.waitpid(child, 0)
        file.write(f"\n{line}\nexit code {os.waitstatus_to_exitcode(status)}\n".encode())


def _run_and_exit(arguments: list[str]) -> NoReturn:
    sys.argv = ["eio-audit", *arguments]
    code: object = 70
    try:
        runpy.run_module("eio_audit", run_name="__main__")
    except SystemExit as exit_:
        code = exit_.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 70)


def main() -> None:
    """Run every command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where to write the files")
    parser.add_argument("--only", default="", help="run only the command lines that contain this")
    options = parser.parse_args()
    folder = options.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(CLONE)
    sys.path.insert(0, str(CLONE))
    os.environ |= {"COLUMNS": "100", "PYTHONWARNINGS": "ignore"}
    for module in walk_packages([str(CLONE / "eio_audit")], "eio_audit."):
        if module.name != "eio_audit.__main__":
            import_module(module.name)  # once, before the processes are forked
    runs = [arguments for arguments in command_lines() if options.only in join(arguments)]
    with ProcessPoolExecutor() as executor:
        for _ in executor.map(write_run, [folder] * len(runs), runs, chunksize=8):
            pass
    print(f"{len(runs)} command lines, {sum(path.stat().st_size for path in folder.iterdir()):,} bytes")


if __name__ == "__main__":
    main()
