"""The commands that reports suggest, with the options and the selection of the run, quoted for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from eio_audit.audit.check.figures import DumpAudit
from eio_audit.audit.options import AuditOptions, Follow

if TYPE_CHECKING:  # a report on a clean dump does not need these
    from eio_audit.audit.bisect.bisection import Bisection
    from eio_audit.audit.log.trace import Trace, TracedPass


class Step(NamedTuple):
    """A command to type next, whole and quoted for a shell, and what it does."""

    command: str
    effect: str
    added: str = ""  # the options of one of several commands that are the same but for these

    @property
    def explained(self) -> str:
        """The command with what it does as a comment."""
        return f"{self.command}  # {self.effect}"


MOST_STEPS = 3  # the most commands that a report suggests


def next_lines(steps: Iterable[Step], width: int | None = None, base: str = "") -> list[str]:
    """Return the lines that suggest commands: ``next:``, and each command in a line of its own.

    A command that is too long for ``width`` together with what it does stands alone. No line is broken.
    Several that are ``base`` with options added are ``base`` once, then the options: ``with --show 431``.
    """
    shown = list(steps)[:MOST_STEPS]
    lines = []
    if base and len(shown) > 1:
        lines.append(f"  {base}")
        shown = [Step(f"with {step.added}", step.effect) for step in shown]
    for step in shown:
        fits = width is None or len(step.explained) + 2 <= width
        lines.append(f"  {step.explained if fits else step.command}")
    return ["next:", *lines] if lines else []


def command(words: str, audited: DumpAudit | Trace, source: str, *more: str) -> str:
    """Return ``eio-audit fix --diff --follow derived --pass cse --dump 2 passes.log``.

    ``audited`` gives the options of its audit, and how a dump was selected from its file.
    """
    given = [*_options(audited.options), *(selection(audited) if isinstance(audited, DumpAudit) else ())]
    return " ".join(["eio-audit", words, *map(shlex.quote, given), argument(source), *more])


def bisect_command(result: Bisection, *words: str) -> str:
    """Return ``eio-audit bisect --pass canonicalize --show 431 -- mlir-opt --canonicalize in.mlir``."""
    which = ["--pass", result.pass_name, *([] if result.number is None else ["--dump", str(result.number)])]
    return bisection_command(result.states.options, result.command, *which, *words)


def bisection_command(options: AuditOptions, compiler: Sequence[str], *words: str) -> str:
    """Return the command that bisects a compiler with some options, and these of its own."""
    return shlex.join(["eio-audit", "bisect", *words, *_options(options), "--", *compiler])


def explain_command(audited: DumpAudit | Trace, source: str, line: int | str = "") -> str:
    """Return the command that explains the op of a line, or its start. Empty if it cannot read the dump."""
    if not is_readable_again(audited, source):
        return ""
    return command("explain", audited, source, *filter(None, [str(line)]))


def compare_command(traced: TracedPass, trace: Trace) -> str:
    """Return the command that compares the dumps around a pass. Empty if no later command can read two."""
    place, before = traced.place, traced.before
    if before is None or before.source == place.source:
        return pass_command(traced, trace)
    if place.occurrence or before.occurrence or not is_readable_again(trace, place.source):
        return ""
    return command("diff", trace, before.source, argument(place.source))


def pass_command(traced: TracedPass, trace: Trace) -> str:
    """Return the command that shows what a pass did. Empty if there is none."""
    place = traced.place
    if place.marker is None or place.marker.when != "after" or not is_readable_again(trace, place.source):
        return ""
    chosen = "--pass", shlex.quote(place.marker.pass_name), "--dump", str(place.occurrence + 1)
    return command("diff", trace, place.source, *chosen)


def is_readable_again(audited: DumpAudit | Trace, source: str) -> bool:
    """Whether a later command can read a file, and the dump that the original order is from."""
    order_from = audited.options.order_from
    return is_kept(source) and (order_from is None or is_kept(order_from.name))


def is_kept(source: str) -> bool:
    """Whether a file is there for a later command: standard input and pipes are not."""
    return not source.startswith(("<", "/dev/"))


def argument(source: str) -> str:
    """Return a file's name for a command line."""
    return shlex.quote(f"./{source}" if source.startswith("-") else source)


def selection(dump: DumpAudit) -> list[str]:
    """Return the options that select a dump, or several, as the user did: ``--pass cse --dump 2``."""
    pass_name, number = dump.selected
    words = [] if pass_name is None else ["--pass", pass_name]
    return [*words, "--dump", number] if number else words


def _options(options: AuditOptions) -> list[str]:
    """Return the options that dumps were audited with."""
    given = sorted(set(options.follow) - {Follow.FREES})  # which follow unless another option says otherwise
    words = [word for follow in given for word in ("--follow", follow)]
    words += [word for pattern in options.assume_pure for word in ("--assume-pure", pattern)]
    words += [] if options.pattern.is_default else ["--index-pattern", options.pattern.expression]
    if options.order_from is not None:
        words += ["--order-from", options.order_from.name]
    return words
