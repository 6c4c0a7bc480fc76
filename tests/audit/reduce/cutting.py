"""Cut one kind of things out of a program in generic form."""

from collections.abc import Callable

from eio_audit.audit.options import DEFAULT_OPTIONS
from eio_audit.audit.reduce.reduce import Candidate, Search
from eio_audit.audit.reduce.steps import KINDS, Item
from eio_audit.mlir.editing.printing import program_text
from eio_audit.mlir.editing.program import Program
from eio_audit.mlir.editing.reading import read_program


def program_of(text: str, generic: str | None = None, *, is_split: bool = False) -> Program:
    other = None if generic is None else generic.encode()
    return read_program(text.encode(), other, "in.mlir", DEFAULT_OPTIONS.op_table, is_split=is_split)


def cut(kind: str, text: str, *items: Item, number: int = 0) -> str:
    """Return a program without some items, or all, of the kind whose list has that name."""
    kinds = (way for one in KINDS for way in (one, *one.others))
    one = [one for one in kinds if one.items.__name__ == f"_{kind}"][number]
    program = program_of(text)
    found = one.items(program)
    assert {*items} <= {*found}, found
    return program_text(one.without(program, items or found)).decode()


def reduced(text: str, keeps: Callable[[str], bool], jobs: int = 1, generic: str | None = None) -> str:
    """Return the smallest program that a predicate keeps."""
    start = Candidate(program_of(text, generic), text.encode())
    search = Search(start, lambda candidate: keeps(candidate.decode()), jobs, lambda _: None)
    search.run(lambda: None)
    return search.best.text.decode()
