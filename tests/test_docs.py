"""What the docs show is what happens."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from arcbatt.frontend import parse_text

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_console_example_of_the_readme():
    block = re.search(r"```console\n\$ (.*?)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    command = shlex.split(block[1])
    assert command[0] == "arcbatt"
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=True)
    assert done.stdout == block[2]


def test_the_python_example_of_the_engine_page():
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "engine.md").read_text(), re.DOTALL)
    scope: dict = {}
    exec(block[1], scope)
    assert scope["outputs"].hashes.shape == (len(scope["samples"]), len(scope["library"]()))
    assert len(scope["values"]) == len(scope["library"]())


def test_the_program_of_the_language_page():
    text = (ROOT / "docs" / "language.md").read_text()
    program = re.search(r"(    def solve_.*?\n)\n", text, re.DOTALL)[1]
    assert not parse_text("\n".join(line[4:] for line in program.splitlines())).errors


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target
