"""The page of examples: its programs solve their tasks, and every task has its picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arcbatt.data.tasks import load_tasks
from arcbatt.devtools.bench.search import kept
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.syntax.api import parse

DOCS = Path(__file__).parents[2] / "docs"
SOLVED, UNSOLVED = (DOCS / "search-examples.md").read_text().split("## Not solved")
PROGRAMS = re.findall(r"### (\w+):.*?```python\n(.*?)```", SOLVED, re.DOTALL)


def test_there_are_ten_of_each_with_a_picture_and_none_that_is_kept_aside():
    seen = {task.id for task in kept("arcagi:training", aside=False, every=1)}
    for part in (SOLVED, UNSOLVED):
        ids = re.findall(r"^### (\w+):", part, re.MULTILINE)
        assert len(ids) == 10
        assert ids == re.findall(r"!\[(\w+)\]\(search-examples/\1\.svg\)", part)
        assert set(ids) <= seen
        assert all((DOCS / "search-examples" / f"{one}.svg").is_file() for one in ids)


@pytest.mark.parametrize(("key", "text"), [pair for pair in PROGRAMS if "..." not in pair[1]])
def test_a_program_solves_its_task(key, text):
    (program,) = parse(text)
    for given, wanted in load_tasks("arcagi:training")[key].train + load_tasks("arcagi:training")[key].test:
        assert evaluate(program, Sample(given, (), None)) == wanted
