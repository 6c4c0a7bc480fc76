"""Counts how often something is worked out."""

from __future__ import annotations

from contextlib import AbstractContextManager
from unittest import mock

from tests.internals import check_module as check
from tests.internals import keyed_dump_module as keyed_dump


def counting_audits() -> AbstractContextManager[mock.Mock]:
    """Counts the audits of dumps, and of functions of a log."""
    return mock.patch.object(check, "_audits_in_order", wraps=check._audits_in_order)


def counting_walks_around() -> AbstractContextManager[mock.Mock]:
    """Counts how often the functions around the blocks of a dump are looked for."""
    return mock.patch.object(keyed_dump, "functions_around", wraps=keyed_dump.functions_around)
