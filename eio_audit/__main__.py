"""``python -m eio_audit`` is the command ``eio-audit``."""

from eio_audit.cli.main import main

if __name__ == "__main__":
    main()
