"""Modules of a dump are matched with those known."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from eio_audit.audit.programs.modules import Module, number_modules

NAMES = st.sampled_from([("builtin.module", None), ("builtin.module", "@m"), ("hal.executable", "@m")])
CONTENTS = st.frozensets(st.sampled_from([("func.func", symbol) for symbol in "abcdef"]))
MODULES = st.lists(st.tuples(st.builds(Module, NAMES, CONTENTS), st.integers(-1, 9)), max_size=12)


def with_homes(found: list[tuple[Module, int]]) -> tuple[list[Module], dict[int, int | None]]:
    """The modules, each in no other module or in an earlier one."""
    homes = {place: home if 0 <= home < place else None for place, (_, home) in enumerate(found)}
    return [module for module, _ in found], homes


def by_the_rule(
    modules: Sequence[Module],
    homes: Mapping[int, int | None],
    known: Mapping[int, Module],
    known_homes: Mapping[int, int | None],
) -> list[int]:
    """The numbers by all pairs: most shared contents first, then the same place."""
    pairs = sorted(
        (-len(module.holds & other.holds), place, number)
        for place, module in enumerate(modules)
        for number, other in known.items()
        if module.label == other.label and module.holds & other.holds
    )
    numbers: dict[int, int] = {}
    for _, place, number in pairs:
        if place not in numbers and number not in numbers.values():
            numbers[place] = number
    for place, module in enumerate(modules):
        home = homes[place]
        parent = None if home is None else numbers.get(home)
        free = [
            number
            for number, other in known.items()
            if other.label == module.label and number not in numbers.values()
            if known_homes[number] == parent or (parent is None and module.label[1] is not None)
        ]
        numbers.setdefault(place, next(iter(free), max([-1, *known, *numbers.values()]) + 1))
    return [numbers[place] for place in range(len(modules))]


@given(MODULES, MODULES)
def test_modules_are_matched_as_the_rule_says(
    new: list[tuple[Module, int]], old: list[tuple[Module, int]]
) -> None:
    modules, homes = with_homes(new)
    known, known_homes = with_homes(old)
    numbered = dict(enumerate(known))
    assert number_modules(modules, homes, numbered, known_homes) == by_the_rule(
        modules, homes, numbered, known_homes
    )
