"""The walk over the dumps of one program: what each shows, which passes are charged with it, what vanished.

A difference in a dump after a pass is charged to that pass. A difference in a dump *before* a pass is charged
to the innermost pass that has begun and not ended. That is the outer pass, or, in a log with dumps before
passes only, the pass before. If there is no such pass, the difference is from passes that the log does not
show.

A dump may show a program, or only a module or a function of it. What it cannot show has not vanished.

Modules need not have names, so they are matched by their contents as well.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Generic, TypeAlias, TypeVar

from eio_audit.mlir.input.markers import Marker
from eio_audit.mlir.ir import IR
from eio_audit.mlir.semantics.functions import function_symbol

Label = tuple[str, str | None]  # an op's name and its symbol
_Queues: TypeAlias = dict[frozenset[Label], deque[int]]  # the numbers of modules, by what they hold
_FEW = 4  # contents that more modules of a name hold are compared once for all of them
FunctionOrModule: TypeAlias = (
    str | int | None
)  # the symbol of a function, or the number of a module; None outside both


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a dump: a listed op with a symbol table that is in no function."""

    label: Label  # its name and symbol
    holds: frozenset[Label]  # the functions and modules directly in it


@dataclass(frozen=True, slots=True)
class Parts:
    """The functions and modules of a dump; modules are numbered in textual order."""

    modules: tuple[Module, ...]  # the modules
    of_op: Sequence[
        FunctionOrModule
    ]  # per op, its function (the op itself or the function around it), else its module
    # Per function or module, the module around it; None for an outermost one.
    homes: Mapping[FunctionOrModule, int | None]


def parts_of(ir: IR, functions: Sequence[str | None]) -> Parts:
    """Divide a dump into functions and modules; ``functions`` has, per block, the function around it."""
    rows = map(ir.op_table.rows.get, ir.names)
    is_module = [row is not None and "symbol_table" in row.flags for row in rows]
    modules: list[tuple[Label, set[Label]]] = []
    homes: dict[FunctionOrModule, int | None] = {}
    of_op: list[FunctionOrModule] = []
    for op, block in enumerate(ir.op_block):
        function, parent = functions[block], ir.parent_op(block)
        symbol = function_symbol(ir, op) if op in ir.regions_of else None
        if function is not None:
            of_op.append(function)
            if symbol is not None:
                homes.setdefault(symbol, homes.get(function))
            continue
        home = of_op[parent] if parent >= 0 else None
        assert not isinstance(home, str)
        if is_module[ir.op_name[op]]:
            part: FunctionOrModule = len(modules)
            modules.append(((ir.name(op), ir.symbol(op)), set()))
        elif symbol is not None:
            part = symbol
        else:
            of_op.append(home)
            continue
        of_op.append(part)
        homes[part] = home
        if home is not None:
            modules[home][1].add((ir.name(op), ir.symbol(op)))
    return Parts(tuple(Module(label, frozenset(holds)) for label, holds in modules), of_op, homes)


def number_modules(
    modules: Sequence[Module],
    homes: Mapping[FunctionOrModule, int | None],
    known: Mapping[int, Module],
    known_homes: Mapping[FunctionOrModule, int | None],
) -> list[int]:
    """Return the numbers of a dump's modules: those of the known modules they match, or new ones.

    A module matches the known module of the same name with which it shares the most functions and modules.
    If it shares none, it matches the known module of that name in the same place. The homes map a module, by
    its place in the dump or by its number, to the module around it; None for an outermost one.

    Complexity: linear in the modules and their contents, as long as contents that many modules of one name
    share come in few combinations.
    """
    numbers = _with_shared_contents(modules, known)
    if len(numbers) == len(modules):
        return [numbers[place] for place in range(len(modules))]
    taken, unused = {*numbers.values()}, count(max([-1, *known]) + 1)
    alike, in_place = defaultdict[Label, deque[int]](deque), defaultdict[object, deque[int]](deque)
    for number, other in known.items():
        alike[other.label].append(number)
        in_place[other.label, known_homes[number]].append(number)
    for place, module in enumerate(modules):
        if place not in numbers:
            home = homes[place]
            is_named_outermost = home is None and module.label[1] is not None
            parent = None if home is None else numbers[home]
            same_place = alike[module.label] if is_named_outermost else in_place[module.label, parent]
            free = _first_free(same_place, taken)
            numbers[place] = next(unused) if free is None else free
            taken.add(numbers[place])
    return [numbers[place] for place in range(len(modules))]


def _with_shared_contents(modules: Sequence[Module], known: Mapping[int, Module]) -> dict[int, int]:
    """Return, by place, the number of the known module of its name with which a module shares most contents.

    The pair that shares most comes first; of equals, the first module, with the smallest number. What few
    modules hold tells which pairs share it. The other contents are compared once for all modules with the
    same ones; a pair of such modules shares more if it is also one of the former, which then came before.
    """
    wanted = defaultdict[Label, set[Label]](set)
    for module in modules:
        wanted[module.label] |= module.holds
    contents = {number: other.holds & wanted[other.label] for number, other in sorted(known.items())}
    holders, classes = defaultdict[object, list[int]](list), defaultdict[Label, _Queues](dict)
    for number, holds in contents.items():
        for held in holds:
            holders[known[number].label, held].append(number)
    for number, holds in contents.items():
        label = known[number].label
        common = frozenset(one for one in holds if len(holders[label, one]) > _FEW)
        if common:
            classes[label].setdefault(common, deque()).append(number)
    sharing = defaultdict[int, dict[int, list[deque[int]]]](dict)  # by number of shared contents, by place
    for place, module in enumerate(modules):
        found = [holders.get((module.label, held), ()) for held in module.holds]
        near = {number for numbers in found if len(numbers) <= _FEW for number in numbers}
        single = [(contents[number], deque([number])) for number in near]
        for holds, queue in (*single, *classes[module.label].items()):
            sharing[len(holds & module.holds)].setdefault(place, []).append(queue)
    sharing.pop(0, None)
    numbers, taken = dict[int, int](), set[int]()
    for _, places in sorted(sharing.items(), reverse=True):
        for place, queues in places.items():
            free = [one for queue in queues if (one := _first_free(queue, taken)) is not None]
            if free and place not in numbers:
                numbers[place] = min(free)
                taken.add(numbers[place])
    return numbers


def _first_free(queue: deque[int], taken: Container[int]) -> int | None:
    while queue and queue[0] in taken:
        queue.popleft()
    return queue[0] if queue else None


@dataclass(slots=True, eq=False)
class PassRun:
    """One run of a pass, or one stage of a compiler."""

    number: int  # 0-based number among the runs of its program, as they began
    pass_name: str | None  # the pass; None for passes that the log does not show
    function: str | None  # symbol of the function it runs on; None for a whole program
    # The class name of the pass in its marker; None for passes that the log does not show.
    class_name: str | None = None
    failed: bool = False  # whether it failed, according to its marker


@dataclass(frozen=True, slots=True)
class Shown:
    """What a dump shows of its program."""

    # Symbol of the function if the dump shows only that; None for a program or a module.
    only_function: str | None
    parts: Collection[FunctionOrModule]  # its functions and modules; None for ops outside both
    # Per function or module, the module around it; None for an outermost one.
    homes: Mapping[FunctionOrModule, int | None]
    modules: Mapping[int, Module]  # per number, a module, in textual order

    @property
    def has_no_module(self) -> bool:
        """Whether it shows functions outside modules."""
        return self.only_function is None and not self.modules and bool(self.parts)

    @property
    def is_named(self) -> bool:
        """Whether the outermost module has a symbol."""
        return any(module.label[1] is not None for module in list(self.modules.values())[:1])

    def function_of(self, marker: Marker | None) -> str | None:
        """Return the function that the dump's pass ran on; None for the whole program."""
        if self.only_function is not None or marker is None or marker.op_name == "builtin.module":
            return self.only_function
        return marker.symbol if marker.symbol in self.parts else None


ShownT = TypeVar("ShownT", bound=Shown)  # what a dump shows, and what else its reader found in it


@dataclass(frozen=True, slots=True)
class Step(Generic[ShownT]):
    """One dump of the walk."""

    shown: ShownT  # what the dump shows
    function: str | None  # the function that its pass ran on; None for the whole program
    # The pass whose result it shows; None for a dump before a pass, or without a marker.
    ended: PassRun | None
    # The passes that have begun and not ended before the dump, the innermost last.
    at_work: tuple[PassRun, ...]
    vanished: tuple[
        FunctionOrModule, ...
    ]  # the functions and modules that it omits though it shows what was around them

    def run_of(self, part: FunctionOrModule) -> PassRun | None:
        """Return the pass charged with what is new in a function or module; None if the log shows none."""
        if self.ended is not None:
            return self.ended
        return next((run for run in reversed(self.at_work) if run.function in (None, part)), None)

    @property
    def charged(self) -> dict[PassRun | None, list[FunctionOrModule]]:
        """The functions and modules, shown or vanished, by the pass that is charged with them."""
        charged: dict[PassRun | None, list[FunctionOrModule]] = {} if self.ended is None else {self.ended: []}
        for part in (*self.shown.parts, *self.vanished):
            charged.setdefault(self.run_of(part), []).append(part)
        return charged


class ProgramWalk:
    """The walk over the dumps of one program: ``step`` for each, then ``remember``."""

    def __init__(self) -> None:
        self.known: set[FunctionOrModule] = (
            set()
        )  # the functions and modules that the program has, by the dumps so far
        self.modules: dict[int, Module] = {}  # per number, a module of it
        # Per function or module, the module around it; None for an outermost one.
        self.homes: dict[FunctionOrModule, int | None] = {}
        self.runs = 0  # number of passes that began
        self._shows_no_module = False
        self.at_work: list[PassRun] = []  # the passes that have begun and not ended, the innermost last

    def step(self, marker: Marker | None, shown: ShownT) -> Step[ShownT]:
        """Begin or end the pass of a dump. What is known of the program stays the same."""
        function, at_work, ended = shown.function_of(marker), (*self.at_work,), None
        if marker is not None and marker.when == "before":
            self.at_work.append(self.begin(marker, function))
        elif marker is not None:
            ended = self.ended(marker, function) or self.begin(marker, function)
            ended.failed = marker.failed
        return Step(shown, function, ended, at_work, self._vanished(shown))

    def begin(self, marker: Marker | None, function: str | None) -> PassRun:
        """Return a new run of the pass of a marker; None for passes that the log does not show."""
        self.runs += 1
        names = (marker.pass_name, marker.class_name) if marker is not None else (None, None)
        return PassRun(self.runs - 1, names[0], function, names[1])

    def ended(self, marker: Marker, function: str | None) -> PassRun | None:
        """End the last pass that began with this marker, and all that began in it; return it, or None."""
        for k in range(len(self.at_work) - 1, -1, -1):
            run = self.at_work[k]
            if (run.pass_name, run.function) == (marker.pass_name, function):
                self.at_work[k:] = [r for r in self.at_work[k:] if function not in (None, r.function)]
                return run
        return None

    def _vanished(self, shown: Shown) -> tuple[FunctionOrModule, ...]:
        if shown.only_function is not None:
            return ()
        around = {part for part in shown.parts if isinstance(part, int)}
        vanished: dict[FunctionOrModule, None] = {}
        while True:
            found = [
                part
                for part, home in self.homes.items()
                if part not in shown.parts
                and part not in vanished
                and (home in around if home is not None else shown.has_no_module and isinstance(part, str))
            ]
            if not found:
                return (*vanished,)
            vanished |= dict.fromkeys(found)
            around.update(part for part in found if isinstance(part, int))

    def is_new(self, part: FunctionOrModule, shown: Shown) -> bool:
        """Return whether a dump added a function or module: it is unknown, but what is around it is known."""
        if part in self.known or part not in shown.homes:
            return False
        home = shown.homes[part]
        if home is None:
            return self._shows_no_module and isinstance(part, str)
        return home in self.known or self.is_new(home, shown)

    def is_wrapped(self, part: FunctionOrModule, shown: Shown) -> bool:
        """Return whether a module that was always outermost is now inside another one."""
        was_outermost = isinstance(part, int) and self.homes.get(part, 0) is None
        return was_outermost and shown.homes.get(part) is not None

    def remember(self, step: Step[ShownT]) -> None:
        """Take what a dump shows as known."""
        shown = step.shown
        for part in step.vanished:
            self.known.remove(part)
            del self.homes[part]
            if isinstance(part, int):
                del self.modules[part]
        self.known.update(shown.parts)
        for part, home in shown.homes.items():
            if home is not None or part not in self.homes:
                self.homes[part] = home
        self.modules.update(shown.modules)
        self._shows_no_module = self._shows_no_module or shown.has_no_module
