"""``eio-audit config``: what is in force, and where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from eio_audit import IndexPattern
from eio_audit.cli.config_file import KEYS, Config
from eio_audit.cli.gate import (
    baseline_option,
    ignore_option,
    max_avoidable_option,
    max_inversions_option,
    select_option,
    source_root_option,
)
from eio_audit.cli.options import (
    assume_pure_option,
    config_options,
    fail_on_option,
    follow_option,
    index_pattern_option,
    key_of,
    max_size_option,
)
from eio_audit.cli.output import write_bytes

CONFIG_EXIT_CODES = """\b
Exit codes:
  0  done
  2  usage, or a configuration file that cannot be read or is malformed
"""


@click.command(
    "config",
    short_help="Print the options in force and where each value comes from.",
    epilog=CONFIG_EXIT_CODES,
)
@config_options
@index_pattern_option
@follow_option
@assume_pure_option
@max_size_option
@fail_on_option
@max_avoidable_option
@max_inversions_option
@select_option
@ignore_option
@baseline_option
@source_root_option
@click.pass_context
def config_command(ctx: click.Context, /, config: Config, **_: Any) -> None:
    """Print the options in force and where each value comes from.

    What is printed is itself a configuration file; options that have no value are left out.

    \b
    Examples:
      eio-audit config
      eio-audit config --follow derived > eio-audit.toml
    """
    options = {key_of(option): option for option in ctx.command.params}
    settings = [(key, options[key].name or "") for key in KEYS]
    lines = [
        (f"{key} = {_toml(ctx.params[name])}", _origin(ctx, name, config))
        for key, name in settings
        if ctx.params[name] is not None
    ]
    width = max(len(line) for line, _ in lines)
    text = [f"# {config.path or 'no configuration file in this folder or above it'}"]
    text += [f"{line:{width}}  # {origin}" for line, origin in lines]
    for name, entry in config.op_entries.items():
        text += ["", f"[ops.{_toml(name)}]  # {_file_name(config)}"]
        text += [f"{_key(key)} = {_toml(value)}" for key, value in entry.items()]
    write_bytes("".join(f"{line}\n" for line in text).encode(), None)


def _origin(ctx: click.Context, name: str, config: Config) -> str:
    """Where the value of an option comes from."""
    match ctx.get_parameter_source(name):
        case ParameterSource.COMMANDLINE:
            return "command line"
        case ParameterSource.DEFAULT_MAP:
            return _file_name(config)
        case _:
            return "default"


def _file_name(config: Config) -> str:
    return config.path.name if config.path else ""


def _toml(value: Any) -> str:
    """A value as TOML: literal strings, for expressions are hard to read with twice the backslashes."""
    if isinstance(value, IndexPattern):
        return _toml(value.expression)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, int):
        return str(value)
    if "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(key: str) -> str:
    return key if key.isidentifier() else _toml(key)
