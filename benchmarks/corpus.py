"""Writes a corpus of many models as a compiler's nightly run leaves it: a folder per model, a dump per pass.

    python benchmarks/corpus.py FOLDER --files 2000

The models are those of the logs in ``sample_irs/``, over and over, with another name each: their ops carry it
in their locations, so no two models have a dump in common. The same arguments give the same bytes.
"""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

from eio_audit import Dump, read

SAMPLES = Path(__file__).resolve().parent.parent / "sample_irs"
LOGS = ("resnet/all_passes_alias.log", "encoder/all_passes_inline.log", "small/all_passes_alias.log")
MODEL = re.compile(rb'("DEBUG\|-?[0-9]+\|\w+\[)')
"""Before the name of the outermost module in a location."""


def model_dumps(log: Path) -> list[Dump]:
    """The dumps of the whole module after each pass."""
    dumps = [dump for dump in read(log) if dump.marker and dump.marker.when == "after"]
    return [dump for dump in dumps if b"func.func" in dump.text]


def corpus(files: int) -> Iterator[tuple[str, bytes]]:
    """The path of each file in the corpus, and its text."""
    logs = [model_dumps(SAMPLES / log) for log in LOGS]
    left = files
    for number, dumps in enumerate(itertools.cycle(logs)):
        model = f"model_{number:04}"
        for place, dump in enumerate(dumps):
            if not left:
                return
            assert dump.marker is not None
            text = MODEL.sub(rb"\g<1>%b." % model.encode(), dump.text)
            yield f"{model}/{place}_{dump.marker.pass_name}.mlir", text.lstrip(b"\n")
            left -= 1


def write_corpus(folder: Path, files: int) -> None:
    """Writes so many files into a folder."""
    for path, text in corpus(files):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=2_000)
    options = parser.parse_args()
    write_corpus(options.folder, options.files)


if __name__ == "__main__":
    main()
