"""The command ``eio-audit``: what it starts, and what every error becomes."""

from __future__ import annotations

import os
import sys

from eio_audit import __version__

COULD_NOT_RUN = 2
VERIFICATION_FAILED = 3


def main() -> None:
    """Runs the command line and exits; no input ends in a traceback."""
    if sys.argv[1:] == ["--version"]:  # asked often, and before anything is imported for it
        print(f"eio-audit {__version__}")
        sys.exit(0)
    sys.exit(_run())


def _run() -> int:
    import click

    from eio_audit import InputError, VerificationError
    from eio_audit.cli.commands import cli

    try:
        code: int = cli.main(prog_name="eio-audit", standalone_mode=False)
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
    return code
