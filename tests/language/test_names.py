"""No primitive is known by its name outside its home: passes ask what its entry says."""

from __future__ import annotations

import ast
from pathlib import Path

import arcbatt
from arcbatt.language.table import STANDARD

SOURCE = Path(arcbatt.__file__).parent
HOMES = ("language/primitives/", "solvers/")
EXCEPTIONS = {
    "calls/primitives.py": "functions of the documents, each named after the primitive it calls",
    "compiler/abi.py": "a field of a struct named first",
    "compiler/cpp_names.py": "keywords of C++, two of which are primitives too",
    "compiler/typed.py": "a node of first-order form that is named power",
    "data/": "names of packed arrays: height, width",
    "devtools/bench/": "what is measured, and names of statistics",
    "devtools/profile.py": "a stage named merge",
    "engine/cpu.py": "names of arrays: height, width",
    "engine/dynamic.py": "names of arrays: height, width",
    "search/combiners/": "programs are written, with the primitives that turn a grid among them",
    "search/features.py": "the last tier of features",
    "engine/cuda/": "names of packed arrays, kernels and ways to decode text",
}
"""Files or folders where the word is there, and what it means."""


def literals(path: Path) -> list[str]:
    """Primitives whose names stand in a file as text, with their lines."""
    return [
        f"{node.value} in line {node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in STANDARD.ops
    ]


def found() -> dict[str, list[str]]:
    files = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    named = {name: literals(path) for name, path in files.items() if not name.startswith(HOMES)}
    return {name: words for name, words in named.items() if words}


def test_no_primitive_is_named_outside_its_home():
    assert {name: words for name, words in found().items() if not name.startswith(tuple(EXCEPTIONS))} == {}


def test_every_exception_is_needed():
    names = found()
    assert [where for where in EXCEPTIONS if not any(name.startswith(where) for name in names)] == []


def test_a_name_is_seen(tmp_path):
    file = tmp_path / "pass.py"
    file.write_text("if node.op == 'valmax':\n    pass\n")
    assert literals(file) == ["valmax in line 1"]
