"""Folders of whole repositories, and what is said of what was refused."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from arcbatt.syntax import parse_paths, parse_text
from arcbatt.syntax.problems import as_json, reasons, summary

GOOD = "def solve_{}(I):\n    return rot90(I)\n"


def repository(folder):
    """A folder as repositories are: solvers, a module of primitives, scripts, hidden folders."""
    (folder / "solvers").mkdir()
    (folder / "solvers" / "a.py").write_text(GOOD.format("a"))
    (folder / "solvers" / "solve_b.def").write_text("def solve(S, I):\n    return mir_rot_t(I, R2)\n")
    (folder / "dsl.py").write_text("import os\ndef rot90(grid):\n    return tuple(zip(*grid[::-1]))\n")
    (folder / "main.py").write_text("import dsl\nif __name__ == '__main__':\n    print(1)\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "hook.py").write_text(GOOD.format("hidden"))
    bad = "".join(f"def solve_x{n}(I):\n    return {{c: 1 for c in I}}\n" for n in range(40))
    worse = "".join(f"def solve_y{n}(I):\n    return foo{n}(I)\n" for n in range(30))
    (folder / "solvers" / "c.py").write_text(GOOD.format("c") + bad + worse)


def test_solver_files_are_picked_out_of_a_repository(tmp_path):
    repository(tmp_path)
    parsed = parse_paths([tmp_path])
    assert [program.name for program in parsed.programs] == ["solve_a", "solve_c", "solve_b"]
    assert (parsed.files, parsed.others, parsed.refused) == (3, 2, 70)
    assert parsed.dialects == {"arc-dsl": 2, "tokpidjin": 1}


def test_a_folder_of_odd_things(tmp_path):
    repository(tmp_path)
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop.def").symlink_to("loop.def")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    (tmp_path / "up").symlink_to("..")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "folder.py" / "d.py").write_text(GOOD.format("d"))
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(2500):  # beyond Python's recursion, and the length a path may have
        os.mkdir("d", dir_fd=deep)
        inner = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = inner
    os.close(deep)
    parsed = parse_paths([tmp_path])
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)  # which pytest's own tidying could not
    assert [program.name for program in parsed.programs] == ["solve_d", "solve_a", "solve_c", "solve_b"]
    odd = {Path(error.file).name: error.message for error in parsed.errors if not error.line}
    assert odd.pop("d") == "cannot read: File name too long"
    assert odd == dict.fromkeys(("pipe.py", "loop.def", "zero.py", "folder.py"), "cannot read: not a plain file")


def test_many_errors_are_a_few_lines(tmp_path):
    repository(tmp_path)
    lines = summary(parse_paths([tmp_path]))
    assert len(lines) <= 24
    assert lines[0].startswith("3 programs read, 70 refused, in 3 files; 2 files without a program")
    assert lines[1] == "  40 times: a dictionary is not legal here"
    assert "  30 times: unknown primitive or name ..." in lines
    assert any("c.py:4: a dictionary" in line for line in lines)


def test_few_errors_are_shown_whole():
    parsed = parse_text("def solve_a(I):\n    return objcts(I)\n" + GOOD.format("b"), "s.py")
    text = "\n".join(summary(parsed))
    assert "s.py:2: unknown primitive or name 'objcts'" in text
    assert "did you mean 'objects'?" in text
    assert "1 program read, 1 refused, in 1 file" in text
    assert summary(parse_text(GOOD.format("a"))) == []


def test_a_program_with_several_errors_is_refused_once():
    parsed = parse_text("def solve_a(I):\n    x = foo(I)\n    y = bar(I)\n    return I\nimport os\n")
    assert (len(parsed.errors), parsed.refused) == (3, 1)


def test_an_error_as_json():
    error = parse_text("def solve_a(I):\n    return objcts(I)\n", "s.py").errors[0]
    assert as_json(error) == {
        "file": "s.py",
        "line": 2,
        "column": 11,
        "reason": "unknown primitive or name 'objcts'",
        "text": "    return objcts(I)",
        "suggestion": "did you mean 'objects'?",
    }


def test_many_errors_end_in_how_often_each_reason_is_given():
    parsed = parse_text("".join(f"def solve_{n}(I):\n    return {{1: {n}}}\n" for n in range(5)))
    assert reasons(parsed.errors) == ["  5 times: a dictionary is not legal here"]
    assert reasons(parsed.errors[:2]) == []
