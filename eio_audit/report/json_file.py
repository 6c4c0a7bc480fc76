"""JSON that a user hands in. An error names the place in the file."""

from __future__ import annotations

import json

from eio_audit.mlir.source import InputError, Source


def parse_json(source: Source, what: str) -> object:
    """Parse a file. ``what`` is what it should be: ``a baseline``.

    Raises:
        InputError: it is not JSON, or it is nested too deeply.
    """
    try:
        text = bytes(source.data).decode()
        return json.loads(text)
    except UnicodeDecodeError as error:
        raise source.error(error.start, "this is not UTF-8, which JSON is written in") from error
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        raise source.error(offset, error.msg[:1].lower() + error.msg[1:]) from error
    except ValueError as error:
        raise InputError(source.name, None, "a number in this file has too many digits") from error
    except RecursionError as error:
        raise InputError(source.name, None, f"this is nested too deeply to be {what}") from error
