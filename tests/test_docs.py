"""What the docs show is what happens."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from arcbatt.batt import make_card, write_batt
from arcbatt.batt.differs import standard_differs
from arcbatt.language.table import current
from arcbatt.runs.options import RunOptions
from arcbatt.scoring.submission import check_submission
from arcbatt.solvers import library
from arcbatt.syntax import parse_text
from arcbatt.syntax.dialect import read_dialect

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]


@pytest.mark.parametrize("page", ["README.md", "docs/tasks.md", "docs/index.md", "docs/first-steps.md"])
def test_the_console_example_of_a_page(page):
    text = (ROOT / page).read_text().replace("\\\n", "")
    block = re.search(r"```console\n\$ (.*?)\n(.*?)```", text, re.DOTALL)
    command = shlex.split(block[1])
    assert command[0] == "arcbatt"
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=True)
    assert done.stdout == block[2]


def test_the_console_example_of_the_report_page():
    text = (ROOT / "docs" / "report.md").read_text()
    block = re.search(r"```console\n\$ (.*?)\n(.*?)\.\.\.\n```", text, re.DOTALL)
    command = shlex.split(block[1])
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith(block[2])
    assert len(block[2]) > 200


def test_the_python_example_of_the_engine_page():
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "engine.md").read_text(), re.DOTALL)
    scope: dict = {}
    exec(block[1], scope)
    assert scope["outputs"].hashes.shape == (len(scope["samples"]), len(scope["library"]()))
    assert len(scope["values"]) == len(scope["library"]())


def test_the_python_examples_of_the_run_page(tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "run.md").read_text(), re.DOTALL)
    write_batt(make_card(library()[:5], standard_differs()), tmp_path / "batt.py")
    scope: dict = {"folder": tmp_path / "run", "batt_file": tmp_path / "batt.py"}
    for block in blocks:
        exec(block, scope)
    assert scope["solved"] == scope["tests"]
    assert {one.program for one in scope["near"]} < {one.program for one in scope["attempts"]}
    assert len(scope["lines"]) == len(scope["inputs"])


def test_the_python_examples_of_the_batches_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "batches.md").read_text(), re.DOTALL)
    scope: dict = {}
    for block in blocks:
        exec(block, scope)
    assert scope["plus"][0] == ((2, 1), (1, 3))
    assert scope["turned"][0] == scope["one"] == ((0, 1), (2, 0))
    assert len(scope["sizes"]) == 3
    assert list(scope["solved"])
    assert scope["numbers"] == [len(one.value) for one in scope["found"]]
    assert scope["matches"] >= 0
    assert "on the reference" in scope["report"]
    assert scope["filled"] == [((1, 5), (5, 2))]


def test_the_python_examples_of_the_gpu_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "gpu.md").read_text(), re.DOTALL)
    scope: dict = {}
    for block in blocks:
        exec(block, scope)
    assert scope["plus"][0] == ((2, 1), (1, 3))
    assert scope["turned"] == scope["shared"] == [((0, 1), (2, 0)), ((3,), (4,), (5,)), ((8, 6), (9, 7))]
    assert scope["where"][0] in ("cpu", "cuda")
    assert scope["solved"] == {"turn": ("turn",)}
    assert scope["answer"] == (((5,), (0,)),)
    assert scope["freed"] >= 0


def test_the_python_examples_of_the_devices_page():
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "devices.md").read_text(), re.DOTALL)
    scope: dict = {}
    for block in blocks:
        exec(block, scope)
    assert scope["outputs"].done.all()
    assert scope["size"] == 100


def test_every_test_the_seeds_page_names_is_there():
    text = (ROOT / "docs" / "seeds.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}" in (ROOT / file).read_text(), (file, test)


def test_the_options_of_the_run_page():
    rows = dict(re.findall(r"\| `(--[a-z-]+).*? \| (.*?) \|\n", (ROOT / "docs" / "run.md").read_text()))
    options = {RunOptions.flag(one.name): RunOptions.help(one.name) for one in fields(RunOptions)}
    del options["--slice-size"]
    assert {flag: text for flag, text in rows.items() if flag in options} == options


def test_the_python_example_of_the_tasks_page():
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "tasks.md").read_text(), re.DOTALL)
    scope: dict = {}
    exec(block[1], scope)
    assert scope["same"]
    assert len(scope["samples"]) == sum(len(task.samples) for task in scope["tasks"][:100])


def test_the_submission_of_the_submit_page():
    block = re.search(r"```json\n(.*?)```", (ROOT / "docs" / "submit.md").read_text(), re.DOTALL)
    assert check_submission(json.loads(block[1]), {"007bbfb7": 1})


def test_the_program_of_the_language_page():
    text = (ROOT / "docs" / "language.md").read_text()
    program = re.search(r"(    def solve_.*?\n)\n", text, re.DOTALL)[1]
    assert not parse_text("\n".join(line[4:] for line in program.splitlines())).errors


def test_the_dialect_of_the_dialects_page(tmp_path):
    block = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "dialects.md").read_text(), re.DOTALL)[1]
    (tmp_path / "mine.toml").write_text(block)
    text = "def task_a(I):\n    return paint_all(TEAL, crop(turn(I), corner(asindices(I), ZERO), THREES))\n"
    parsed = parse_text(text, dialect=read_dialect(tmp_path / "mine.toml"))
    assert [program.id for program in parsed.programs] == ["a"]


def test_the_page_for_models_fits_into_a_prompt():
    text = (ROOT / "docs" / "language-for-models.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    assert parse_text(program).check()
    pieces = re.findall(r"[A-Za-z]+|\d|[^\w\s]|_", text)  # more than any tokenizer makes of such text
    assert len(pieces) < 6000
    assert all(f"{name}(" in text for name in current().ops)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_links_of_the_readme_work_wherever_it_is_shown():
    text = (ROOT / "README.md").read_text()
    names = set(re.findall(r"\]\[([^\]]+)\]", text))
    targets = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE))
    assert names == targets.keys()
    for target in [*re.findall(r"\]\(([^)]+)\)", text), *targets.values()]:
        assert target.startswith("https://"), f"{target}: no relative link works on PyPI"
        if inside := re.fullmatch(re.escape(URLS["Source"]) + r"/(?:blob|tree)/main/(.+)", target):
            assert (ROOT / inside[1]).exists(), target


def test_the_addresses_of_the_project_are_those_of_its_metadata():
    site, citation = (ROOT / "mkdocs.yml").read_text(), (ROOT / "CITATION.cff").read_text()
    assert f"site_url: {URLS['Documentation']}\n" in site
    assert f"link: {URLS['Source']}\n" in site
    assert f'repository-code: "{URLS["Source"]}"\n' in citation
    assert f"<{URLS['Documentation']}>" in (ROOT / "README.md").read_text()


def test_every_page_is_in_the_menu_of_the_site():
    menu = re.findall(r"^ +- .*: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = [path.with_suffix(".md").name for path in (ROOT / "docs").iterdir() if path.suffix in (".md", ".ipynb")]
    assert sorted(menu) == sorted(pages)


def test_the_pages_of_the_site():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        site = importlib.import_module("site_pages")
    finally:
        sys.path.remove(str(ROOT / "tools"))
    text = "[a](../SECURITY.md) [b](../benchmarks/results#c) [c](run.md) [d](e-f.ipynb)"
    blob, tree = f"{URLS['Source']}/blob/main", f"{URLS['Source']}/tree/main"
    assert site.linked(text) == f"[a]({blob}/SECURITY.md) [b]({tree}/benchmarks/results#c) [c](run.md) [d](e-f.md)"
    html = {"output_type": "display_data", "data": {"text/html": ["<b>a\n", "b</b>"], "text/plain": "x"}}
    said = {"output_type": "stream", "text": ["\x1b[1mone\x1b[0m\n", "two\n"]}
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "text"]},
        {"cell_type": "code", "source": ["f('```')"], "outputs": [html, said]},
    ]
    assert site.notebook_page({"cells": cells}) == (
        "# Title\ntext\n\n````python\nf('```')\n````\n\n"
        '<div class="output"><b>a b</b></div>\n\n```text\none\ntwo\n```\n'
    )


def test_the_python_examples_of_the_recipes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "cookbook.md").read_text(), re.DOTALL):
        exec(block, scope)
    assert scope["solved"].keys() == {"67a3c6ac", "3c9b0459", "6150a2bd"}
    assert scope["answer"] == scope["task"].train[0].output
    assert scope["filled"] == tuple(tuple(cell or 3 for cell in row) for row in scope["grid"])
    assert scope["page"].exists()
    assert len(scope["table"]) > 0
    assert len(scope["mutants"]) == 100
    assert scope["score"].tasks_solved == 3
    assert scope["turned"][0] == tuple(zip(*reversed(scope["grids"][0]), strict=True))
    assert scope["submission"].keys() == {task.id for task in scope["share"]}


def test_the_python_examples_of_evolving():
    scope: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "evolve.md").read_text(), re.DOTALL):
        exec(block, scope)
    assert [one.number for one in scope["found"].generations] == [0, 1, 2]
    assert len(scope["programs"]) == 70


def test_the_dialect_of_the_recipes(tmp_path):
    block = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "cookbook.md").read_text(), re.DOTALL)[1]
    (tmp_path / "mine.toml").write_text(block)
    text = "def task_a(I):\n    return paint_all(EIGHT, turn(I))\n"
    assert parse_text(text, dialect=read_dialect(tmp_path / "mine.toml")).check()


def test_the_python_examples_of_the_first_steps():
    scope: dict = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "first-steps.md").read_text(), re.DOTALL):
        exec(block, scope)
    assert scope["run"].solved == {"67a3c6ac": ["67a3c6ac"]}


def test_every_extra_is_on_the_page_on_installing():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    table = re.findall(r"^\| (`.*?) \|", (ROOT / "docs" / "install.md").read_text(), re.MULTILINE)
    named = {name for cell in table for name in re.findall(r"`([\w-]+)`", cell)}
    assert named | {"cuda"} == extras.keys()


def test_the_python_examples_of_the_page_on_operations(tmp_path, monkeypatch):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "custom.md").read_text(), re.DOTALL)
    scope: dict = {}
    for block in blocks:
        exec(block, scope)
    assert scope["bright"] == ((2, 1, 3), (1, 1, 3))
    assert scope["filled"] == ((1, 5, 2), (5, 5, 2))
    assert scope["grown"] == [((1, 2, 2), (1, 2, 2)), ((3,),)]
    assert scope["over"] == [((1, 0), (0, 0), (2, 2))]
    assert set(scope["over"].ran) == {"cpu"}
    assert scope["said"].splitlines()[-1].endswith("      ^")


def test_the_python_example_of_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    scope: dict = {}
    exec(block[1], scope)
    assert scope["solved"] == {"67a3c6ac": ["67a3c6ac"]}
    assert scope["score"].tasks_solved >= 1


def test_the_python_example_of_the_submit_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "submit.md").read_text(), re.DOTALL)
    scope: dict = {}
    exec(block[1], scope)
    assert scope["found"].tasks_solved == len(scope["tasks"])


def test_the_container_has_a_python_and_extras_that_there_are():
    text = (ROOT / "Dockerfile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pythons = set(re.findall(r"^FROM python:([\d.]+)-slim", text, re.MULTILINE))
    assert len(pythons) == 1
    assert f"Programming Language :: Python :: {pythons.pop()}" in project["classifiers"]
    given = re.findall(r"EXTRAS=(\S+)", text + (ROOT / "docs" / "install.md").read_text())
    assert {name for some in given for name in some.strip("`").split(",")} <= project["optional-dependencies"].keys()


def test_the_page_on_other_tools_counts_our_primitives():
    count = re.search(r"^(\d+) primitives, ", (ROOT / "docs" / "ops.md").read_text(), re.MULTILINE)[1]
    assert f"the [language](language.md), {count} primitives |" in (ROOT / "docs" / "compare.md").read_text()


def test_the_readme_and_the_metadata_name_the_same_pythons_and_systems():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    readme = (ROOT / "README.md").read_text()
    kinds = project["classifiers"]
    pythons = [
        one.rpartition(" ")[2] for one in kinds if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", one)
    ]
    assert f"Python {', '.join(pythons[:-1])} or {pythons[-1]}" in readme
    first, last = (int(one.partition(".")[2]) for one in (pythons[0], pythons[-1]))
    assert project["requires-python"] == f">=3.{first},<3.{last + 1}"
    assert "On Linux or macOS (Windows: in WSL)" in readme
    systems = {one for one in kinds if one.startswith("Operating System")}
    assert systems == {"Operating System :: POSIX :: Linux", "Operating System :: MacOS"}
    extras = project["optional-dependencies"]
    assert {"cuda12", "cuda13", "notebook", "watch", "ray"} <= set(extras)
    assert all("[ctk]" in one for name in ("cuda12", "cuda13") for one in extras[name])  # NVRTC comes with it
    assert re.search(r'option\(AB_EMULATED_LANES "[^"]*" OFF\)', (ROOT / "CMakeLists.txt").read_text())
