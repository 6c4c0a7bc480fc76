"""``eio-audit help``: a command, the configuration in use, a rule, or a word of the reports."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping
from itertools import chain
from typing import Any

import click
from click.core import ParameterSource

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.cli.commands.bisect import bisect_command
from eio_audit.cli.commands.check import check_command
from eio_audit.cli.config_file import KEYS, Config
from eio_audit.cli.options import exit_codes, grouped_command, key_of
from eio_audit.cli.output import write_bytes
from eio_audit.cli.registry import COMMANDS, cli

_OPTIONS = {key_of(option): option for option in [*bisect_command.params, *check_command.params]}


@grouped_command(
    "config",
    short_help="Print the options in use and where each value comes from.",
    epilog=exit_codes({}, unusable="wrong usage, or an unreadable or malformed configuration file"),
    params=[_OPTIONS[key] for key in ("config", *KEYS)],
)
@click.pass_context
def config_command(ctx: click.Context, /, config: Config, **_: Any) -> None:
    """Print the options in use and where each value comes from.

    The output is a configuration file. Options without a value, and flags that are off, are left out.

    \b
    Examples:
      eio-audit help config
      eio-audit help config --follow derived > eio-audit.toml
    """
    file_name = config.path.name if config.path else ""

    def origin(key: str, source: ParameterSource | None = ParameterSource.DEFAULT_MAP) -> str:
        if source is ParameterSource.COMMANDLINE or config.is_typed(key):
            return "command line"
        return file_name if source is ParameterSource.DEFAULT_MAP else "default"

    lines = []
    for key in KEYS:
        name = _OPTIONS[key].name or ""
        value, source = ctx.params[name], ctx.get_parameter_source(name)
        if value is not None and (value is not False or key == "pager"):
            lines.append((f"{key} = {_toml(value)}", origin(key, source)))
    width = max(len(line) for line, _ in lines)
    text = [f"# {config.path or 'no configuration file in this folder or above it'}"]
    text += [f"{line:{width}}  # {where}" for line, where in lines]
    for name, entry in config.op_entries.items():
        text += ["", f"[ops.{_toml(name)}]  # {origin(name)}"]
        text += [f"{_key(key)} = {_toml(value)}" for key, value in entry.items()]
    write_bytes(None, (f"{line}\n".encode() for line in text))


def _toml(value: Any) -> str:
    """Return a value as TOML. A text with backslashes becomes a literal string, so none is doubled."""
    if isinstance(value, IndexPattern):
        return _toml(value.expression)
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_toml(item)}' for key, item in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return str(value)
    if "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _key(key: str) -> str:
    return key if key.isidentifier() else _toml(key)


CONFIG = "config"
RULES, WORDS = "rules", "words"
JSON = "json"


def _complete_name(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    from eio_audit.report.manual import entries

    names = [*COMMANDS, CONFIG, RULES, WORDS, JSON, *(name for entry in entries() for name in entry.names)]
    return [name for name in names if name.casefold().startswith(incomplete.casefold())]


@grouped_command(
    "help",
    short_help="Explain a command, a rule or a word, or print the options in use.",
    epilog=exit_codes({}, unusable="wrong usage, no such name, or a malformed configuration file"),
    # A heading such as -removed is a word.
    context_settings={"allow_interspersed_args": False, "ignore_unknown_options": True},
)
@click.argument("name", nargs=-1, type=click.UNPROCESSED, shell_complete=_complete_name)
@click.pass_context
def help_command(ctx: click.Context, name: tuple[str, ...]) -> None:
    """Print the help of a command, or what a rule or a word of the reports means.

    NAME is a command, the code or name of a rule, or a word of the glossary; several rules and words are
    explained one after another. 'rules' lists all rules and words, 'words' the words alone, 'json' prints
    the schema of JSON output, and 'config' the options in use and where each value comes from; options of
    check may follow. Without NAME, list the commands.

    \b
    Examples:
      eio-audit help check
      eio-audit help EIO001
      eio-audit help knock-on
      eio-audit help rules
      eio-audit help config
      eio-audit help json
    """
    program, word = ctx.find_root(), " ".join(name)
    if not name:
        click.echo(program.get_help())
    elif word in COMMANDS:
        command = cli.get_command(program, word)
        assert command is not None
        click.echo(command.get_help(click.Context(command, info_name=word, parent=program)))
    elif name[0] == CONFIG:
        with config_command.make_context("help config", [*name[1:]], parent=program) as shown:
            config_command.invoke(shown)
    elif word == JSON:
        from eio_audit.report.manual import PAGES

        write_bytes(None, [(PAGES / "schema.json").read_bytes()])
    else:
        _print_manual(name)


def _print_manual(words: tuple[str, ...]) -> None:
    from eio_audit.report.manual import close_names, entries, look_up, print_entries, print_list
    from eio_audit.report.text.console import Console

    console = Console(sys.stdout)
    if words in {(RULES,), (WORDS,)}:
        print_list([one for one in entries() if words == (RULES,) or one.section != "Rules"], console)
        return
    name = " ".join(words)
    found = {name: look_up(name)}
    if not found[name]:  # not one name of several words
        found = {word: look_up(word) for word in words}
    unknown = [word for word in words if not found.get(word, True)]
    if unknown:
        word = name if len(unknown) == len(words) else unknown[0]
        names = [
            *difflib.get_close_matches(word, [*COMMANDS, CONFIG, RULES, WORDS, JSON]),
            *close_names(word),
        ]
        close = " or ".join(f"'{other}'" for other in names)
        hint = f"did you mean {close}?" if close else f"'eio-audit help {RULES}' lists all rules and words"
        raise click.UsageError(f"there is no command, rule or word '{word}': {hint}")
    print_entries(list(dict.fromkeys(chain.from_iterable(found.values()))), console)
