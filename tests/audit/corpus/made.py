"""Corpora for tests: a text for each file, and what a check of them gives."""

from __future__ import annotations

from collections.abc import Mapping

from eio_audit import Check, Gate, InputError, Verdict, check, read_text
from eio_audit.audit.corpus.models import models_of
from tests.internals import LogFindings, judge


def judged_corpus(texts: Mapping[str, str], gate: Gate | None = None, folder: str = "corpus") -> Verdict:
    """The verdict on files of a folder, by their paths in it. A text without IR is a file that is broken."""
    gate = gate or Gate()
    findings = LogFindings(gate.rules)
    paths = {f"{folder}/{path}": text for path, text in texts.items()}
    dumps = [dump for path, text in paths.items() for dump in read_text(text, path)]
    result = check(dumps, visit=findings.add)
    broken = [InputError(path, None, "it is broken") for path, text in paths.items() if not text]
    models = models_of((folder, path) for path in paths)
    return judge(Check(result.dumps, (*broken, *result.errors), models), findings.findings, gate)
