"""The options of commands that keep results from one run to the next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from eio_audit.cli.options import together

if TYPE_CHECKING:
    from eio_audit.audit.corpus.check_dumps import Results


class Cache(NamedTuple):
    """The folder where results are kept. None are kept without a folder or with ``no_cache``."""

    cache: str | None = None
    no_cache: bool = False

    @contextmanager
    def results(self) -> Iterator[Results | None]:
        """Yield the results of earlier runs. A folder that cannot be used is a warning, and None."""
        if self.cache is None or self.no_cache:
            yield None
            return
        from eio_audit.audit.corpus.result_cache import result_cache

        def warn(reason: str) -> None:
            click.echo(f"warning: --cache {reason}; the run goes on without it", err=True)

        with result_cache(self.cache, warn) as results:
            yield results


cache_options = together(
    "cache",
    Cache,
    click.option(
        "--cache",
        type=click.Path(),
        metavar="DIR",
        help="Keep results in the folder DIR, and do not check again what has a result there. "
        "Several runs may share DIR.",
    ),
    click.option("--no-cache", is_flag=True, help="Keep no results, whatever the configuration says."),
)
"""``--cache`` and ``--no-cache``."""
