"""The state of a program that a file name implies: before a pass, after it, or the source.

Names without ending have three forms. ``-``, ``_``, ``.`` and blanks separate words:

- ``[PROGRAM-]before[-PASS]`` and ``[PROGRAM-]after[-PASS]``: ``ttir-before-erase-inverse-ops``,
  ``net_after_EraseInverseOps``, ``before``. The first of the two words counts.
- ``PROGRAM`` or ``[PROGRAM-]source`` (``input``, ``original``, ``initial``): the source of both.

These names count only in a folder with a pair, before and after, of one program and one pass. Elsewhere
``after_fusion`` may be just the name of a stage.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum

from eio_audit.mlir.input.markers import Marker

HOW_TO_NAME_STATES = (
    "name pairs PROGRAM-before-PASS.mlir and PROGRAM-after-PASS.mlir, and their source PROGRAM.mlir"
)
"""How to name files so that pairs are found."""

_STATE = re.compile(
    r"(?:(?P<program>.*?)[-_. ]+)?(?P<moment>before|after)(?:[-_. ]+(?P<pass>.+))?", re.IGNORECASE
)
_SOURCE = re.compile(r"(?:(?P<program>.+)[-_. ]+)?(?:source|input|original|initial)", re.IGNORECASE)


class Moment(IntEnum):
    """When a program was in a state, in order of time."""

    SOURCE = 0
    BEFORE = 1
    AFTER = 2


@dataclass(frozen=True, slots=True, order=True)
class State:
    """The state that a file name implies. Program and pass may be empty."""

    program: str
    pass_name: str
    moment: Moment

    @property
    def marker(self) -> Marker | None:
        """The marker that a compiler would print above the dump. None for a source or without a pass."""
        if not self.pass_name or self.moment is Moment.SOURCE:
            return None
        when = "after" if self.moment is Moment.AFTER else "before"
        return Marker(self.pass_name, self.pass_name, when)


@dataclass(frozen=True, slots=True)
class States:
    """The states that the file names of one folder imply.

    ``by_file`` has the files whose state is unique. ``alike`` groups files of one state.
    """

    by_file: dict[str, State]
    alike: tuple[tuple[str, ...], ...]


def parse_state(name: str) -> State | None:
    """Return the state that a name without its ending implies, or None.

    >>> parse_state("ttir-before-erase-inverse-ops")
    State(program='ttir', pass_name='erase-inverse-ops', moment=<Moment.BEFORE: 1>)
    """
    match = _STATE.fullmatch(name)
    return match and State(match["program"] or "", match["pass"] or "", Moment[match["moment"].upper()])


def find_states(names: Mapping[str, str]) -> States:
    """Return the states of the files of one folder. ``names`` has, by file, its name without ending.

    Without a pair there are no states. A source belongs to a program if exactly one pass of the program has a
    pair. With several passes, the names do not tell which came first.

    >>> states = find_states({"a.mlir": "a", "a-before-cse.mlir": "a-before-cse", "b.mlir": "a-after-cse"})
    >>> [state.moment.name for state in states.by_file.values()]
    ['BEFORE', 'AFTER', 'SOURCE']
    """
    said = {file: state for file, name in names.items() if (state := parse_state(name)) is not None}
    others = {file: name for file, name in names.items() if file not in said}
    before, after = (
        {(state.program, state.pass_name) for state in said.values() if state.moment is moment}
        for moment in (Moment.BEFORE, Moment.AFTER)
    )
    paired = before & after
    passes: dict[str, list[str]] = {}
    for program, pass_name in sorted(paired):
        passes.setdefault(program, []).append(pass_name)
    found = {file: state for file, state in said.items() if (state.program, state.pass_name) in paired}
    for file, name in others.items():
        source_of = _source_of(name, passes)
        if source_of is not None and len(passes[source_of]) == 1:
            found[file] = State(source_of, passes[source_of][0], Moment.SOURCE)
    by_state: dict[State, list[str]] = {}
    for file, state in found.items():
        by_state.setdefault(state, []).append(file)
    return States(
        by_file={file: state for file, state in found.items() if len(by_state[state]) == 1},
        alike=tuple(tuple(sorted(same)) for _, same in sorted(by_state.items()) if len(same) > 1),
    )


def _source_of(name: str, programs: Collection[str]) -> str | None:
    """Return the program whose source has this name. A name without program means the only program."""
    if name in programs:
        return name
    match = _SOURCE.fullmatch(name)
    if match is None:
        return None
    program = match["program"] or ""
    if program in programs:
        return program
    return next(iter(programs)) if not program and len(programs) == 1 else None
