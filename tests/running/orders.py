"""A program in other orders that the model allows."""

from __future__ import annotations

import re
from random import Random

from eio_audit import AuditOptions, fix, read_text, shuffle, stamp
from tests.internals import Dependences, in_orders, random_orders, read_ir

_LABEL = re.compile(r"(?<=DEBUG\|)\d+")


def shuffled(text: str, seed: int) -> str:
    """The program in a random order."""
    return shuffle(read_text(text), seed).decode()


def shuffled_unverified(text: str, seed: int) -> str:
    """The program in a random order that the model allows. The model itself would verify it: a judge shall."""
    (dump,) = read_text(text)
    ir = read_ir(dump.source, dump.span)
    return in_orders(ir, random_orders(ir, Dependences(ir), Random(seed))).decode()


def fixed(text: str, seed: int) -> str:
    """The program after a fix that was asked for a random order of all its ops."""
    stamped = stamp(read_text(text)).decode()
    count = len(_LABEL.findall(stamped))
    indices = iter(Random(seed).sample(range(count), count))
    labelled = _LABEL.sub(lambda _: str(next(indices)), stamped)
    return fix(read_text(labelled), AuditOptions(follow="none")).text.decode()
