"""Audit and restore the original order of operations in MLIR pass dumps.

>>> import eio_audit
>>> text = b'''
... func.func @f(%a: i32) -> i32 {
...   %0 = "t.late"(%a) : (i32) -> i32 loc("DEBUG|2|f")
...   %1 = "t.early"(%a) : (i32) -> i32 loc("DEBUG|1|f")
...   return %0 : i32
... }
... '''
>>> eio_audit.check(eio_audit.read_text(text)).summary.inversions
1
"""

__version__ = "0.1.0"

_module_of: dict[str, str] = {}  # the module of each public name; filled when the first name is used


def __getattr__(name: str) -> object:
    """Imports a public name when it is first used (PEP 562), so that a program pays for what it uses."""
    from importlib import import_module

    modules = _modules()
    if name == "__all__":
        return sorted(modules)
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(modules[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(_modules())


def _modules() -> dict[str, str]:
    """Reads ``__init__.pyi``: each line ``from MODULE import NAME as NAME`` lists a public name."""
    from pathlib import Path

    if not _module_of:
        lines = Path(__path__[0], "__init__.pyi").read_text("utf-8").splitlines()
        imports = [line.split() for line in lines if line.startswith("from ")]
        _module_of.update({name: module for _, module, _, name, *_ in imports})
    return _module_of
