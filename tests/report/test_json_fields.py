"""The table of JSON's fields names classes and attributes as text: they must exist."""

import importlib
import pkgutil
from dataclasses import fields, is_dataclass

import eio_audit
from eio_audit import InputError
from eio_audit.report import json

HELD_BY_THE_INSTANCE = {InputError: {"source", "position", "message"}}


def classes() -> dict[str, type]:
    """All classes of the room audit by name, and those of mlir that JSON shows."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(eio_audit.__path__, "eio_audit."):
        if module.name.split(".")[1] not in ("audit", "mlir"):
            continue
        members = vars(importlib.import_module(module.name)).items()
        found |= {
            name: one for name, one in members if isinstance(one, type) and one.__module__ == module.name
        }
    return found


def attributes(kind: type) -> set[str]:
    named = (
        {field.name for field in fields(kind)} if is_dataclass(kind) else set(getattr(kind, "_fields", ()))
    )
    named |= HELD_BY_THE_INSTANCE.get(kind, set())
    return named | {name for name in dir(kind) if not name.startswith("_")}


def test_every_class_and_attribute_in_the_table_exists() -> None:
    known = classes()
    missing = [
        f"{name}.{attribute}"
        for name, spec in json._FIELDS.items()
        for member in spec.split()
        for attribute in [member.rpartition("=")[2].removeprefix("*")]
        if f"{name}.{attribute}" not in json._MADE and attribute.split(".")[0] not in attributes(known[name])
    ]
    assert missing == []
