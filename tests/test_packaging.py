"""What GitHub, PyPI and pip are told: it names what there is, for the Pythons and machines that the docs name."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in sorted((GITHUB / "workflows").glob("*.yml"))}
STEPS = [(name, step) for name, flow in WORKFLOWS.items() for job in flow["jobs"].values() for step in job["steps"]]
FORMS = [path for path in sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]
PYTHONS = [
    one.rpartition(" ")[2]
    for one in PROJECT["project"]["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", one)
]


def test_what_workflows_run_is_there():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = [step["run"] for _, step in STEPS if "run" in step]
    assert {target for one in commands for target in re.findall(r"\bmake ([\w-]+)", one)} == {
        "lint", "test", "docs-site",
    } <= targets  # fmt: skip
    named = {path for one in commands for path in re.findall(r"\b(?:tools|tests)/[\w/.]+", one)}
    assert named
    assert all((ROOT / path).exists() for path in named)


def test_actions_are_of_few_owners_and_have_versions():
    used = {step["uses"] for _, step in STEPS if "uses" in step}
    assert {one.partition("/")[0] for one in used} == {"actions", "pypa"}
    assert all(re.search(r"@(release/)?v\d+$", one) for one in used)
    assert len({one.partition("@")[0] for one in used}) == len(used), "one version of each"


def test_workflows_may_only_read_unless_a_job_says_otherwise():
    assert all(flow["permissions"] == {"contents": "read"} for flow in WORKFLOWS.values())
    publish = WORKFLOWS["release"]["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}  # PyPI's trusted publishing: no secret is kept
    assert "secrets." not in (GITHUB / "workflows" / "release.yml").read_text()
    assert [step["with"] for _, step in STEPS if "checkout" in step.get("uses", "")] == [
        {"persist-credentials": False}
    ] * sum("checkout" in step.get("uses", "") for _, step in STEPS)


def test_wheels_are_for_every_python_on_both_systems_and_processors():
    config = PROJECT["tool"]["cibuildwheel"]
    assert config["build"].split() == [f"cp{one.replace('.', '')}-*" for one in PYTHONS]
    assert config["linux"] == {f"manylinux-{one}-image": "manylinux_2_28" for one in ("x86_64", "aarch64")}
    machines = WORKFLOWS["release"]["jobs"]["wheels"]["strategy"]["matrix"]["os"]
    assert machines == ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15-intel", "macos-15"]
    tried = {one["python"] for one in WORKFLOWS["ci"]["jobs"]["install"]["strategy"]["matrix"]["include"]}
    assert tried | {"3.11"} == set(PYTHONS)
    assert "glibc 2.28" in (ROOT / "docs" / "install.md").read_text()


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_issue_forms(form):
    data = yaml.safe_load(form.read_text())
    assert {"name", "description", "body"} <= data.keys()
    parts = [part for part in data["body"] if part["type"] != "markdown"]
    assert parts
    assert len({part["id"] for part in parts}) == len(parts)
    assert all(part["attributes"]["label"] for part in parts)


def test_hooks_before_commits_call_tools_that_there_are():
    hooks = [hook for repo in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
             for hook in repo["hooks"]]  # fmt: skip
    tools = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
    wanted = {re.split(r"[\[>]", one)[0] for one in PROJECT["project"]["optional-dependencies"]["dev"]}
    assert tools <= wanted | {"python"}
    scripts = {word for hook in hooks for word in hook["entry"].split() if word.startswith("tools/")}
    assert all((ROOT / one).is_file() for one in scripts)


def test_a_citation_is_of_this_project():
    data = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= data.keys()
    assert data["license"] == PROJECT["project"]["license"]
    assert data["repository-code"] == PROJECT["project"]["urls"]["Source"]
