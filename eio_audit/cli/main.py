"""The command ``eio-audit``: its commands, and what every error becomes."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from eio_audit import InputError, VerificationError, __version__
from eio_audit.cli.check import check_command
from eio_audit.cli.diff import diff_command
from eio_audit.cli.explain import explain_command
from eio_audit.cli.fix import fix_command

COULD_NOT_RUN = 2
VERIFICATION_FAILED = 3


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="eio-audit", message="%(prog)s %(version)s")
def cli() -> None:
    """Audit and restore the original order of operations in MLIR pass dumps.

    Exit codes: 0 done and clean; 1 findings; 2 could not run; 3 own verification failed, nothing written.
    """


for _command in (check_command, diff_command, explain_command, fix_command):
    cli.add_command(_command)


def main() -> NoReturn:
    """Runs the command line and exits; no input ends in a traceback."""
    try:
        code = cli.main(prog_name="eio-audit", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = COULD_NOT_RUN
    except InputError as error:
        click.echo(str(error), err=True)
        code = COULD_NOT_RUN
    except VerificationError as error:
        click.echo(f"error: nothing was written: {error}", err=True)
        code = VERIFICATION_FAILED
    except BrokenPipeError:  # the reader has seen enough, as with `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except (KeyboardInterrupt, click.Abort):
        code = 130
    sys.exit(code)
