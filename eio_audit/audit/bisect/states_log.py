"""The states of a pass as a log: one dump after each step, which every command reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from eio_audit.audit.bisect.action_log import Attempt, short_pattern
from eio_audit.audit.bisect.halving import Interval

WITHOUT_PATTERNS = "without patterns"
"""The name of the step that the pass takes without any pattern, such as folding."""

STATES_LOG = "states.log"
"""The name of the log."""

_PLAIN = str.maketrans({"(": "[", ")": "]", "{": "[", "}": "]", ":": ".", "\n": " "})
"""What the name of a pass in a marker cannot have."""


class LoggedState(NamedTuple):
    """A state, and the name of the step that it is the result of."""

    name: str
    text: bytes


def name_of_step(step: Interval, attempt: Attempt | None) -> str:
    """Return ``MyPattern<AddOp> attempt 431 on #69 ttir.add %130``, as a marker can have it."""
    if not step.is_one:
        return f"attempts {step.first + 1} to {step.last} not resolved"
    if attempt is None:
        return f"attempt {step.last}"
    root = f" on {attempt.title}" if attempt.op else ""
    return f"{short_pattern(attempt.pattern)} attempt {step.last}{root}".translate(_PLAIN)


def write_log(path: Path, pass_name: str, before: bytes, states: Iterable[LoggedState]) -> list[int]:
    """Write the log and return the 1-based line of the marker of each state."""
    lines, line = [], 1
    with path.open("wb") as file:

        def write(marker: str, text: bytes) -> None:
            nonlocal line
            piece = f"// -----// IR Dump {marker} //----- //\n".encode() + text.strip() + b"\n\n"
            file.write(piece)
            line += piece.count(b"\n")

        write(f"Before {pass_name} ({pass_name})", before)
        for state in states:
            lines.append(line)
            write(f"After {state.name}", state.text)
    return lines
