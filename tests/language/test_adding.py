"""Adding a primitive as docs/adding-a-primitive.md says, on a copy: three files by hand, the rest is made."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding-a-primitive.md"
USE = """
from arcbatt.compiler.graph import merge
from arcbatt.compiler.lower.lower import lower
from arcbatt.compiler.lower.variants import VARIANTS
from arcbatt.compiler.pipeline import compile_graph
from arcbatt.language.reference import call
from arcbatt.syntax import parse_program

assert (call("triple", 5), call("triple", (1, -2))) == (15, (3, -6))
program = parse_program("def solve_a(I):\\n    return apply(triple, totuple(palette(I)))\\n")
code = lower(compile_graph(merge([program])).graph)
assert not code.rejected
assert any(VARIANTS[word].name == "triple" for word in code.words if word < len(VARIANTS))
"""
CALLS = """
#include "dynamic/language.h"
#include "ops/numbers.h"
using namespace arcbatt;
using Number = Status (*)(Ctx&, i32, i32&);
using Pair = Status (*)(Ctx&, IJ, IJ&);
Number number = op::triple;
Pair pair = op::triple;
bool known = dynamic::standard_ops().count("triple");
"""


def additions() -> dict[str, list[tuple[str, str]]]:
    """What the page adds for a plain primitive: of each file, pieces of text and the lines they stand before."""
    plain = PAGE.read_text(encoding="utf-8").split("\n## ")[1]
    pieces = re.findall(r"In `([^`]+)`, before `([^`]+)`:\n\n```\w+\n(.*?)```", plain, re.DOTALL)
    files: dict[str, list[tuple[str, str]]] = {}
    for file, before, text in pieces:
        files.setdefault(file, []).append((before, text))
    return files


@pytest.fixture
def copy(tmp_path):
    for folder in ("src", "tools", "docs"):
        ignored = shutil.ignore_patterns("__pycache__", "*.so", "solvers", "*.png", "*.svg")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    for file, pieces in additions().items():
        path = tmp_path / "src" / "arcbatt" / file
        text = path.read_text(encoding="utf-8")
        for before, piece in pieces:
            assert text.count(f"\n{before}") == 1, (file, before)
            text = text.replace(f"\n{before}", f"\n{piece}{before}")
        path.write_text(text, encoding="utf-8")
    return tmp_path


def python(copy: Path, *arguments: str) -> None:
    # -S: without the editable install, which stands before any path.
    paths = [str(copy / "src"), sysconfig.get_path("purelib")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    subprocess.run([sys.executable, "-S", *arguments], cwd=copy, env=environment, check=True)


def test_three_files_by_hand_for_a_plain_primitive(copy):
    by_hand = {"language/primitives/numbers.py", "native/dynamic/numbers.h", "native/ops/numbers.h"}
    assert set(additions()) == by_hand
    python(copy, "-c", USE)
    python(copy, "tools/generate_native.py")
    python(copy, "tools/generate_docs.py")
    native = copy / "src" / "arcbatt" / "native"
    header = (native / "abi.h").read_text(encoding="utf-8")
    rows = re.findall(r"triple, (\w+), (\w+)\)", header[header.index("AB_VARIANTS(") : header.index("AB_SCALARS(")])
    assert rows == [("i32", "i32"), ("IJ", "IJ")]
    assert "| `triple(n)` | `Num -> Num` | Three times the number. | limit |" in (copy / "docs" / "ops.md").read_text()
    (copy / "calls.cpp").write_text(CALLS, encoding="utf-8")
    compiler = os.environ.get("CXX", "c++").split()
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{native}"]
    subprocess.run([*compiler, *flags, "calls.cpp"], cwd=copy, check=True)
