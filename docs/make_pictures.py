"""Makes the pictures in docs/pictures from what the commands print and write.

    python docs/make_pictures.py

A terminal is what a command prints to a pseudo terminal, drawn by rich. A dataflow graph is what
``eio-audit graph`` writes. A page is photographed by Chromium; where there is none, pages keep the pictures
they have.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"

RESNET = "sample_irs/resnet/after_alias.mlir"
TERMINALS = {
    "check.svg": f"check {RESNET}",
    "trace.svg": "trace sample_irs/resnet/all_passes_alias.log",
}
GRAPHS = {"around_106.svg": f"graph {RESNET} --around %106 --format svg"}
PAGES = {
    "passes.webp": ("trace sample_irs/mlir_opt/passes.log --format html", "#pass-2", "1300,860"),
}
"""By picture, the command, the part of its page that is shown, and the size in pixels."""

COLUMNS = 100
LOADING_MS = 8000
"""How long, in its own time, a page may take to show what is in it."""
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def screen(command: str) -> Text:
    """What a terminal shows of a command: its line and what it prints to standard output, in colour."""
    reader, terminal = pty.openpty()
    variables = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        _eio_audit(command),
        cwd=ROOT,
        env={
            **variables,
            "COLUMNS": str(COLUMNS),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
            "PAGER": "cat",
            "PYTHONUTF8": "1",
        },
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.DEVNULL,  # on a terminal it shows progress, where the machine is slow
    )
    os.close(terminal)
    printed = _read_to_the_end(reader)
    process.wait()
    return Text.from_ansi(f"$ eio-audit {command}\n{printed.decode()}".replace("\r\n", "\n").rstrip())


def _eio_audit(command: str) -> list[str]:
    return [sys.executable, "-m", "eio_audit", *command.split()]


def _read_to_the_end(reader: int) -> bytes:
    printed = b""
    while True:
        try:
            part = os.read(reader, 1 << 16)
        except OSError:  # Linux says so when nobody is left to write
            part = b""
        if not part:
            os.close(reader)
            return printed
        printed += part


def drawn(shown: Text) -> str:
    """A screen as SVG; it asks for no font from elsewhere."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(shown)
    svg = console.export_svg(title="", unique_id="terminal")
    return re.sub(r"@font-face {[^}]*}\s*", "", svg)


def graph(command: str) -> str:
    """What a command writes to standard output."""
    return subprocess.run(_eio_audit(command), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def photograph(chromium: str, command: str, part: str, pixels: str, picture: Path) -> None:
    """Takes a picture of the page that a command writes, as a link to a part of it shows it."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        subprocess.run([*_eio_audit(command), "-o", str(page)], cwd=ROOT, check=False)  # 1 for findings
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={pixels}"]
        options.append(f"--virtual-time-budget={LOADING_MS}")
        subprocess.run(
            [chromium, *options, f"--screenshot={picture}", page.as_uri() + part],
            stderr=subprocess.DEVNULL,
            check=True,
        )


def main() -> None:
    """Makes all pictures, or all but those of pages."""
    PICTURES.mkdir(exist_ok=True)
    for name, command in TERMINALS.items():
        (PICTURES / name).write_text(drawn(screen(command)))
    for name, command in GRAPHS.items():
        (PICTURES / name).write_text(graph(command))
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        sys.exit(f"no Chromium on the path: {', '.join(PAGES)} is left as it was")
    for name, (command, part, pixels) in PAGES.items():
        photograph(chromium, command, part, pixels, PICTURES / name)


if __name__ == "__main__":
    main()
