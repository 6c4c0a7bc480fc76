"""Mutation testing: change the code in small ways and see whether a test notices.

The mutants are mutmut's (https://mutmut.readthedocs.io, version 3). Each mutant runs the tests of its group
that call the mutated function, up to the first failure. A mutant that no test notices *survives*: it is
equivalent to the code, or a test is missing. benchmarks/equivalent_mutants.toml lists the survivors that are
known to be equivalent, with the reason.

    python benchmarks/mutation.py --sample 200                  # 200 mutants of each group, half an hour
    python benchmarks/mutation.py                               # all mutants: hours
    python benchmarks/mutation.py eio_audit/order/windows.py    # those of some modules

It needs mutmut (`pip install eio-audit[mutation]`). mutmut does not mutate decorated functions (properties,
context managers) and code outside functions.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutation"
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.toml")
MUTMUT = ("-m", "mutmut")
TARGET = 0.9  # share of the mutants that the tests must kill
KILLED = {1, 3, 36, -24, 24, 152, 255}  # mutmut's exit codes: a test failed or timed out
COPIED = ("eio_audit", "tests", "sample_irs", "docs", "scripts", "benchmarks")


@dataclass(frozen=True, slots=True)
class Group:
    """Modules and their tests."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


GROUPS = {
    "order": Group(("eio_audit/order/**/*.py",), ("tests/order",)),
    "effects": Group(
        (
            "eio_audit/audit/dependence.py",
            "eio_audit/mlir/semantics/effects.py",
            "eio_audit/mlir/semantics/resources.py",
        ),
        (
            "tests/audit/test_dependence.py",
            "tests/audit/test_effects_of_instances.py",
            "tests/audit/test_explain.py",
            "tests/audit/test_legal.py",
            "tests/mlir/test_buffers.py",
            "tests/mlir/test_calls.py",
            "tests/mlir/test_conflicts.py",
            "tests/audit/test_fix.py",
        ),
    ),
    "rewriting": Group(
        ("eio_audit/audit/fix/verification.py", "eio_audit/mlir/rewriting.py"),
        (
            "tests/audit/test_fix.py",
            "tests/audit/test_relabel.py",
            "tests/audit/test_verification.py",
            "tests/mlir/test_writer.py",
        ),
    ),
}

SETTINGS = r"""
[tool.pytest.ini_options]
markers = ["slow: not run here", "browser: not run here"]
addopts = [
    "-m not browser and not slow", "-p", "no:cacheprovider", "--hypothesis-profile=mutation",
    "--deselect=tests/order/test_linear_extension.py::test_the_result_does_not_depend_on_the_hash_seed",
]

[tool.mutmut]
source_paths = ["eio_audit"]
only_mutate = {modules}
pytest_add_cli_args_test_selection = {tests}
also_copy = {copied}
# Not mutated: the texts of errors, and the counting of effort, which says when to stop, not what is found.
do_not_mutate_patterns = ['raise \w+', '(effort|part|left)\b.* -=', '_(steps|left) [-*]?= ', '\bpart\(', 'f"']
timeout_multiplier = 10.0
use_git_change_detection = false
"""

LIST_MUTANTS = """
import ast, difflib, json
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.file_utils import walk_mutatable_files
from mutmut.utils.format_utils import get_mutant_name

mutants = {}
for path in sorted(walk_mutatable_files()):
    mutated = mutate_file_contents(str(path), path.read_text(), None, None)
    nodes = [node for node in ast.walk(ast.parse(mutated.code)) if isinstance(node, ast.FunctionDef)]
    text_of = {node.name: ast.unparse(node).splitlines()[1:] for node in nodes}
    for name in mutated.mutant_names:
        old = text_of[name.rpartition("__mutmut_")[0] + "__mutmut_orig"]
        lines = list(difflib.unified_diff(old, text_of[name], n=0, lineterm=""))[2:]
        mutants[get_mutant_name(path, name)] = [
            "; ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"
        ]
print(json.dumps(mutants))
"""
"""Prints, by mutant, the lines that it changes, before and after."""


def main() -> int:
    """Run the requested mutants. Return 1 if the tests kill fewer of a group than required."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "modules", nargs="*", help="files to mutate, with wildcards; all of the groups by default"
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants of each group")
    parser.add_argument("--seed", type=int, default=0, help="which of them")
    parser.add_argument("--mutant", action="append", help="only mutants of that name, with wildcards")
    parser.add_argument("--jobs", type=int, default=1, help="mutants that run at the same time")
    options = parser.parse_args()
    known = tomllib.loads(EQUIVALENT.read_text())
    shares = []
    for name, group in GROUPS.items():
        modules = [module for module in modules_of(group) if is_wanted(module, options.modules)]
        if not modules:
            continue
        folder = prepare(name, modules)
        changes = json.loads(run(folder, "-c", LIST_MUTANTS))
        mutants = [mutant for mutant in changes if is_wanted(mutant, options.mutant)]
        if options.sample is not None and options.sample < len(mutants):
            mutants = random.Random(options.seed).sample(mutants, options.sample)
        if not mutants:
            continue
        reasons = {
            mutant: reason_to_survive(function_of(mutant), *changes[mutant], known) for mutant in mutants
        }
        tried = [mutant for mutant in mutants if reasons[mutant] is None]
        (folder / "log.txt").write_text(
            run(folder, *MUTMUT, "run", "--max-children", str(options.jobs), *tried)
        )
        print(f"\n== {name}")
        shares.append(report(folder, reasons))
        for mutant in survivors(folder):
            if mutant in tried:
                before, after = changes[mutant]
                print(f"\n{mutant}\n- {before}\n+ {after}", flush=True)
    return 0 if all(share >= TARGET for share in shares) else 1


def run(folder: Path, *arguments: str) -> str:
    """Return what Python prints in a folder. The same tests run in the same order each time."""
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=False, text=True
    )
    if done.returncode:
        sys.exit(f"{done.stdout[-5000:]}\nerror: mutmut ends with {done.returncode} in {folder}")
    return done.stdout


def is_wanted(name: str, patterns: Sequence[str] | None) -> bool:
    """Return whether a name matches one of the patterns, or True without patterns."""
    return not patterns or any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


def modules_of(group: Group) -> list[str]:
    """Return the modules of a group, as paths from the root."""
    return sorted({str(path.relative_to(ROOT)) for pattern in group.modules for path in ROOT.glob(pattern)})


def prepare(name: str, modules: Sequence[str]) -> Path:
    """Make a folder to mutate modules of a group in: a copy of the tree, with mutmut's settings."""
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    for part in COPIED:
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    settings = SETTINGS.format(
        modules=json.dumps(modules),
        tests=json.dumps(GROUPS[name].tests),
        copied=json.dumps([part for part in COPIED if part != "eio_audit"]),
    )
    (folder / "pyproject.toml").write_text(settings)
    return folder


def results(folder: Path) -> dict[str, int | None]:
    """Return mutmut's exit code for each mutant, or None if it was not run."""
    return {
        mutant: code
        for path in sorted((folder / "mutants" / "eio_audit").rglob("*.py.meta"))
        for mutant, code in json.loads(path.read_text())["exit_code_by_key"].items()
    }


def survivors(folder: Path) -> list[str]:
    """Return the mutants that ran and that no test killed."""
    return [mutant for mutant, code in results(folder).items() if code is not None and code not in KILLED]


def report(folder: Path, reasons: Mapping[str, str | None]) -> float:
    """Print how many mutants of each module are killed. Return the share of killed mutants.

    Args:
        folder: where they were run.
        reasons: by mutant of the sample, why it is equivalent, or None. An equivalent mutant is not run.
    """
    alive = {*survivors(folder), *(mutant for mutant, reason in reasons.items() if reason)}
    module_of = {mutant: mutant.rpartition(".")[0] for mutant in reasons}
    print(f"{'module':54} mutants killed equivalent alive")
    for row in [*sorted(set(module_of.values())), "together"]:
        mutants = [mutant for mutant in reasons if row in ("together", module_of[mutant])]
        killed = sum(mutant not in alive for mutant in mutants)
        equivalent = sum(reasons[mutant] is not None for mutant in mutants)
        share = killed / len(mutants)
        print(
            f"{row:54} {len(mutants):7} {share:6.1%} {equivalent:10} {len(mutants) - killed - equivalent:5}"
        )
    return share


def function_of(mutant: str) -> str:
    """Return the function of a mutant, ``function`` or ``Class.method``.

    Example:
        >>> function_of("eio_audit.order.windows.x\u01c1Window\u01c1mirrored__mutmut_3")
        'Window.mirrored'
    """
    name = mutant.rpartition(".")[2].rpartition("__mutmut_")[0]
    return name[2:].replace("\u01c1", ".")  # x_function, or x\u01c1Class\u01c1method


def reason_to_survive(
    function: str, before: str, after: str, known: Mapping[str, list[dict[str, str]]]
) -> str | None:
    """Return why a mutant is equivalent, if that is known of it or of its kind.

    Args:
        function: the function of the mutant.
        before: the lines that it changes.
        after: the changed lines.
        known: the content of equivalent_mutants.toml.
    """
    for kind in known["kind"]:
        if re.sub(kind["without"], "", before) == re.sub(kind["without"], "", after):
            return kind["reason"]
    for mutant in known["mutant"]:
        if (mutant["in"], mutant["from"], mutant["to"]) == (function, before, after):
            return mutant["reason"]
    return None


if __name__ == "__main__":
    sys.exit(main())
