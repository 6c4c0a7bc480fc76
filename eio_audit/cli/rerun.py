"""The command that the user typed, with another choice of a dump."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence


def rerun(*options: str, words: Sequence[str] | None = None) -> str:
    """Return the command with these options, quoted for a shell: ``eio-audit diff passes.log --dump 3``.

    They replace those of the same name. ``words`` are the words after ``eio-audit``, by default those typed.

    >>> rerun("--dump", "3", words=["explain", "two words.log", "--dump=9", "%5"])
    "eio-audit explain 'two words.log' %5 --dump 3"
    """
    typed = list(sys.argv[1:] if words is None else words)
    end = typed.index("--") if "--" in typed else len(typed)
    kept: list[str] = []
    names = {option for option in options if option.startswith("--")}
    given = iter(typed[:end])
    for word in given:
        name, sign, _ = word.partition("=")
        if name not in names:
            kept.append(word)
        elif not sign:
            next(given, None)
    return shlex.join(["eio-audit", *kept, *options, *typed[end:]])
