"""A time limit for work whose executor has none."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")


class TimeLimit(Executor):
    """Another executor, which gives up work that takes longer than so many seconds.

    Python cannot end a thread: work that was given up goes on beside other work until it is done, or until
    its process ends.
    """

    def __init__(self, executor: Executor, seconds: float) -> None:
        self._executor = executor
        self._seconds = seconds

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        """Begins work; its future gets a ``TimeoutError`` if the work is given up."""
        return self._executor.submit(_in_time, self._seconds, fn, *args, **kwargs)


def _in_time(seconds: float, function: Callable[..., Result], *args: Any, **kwargs: Any) -> Result:
    """The result of a function.

    Raises:
        TimeoutError: it takes longer than so many seconds.
    """
    future: Future[Result] = Future()

    def work() -> None:
        try:
            future.set_result(function(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=work, daemon=True).start()
    return future.result(seconds)
