"""Run random programs in their own order and in other orders that the model allows, and compare results.

    python benchmarks/run_shuffled.py --programs 10000 --judge xdsl

Judges: ``xdsl``, ``hidden`` and ``devices`` (xdsl's interpreter), ``iree``, ``machine`` (``mlir-opt``,
``mlir-runner``), ``emitc`` (``mlir-translate``, ``g++``).
``--mutate`` switches off one rule of the model at a time and reports how many programs notice.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # tests come from this checkout, not from site-packages

import pytest

from tests.running.judging import Judge, Verdict, judged
from tests.running.mutations import MUTATIONS

JUDGES = {
    "xdsl": "xdsl_judge:XDSL",
    "devices": "device_judge:DEVICES",
    "iree": "iree_judge:IREE",
    "machine": "native_judge:NATIVE",
    "emitc": "emitc_judge:EMITC",
    "hidden": "hidden_judge:HIDDEN",
}


def main() -> None:
    """Run what the command line asks for. Exit with 1 if a program has another result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judge", choices=JUDGES, default="xdsl")
    parser.add_argument("--programs", type=int, default=1000, help="how many functions to run")
    parser.add_argument("--shuffles", type=int, default=2, help="random orders of each")
    parser.add_argument("--fixes", type=int, default=1, help="fixes of each that ask for a random order")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--mutate", action="store_true", help="switch off one rule of the model at a time")
    arguments = parser.parse_args()
    judge = _judge(arguments.judge)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.programs)
    if arguments.mutate:
        sys.exit(_mutate(arguments.judge, judge, seeds, arguments.shuffles, arguments.fixes))
    start = time.perf_counter()
    total = Verdict()
    for first in range(0, len(seeds), judge.at_once):
        verdict = judged(judge, seeds[first : first + judge.at_once], arguments.shuffles, arguments.fixes)
        total.judged += verdict.judged
        total.undecided += verdict.undecided
        total.differences += verdict.differences
        for difference in verdict.differences:
            print(difference, flush=True)
    print(
        f"{arguments.judge}: {len(seeds):,} programs, {total.judged:,} runs in other orders, "
        f"{total.undecided:,} undecided, {len(total.functions()):,} programs came out different, "
        f"{time.perf_counter() - start:.0f} s"
    )
    sys.exit(bool(total.differences))


def _judge(name: str) -> Judge:
    module, _, attribute = JUDGES[name].partition(":")
    judge: Judge = getattr(importlib.import_module(f"tests.running.{module}"), attribute)
    return judge


def _mutate(name: str, judge: Judge, seeds: range, shuffles: int, fixes: int) -> int:
    """Print the effect of each mutation for a judge. Return how many have no effect."""
    missed = 0
    for rule, mutation in MUTATIONS.items():
        if mutation.judge != name:
            continue
        with pytest.MonkeyPatch.context() as monkeypatch:
            mutation.patch(monkeypatch)
            try:
                functions = judged(judge, seeds, shuffles, fixes, verified=False).functions()
                outcome = f"{len(functions):,} of {len(seeds):,} programs came out different"
                missed += not functions
            except Exception as error:  # no longer a valid program
                outcome = f"rejected: {type(error).__name__}"
        print(f"{rule:44} {outcome}", flush=True)
    return missed


if __name__ == "__main__":
    main()
