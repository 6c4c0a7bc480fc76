"""Regular expressions that are compiled when they are first used: one run needs a third of them."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")


class _Compiled:
    """The methods of a compiled pattern, as attributes of the instance."""


class _CompiledOnUse(_Compiled):
    """A pattern before its first use. Then it becomes a ``_Compiled``."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern, self.flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name not in METHODS:
            raise AttributeError(name)
        text, flags = self.pattern, self.flags
        compiled = re.compile(text, flags)
        self.__dict__.update({method: getattr(compiled, method) for method in METHODS})
        self.__class__ = _Compiled  # type: ignore[assignment]  # without __getattr__, which slows down every access
        return self.__dict__[name]


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled at the first call of one of its ``METHODS``. It has no others."""
    return cast("re.Pattern[AnyStr]", _CompiledOnUse(text, flags))
