"""Makes the schema of JSON output that ``eio-audit help json`` prints, from the fields and their types.

A field is described by the comment or the docstring beside it in the source of its class.
"""

from __future__ import annotations

import collections.abc
import copy
import enum
import importlib
import inspect
import json
import pkgutil
import re
import sys
import types
import typing
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any

import eio_audit
from eio_audit.audit.diff.advice import Kind
from eio_audit.audit.reduce.reduce import Reduction
from eio_audit.mlir.source import InputError
from eio_audit.report import json as output

Schema = dict[str, Any]


def described(schema: Schema, text: str) -> Schema:
    """A schema with what it means."""
    return {"description": text, **schema} if text else schema


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
COUNTS: Schema = {"type": "object", "additionalProperties": NUMBER}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(*, optional: tuple[str, ...] = (), **members: Schema) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": members,
        "required": [name for name in members if name not in optional],
        "additionalProperties": False,
    }


def or_null(schema: Schema) -> Schema:
    if isinstance(schema.get("type"), str) and "enum" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _without_null(kind: Any) -> tuple[Any, bool]:
    """A type without None, and whether it had it."""
    rest = [one for one in typing.get_args(kind) if one is not type(None)]
    return (rest[0], True) if type(None) in typing.get_args(kind) else (kind, False)


@cache
def classes() -> dict[str, type]:
    """All classes of the package by name."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(eio_audit.__path__, "eio_audit."):
        if not module.name.endswith("__main__"):
            loaded = importlib.import_module(module.name)
            found |= {
                name: one
                for name, one in vars(loaded).items()
                if inspect.isclass(one) and one.__module__ == loaded.__name__
            }
    return found


def getter(kind: type, attribute: str) -> Any:
    """The function of a property; None for a field."""
    member = inspect.getattr_static(kind, attribute, None)
    return getattr(member, "fget", None) or getattr(member, "func", None)


def type_of(kind: type, attribute: str) -> Any:
    """The type of a field or property."""
    function = getter(kind, attribute)
    known = {**vars(typing), **vars(collections.abc), "Counter": Counter, **classes()}
    names = {**known, **vars(sys.modules[kind.__module__])}
    return typing.get_type_hints(function or kind, names)["return" if function else attribute]


def comment_on(kind: type, attribute: str) -> str:
    """What the source says beside a field, or the first sentence of a property's docstring."""
    if (function := getter(kind, attribute)) is not None:
        return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").rstrip(".")
    for one in kind.__mro__[:-1]:
        if one.__module__.startswith("eio_audit") and attribute in vars(one).get("__annotations__", ()):
            return _beside(_source_of(one), attribute)
    return ""


@cache
def _source_of(kind: type) -> list[str]:
    return inspect.getsource(kind).splitlines()


def _beside(lines: list[str], attribute: str) -> str:
    [at] = [number for number, line in enumerate(lines) if line.startswith(f"    {attribute}:")]
    if match := re.search(r"  # (.*)", lines[at]):
        return match[1]
    above = at
    while lines[above - 1].startswith("    # "):
        above -= 1
    return " ".join(line.strip().removeprefix("# ") for line in lines[above:at]).rstrip(".")


def told(kind: type, key: str) -> str:
    """What the table says of a member, or of a figure that is added up over blocks, the block's field."""
    found = DESCRIBED.get(f"{kind.__name__}.{key}") or DESCRIBED.get(key, "")
    is_sum = kind.__name__ == "Summary" and hasattr(classes()["BlockAudit"], key)
    return found or (comment_on(classes()["BlockAudit"], key) if is_sum else "")


class Generator:
    """Collects the definitions of the classes that occur."""

    def __init__(self) -> None:
        self.definitions: dict[str, Schema] = {}

    def of(self, kind: Any) -> Schema:
        """The schema of a value of a type."""
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin in (types.UnionType, typing.Union):
            several = [self.of(one) for one in arguments if one is not type(None)]
            schema = several[0] if len(several) == 1 else {"anyOf": several}
            return or_null(schema) if type(None) in arguments else schema
        if inspect.isclass(origin) and issubclass(origin, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1])}
        if inspect.isclass(origin) and issubclass(origin, Collection):
            return array(self.of(arguments[0]))
        if issubclass(kind, enum.Enum):
            return {"enum": [one.value for one in kind]}
        plain = [schema for one, schema in PLAIN.items() if issubclass(kind, one)]
        return plain[0] if plain else self.object(kind)

    def object(self, kind: type) -> Schema:
        """The schema of an object of a class, by reference."""
        name = kind.__name__
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = INPUT_ERROR if kind is InputError else self.record_of(kind)
        return ref(name)

    def record_of(self, kind: type, **others: Schema) -> Schema:
        """The object of a class, with other members."""
        schema = record(**{**others, **dict(self.members(kind)), **others})
        optional = [key for key in schema["required"] if schema["properties"][key].pop("optional", False)]
        schema["required"] = [key for key in schema["required"] if key not in optional]
        about = (inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " ").rstrip(".")
        return described(schema, about)

    def members(self, kind: type) -> Iterator[tuple[str, Schema]]:
        """The members of a class with their schemas."""
        for key, path, _ in output._members_of(kind):
            name = f"{kind.__name__}.{'.'.join(path)}"
            owner, is_null = kind, False
            for step in path[:-1]:
                owner, maybe = _without_null(type_of(owner, step))
                is_null |= maybe
            if key == "*":
                inner, is_optional = _without_null(type_of(owner, path[-1]))
                for other, schema in self.members(inner):
                    if name == "TracedPass.figures" and other == "ops":
                        yield "judged_ops", described(schema, DESCRIBED["judged_ops"])
                    elif name != "TracedPass.figures" or other != "dumps":
                        yield other, {**schema, "optional": True} if is_optional else schema
                continue
            schema = MADE[name](self) if name in MADE else self.of(type_of(owner, path[-1]))
            schema = or_null(schema) if is_null and name not in MADE else schema
            yield (
                key,
                described(schema, told(kind, key) or comment_on(owner, path[-1])),
            )


PLAIN: dict[type, Schema] = {bool: FLAG, int: NUMBER, float: {"type": "number"}, str: TEXT}

INPUT_ERROR = record(source=TEXT, line=or_null(NUMBER), column=or_null(NUMBER), message=TEXT)
DIFF, DIFF_OF_STATES = "diff", "Difference"  # the document, and the same in another
HEAD = record(source=TEXT, line=NUMBER, **{"pass": or_null(TEXT), "when": or_null(TEXT)})
PLACE = record(source=TEXT, line=NUMBER)


def _summary(own: Generator) -> Schema:
    own.object(classes()["Summary"])
    schema = copy.deepcopy(own.definitions["Summary"])
    del schema["properties"]["dumps"]
    schema["required"].remove("dumps")
    return schema


def _op_changes(own: Generator) -> Schema:
    counts = own.of(classes()["OpCounts"])
    members = {**own.definitions["OpCounts"]["properties"]}
    by_name = {"type": "object", "additionalProperties": counts}
    return or_null(record(**members, functions=array(TEXT), by_name=by_name))


def _effects(own: Generator) -> Schema:
    members = dict(own.members(classes()["Effects"]))
    return record(**members, known=own.of(classes()["EffectSource"]))


MADE: dict[str, Callable[[Generator], Schema]] = {
    "Advice.alone": lambda own: array(
        record(pattern=or_null(TEXT), ops=COUNTS, carries=own.of(classes()["Carries"]), inversions=NUMBER)
    ),
    "Advice.best": lambda own: record(
        changes=array(
            record(
                kind=own.of(Kind),
                pattern=or_null(TEXT),
                ops=array(own.of(classes()["OpLabel"])),
                sentence=TEXT,
            )
        ),
        inversions=described(NUMBER, "after the pass with these changes"),
        left=described(NUMBER, "at the end of the log with them"),
        at_most=described(FLAG, "whether these are at most so many"),
    ),
    "Advice.together": lambda own: record(patterns=array(TEXT), inversions=NUMBER, exact=FLAG),
    "Application.attempt": lambda own: or_null(NUMBER),
    "BlockAudit.not_comparable": lambda own: COUNTS,
    "Bisection.log": lambda own: or_null(TEXT),
    "Reproduction.input": lambda own: or_null(TEXT),
    "Bisection.attempts.first": lambda own: NUMBER,
    "Bisection.inversions": lambda own: record(before=NUMBER, after=NUMBER),
    "DisplacedOp.stands": lambda own: {"enum": ["early", "late"]},
    "DumpAudit.assumed_pure": lambda own: COUNTS,
    "DumpAudit.unknown_ops": lambda own: COUNTS,
    "Explanation.dump": lambda own: HEAD,
    "ModelFigures.worst": lambda own: or_null(HEAD),
    "OpExplanation.effects": _effects,
    "OpExplanation.model_line": lambda own: or_null(TEXT),
    "OpExplanation.modules": lambda own: array(TEXT),
    "LeftFinding.made_at": lambda own: or_null(PLACE),
    "ModelTraces.unjudged": lambda own: array(record(model=TEXT, dumps=NUMBER)),
    "RepeatedChange.times": lambda own: NUMBER,
    "Summary.not_comparable": lambda own: COUNTS,
    "Trace.left_classes": lambda own: COUNTS,
    "TracedPass.left_classes": lambda own: COUNTS,
    "Trace.at_end_of_log": _summary,
    "TracedPass.faults": lambda own: array(record(function=or_null(TEXT), kind=TEXT, text=TEXT)),
    "TracedPass.ops": _op_changes,
}
DESCRIBED = {
    "model_file": "the file of the model's source that the op's location names",
    "model_line": "its line there",
    "avoidable": "inversions that a fix removes",
    "judged_ops": "ops of the blocks that have an op with an index; 0 where no order is judged",
    "knock_on": "inversions that are neither forced nor avoidable",
    "wrong_ahead": "ops with a wrong index in functions that run once, ahead of the model",
    "Advice.best": "the fewest changes that together give the fewest inversions",
    "Advice.together": "the same of the patterns of bisect, with the inversions then",
    "DisplacedOp.stands": "before ops with smaller indices, or behind ops with larger ones",
    "RepeatedChange.times": "how many changes these are",
    "TracedPass.ops": "how many ops its dump has, or the function that it ran on, at any depth",
    "Finding.moment": "the pass of the dump and whether it is before or after it: `after canonicalize`",
}
"""What no comment says, or not for a reader of JSON: by key, or by class and key."""


def documents(own: Generator) -> Iterator[tuple[str, Schema]]:
    """What each command writes, by a title."""

    def many(name: str) -> Schema:
        return array(own.of(classes()[name]))

    def one(name: str) -> Schema:
        return own.of(classes()[name])

    def fields(name: str, **others: Schema) -> Schema:
        kind = Reduction if name == "Reduction" else classes()[name]
        return own.record_of(kind, **{"errors": errors, **others})

    def at_both(schema: Schema) -> Schema:
        return record(before=schema, after=schema)

    errors = described(many("InputError"), "the dumps that could not be read")
    configuration = described(
        or_null(one("Configuration")), "the file and its keys that changed what counts; null without any"
    )
    frees = {"frees": NUMBER, "at_frees": NUMBER}
    summary = _summary(own)
    summary = record(dumps=NUMBER, **summary["properties"], **frees)
    inputs = {
        "inputs": described(NUMBER, "how many files there are"),
        "unjudged": described(NUMBER, "how many of them have ops, and no op index"),
        "unindexed_dumps": NUMBER,
    }
    yield (
        "check",
        record(
            dumps=many("DumpAudit"),
            summary=described(record(**summary["properties"], **inputs), "the sums over all dumps"),
            errors=errors,
            unjudged=many("UnjudgedInput"),
            findings=described(many("Finding"), "worst first, without those that a baseline knows"),
            failed=described(array(TEXT), "the codes of the rules that make the exit code 1"),
            configuration=configuration,
            known=described(or_null(NUMBER), "how many findings the baseline knows"),
            stale=described(
                array(own.record_of(classes()["BaselineEntry"], count=NUMBER)),
                "the entries of the baseline that are no longer found",
            ),
            models=described(
                many("ModelFigures"), "a model is the first folder below the given one, or a file"
            ),
            passes=described(many("PassFigures"), "what the dumps before or after each pass show"),
        ),
    )
    changes = {name: many("OpChange") for name in ("moved", "modified", "added", "removed")}
    repeated = {name: many("RepeatedChange") for name in changes}
    diff = {
        "verdict": record(
            same_as={"enum": ["bytes", "names", "order", "none"]},
            ignored=described(array(TEXT), "what --ignore names"),
            text=TEXT,
            reason=described(or_null(TEXT), "the first difference, if they are not the same"),
        ),
        **at_both(summary)["properties"],
        "ops": record(unchanged=NUMBER, **dict.fromkeys(changes, NUMBER)),
        "implied_ops": described(NUMBER, "ops that one dump prints and the form of the other leaves out"),
        "changes": record(**changes),
        "repeated": described(record(**repeated), "the changes that repeat"),
        "inverse_ops": one("InverseOps"),
        "fragmentation": one("Fragmentation"),
        "locations": one("HealthChange"),
        "advice": or_null(one("Advice")),
        "configuration": configuration,
        "dumps": many("DumpAudit"),
        "errors": errors,
    }
    totals = {"op_totals": described(at_both(COUNTS), "with --count: how many ops of each name there are")}
    own.definitions[DIFF_OF_STATES] = record(**diff)
    yield "diff", record(**diff, **totals, optional=("op_totals",))
    unlike = record(source=TEXT, line=NUMBER, same_as=TEXT, reason=or_null(TEXT))
    yield (
        "diff of two logs",
        record(
            same=FLAG,
            pairs=NUMBER,
            different=described(NUMBER, "how many pairs differ"),
            only_in=described(
                array(record(run=NUMBER, dumps=NUMBER, first=PLACE)),
                "the dumps of one log without a counterpart",
            ),
            times=described(many("ComparedTime"), "the seconds of passes in both logs"),
            first=described(or_null(ref(DIFF)), "the diff of the first pair that differs"),
            unlike=described(
                or_null(unlike), "the first pair that is not the same in the sense of --same-as"
            ),
            errors=errors,
        ),
    )
    yield "diff of a test of FileCheck", fields("CheckComparison")
    both_totals = described(record(before=own.of(float), after=own.of(float)), "in seconds")
    compared = described(many("ComparedTime"), "the passes, the largest change first")
    yield "diff of two reports of times", record(total=both_totals, times=compared, errors=errors)
    yield "explain", fields("Explanation")
    yield "history", fields("History")
    count = {"op_totals": described(one("OpTotals"), "with --count: how many ops of each name there are")}
    chosen = described(
        or_null(record(passes=NUMBER, of=NUMBER)), "how many passes options chose, of how many"
    )
    traced = fields("ModelTraces", **count, chosen=chosen, configuration=configuration)
    traced["required"].remove("op_totals")
    yield "trace", traced
    times = described(many("PassTime"), "the passes, the slowest first")
    yield "trace --by-time", record(source=TEXT, total=own.of(float), times=times, errors=errors)
    yield (
        "bisect",
        fields(
            "Bisection",
            final=_summary(own),
            left=many("LeftFinding"),
            configuration=configuration,
            passes=many("TracedPass"),
            errors=described(many("InputError"), "the runs that failed"),
        ),
    )
    yield "bisect --show", fields("OneApplication", diff=ref(DIFF_OF_STATES))
    steps = own.record_of(classes()["OpEvent"])
    of_application = own.record_of(classes()["Application"])
    step = {**steps, "properties": {**of_application["properties"], **steps["properties"]}, "required": []}
    since = record(attempt=or_null(NUMBER), inversions=NUMBER)
    op = record(
        steps=array(step),
        placed_by=described(or_null(NUMBER), "the attempt that put the op where it is"),
        inversions_since=array(since),
        origin=or_null(NUMBER),
    )
    yield "bisect --op", record(**{"pass": TEXT}, ops=array(op), errors=errors)
    yield "bisect --test", fields("FirstFailure")
    yield "bisect --test of a log", fields("FirstFailingDump")
    yield "reduce", fields("Reduction")
    yield "graph", graph_document()


def graph_document() -> Schema:
    """Node-link JSON, as networkx reads it."""
    about = {"function": or_null(TEXT), "block": TEXT, "block_line": NUMBER, "block_ops": NUMBER}
    label = {"op": TEXT, "result": or_null(TEXT), "index": or_null(NUMBER), "line": NUMBER}
    node = {"id": NUMBER, **label, "module": or_null(TEXT), "inversions": NUMBER}
    edge = {"source": NUMBER, "target": NUMBER, "key": TEXT, "kind": TEXT}
    against = described(FLAG, "it runs against the original order")
    return record(
        around=described(array(NUMBER), "the places of the ops that --around names"),
        directed=FLAG,
        multigraph=FLAG,
        graph=record(**HEAD["properties"], **about),
        nodes=array(record(**node, displaced=FLAG, derived=FLAG)),
        edges=array(record(**edge, inverting=against)),
    )


def schema() -> Schema:
    """The schema of what ``--format json`` writes."""
    own = Generator()
    found = []
    for title, document in documents(own):
        heads = {"schema": {"const": output.SCHEMA}, "command": {"const": title.split()[0]}}
        properties = {**heads, **document["properties"]}
        required = [*heads, *document["required"]]
        name = title.replace(" ", "_")
        own.definitions[name] = {**document, "properties": properties, "required": required}
        found.append({"title": title, **ref(name)})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": output.SCHEMA,
        "description": "What --format json writes. Lines and columns are counted from 1, places from 0.",
        "anyOf": found,
        "$defs": dict(sorted(own.definitions.items())),
    }


def text_of(schema: Schema) -> str:
    return json.dumps(schema, indent=1) + "\n"
