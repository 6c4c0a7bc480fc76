"""The command that was typed, with another choice."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eio_audit.cli.dump_choice import rerun


@pytest.mark.parametrize(
    ("typed", "options", "command"),
    [
        ("diff a.log", "--dump 3", "diff a.log --dump 3"),
        ("diff --dump 9 a.log", "--dump 3", "diff a.log --dump 3"),
        ("diff --dump=9 a.log", "--dump 3", "diff a.log --dump 3"),
        ("diff --pass p a.log --dump @f", "--dump 3", "diff --pass p a.log --dump 3"),
        ("diff --pass p a.log", "--pass q --dump 3", "diff a.log --pass q --dump 3"),
        ("explain a.log %5 -- ", "--dump 3", "explain a.log %5 --dump 3 --"),
        ("diff -- -a.log", "--dump 3", "diff --dump 3 -- -a.log"),
        ("diff 'a b.log'", "--pass 'c d'", "diff 'a b.log' --pass 'c d'"),
    ],
)
def test_the_options_replace_those_typed(typed: str, options: str, command: str) -> None:
    assert rerun(*shlex.split(options), words=shlex.split(typed)) == f"eio-audit {command}"


@given(st.lists(st.text(min_size=1).filter(lambda word: not word.startswith("-"))), st.text(min_size=1))
def test_a_shell_reads_the_same_words(words: list[str], value: str) -> None:
    assert shlex.split(rerun("--pass", value, words=words)) == ["eio-audit", *words, "--pass", value]
