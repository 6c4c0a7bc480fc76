"""The configuration: ``[tool.eio-audit]`` in pyproject.toml, or eio-audit.toml, and ``--config``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eio_audit.mlir.source import InputError, Source, decoded
from eio_audit.mlir.traits import OpTraits, parse_op_traits

KEYS = (
    *("index-pattern", "follow", "assume-pure", "max-size"),
    *("fail-on", "max-inversions", "allow-unindexed"),
    *("select", "ignore", "baseline", "source-root"),
    *("jobs", "timeout", "max-runs", "pager", "verbose"),
)
_ALL_KEYS = *KEYS, "ops"  # what a file may set: options, and rows of the op table
WHAT_COUNTS = (
    *("index-pattern", "follow", "assume-pure", "ops"),
    *("fail-on", "max-inversions", "allow-unindexed", "select", "ignore", "baseline"),
)
"""The keys that change a verdict. The others change who works, how long, and how a report looks."""

OWN_FILE = "eio-audit.toml"
SHARED_FILE = "pyproject.toml"
NO_FILE = "none"  # the value of ``--config`` for no file
_TABLE = "tool.eio-audit"
_NO_ADDRESS = (
    "jobs: expected a number or auto; a scheduler can run code here, and this file may come from somebody "
    "else, so that only the command line names one: --jobs tcp://HOST:PORT"
)
_TYPED_NAME = "--config"  # what an error calls a text of the command line
_TYPED = r"([\w-]+)(?:\.[^=]*)? *= *"  # how a key with its value begins; a file with = is ./NAME
_BARE = r"([\w-]+ *= *)([A-Za-z][\w-]*)[ \r]*(?:#.*)?"
_LINE_END = r"\n|\Z"
_PLACE = r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)\Z"


@dataclass(slots=True)
class Config:
    """What a configuration file sets, and over it ``--config KEY=VALUE``."""

    path: Path | None = None  # the file, or None without one
    values: dict[str, Any] = field(default_factory=dict)  # the values by key
    ops: dict[str, OpTraits] = field(default_factory=dict)  # the project's own rows of the op table
    op_entries: dict[str, Mapping[str, Any]] = field(default_factory=dict)  # the same rows as written
    sources: dict[str, Source] = field(default_factory=dict)  # by key or op, the text that sets it

    def folders(self) -> list[Path]:
        """Return the folders in which a path that the file names may be: its own, and the current one."""
        own = [] if self.path is None else [self.path.parent.resolve()]
        return [*own, Path.cwd()]

    def is_typed(self, key: str) -> bool:
        """Whether the command line sets a key, or has a row of an op."""
        return key in self.sources and self.sources[key].path is None

    def _add(self, source: Source, table: Mapping[str, Any]) -> None:
        """Add what a text sets. It replaces what was there."""
        for key in table:
            if key not in _ALL_KEYS:
                raise error_at_key(source, [key], _unknown(key, table[key]))
        if source.name != _TYPED_NAME and "://" in str(table.get("jobs")):
            raise error_at_key(source, ["jobs"], _NO_ADDRESS)
        entries = table.get("ops", {})
        if not isinstance(entries, dict):
            raise error_at_key(source, ["ops"], "ops: expected a table of ops")
        for name, entry in entries.items():
            try:
                self.ops[name] = parse_op_traits(name, entry)
            except ValueError as error:
                raise error_at_key(source, ["ops", name], f'ops."{name}": {error}') from error
        self.op_entries |= entries
        self.values |= {key: table[key] for key in KEYS if key in table}
        self.sources |= dict.fromkeys([*table, *entries], source)


def read_config(texts: Sequence[str] = ()) -> Config:
    """Return the configuration.

    A text is ``KEY=VALUE``, or instead of the nearest file another one, or ``none``.

    Raises:
        InputError: a file cannot be read, lacks the table, or is malformed, or a key is unknown.
        ValueError: the texts name several files.
    """
    files = [text for text in texts if not re.match(_TYPED, text)]
    if len(files) > 1:
        raise ValueError(f"only one file can be read, not {' and '.join(files)}")
    path = Path(files[0]) if files else _nearest()
    config = Config()
    if path is not None and files != [NO_FILE]:
        source = Source.read(str(path))
        if (table := _table(source)) is None:
            raise InputError(source.name, None, f"the file has no table [{_TABLE}]")
        config.path = path
        config._add(source, table)
    for text, match in ((text, re.match(_TYPED, text)) for text in texts):
        if match:
            source = Source(_TYPED_NAME, text.encode("utf-8", "surrogateescape"))
            try:
                table = _parse(source)
            except InputError:  # text without quotes
                table = {match[1]: text[match.end() :]}
            config._add(source, table)
    return config


def _nearest() -> Path | None:
    """Return the nearest configuration file in the current folder or above it. None if there is none.

    eio-audit.toml has precedence over a pyproject.toml beside it. One without the table is skipped.

    Raises:
        InputError: it is a symbolic link to another folder. Its errors would show lines of any file.
    """
    try:
        folder = Path.cwd()
    except FileNotFoundError:  # the folder was removed
        return None
    for parent in (folder, *folder.parents):
        own = parent / OWN_FILE
        if own.is_symlink() and not own.exists():
            raise InputError(str(own), None, "a symbolic link to nothing")
        for file in filter(Path.is_file, (own, parent / SHARED_FILE)):
            leads_away = file.is_symlink() and not file.resolve().is_relative_to(parent.resolve())
            if leads_away and file.name == OWN_FILE:
                raise InputError(
                    str(file), None, "a symbolic link to another folder is not read; --config names it"
                )
            if not leads_away and (file.name == OWN_FILE or _table(Source.read(str(file))) is not None):
                return file
    return None


def _unknown(key: str, value: object) -> str:
    import difflib

    close = difflib.get_close_matches(key.replace("_", "-"), _ALL_KEYS, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"the keys are {', '.join(_ALL_KEYS)}"
    if isinstance(value, dict):
        hint = f"options of all commands stand outside of tables: remove the line [{key}]"
    return f"unknown key '{key}'; {hint}"


def _table(source: Source) -> dict[str, Any] | None:
    """Return the keys for this program. None for a pyproject.toml without the table."""
    if not source.name.endswith(SHARED_FILE):
        return _parse(source)
    if source.data.find(b"eio-audit") < 0:  # most files; parsing takes longer
        return None
    tool = _parse(source).get("tool", {})
    table = tool.get("eio-audit") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise error_at_key(source, [], f"{_TABLE}: expected a table")
    return table


def error_at_key(source: Source, key: Sequence[str], message: str) -> InputError:
    """Return an error at a key of the program's table. ``key`` has the names, outermost first."""
    is_shared = source.name.endswith(SHARED_FILE)
    names = [*(_TABLE.split(".") if is_shared else []), *key]
    return source.error(_offset_of_key(decoded(source.data[:]), names), message)


def _offset_of_key(text: str, names: Sequence[str]) -> int:
    """Return the byte offset of the key: its name after the last line up to which the text lacks the key."""
    import tomllib

    begin, first = 0, text.find(names[-1]) if names else 0
    for end in re.finditer(_LINE_END, text):
        if end.start() < first:
            continue
        try:
            table: Any = tomllib.loads(text[: end.start()].rstrip("\r"))
        except tomllib.TOMLDecodeError:
            continue  # the value continues on the next line
        for name in names:
            table = table.get(name) if isinstance(table, dict) else None
        if table is not None:
            return len(text[: text.find(names[-1], begin)].encode())
        begin = end.end()
        first = text.find(names[-1], begin) if names else 0
    return 0


def _parse(source: Source) -> dict[str, Any]:
    import tomllib

    try:
        text = source.data[:].decode()
        return tomllib.loads(text)
    except RecursionError as error:
        raise source.error(0, "values are nested too deeply") from error
    except UnicodeDecodeError as error:
        raise source.error(error.start, "expected UTF-8, the encoding of TOML") from error
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(_PLACE, message)
        message = re.sub(_PLACE, "", message)
        line = text.split("\n")[int(place["line"]) - 1] if place and place["line"] else ""
        if bare := re.fullmatch(_BARE, line.strip()):
            message += f'; text stands in quotes: {bare[1]}"{bare[2]}"'
        raise source.error(_offset(text, place), message[:1].lower() + message[1:]) from error


def _offset(text: str, place: re.Match[str] | None) -> int:
    """Return the byte offset of the place in a tomllib error, or the end of the text without a place."""
    if place is None or place["line"] is None:
        return len(text.encode())
    *before, line = text.split("\n")[: int(place["line"])]
    return len("\n".join([*before, line[: int(place["column"]) - 1]]).encode())
