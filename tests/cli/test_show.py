from __future__ import annotations

import pytest

from arcbatt.cli import show
from arcbatt.cli.show import numbered_lines, show_task
from arcbatt.data.tasks import Task
from arcbatt.errors import UsageError
from arcbatt.support.text import did_you_mean
from arcbatt.syntax import parse_text


@pytest.fixture
def solvers(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "# a comment\ndef solve_007bbfb7(I):\n    x1 = upscale(I, THREE)\n    return x1\n\n\n"
        "def solve_fails(I):\n    x1 = ofcolor(I, NINE)\n    x2 = first(x1)\n    return canvas(ZERO, x2)\n"
    )
    return path


def test_a_task_alone(capsys):
    show_task("007bbfb7", "arcagi", None, [])
    out = capsys.readouterr().out
    assert out.startswith(
        "007bbfb7   5 demonstrations, 1 test\n\n"
        "demonstration 1\ninput 3 x 3   output 9 x 9\n0 7 7         0 0 0 0 7 7 0 7 7\n"
    )
    assert out.count("output") == 6
    assert "got" not in out


def test_a_program_of_the_library_matches(capsys):
    show_task("00d62c1b", "arcagi", "solve_00d62c1b", [])
    out = capsys.readouterr().out
    assert out.count("   match\n") == 6
    assert "def solve_00d62c1b(I):\n" in out
    assert out.endswith("00d62c1b: 5 of 5 demonstrations, 1 of 1 test right\n")


def test_differing_cells_are_marked(solvers, capsys):
    show_task("007bbfb7", "arcagi", None, [solvers])  # the program named for the task
    out = capsys.readouterr().out
    assert "demonstration 1   14 of 81 cells differ, at (row, column) (0, 3), (0, 6), (2, 3), (2, 6), ...\n" in out
    assert "0 7 7         0 0 0 0 7 7 0 7 7    0 0 0 7*7 7 7*7 7" in out
    assert f"{solvers}:2\n    2  def solve_007bbfb7(I):\n    3      x1 = upscale(I, THREE)\n" in out
    assert out.endswith("007bbfb7: 0 of 5 demonstrations, 0 of 1 test right\n")


def test_failures_name_reason_primitive_and_line(solvers, capsys):
    show_task("007bbfb7", "arcagi", "fails", [solvers])
    out = capsys.readouterr().out
    assert out.count("failed: empty in first, line 9: item 0 of 0\n") == 6
    assert "    9      x2 = first(x1)\n" in out


def test_hidden_outputs(monkeypatch, capsys):
    tasks = [Task("x", ((((1, 2),), ((2, 1),)),), ((((3, 4),), None),))]
    monkeypatch.setattr(show, "load_tasks", lambda dataset: tasks)
    show_task("x", "mine.json", "67a3c6ac", [])  # turns the grid from left to right
    out = capsys.readouterr().out
    assert "test 1   the expected output is hidden\ninput 1 x 2   expected (hidden)   got 1 x 2\n3 4" in out
    assert out.endswith("67a3c6ac: 1 of 1 demonstration, 0 of 1 test right, 1 hidden\n")


@pytest.mark.parametrize(
    ("task", "program", "message"),
    [
        ("007bbfb8", None, "no task '007bbfb8' in arcagi; did you mean '007bbfb7'?"),
        ("zzz", None, "no task 'zzz' in arcagi"),
        ("007bbfb7", "00d62c1", "did you mean '00d62c1b'"),
        ("007bbfb7", "zzz", "no program 'zzz' in the library"),
    ],
)
def test_unknown_names(task, program, message):
    with pytest.raises(UsageError) as caught:
        show_task(task, "arcagi", program, [])
    assert message in str(caught.value)


def test_did_you_mean_show_control_characters_harmlessly():
    assert did_you_mean("abcdef", ["abcde\x1b"]) == r"; did you mean 'abcde\x1b'?"
    assert did_you_mean("abcdef", ["zzz"]) == ""


def test_numbered_lines():
    program = parse_text("\n\ndef solve_a(I):\n    x1 = hmirror(I)\n\n    return vmirror(x1)\n").check()[0]
    assert numbered_lines(program) == [
        (3, "def solve_a(I):"),
        (4, "    x1 = hmirror(I)"),
        (6, "    return vmirror(x1)"),
    ]
