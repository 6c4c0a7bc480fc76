"""What two ops may differ in and still count as equal, as in the lowering of one program for two shapes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum

from eio_audit.mlir.reading.op_text import OpText


class Ignored(StrEnum):
    """A part of the ops that a diff ignores."""

    TYPES = "types"
    """All types: also those in attributes, and those of block arguments."""
    CONSTANTS = "constants"
    """The attributes of constants: of ops without operands that the op table calls pure or constant."""
    ATTRIBUTES = "attributes"
    """The attributes of all ops. In custom form, all text but the name and the types."""

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise ValueError(f"expected ignore to be some of {', '.join(cls)}, not {value!r}")


class Reduction:
    """Leaves out of texts what is ignored."""

    def __init__(self, ignored: Collection[Ignored]) -> None:
        self._drops_types = Ignored.TYPES in ignored
        self._drops_constants = Ignored.CONSTANTS in ignored
        self._drops_attributes = Ignored.ATTRIBUTES in ignored
        self.drops_metadata = self._drops_constants or self._drops_attributes  # the blobs of resources

    def texts(self, texts: Sequence[OpText], names: Sequence[str], constants: Sequence[int]) -> list[OpText]:
        """Return the texts of all ops. Equal objects stay one object.

        Args:
            texts: by op, its text.
            names: by op, its name.
            constants: by op, whether it is a constant.
        """
        drops = [self._drops_attributes or (self._drops_constants and is_one) for is_one in constants]
        keys = list(zip(map(id, texts), names, map(bool, drops), strict=True))
        known = {key: self._text(text, *key[1:]) for key, text in dict(zip(keys, texts, strict=True)).items()}
        return list(map(known.__getitem__, keys))

    def _text(self, text: OpText, name: str, drops_attributes: bool) -> OpText:
        own = text.text
        if drops_attributes:
            successors = b"^" * (b"^" in own)  # so that a reader of the text looks for them
            own = (b'"%b"(%b)' if text.is_generic else b"%b%b") % (name.encode(), successors)
            own += b"" if self._drops_types else b" : %b" % text.signature.encode()
        return OpText(self.header(own), text.is_generic, text.is_plain)

    def header(self, text: bytes) -> bytes:
        """Return a text, as that of a block's label, without the types that are ignored."""
        return OpText(text, False, False).without_types if self._drops_types else text
