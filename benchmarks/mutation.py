"""Mutation testing: change the code in small ways, and see whether a test notices.

The mutants are mutmut's (https://mutmut.readthedocs.io, version 3). Each one runs the tests of its group that
call the mutated function, up to the first that fails. A mutant that no test notices *survives*: it is
equivalent to the code, or a test is missing. benchmarks/equivalent_mutants.toml has the survivors that are
known to be equivalent, with the reason.

    python benchmarks/mutation.py --sample 300           # a few minutes for each group
    python benchmarks/mutation.py                        # all mutants: hours
    python benchmarks/mutation.py --group order 'eio_audit.order.windows.*'

mutmut does not mutate decorated functions (properties, context managers) and code outside of functions.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
TARGET = 0.9  # share of the mutants that the tests have to notice
KILLED = {1, 3, 36, -24, 24, 152, 255}  # mutmut's exit codes: a test failed, or ran out of time
COPIED = ("eio_audit", "tests", "sample_irs", "docs", "scripts", "benchmarks")


@dataclass(frozen=True, slots=True)
class Group:
    """Modules that the same tests concern."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


GROUPS = {
    "order": Group(("eio_audit/order/*.py",), ("tests/order",)),
    "effects": Group(
        (
            "eio_audit/audit/dependence.py",
            "eio_audit/mlir/semantics/effects.py",
            "eio_audit/mlir/semantics/buffers.py",
        ),
        (
            "tests/audit/test_dependence.py",
            "tests/audit/test_effects_of_instances.py",
            "tests/mlir/test_buffers.py",
            "tests/mlir/test_own_traits.py",
        ),
    ),
    "rewriting": Group(
        ("eio_audit/audit/fix/verification.py", "eio_audit/mlir/rewriting/writer.py"),
        ("tests/audit/test_fix.py", "tests/audit/test_relabel.py", "tests/mlir/test_writer.py"),
    ),
}

SETTINGS = """
[tool.pytest.ini_options]
markers = ["slow: not run here", "browser: not run here"]
addopts = "-m 'not browser and not slow' -p no:cacheprovider --hypothesis-profile=mutation"

[tool.mutmut]
source_paths = ["eio_audit"]
only_mutate = {modules}
pytest_add_cli_args_test_selection = {tests}
also_copy = {copied}
# Texts of errors, and what is counted of an effort: it says when to stop, not what is found.
do_not_mutate_patterns = ['raise \\w+', 'effort\\.left -=', 'msg = ', 'f"']
timeout_multiplier = 10.0
use_git_change_detection = false
"""


def main() -> int:
    """Run the groups asked for; 1 where fewer mutants than wanted are killed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mutants", nargs="*", help="names of mutants, with wildcards; all by default")
    parser.add_argument("--group", choices=GROUPS, action="append", help="modules to mutate; all by default")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants of each group")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--jobs", type=int, default=1, help="mutants run at the same time")
    options = parser.parse_args()
    shares = []
    for name in options.group or GROUPS:
        folder = prepare(name)
        chosen = choose(mutant_names(folder), options.mutants, options.sample, options.seed)
        subprocess.run(
            [sys.executable, "-m", "mutmut", "run", "--max-children", str(options.jobs), *chosen],
            cwd=folder,
            check=True,
            stdout=sys.stderr,
            env=os.environ | {"PYTHONHASHSEED": "0"},  # the same sequence of tests each time
        )
        shares.append(report(name, folder, set(chosen)))
    return 0 if all(share >= TARGET for share in shares) else 1


def prepare(name: str) -> Path:
    """Make a folder for a group: a copy of the tree, with mutmut's settings."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    for part in COPIED:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    group = GROUPS[name]
    settings = SETTINGS.format(
        modules=json.dumps(group.modules),
        tests=json.dumps(group.tests),
        copied=json.dumps([part for part in COPIED if part != "eio_audit"]),
    )
    (folder / "pyproject.toml").write_text(settings)
    return folder


def mutant_names(folder: Path) -> list[str]:
    """Return the names of all mutants of a group, in the sequence of the text."""
    program = (
        "from mutmut.configuration import config\n"
        "from mutmut.mutation.file_mutation import mutate_file_contents\n"
        "from mutmut.utils.file_utils import walk_mutatable_files\n"
        "from mutmut.utils.format_utils import get_mutant_name\n"
        "for path in sorted(walk_mutatable_files()):\n"
        "    for name in mutate_file_contents(str(path), path.read_text(), None, None).mutant_names:\n"
        "        print(get_mutant_name(path, name))\n"
    )
    listed = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, check=True, capture_output=True, text=True
    )
    return listed.stdout.split()


def choose(names: Sequence[str], patterns: Sequence[str], sample: int | None, seed: int) -> list[str]:
    """Return the mutants to run."""
    chosen = [name for name in names if not patterns or any(fnmatch.fnmatch(name, one) for one in patterns)]
    if sample is not None and sample < len(chosen):
        chosen = sorted(random.Random(seed).sample(chosen, sample))
    return chosen


def report(name: str, folder: Path, chosen: set[str]) -> float:
    """Print how many mutants of each module are killed, and the survivors; return the share of the killed."""
    known = tomllib.loads(EQUIVALENT.read_text())
    survivors = []
    print(f"\n== {name}\n{'module':58} mutants  killed")
    counted = Counter[str]()
    for path in sorted((folder / "mutants" / "eio_audit").rglob("*.py.meta")):
        results = json.loads(path.read_text())["exit_code_by_key"]
        results = {mutant: code for mutant, code in results.items() if mutant in chosen}
        if not results:
            continue
        alive = [mutant for mutant, code in results.items() if code not in KILLED]
        survivors += alive
        counted += Counter(mutants=len(results), killed=len(results) - len(alive))
        module = str(path.relative_to(folder / "mutants"))[: -len(".meta")]
        print(f"{module:58} {len(results):7} {1 - len(alive) / len(results):7.1%}")
    share = counted["killed"] / max(counted["mutants"], 1)
    print(f"{'together':58} {counted['mutants']:7} {share:7.1%}\n")
    for mutant in survivors:
        before, after = difference(folder, mutant)
        print(f"{mutant}: {reason_to_survive(before, after, known) or 'NOT KNOWN'}\n-{before}\n+{after}")
    return share


def reason_to_survive(before: str, after: str, known: dict[str, list[dict[str, str]]]) -> str | None:
    """Return why a mutant is equivalent, if that is known of it or of all of its kind."""
    for kind in known["kind"]:
        if re.sub(kind["without"], "", before) == re.sub(kind["without"], "", after):
            return kind["reason"]
    for mutant in known["mutant"]:
        if (mutant["from"], mutant["to"]) == (before.strip(), after.strip()):
            return mutant["reason"]
    return None


def difference(folder: Path, mutant: str) -> tuple[str, str]:
    """Return the text that a mutant changes, before and after."""
    shown = subprocess.run(
        [sys.executable, "-m", "mutmut", "show", mutant],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    lines = [line for line in shown.stdout.splitlines() if not line.startswith(("---", "+++"))]
    removed, added = ("\n".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    return removed, added


if __name__ == "__main__":
    sys.exit(main())
