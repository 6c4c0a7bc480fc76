"""A tiny compiler with MLIR's options, whose pass renames one op with each of eight attempts of a pattern.

    misbehaving_compiler.py HOW [FLAGS]

HOW says what is wrong with it, in the words below, or that nothing is. A compiler that hangs first writes its
process's number into a file. ``hangs at 5``, ``crashes at 5`` and ``fails at 5`` are what it does once it has
tried the pattern so often, and ``never ends`` is that it tries the pattern again and again.

It starts hundreds of times, so it imports little.
"""

from __future__ import annotations

import os
import sys
import time

ATTEMPTS = 8
COUNT = "--mlir-debug-counter=apply-pattern-skip=0,apply-pattern-count="
HOW, FLAGS = (sys.argv[1], sys.argv[2:]) if __name__ == "__main__" else ("", [])


def program(renamed: int) -> str:
    """Return the program after so many attempts."""
    if HOW == "changes nothing":
        renamed = 0
    ops = [
        f'  %{n} = "my.{"new" if n < renamed else "old"}"() {{number = {n} : i32}} : () -> i32\n'
        for n in range(ATTEMPTS)
    ]
    if HOW == "differs" or (
        HOW == "differs halfway" and 0 < renamed < ATTEMPTS
    ):  # each run prints something else
        ops.append(f'  "my.run"() {{number = {os.getpid()}}} : () -> ()\n')
    return f"func.func @f() {{\n{''.join(ops)}  return\n}}\n"


def say(text: str) -> None:
    sys.stderr.write(text)


def fail(how: str) -> None:
    """Hang, crash, or fail."""
    if how == "crashes":
        os.abort()
    if how == "fails":
        say("error: this is too much\n")
        sys.exit(1)
    time.sleep(60)


def main() -> None:
    counts = [int(one.removeprefix(COUNT)) for one in FLAGS if one.startswith(COUNT)]
    if HOW == "needs all" and counts and counts[0] < ATTEMPTS:
        say("error: failed to legalize operation\n")
        sys.exit(1)
    if HOW == "crashes" and counts == [2]:
        os.abort()
    is_logging = any(one.startswith("--log-actions-to=") for one in FLAGS)
    hangs = (
        HOW.startswith("hangs logging ") if is_logging else HOW.startswith("hangs halving ") and counts == [2]
    )
    if hangs:
        with open(HOW.split()[2], "w") as file:  # noqa: PTH123
            file.write(str(os.getpid()))
        time.sleep(60)
    if HOW == "knows no counter" and counts:
        say("compiler: Unknown command line argument '--mlir-debug-counter=x'.  Try: '--help'\n")
        sys.exit(1)
    renamed = min(counts[0], ATTEMPTS) if counts else ATTEMPTS
    if HOW == "counts otherwise" and counts:  # all attempts allowed, it prints something else
        renamed = min(renamed, ATTEMPTS - 1)
    how, _, at = HOW.partition(" at ")
    is_endless = HOW == "never ends" and not counts
    fails = bool(at) and renamed >= int(at)
    for one in FLAGS:
        if one.startswith("--log-actions-to=") and HOW != "logs nothing":
            with open(one.partition("=")[2], "w") as file:  # noqa: PTH123
                for number in range(2000 if is_endless else int(at) if fails else ATTEMPTS):
                    root = f'(%{number} = "my.old"() : () -> i32 loc("a.py":{number + 1}:1))'
                    file.write(
                        f"[thread x] begins (no breakpoint) Action `apply-pattern pattern: ns::Rename {root}`\n"
                    )
    for when, text in (("Before", program(0)), ("After", program(renamed))):
        if when == "After" and (fails or is_endless):
            fail(how)
        if f"--mlir-print-ir-{when.lower()}-all" in FLAGS:
            say(f"// -----// IR Dump {when} Rename (rename) //----- //\n{text}\n\n")
    if "--mlir-print-debug-counter" in FLAGS and HOW != "tells no count":
        say(f"DebugCounter counters:\napply-pattern                   : {{{ATTEMPTS},0,{renamed}}}\n")


if __name__ == "__main__":
    main()
