"""``python -P -m eio_audit`` is the command ``eio-audit``.

Without ``-P``, Python itself imports what lies in the current folder before it comes here. From here on,
nothing else is imported from there, unless this package lies there.
"""

import _signal  # type: ignore[import-not-found]  # it imports nothing
import os
import sys


def _ignore_the_current_folder() -> None:
    try:
        folder = os.getcwd()  # noqa: PTH109  an import of pathlib would come too early
    except OSError:  # it was deleted
        return
    package = os.path.dirname(__file__)  # noqa: PTH120
    if not sys.flags.safe_path and sys.path[0] == folder != os.path.dirname(package):  # noqa: PTH120
        del sys.path[0]


if __name__ == "__main__":
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # Ctrl-C ends an import without a traceback
    _ignore_the_current_folder()
    from eio_audit.cli.main import main

    main()
