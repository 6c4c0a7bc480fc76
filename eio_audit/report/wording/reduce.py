"""Sentences about a reduction, without layout."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

from eio_audit.audit.bisect.compiler_command import CompilerCommand
from eio_audit.report.wording import count
from eio_audit.report.wording.conclusion import Step

if TYPE_CHECKING:
    from eio_audit.audit.reduce.reduce import Reduction

_MATCHES = re.compile(r"fails: an error matches '(.*)'")


def verdict(result: Reduction) -> str:
    """Return ``271 -> 4 ops, 69 -> 2 arguments in 39 runs``, or that nothing could be cut."""
    before, after = result.before, result.after
    stopped = "interrupted: " if result.is_interrupted else ""
    if before == after:
        return f"{stopped}nothing could be cut: {count(after.ops, 'op')}, after {count(result.runs, 'run')}"
    ops = f"{before.ops:,} -> {count(after.ops, 'op')}"
    arguments = f"{before.arguments:,} -> {count(after.arguments, 'argument')}"
    return f"{stopped}{ops}, {arguments} in {count(result.runs, 'run')}"


def effort(result: Reduction) -> str:
    """Return ``3 programs refused, 1 timeout``; empty without any."""
    said = [
        f"{count(result.refused, 'program')} refused" * bool(result.refused),
        count(result.timeouts, "timeout") * bool(result.timeouts),
    ]
    return ", ".join(filter(None, said))


def next_steps(result: Reduction) -> Iterator[Step]:
    """Yield the commands to type next on the small file."""
    if result.output is None:
        return
    if result.interesting:
        yield Step(str(CompilerCommand(result.interesting).on("{}", result.output)), "exits with 0")
        return
    command = CompilerCommand(result.command).on(result.input_word, result.output)
    if result.pass_name is not None:
        which = "--pass", result.pass_name
        yield Step(shlex.join(["eio-audit", "bisect", *which, "--", *command.words]), "which pattern does it")
    else:
        yield Step(str(command), "shows it")
        timeout = [] if not _hangs(result) or result.timeout is None else ["--timeout", f"{result.timeout:g}"]
        bisect = ["eio-audit", "bisect", *timeout, "--", *command.words]
        yield Step(shlex.join(bisect), "with which attempt of a pattern")


def _hangs(result: Reduction) -> bool:
    return result.property.startswith("hangs")


def lit_lines(result: Reduction) -> list[str]:
    """Return the lines that make a test for lit of the program."""
    command = CompilerCommand(result.interesting or result.command)
    run = str(command.on("{}" if result.interesting else result.input_word, "%s"))
    kind = result.property.partition(":")[0]
    if kind == "shuffled":
        return [f"// RUN: {run} --mlir-print-debuginfo | eio-audit check -"]
    if kind == "hangs":
        return [f"// RUN: timeout {result.timeout or 0:g} {run}"]
    if kind == "crashes":
        return [f"// RUN: not --crash {run}"]
    if kind == "fails":
        said = _MATCHES.fullmatch(result.property)
        what = "{{.*}}".join(result.property.partition(": ")[2].split("_"))
        check = f"// CHECK: {{{{{said[1]}}}}}" if said else f"// CHECK: error: {what}"
        return [f"// RUN: not {run} 2>&1 | FileCheck %s", check]
    return [f"// RUN: {run}"]
