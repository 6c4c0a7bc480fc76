"""``eio-audit show``: a dump of a log as it was printed, or a file for each dump."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from eio_audit.cli.dump_choice import DumpChoice, DumpPath, WantedDump, several_dumps
from eio_audit.cli.inputs import read_dumps
from eio_audit.cli.options import (
    DUMP_PATH,
    PATH,
    config_option,
    dump_options,
    exit_codes,
    grouped_command,
    max_size_key,
)
from eio_audit.cli.output import is_folder, write_bytes, write_folder
from eio_audit.mlir.source import InputError, source_name
from eio_audit.report.wording import count

if TYPE_CHECKING:
    from eio_audit.cli.config_file import Config
    from eio_audit.mlir.input.dumps import Dump
    from eio_audit.mlir.traits import OpTable

NO_NAME = "dump"  # stands for the pass of a dump without a marker in the name of its file
_UNSAFE = re.compile(r"[^\w.+-]+")  # what the name of a file does not have
LEAST_DIGITS = 3  # of the number in the name of a file, so that names sort as numbers do


@grouped_command("show", short_help="Write a dump of a log as it was printed.", epilog=exit_codes({}))
@click.argument("path", type=DUMP_PATH, metavar="LOG[:N]")
@dump_options
@click.option(
    "--before", "is_before", is_flag=True, help="Write what the pass found: the dump before the chosen one."
)
@click.option("--whole", is_flag=True, help="Write the whole program, if the log has it in parts.")
@click.option("--function", metavar="NAME", help="Write only this function, with the aliases that it uses.")
@config_option
@max_size_key
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE|FOLDER/",
    help="Write to FILE instead of standard output. In a FOLDER/, write a file for each dump, or for each of "
    "--pass: N-PASS.mlir, or N-PASS-before.mlir, with the number N that --dump takes.",
)
def show_command(
    path: DumpPath,
    choice: DumpChoice,
    is_before: bool,
    whole: bool,
    function: str | None,
    config: Config,
    max_size: int,
    output: str | None,
) -> None:
    """Write the IR of a dump to the byte as the compiler printed it, without what loggers printed in it.

    LOG:N is the N-th dump of a log; first, last, @NAME and :LINE choose one, too. --pass chooses the dump
    after a pass.

    \b
    Examples:
      eio-audit show passes.log:3 > in.mlir
      eio-audit show passes.log --pass cse --before -o in.mlir
      eio-audit show passes.log --pass canonicalize --dump 2 --function @main
      eio-audit show passes.log -o passes/
    """
    from eio_audit.audit.programs.program_text import program_at
    from eio_audit.cli.dump_before import around_pass
    from eio_audit.mlir.tokens import symbol_of
    from eio_audit.mlir.traits import OpTable

    if is_before and whole:
        raise click.UsageError("--before cannot be used with --whole")
    in_folder = output is not None and is_folder(output)
    if in_folder and (is_before or whole):
        raise click.UsageError(
            f"--{'before' if is_before else 'whole'} writes one dump, not a folder of them"
        )
    shown = _Shown(OpTable(config.ops), None if function is None else symbol_of(os.fsencode(function)))
    dumps = read_dumps(path, "show")
    name, own = source_name(path), choice.at(path)
    if output is not None and in_folder:
        number = write_folder(output, shown.files(dumps, own.of(dumps, name)), "writing dumps")
        click.echo(f"{output} is written: {count(number, 'file')}", err=True)
        return
    if function is not None:
        own = shown.only_choice(own, dumps, name)
    if is_before:
        dump, _ = around_pass(path, own, shown.op_table)
    else:
        dump = own.only_one(dumps, name)
    if whole:
        dump = program_at([one for one in dumps if one.program == dump.program], dump, shown.op_table)
    write_bytes(output, [shown.text(dump)])
    if output not in {None, "-"}:
        click.echo(f"{output} is written: the dump on line {dump.line} of {name}", err=True)


class _Shown(NamedTuple):
    """What is written of a dump: all of it, or one function."""

    op_table: OpTable  # tells functions
    symbol: str | None = None  # the symbol of the function; None for all

    def text(self, dump: Dump) -> bytes:
        """Return the text to write.

        Raises:
            InputError: the dump has no such function.
        """
        text = self._text(dump)
        if text is None:
            raise InputError(
                dump.source.name, None, f"no function {self.symbol} in the dump on line {dump.line}"
            )
        return text

    def only_choice(self, choice: DumpChoice, dumps: Sequence[Dump], name: str) -> DumpChoice:
        """Return the choice of the only chosen dump that has the function.

        Raises:
            InputError: there is none, or several.
        """
        chosen = choice.candidates(dumps, choice.of(dumps, name))
        found = [(number, dump) for number, dump in chosen if self._text(dump) is not None]
        if not found:
            raise InputError(name, None, f"no function {self.symbol} in the chosen dumps")
        if len(found) > 1:
            raise several_dumps(name, found, choice.how, f" with {self.symbol}", word=choice.word)
        [(number, _)] = found
        return choice._replace(dump=WantedDump.parse(str(number)))

    def files(self, dumps: Sequence[Dump], chosen: Collection[Dump]) -> Iterator[tuple[str, bytes]]:
        """Yield a file for each chosen dump: its name and its text."""
        kept, digits = set(chosen), max(LEAST_DIGITS, len(str(len(dumps))))
        for number, dump in enumerate(dumps, 1):
            if dump in kept and (text := self._text(dump)) is not None:
                yield f"{number:0{digits}}-{_file_name(dump)}.mlir", text

    def _text(self, dump: Dump) -> bytes | None:
        """Return the dump, or the function with the aliases that it uses; None if it has no such function."""
        if self.symbol is None:
            return dump.printed
        from eio_audit.mlir.input.function_texts import DumpText
        from eio_audit.mlir.input.markers import without_noise

        divided = DumpText(dump, self.op_table)
        found = divided.functions.get(self.symbol)
        return None if found is None else without_noise(found.raw) + divided.aliases.used_in(found.raw)


def _file_name(dump: Dump) -> str:
    """Return ``cse``, ``cse-before`` or ``cse-failed``, without characters that mean something to a shell."""
    place = dump.place
    words = place.pass_name or NO_NAME, "before" * (place.when == "before"), "failed" * dump.has_failed
    return _UNSAFE.sub("_", "-".join(filter(None, words)))
