"""Read a compiler's own test files, shuffle what they contain, and put it back in order.

    python benchmarks/test_files.py mlir/test/Dialect flang/test

A file is split at ``// -----`` if its RUN line asks for that. A part counts unless it expects an error
(``expected-error``, or ``not`` in the RUN line) or has no op. Printed for each folder: the parts, those
that are read, those that a shuffle of their stamped text changes, and those of them that a fix brings back
without an inversion. Then the error of each part that fails.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import eio_audit
from eio_audit import InputError, VerificationError

_RUN_FAILS = re.compile(rb"^//\s*RUN:(?:.*\|)?\s*not(?: --crash)? ", re.MULTILINE)
_DIAGNOSED = re.compile(rb"xdsl-opt.*-diagnostics")
_SPLIT = re.compile(rb"^[ \t]*// -----.*$", re.MULTILINE)
_EXPECTED_ERROR = re.compile(rb"expected-error|^[ \t]*//.*(?:CHECK|ERR)[\w-]*:.*\berror:", re.MULTILINE)
_OP = re.compile(rb"^\s*(?:%|\"?[a-z_]\w*\.|[a-z_]+ )", re.MULTILINE)
SUFFIXES = {".mlir", ".fir", ".cir"}


def main() -> None:
    """Print the table of the folders that the command line names, and the parts that fail."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--read-only", action="store_true", help="do not shuffle")
    arguments = parser.parse_args()
    print(f"{'parts':>7} {'read':>7} {'changed':>7} {'fixed':>7}  folder")
    failures = []
    for folder in arguments.folder:
        counts = Counter[str]()
        for name, text in parts(folder):
            try:
                counts.update(_steps(name, text, seed=0, read_only=arguments.read_only))
            except (InputError, VerificationError) as error:
                counts["parts"] += 1
                failures.append(str(error))
        print(*(f"{counts[step]:7d}" for step in ("parts", "read", "changed", "fixed")), f" {folder}")
    print("", *failures, sep="\n")


def parts(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Return the name and the text of each part. Lines keep their numbers."""
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES):
        text = path.read_bytes()
        if _RUN_FAILS.search(text) or _DIAGNOSED.search(text):
            continue
        start = 0
        splits = _SPLIT.finditer(text) if b"split-input-file" in text else ()
        for end, after in [*(match.span() for match in splits), (len(text), 0)]:
            part = text[start:end]
            if _OP.search(part) and not _EXPECTED_ERROR.search(part):
                yield str(path), b"\n" * text.count(b"\n", 0, start) + part
            start = after


def _steps(name: str, text: bytes, seed: int, read_only: bool) -> list[str]:
    """Return the steps that a part takes without an error."""
    dumps = eio_audit.read_text(text, name=name)
    stamped = eio_audit.stamp(dumps)
    if read_only:
        return ["parts", "read"]
    shuffled = eio_audit.shuffle(eio_audit.read_text(stamped, name=name), seed)
    if shuffled == stamped:
        return ["parts", "read"]
    fixed = eio_audit.fix(eio_audit.read_text(shuffled, name=name)).text
    inversions = eio_audit.check(eio_audit.read_text(fixed, name=name)).summary.inversions
    return ["parts", "read", "changed", *(["fixed"] if inversions == 0 else [])]


if __name__ == "__main__":
    main()
