"""The entry point of ``eio-audit``. It runs a command and turns errors into messages and exit codes."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # what that module wraps; it imports nothing
import gc
import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper

from eio_audit import __version__

TYPE_CHECKING = False  # without an import of typing
if TYPE_CHECKING:
    from typing import Any

COULD_NOT_RUN = 2
VERIFICATION_FAILED = 3
INTERRUPTED = 130
OBJECTS_BETWEEN_COLLECTIONS = 500_000  # there is little cyclic garbage


def main() -> None:
    """Run the command line and exit. No input and no Ctrl-C causes a traceback."""
    is_interruptible = signal.getsignal(signal.SIGINT) in {signal.default_int_handler, signal.SIG_DFL}
    if is_interruptible:
        signal.signal(signal.SIGINT, _end_at_once)  # an import that is interrupted prints a traceback
    if sys.argv[1:] == ["--version"]:  # answered without imports
        print(f"eio-audit {__version__}")
        sys.exit(0)
    _open_closed_streams()
    _keep_errors_harmless()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        code = _run(is_interruptible=is_interruptible)
    finally:
        if is_interruptible:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left to do takes no time
        gc.freeze()  # skips a garbage collection at exit
    sys.exit(code)


def _end_at_once(*_: object) -> None:
    os._exit(INTERRUPTED)


def _open_closed_streams() -> None:
    """Replace closed standard streams: reading returns nothing, and writing a report fails."""
    if sys.stdin and sys.stdout and sys.stderr:
        return
    null = os.open(os.devnull, os.O_RDONLY)
    sys.stdin = sys.stdin or os.fdopen(null, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(null, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


class _StandardError(FileIO):
    """Standard error. If it fails, as with ``2>&1 | head``, the work and the exit code stay the same."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return len(data)


def _keep_errors_harmless() -> None:
    stderr = sys.__stderr__
    if isinstance(stderr, TextIOWrapper) and stderr is sys.stderr:
        binary = BufferedWriter(_StandardError(stderr.fileno(), "wb", closefd=False))
        sys.stderr = TextIOWrapper(binary, stderr.encoding, stderr.errors, line_buffering=True)


def _run(*, is_interruptible: bool) -> int:
    import click

    import eio_audit
    from eio_audit.cli.output import discard_output
    from eio_audit.cli.registry import cli

    stdout, code = sys.stdout, 0
    try:
        if is_interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = cli.main(prog_name="eio-audit", standalone_mode=False)
        stdout.flush()
    except SystemExit:
        if sys.stdout is stdout:
            raise
        discard_output()  # click replaced standard output because its reader stopped
    except click.ClickException as error:
        error.show()
        code = COULD_NOT_RUN
    except eio_audit.InputError as error:
        from eio_audit.cli.inputs import show_errors

        show_errors([error])
        code = COULD_NOT_RUN
    except eio_audit.VerificationError as error:  # imported only if an exception occurs
        click.echo(f"error: nothing was written: {error}", err=True)
        code = VERIFICATION_FAILED
    except BrokenPipeError:  # the reader stopped, as with `| head`
        discard_output()
    except OSError as error:
        what = f"{error.filename}: error: cannot access"
        if error.filename is None:
            discard_output()
            what = "<stdout>: error: cannot write"
        click.echo(f"{what}: {error.strerror or error}", err=True)
        code = COULD_NOT_RUN
    except (KeyboardInterrupt, click.Abort):
        code = INTERRUPTED
    except Exception as error:
        from eio_audit.mlir.source import bug_message

        click.echo(f"error: {bug_message(error)}", err=True)
        code = COULD_NOT_RUN
    return code
