"""A program in other orders that the model allows.

What ``shuffle`` and ``fix`` write is verified by the same model. A judge of a model that lacks a rule must not
lean on that, so it gets orders that are not ``verified``.
"""

from __future__ import annotations

import re
from random import Random

from eio_audit import AuditOptions, Dump, fix, read_text, shuffle, stamp
from eio_audit.audit.fix.fix import random_orders
from tests.internals import Dependences, audit_dump, in_orders, read_ir

_LABEL = re.compile(r"(?<=DEBUG\|)\d+")


def shuffled(text: str, seed: int, *, verified: bool = True) -> str:
    """The program in a random order."""
    dumps = read_text(text)
    if verified:
        return shuffle(dumps, seed).decode()
    (dump,) = dumps
    ir = read_ir(dump.source, dump.span)
    return in_orders(ir, random_orders(ir, Dependences(ir), Random(seed))).decode()


def fixed(text: str, seed: int, *, verified: bool = True) -> str:
    """The program after a fix that was asked for a random order of all its ops."""
    stamped = stamp(read_text(text)).decode()
    count = len(_LABEL.findall(stamped))
    indices = iter(Random(seed).sample(range(count), count))
    labelled = _LABEL.sub(lambda _: str(next(indices)), stamped)
    dumps, options = read_text(labelled), AuditOptions(follow="none")
    if verified:
        return fix(dumps, options).text.decode()
    (dump,) = dumps
    return fixed_unverified(dump, options).decode()


def fixed_unverified(dump: Dump, options: AuditOptions) -> bytes:
    """The dump in the order of a fix."""
    audited = audit_dump(dump, options)
    return in_orders(audited.ir, audited.orders)
