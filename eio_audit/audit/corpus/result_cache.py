"""Results kept in a folder from one run to the next. Several runs can share the folder at the same time.

The folder has one SQLite database. The key of a result is a digest of what it depends on: the text, the
options, and the contents of this program's files. A result is stored with a digest of its key and its bytes.
One that is damaged does not match, and is ignored. The bytes are a pickle, which may name only the classes
of results. So a database that somebody else wrote runs no code.
"""

from __future__ import annotations

import io
import pickle
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from eio_audit.audit.corpus.dump_check import program_digest
from eio_audit.audit.gate.checked_dump import CheckedDump

FILE = "eio-audit-results.sqlite3"

MOST_BYTES = 1_000_000_000
"""From this size on, the results that were not used for the longest time are dropped."""

MOST_DAYS = 30
"""Results that were not used for so many days are dropped."""

NOTED_DAYS = 3
"""A use is noted only if the last noted one is older, so that most runs write nothing."""

_LEFT_SHARE = 0.75
"""The share of the most bytes that is left when results are dropped."""

_PUTS = 500
"""How many results are written at a time."""

_DAY_SECONDS = 86_400

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_TABLES = """
    CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, used INTEGER NOT NULL, value BLOB NOT NULL);
    CREATE INDEX IF NOT EXISTS results_by_use ON results (used);
"""

_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder has results that eio-audit keeps from one run to the next. It may be deleted.
# https://bford.info/cachedir/ describes this file.
"""

_CLASSES = {
    "collections": ("Counter",),
    "eio_audit.audit.check.figures": (
        "BlockAudit",
        "Blocker",
        "DisplacedOp",
        "DumpAudit",
        "MislabelledOp",
        "UndefinedName",
    ),
    "eio_audit.audit.dependence": ("DependenceKind",),
    "eio_audit.audit.gate.checked_dump": ("CheckedDump",),
    "eio_audit.audit.gate.findings": ("Finding",),
    "eio_audit.audit.gate.rules": ("Rule",),
    "eio_audit.audit.locations.parsed_locations": ("ModelLine",),
    "eio_audit.audit.op_label": ("OpLabel", "Sentence"),
    "eio_audit.audit.options": ("DEFAULT_OPTIONS",),
    "eio_audit.mlir.input.dumps": ("DumpPlace",),
    "eio_audit.mlir.input.markers": ("Marker",),
}
"""What a stored result may name, by module."""


class ResultCache:
    """The results of earlier runs, in an open database.

    If the database fails, no more results are kept, and a run goes on without them.

    Args:
        file: the database. It is made if it is missing.
        warn: called at most once, with what went wrong.
        program, most_bytes, busy_seconds: as for ``result_cache``.

    Raises:
        sqlite3.Error: the database cannot be opened or made.
    """

    def __init__(
        self,
        file: Path,
        warn: Callable[[str], None],
        program: bytes,
        most_bytes: int,
        busy_seconds: float,
    ) -> None:
        self._file = file
        self._warn = warn
        self._program = program
        self._most_bytes = most_bytes
        self._today = int(time.time() // _DAY_SECONDS)
        self._new: list[tuple[bytes, int, bytes]] = []
        self._used: list[tuple[int, bytes]] = []
        self._database: sqlite3.Connection | None = _opened(file, busy_seconds)
        self._keeps = True

    def get(self, key: bytes) -> CheckedDump | None:
        """Return the result with a key, or None if there is none."""
        if self._database is None:
            return None
        key = self._own(key)
        try:
            row = self._database.execute("SELECT used, value FROM results WHERE key = ?", [key]).fetchone()
        except sqlite3.Error as error:
            self._close()
            self._fail(error)
            return None
        used, value = row or (None, None)
        result = _unpacked(key, value)
        if result is not None and not (isinstance(used, int) and used >= self._today - NOTED_DAYS):
            self._used.append((self._today, key))
        return result

    def put(self, key: bytes, result: CheckedDump) -> None:
        """Keep a result."""
        if self._keeps:
            key = self._own(key)
            self._new.append((key, self._today, _packed(key, result)))
            if len(self._new) >= _PUTS:
                self._write()

    def close(self) -> None:
        """Write what is not yet written, drop what is old or too much, and close the database."""
        self._write()
        self._close()

    def _own(self, key: bytes) -> bytes:
        return sha256(self._program + key).digest()

    def _write(self) -> None:
        database = self._database
        if database is None or not self._keeps or not (self._new or self._used):
            return
        try:
            with database:
                database.execute("BEGIN IMMEDIATE")
                database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", self._new)
                database.executemany("UPDATE results SET used = ? WHERE key = ?", self._used)
                database.execute("DELETE FROM results WHERE used < ?", [self._today - MOST_DAYS])
                _shrink(database, self._most_bytes)
        except sqlite3.Error as error:
            self._fail(error)
        self._new, self._used = [], []

    def _fail(self, error: sqlite3.Error) -> None:
        """Keep no more results. What there is can still be read, unless it is damaged."""
        if self._keeps:
            self._warn(f"{self._file}: {error}")
        self._keeps = False
        if _is_damaged(error):
            self._close()
            with suppress(OSError):
                self._file.unlink(missing_ok=True)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


@contextmanager
def result_cache(
    folder: str,
    warn: Callable[[str], None] = lambda _: None,
    *,
    program: bytes | None = None,
    most_bytes: int = MOST_BYTES,
    busy_seconds: float = 5,
) -> Iterator[ResultCache | None]:
    """Yield the results in a folder, which is made if it is missing, or None if it cannot be used.

    Args:
        folder: where the results are.
        warn: called at most once, with the reason why results cannot be read or kept.
        program: a digest of the program whose results they are, by default of this one.
        most_bytes: from this size on, the results that were not used for the longest time are dropped.
        busy_seconds: how long to wait for another run that writes.
    """
    try:
        _make(Path(folder))
        file = Path(folder, FILE)
        cache = ResultCache(file, warn, program or program_digest(), most_bytes, busy_seconds)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        warn(f"{folder}: {reason}")
        yield None
        return
    try:
        yield cache
    finally:
        cache.close()


def _make(folder: Path) -> None:
    """Make a folder. An empty one gets the files that tell backups and git to leave it out."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        (folder / "CACHEDIR.TAG").write_text(_TAG)
        (folder / ".gitignore").write_text("*\n")


def _opened(file: Path, busy_seconds: float) -> sqlite3.Connection:
    """Return the database. A damaged one is replaced by an empty one."""
    try:
        return _with_tables(file, busy_seconds)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a message may quote the damage
        if isinstance(error, sqlite3.Error) and not _is_damaged(error):
            raise
        file.unlink(missing_ok=True)
        return _with_tables(file, busy_seconds)


def _with_tables(file: Path, busy_seconds: float) -> sqlite3.Connection:
    database = sqlite3.connect(file, timeout=busy_seconds, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = OFF")  # after a power cut it may be damaged, and begins anew
        database.executescript(_TABLES)
        return database
    except BaseException:
        database.close()
        raise


def _is_damaged(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


def _shrink(database: sqlite3.Connection, most_bytes: int) -> None:
    """If there are too many results, drop those that were not used for the longest time."""
    if _used_bytes(database) <= most_bytes:
        return
    while _used_bytes(database) > most_bytes * _LEFT_SHARE:
        oldest = "SELECT rowid FROM results ORDER BY used LIMIT (SELECT 1 + count(*) / 8 FROM results)"
        if not database.execute(f"DELETE FROM results WHERE rowid IN ({oldest})").rowcount:
            break  # one of another layout


def _used_bytes(database: sqlite3.Connection) -> int:
    count, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    return int((count - free) * size)


def _packed(key: bytes, result: CheckedDump) -> bytes:
    data = pickle.dumps(result.without_options(), pickle.HIGHEST_PROTOCOL)
    return _seal(key, data) + data


def _unpacked(key: bytes, value: Any) -> CheckedDump | None:
    """Return the result, or None if the value is damaged or something else."""
    if not isinstance(value, bytes):
        return None
    seal = value[: sha256().digest_size]
    data = value[len(seal) :]
    if seal != _seal(key, data):
        return None
    try:
        result = _Unpickler(io.BytesIO(data)).load()
    except Exception:  # whatever a wrong pickle raises
        return None
    return result if isinstance(result, CheckedDump) else None


def _seal(key: bytes, data: bytes) -> bytes:
    return sha256(key + data).digest()


class _Unpickler(pickle.Unpickler):
    """Reads pickles that name only the classes of results."""

    def find_class(self, module: str, name: str) -> Any:
        return _named_in_results(module, name)


@cache
def _named_in_results(module: str, name: str) -> Any:
    if name not in _CLASSES.get(module, ()):
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a result")
    return getattr(import_module(module), name)
