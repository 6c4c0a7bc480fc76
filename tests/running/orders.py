"""A program in other orders that the model allows."""

from __future__ import annotations

import re
from random import Random

from eio_audit import AuditOptions, fix, read_text, shuffle, stamp

_LABEL = re.compile(r"(?<=DEBUG\|)\d+")


def shuffled(text: str, seed: int) -> str:
    """The program in a random order."""
    return shuffle(read_text(text), seed).decode()


def fixed(text: str, seed: int) -> str:
    """The program after a fix that was asked for a random order of all its ops."""
    stamped = stamp(read_text(text)).decode()
    count = len(_LABEL.findall(stamped))
    indices = iter(Random(seed).sample(range(count), count))
    labelled = _LABEL.sub(lambda _: str(next(indices)), stamped)
    return fix(read_text(labelled), AuditOptions(follow="none")).text.decode()
