"""What the ops' locations say that their text alone does not show: each is parsed."""

from __future__ import annotations

from collections.abc import Iterable

from eio_audit.audit.locations.index_pattern import IndexPattern
from eio_audit.audit.locations.origin import ModelLine, Origin, parse_origin, without_line
from eio_audit.mlir.ir import IR
from eio_audit.mlir.location import (
    AliasLoc,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    Location,
    Locations,
    NameLoc,
)


class ParsedLocations:
    """The locations of one dump's ops, one by one.

    Attributes:
        locations: as they are parsed.
    """

    def __init__(self, ir: IR, pattern: IndexPattern) -> None:
        self._ir = ir
        self._pattern = pattern
        self._by_text: dict[bytes, int | None] = {}
        self._by_alias: dict[str, int | None] = {}
        self.locations = Locations(ir)

    def index(self, op: int) -> int | None:
        """The index that the op's location carries, if any."""
        text = self._ir.location_text(op)
        if text is None:
            return None
        if text not in self._by_text:
            location = self.locations.of(op)
            assert location is not None
            self._by_text[text] = self._evaluate(location, op)
        return self._by_text[text]

    def is_derived(self, op: int) -> bool:
        """Whether the op's name extends its child's."""
        location = self.locations.of(op)
        outer = None if location is None else self.locations.resolve(location, op)
        if not isinstance(outer, NameLoc) or outer.child is None:
            return False
        child = self.locations.resolve(outer.child, op)
        if not isinstance(child, NameLoc):
            return False
        return len(outer.name) > len(child.name) and outer.name.startswith(child.name)

    def is_unknown(self, op: int) -> bool:
        """Whether the op's location carries a negative index: where it stood is not known."""
        names = (inner.name for inner in self._walk(op) if isinstance(inner, NameLoc))
        index = next((index for name in names if (index := self._pattern.index_in(name)) is not None), 0)
        return index < 0

    def origin(self, op: int) -> Origin | None:
        """The model's source that the op's outermost indexed name tells of.

        A name with a negative index tells of none: its fields are placeholders.
        """
        name = self.indexed_name(op)
        return None if name is None else parse_origin(name)

    def model_line(self, op: int) -> ModelLine | None:
        """Where in the model's source the op comes from, as far as its location says."""
        origin = self.origin(op)
        if origin is not None and origin.file is not None and origin.line is not None:
            return ModelLine(without_line(origin.file), origin.line)
        for inner in self._walk(op):
            if isinstance(inner, FileLineColLoc):
                return ModelLine(inner.file, inner.line)
        return None

    def place_in_model(self, op: int) -> str:
        """What the op's location says of the model, without the index and without line numbers.

        Changes elsewhere in the model leave it as it is; ops that are near one another may share it.
        """
        name = self.indexed_name(op)
        if name is not None:
            origin = parse_origin(self._pattern.without_index(name))
            file = without_line(origin.file) if origin.file is not None else None
            return "|".join(filter(None, (*origin.modules, file, origin.function, origin.op)))
        parts = [
            inner.name if isinstance(inner, NameLoc) else inner.file
            for inner in self._walk(op)
            if isinstance(inner, NameLoc | FileLineColLoc)
        ]
        return "|".join(parts)

    def indexed_name(self, op: int) -> str | None:
        """The outermost name with the op's index; of an unindexed op, with any that is not negative."""
        wanted = self.index(op)
        for inner in self._walk(op):
            index = self._pattern.index_in(inner.name) if isinstance(inner, NameLoc) else None
            if isinstance(inner, NameLoc) and index is not None and index >= 0 and wanted in (None, index):
                return inner.name
        return None

    def _walk(self, op: int) -> Iterable[Location]:
        location = self.locations.of(op)
        return () if location is None else self.locations.walk(location, op)

    def _evaluate(self, root: Location, op: int) -> int | None:
        """The index a location carries; iterative, since locations nest to any depth."""
        frames = [_Frame([root])]
        entered: set[str] = set()
        while True:
            frame = frames[-1]
            if frame.is_done():
                frames.pop()
                if frame.alias is not None:
                    self._by_alias[frame.alias] = frame.index
                if not frames:
                    return frame.index
                frames[-1].take(frame.index)
                continue
            match frame.pending.pop():
                case AliasLoc(alias) if alias in self._by_alias:
                    frame.take(self._by_alias[alias])
                case AliasLoc(alias):
                    span = self.locations.alias_span(alias, op)
                    if alias in entered:
                        raise self.locations.loop(alias, op)
                    entered.add(alias)
                    frames.append(_Frame([self.locations.parse(span)], alias=alias))
                case NameLoc(name, child):
                    index = self._pattern.index_in(name)
                    if index is not None:
                        frame.take(None if index < 0 else index)
                    elif child is not None:
                        frame.pending.append(child)
                case CallSiteLoc(callee, caller):
                    frames.append(_Frame([callee, caller]))
                case FusedLoc(locations, _):
                    frames.append(_Frame(list(locations), smallest=True))
                case _:
                    pass


class _Frame:
    """Alternative locations, the last one first: the first index found counts, or the smallest."""

    __slots__ = ("alias", "index", "pending", "smallest")

    def __init__(self, pending: list[Location], *, smallest: bool = False, alias: str | None = None) -> None:
        self.pending = pending
        self.smallest = smallest
        self.alias = alias
        self.index: int | None = None

    def is_done(self) -> bool:
        return not self.pending or (self.index is not None and not self.smallest)

    def take(self, index: int | None) -> None:
        if index is not None:
            self.index = index if self.index is None else min(self.index, index)
