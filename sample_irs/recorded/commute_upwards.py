#!/usr/bin/env python3
"""Do to any flat program what the pass ttir-erase-inverse-ops does wrong. This is no compiler.

    commute_upwards.py --ttir-erase-inverse-ops [FLAGS] INPUT [-o OUTPUT]

A permute or a reshape moves above elementwise ops, up to one that adds or multiplies a broadcast: each of its
operands gets a copy. A permute does so only past two ops or more. Each copy has the location of the op that
moved, which is the mistake of the pass: the copies are out of order. The program is one function with one
block. Its ops are in generic assembly, the module and the function in either.

The flags are those of erase_inverse_ops.py beside this file, and these. Each op that may move is an attempt,
at the op that it would move above.

    --mlir-print-op-generic
        print all in generic assembly
    --mlir-print-local-scope
        print locations in place of their aliases

The exit code is 1 for a program that is not flat, or names a value that is not defined.
"""

import os
import re
import sys

import erase_inverse_ops as recorded
from erase_inverse_ops import APPLIED, DUMP_FLAGS, DUMP_PIPELINE, PASS, PASSES, PRINT_COUNTERS, UsageError

GENERIC, LOCAL = "mlir-print-op-generic", "mlir-print-local-scope"
BINARY = ("ttir.add", "ttir.multiply", "ttir.subtract")
UNARY = ("ttir.relu", "ttir.gelu", "ttir.rsqrt", "ttir.sigmoid")
LEAST_PASSED = {"ttir.permute": 2, "ttir.reshape": 1}
OP = re.compile(r'\s*(%[\w$.]+) = "([\w.]+)"\(([^()]*)\)(.*) : \(([^()]*)\) -> (\S+)( loc\(.*\))?$')
HEADER = re.compile(r"\s*func\.func (?:\w+ )?@([\w$.]+)\((.*)$")
GENERIC_HEADER = re.compile(r'\s*"func\.func"\(\) <\{(.*)\}> \(\{$')
LABEL = re.compile(r"\s*\^bb0\((.*)\):$")
RETURN = re.compile(r'\s*(?:return|"func\.return"\()\s*([^:()]*?)\)?(?: : [^l].*?)?( loc\(.*\))?$')
ALIAS = re.compile(r"(#[\w$.]+) = (.*)$")
OPENINGS, CLOSINGS = "([{<", ")]}>"


class Operation:
    """An op: its result, name, operands, attributes, types and location."""

    def __init__(self, line):
        match = OP.match(line)
        if match is None:
            raise UsageError(f"error: expected an op of a flat program: {line.strip()[:80]}")
        self.result, self.name, operands, self.attributes, types, self.type, location = match.groups()
        self.operands, self.types = split(operands), split(types)
        self.location = location or ""

    def __str__(self):
        operands, types = ", ".join(self.operands), ", ".join(self.types)
        head = f'{self.result} = "{self.name}"({operands}){self.attributes}'
        return f"    {head} : ({types}) -> {self.type}{self.location}"

    def copy(self, result, operand):
        """Return a copy that moves another value."""
        copy = Operation(str(self))
        copy.result, copy.operands = result, [operand]
        return copy


def split(text):
    """Return the parts between commas outside brackets and strings."""
    parts, depth, is_string, start = [], 0, False, 0
    for place, char in enumerate(text):
        is_string ^= char == '"'
        if is_string:
            continue
        depth += (char in OPENINGS) - (char in CLOSINGS and text[place - 1 : place + 1] != "->")
        if char == "," and not depth:
            parts.append(text[start:place].strip())
            start = place + 1
    return [*parts, text[start:].strip()] if text.strip() else []


class Program:
    """A flat program. Its aliases come first, and ``lines`` are those around the ops."""

    def __init__(self, text):
        self.aliases, self.ops, self.arguments = {}, [], []
        self.moved = 1 + max(map(int, re.findall(r"%moved([0-9]+)", text)), default=-1)
        self.name, self.returned, self.end, self.arg_attrs = "", [], "", []
        for line in text.splitlines():
            self._read(line)
        self._check()

    def _read(self, line):
        bare = line.strip()
        if match := ALIAS.match(line):
            self.aliases[match[1]] = match[2]
        elif match := HEADER.match(line):
            self.name = match[1]
            self.arguments = split(match[2][: closing(match[2])])
        elif match := GENERIC_HEADER.match(line):
            entries = dict(part.split(" = ", 1) for part in split(match[1]))
            self.name = entries["sym_name"].strip('"')
            self.arg_attrs = split(entries.get("arg_attrs", "[]")[1:-1])
        elif match := LABEL.match(line):
            self.arguments = split(match[1])
        elif match := RETURN.match(line):
            self.returned, self.end = split(match[1]), match[2] or ""
        elif bare and not bare.startswith(("module", '"builtin.module"', "}", "//")):
            self.ops.append(Operation(line))

    def _check(self):
        seen = {argument.partition(":")[0].strip() for argument in self.arguments}
        for op in self.ops:
            for operand in op.operands:
                if operand not in seen:
                    raise UsageError(f"error: use of undeclared SSA value name '{operand}'")
            if op.result in seen:
                raise UsageError(f"error: redefinition of SSA value '{op.result}'")
            seen.add(op.result)
        if not set(self.returned) <= seen:
            raise UsageError("error: use of undeclared SSA value name in return")

    def commute(self, most):
        """Move ops, with so many attempts allowed. Return the attempts, as the log of actions has them."""
        attempts = []
        for moving in [op for op in self.ops if op.name in LEAST_PASSED]:
            root = next((op for op in self.ops if op.result == moving.operands[0]), moving)
            attempts.append(f"CommuteUpwards ({str(root).strip()})")
            if len(attempts) <= most:
                self._move(moving)
        return attempts

    def _move(self, moving):
        definer = {op.result: op for op in self.ops}
        uses = [operand for op in self.ops for operand in op.operands] + self.returned
        passed, value = [], moving.operands[0]
        while (op := definer.get(value)) is not None and uses.count(value) == 1:
            passed.append(op)
            if op.name not in UNARY:
                break
            value = op.operands[0]
        if len(passed) < LEAST_PASSED[moving.name] or passed[-1].name not in BINARY:
            return
        top = passed[-1]
        sources = [definer.get(operand) for operand in top.operands]
        if set(top.types) != {moving.types[0]} or not any(
            one and one.name == "ttir.broadcast" for one in sources
        ):
            return
        place = self.ops.index(top)
        copies = [moving.copy(f"%moved{self.moved + k}", operand) for k, operand in enumerate(top.operands)]
        self.moved += len(copies)
        top.operands = [copy.result for copy in copies]
        self.ops[place:place] = copies
        for op in passed:
            op.types, op.type = [moving.type] * len(op.types), moving.type
        self.ops.remove(moving)
        for op in self.ops:
            op.operands = [passed[0].result if one == moving.result else one for one in op.operands]
        self.returned = [passed[0].result if one == moving.result else one for one in self.returned]

    def text(self, flags):
        """Return the program as the flags ask for."""
        parts = [name_type_and_rest(argument) for argument in self.arguments]
        types = {name: type_ for name, type_, _, _ in parts} | {op.result: op.type for op in self.ops}
        returned = ", ".join(types[value] for value in self.returned)
        attributes = self.arg_attrs or [attribute for _, _, attribute, _ in parts]
        if GENERIC in flags:
            inputs = ", ".join(type_ for _, type_, _, _ in parts)
            dictionaries = ", ".join(one or "{}" for one in attributes)
            given = f"arg_attrs = [{dictionaries}], " if any(attributes) else ""
            label = ", ".join(f"{name}: {type_}{location}" for name, type_, _, location in parts)
            typed = f'{given}function_type = ({inputs}) -> ({returned}), sym_name = "{self.name}"'
            head = f'"builtin.module"() ({{\n  "func.func"() <{{{typed}}}> ({{\n  ^bb0({label}):\n'
            end = f'    "func.return"({", ".join(self.returned)}) : ({returned}) -> (){self.end}\n'
            end += "  }) : () -> ()\n}) : () -> ()\n"
        else:
            shown = zip(parts, attributes, strict=False)
            label = ", ".join(
                f"{name}: {type_}{' ' + one if one and one != '{}' else ''}{location}"
                for (name, type_, _, location), one in shown
            )
            arrow = f" -> ({returned})" if self.returned else ""
            head = f"module {{\n  func.func @{self.name}({label}){arrow} {{\n"
            values = f" {', '.join(self.returned)} : {returned}" if self.returned else ""
            end = f"    return{values}{self.end}\n  }}\n}}\n"
        body = head + "".join(f"{op}\n" for op in self.ops) + end
        if LOCAL in flags:
            return self._inline(body)
        return "".join(f"{name} = {value}\n" for name, value in self.aliases.items()) + body

    def _inline(self, text):
        inside = {name: value[4:-1] for name, value in self.aliases.items() if value.startswith("loc(")}
        names = re.compile(r"#[\w$.]+")
        while any(match[0] in inside for match in names.finditer(text)):
            text = names.sub(lambda match: inside.get(match[0], match[0]), text)
        return text


def closing(text):
    """Return where the bracket closes that is open before a text."""
    depth = 1
    for place, char in enumerate(text):
        depth += (char in OPENINGS) - (char in CLOSINGS and text[place - 1 : place + 1] != "->")
        if not depth:
            return place
    raise UsageError("error: expected ')'")


def name_type_and_rest(argument):
    """Return the name, type, attributes and location of an argument."""
    name, _, rest = argument.partition(":")
    rest, _, location = rest.strip().partition(" loc(")
    type_, _, attributes = rest.partition(" {")
    return name, type_, attributes and "{" + attributes, location and " loc(" + location


def run(command):
    """Print what the compiler does."""
    program = Program(recorded.read(command.input).decode())
    before = program.text(command.flags)
    runs = PASS in command.flags and command.counts.get(PASSES) != 0
    allowed = command.counts.get(APPLIED, sys.maxsize)
    attempts = program.commute(sys.maxsize if command.log else allowed) if runs else []
    after = program.text(command.flags)
    if DUMP_PIPELINE in command.flags:
        recorded.tell(f"Pass Manager with 1 passes:\nbuiltin.module({PASS}{{}})\n\n")
    if command.log is not None:
        lines = [f"[thread] begins Action `apply-pattern pattern: {attempt}`\n" for attempt in attempts]
        recorded.write(command.log, "".join(lines).encode())
    for when, shown in (("Before", before), ("After", after)):
        if runs and DUMP_FLAGS[when] in command.flags:
            recorded.tell(f"// -----// IR Dump {when} TTIREraseInverseOps ({PASS}) //----- //\n{shown}\n\n")
    if PRINT_COUNTERS in command.flags:
        tried = len(attempts)
        recorded.tell(f"DebugCounter counters:\n{'apply-pattern':<32}: {{{tried},0,{min(allowed, tried)}}}\n")
    recorded.write(command.output, after.encode())


def main():
    """Run the command line."""
    recorded.FLAGS |= {GENERIC, LOCAL}
    try:
        if "--help" in sys.argv[1:]:
            recorded.write("-", (__doc__ or "").encode())
        else:
            run(recorded.Command(os.path.basename(sys.argv[0]), sys.argv[1:]))
    except (UsageError, OSError) as error:
        recorded.tell(f"{error if isinstance(error, UsageError) else f'error: {error}'}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
