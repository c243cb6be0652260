from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def arcbatt(*args: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "arcbatt", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_check_as_text_and_as_json(tmp_path):
    file = tmp_path / "s.py"
    file.write_text("def solve_a(I):\n    return objcts(I)\ndef solve_b(I):\n    return I\n")
    done = arcbatt("check", file)
    assert done.returncode == 1
    assert "did you mean 'objects'?" in done.stdout
    assert "1 program read, 1 refused" in done.stdout
    found = json.loads(arcbatt("check", file, "--json").stdout)
    assert found["programs"] == ["solve_b"]
    assert found["refused"] == 1
    assert [(one["line"], one["suggestion"]) for one in found["problems"]] == [(2, "did you mean 'objects'?")]
    file.write_text("def solve_b(I):\n    return I\n")
    assert arcbatt("check", file).returncode == 0


def test_dialects_are_listed_and_named(tmp_path):
    assert "tokpidjin" in arcbatt("dialects").stdout
    file = tmp_path / "s.py"
    file.write_text("def solve_a(S, I):\n    return mir_rot_t(I, R2)\n")
    assert arcbatt("check", file, "--dialect", "tokpidjin").returncode == 0
    assert "unknown primitive or name 'mir_rot_t'" in arcbatt("check", file, "--dialect", "arc-dsl").stdout
    done = arcbatt("check", file, "--dialect", "nope")
    assert (done.returncode, "no dialect 'nope'" in done.stderr) == (2, True)


def test_what_is_refused_is_counted_written_and_with_strict_an_error(tmp_path):
    solvers, batt, errors = tmp_path / "s.py", tmp_path / "batt.py", tmp_path / "errors.txt"
    bad = "".join(f"def solve_{n}(I):\n    return foo{n}(I)\n" for n in range(50))
    solvers.write_text(f"{bad}def solve_a(I):\n    return rot90(I)\n")
    done = arcbatt("card", "--solvers", solvers, "-f", batt, "--errors", errors)
    assert done.returncode == 0
    assert "1 program read, 50 refused" in done.stderr
    assert len(done.stderr.splitlines()) < 24
    assert errors.read_text().count("unknown primitive") == 50
    done = arcbatt("card", "--solvers", solvers, "-f", batt, "--strict")
    assert (done.returncode, "with --strict no program may be refused" in done.stderr) == (2, True)
    odd = os.fsencode(tmp_path) + b"/\xff\n.py"
    Path(os.fsdecode(odd)).write_text(bad)
    done = arcbatt(
        "card", "--solvers", solvers, "--solvers", os.fsdecode(odd), "-f", batt, "--force", "--errors", errors
    )
    assert done.returncode == 0
    assert errors.read_text().count("/\\udcff\\n.py:") == 50
    solvers.write_text(bad)
    done = arcbatt("card", "--solvers", solvers, "-f", batt)
    assert done.returncode == 2
    assert "no program could be read\n0 programs read, 50 refused" in done.stderr
