"""The configuration of a project: ``[tool.eio-audit]`` in pyproject.toml, or eio-audit.toml."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eio_audit.mlir.source import InputError, Source
from eio_audit.mlir.traits import OpTraits, parse_op_traits

KEYS = (
    *("index-pattern", "follow", "assume-pure", "max-size"),
    *("fail-on", "max-avoidable", "max-inversions", "allow-unindexed"),
    *("select", "extend-select", "ignore", "baseline", "source-root"),
    *("jobs", "verbose"),
)
"""The options that a file may set. ``ops`` is another key."""

OWN_FILE = "eio-audit.toml"
SHARED_FILE = "pyproject.toml"
_TABLE = "tool.eio-audit"
_BARE = re.compile(r"([\w-]+ *= *)([A-Za-z][\w-]*)[ \r]*(?:#.*)?")
_LINE_END = r"\n|\Z"
_PLACE = r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)\Z"


@dataclass(frozen=True, slots=True)
class Config:
    """The content of a configuration file."""

    path: Path | None = None  # the file, or None without one
    values: Mapping[str, Any] = field(default_factory=dict)  # the values by key
    ops: Mapping[str, OpTraits] = field(default_factory=dict)  # the project's own rows of the op table
    op_entries: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # the same rows as written


def find_config() -> Config:
    """Return the nearest configuration in the current folder or above it. Empty if there is none.

    eio-audit.toml has precedence over a pyproject.toml beside it. One without the table is skipped.

    Raises:
        InputError: a file on the way cannot be read or is malformed.
    """
    try:
        folder = Path.cwd()
    except FileNotFoundError:  # the folder was removed
        return Config()
    for parent in (folder, *folder.parents):
        if (own := parent / OWN_FILE).is_file():
            return read_config(own)
        if (shared := parent / SHARED_FILE).is_file() and _table(shared) is not None:
            return read_config(shared)
    return Config()


def read_config(path: Path) -> Config:
    """Read one file. In a pyproject.toml, read the table ``[tool.eio-audit]``.

    Raises:
        InputError: the file cannot be read, lacks the table, or is malformed.
    """
    table = _table(path)
    if table is None:
        raise InputError(str(path), None, f"the file has no table [{_TABLE}]")
    keys = [*KEYS, "ops"]
    for key in table:
        if key not in keys:
            import difflib

            close = difflib.get_close_matches(key.replace("_", "-"), keys, n=1)
            hint = f"did you mean '{close[0]}'?" if close else f"the keys are {', '.join(keys)}"
            if isinstance(table[key], dict):
                hint = f"options of all commands stand outside of tables: remove the line [{key}]"
            raise error_at_key(path, [key], f"unknown key '{key}'; {hint}")
    entries = table.get("ops", {})
    if not isinstance(entries, dict):
        raise error_at_key(path, ["ops"], "ops: expected a table of ops")
    ops = {}
    for name, entry in entries.items():
        try:
            ops[name] = parse_op_traits(name, entry)
        except ValueError as error:
            raise error_at_key(path, ["ops", name], f'ops."{name}": {error}') from error
    return Config(path, {key: table[key] for key in KEYS if key in table}, ops, entries)


def _table(path: Path) -> dict[str, Any] | None:
    """Return the keys for this program. None for a pyproject.toml without the table."""
    source = Source.read(str(path))
    if path.name != SHARED_FILE:
        return _parse(source)
    if source.data.find(b"eio-audit") < 0:  # most files; parsing takes longer
        return None
    tool = _parse(source).get("tool", {})
    table = tool.get("eio-audit") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise error_at_key(path, [], f"{_TABLE}: expected a table")
    return table


def error_at_key(path: Path, key: Sequence[str], message: str) -> InputError:
    """Return an error at a key of the program's table. ``key`` has the names, outermost first."""
    source = Source.read(str(path))
    names = [*(_TABLE.split(".") if path.name == SHARED_FILE else []), *key]
    return source.error(_offset_of_key(source.data[:].decode(), names), message)


def _offset_of_key(text: str, names: Sequence[str]) -> int:
    """Return the byte offset of the key, in the first line up to which the text is TOML with the key."""
    name = names[-1]
    offset = text.find(name)
    while offset >= 0 and not _has_key(text, offset + len(name), names):
        offset = text.find(name, offset + 1)
    return len(text[: max(offset, 0)].encode())


def _has_key(text: str, offset: int, names: Sequence[str]) -> bool:
    import tomllib

    for end in re.compile(_LINE_END).finditer(text, offset):
        try:
            table: Any = tomllib.loads(text[: end.start()].rstrip("\r"))
        except tomllib.TOMLDecodeError:
            continue  # the value continues on the next line
        for name in names:
            table = table.get(name) if isinstance(table, dict) else None
        return table is not None
    return False


def _parse(source: Source) -> dict[str, Any]:
    import tomllib

    try:
        text = source.data[:].decode()
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise source.error(error.start, "expected UTF-8, the encoding of TOML") from error
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(_PLACE, message)
        message = re.sub(_PLACE, "", message)
        line = text.split("\n")[int(place["line"]) - 1] if place and place["line"] else ""
        if bare := _BARE.fullmatch(line.strip()):
            message += f'; text stands in quotes: {bare[1]}"{bare[2]}"'
        raise source.error(_offset(text, place), message[:1].lower() + message[1:]) from error


def _offset(text: str, place: re.Match[str] | None) -> int:
    """Return the byte offset of the place in a tomllib error, or the end of the text without a place."""
    if place is None or place["line"] is None:
        return len(text.encode())
    *before, line = text.split("\n")[: int(place["line"])]
    return len("\n".join([*before, line[: int(place["column"]) - 1]]).encode())
