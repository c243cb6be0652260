from __future__ import annotations

import json
import subprocess
import sys

import pytest

from arcbatt.compiler.abi import VERSION_TEXT


def arcbatt(*args: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-m", "arcbatt", *args], capture_output=True, text=True, check=False)


def test_version_and_help():
    assert arcbatt("--version").stdout.startswith("arcbatt 0.")
    assert "verify" in arcbatt("--help").stdout


def test_verify_agrees(data):
    done = arcbatt("verify", "--vectors", str(data / "vectors.jsonl"))
    assert done.returncode == 0
    assert "vectors agree (python)" in done.stdout
    assert "power 5/5" in done.stdout


def test_verify_shows_differences_with_a_line_to_paste(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({"expr": "height(I)", "I": [[1, 2]], "out": 2}))
    done = arcbatt("verify", "--vectors", str(path))
    assert done.returncode == 1
    assert "height 0/1 <--" in done.stdout
    assert "expected 2\n  got      1\n  arcbatt eval 'height(I)' --grid '[[1,2]]'" in done.stdout
    assert "0 of 1 vectors agree" in done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["verify", "--vectors", "none.jsonl"], "cannot read vectors"),
        (["verify", "--vectors", "none.jsonl", "--backend", "abacus"], "no backend 'abacus'; there are: python, cpu"),
        (["eval", "frst(I)", "--grid", "[[1]]"], "did you mean 'first'?"),
        (["eval", "I"], "give the grid with --grid JSON or --id TASK"),
        (["eval", "I", "--grid", "[["], "--grid: not JSON"),
        (["eval", "I", "--grid", "[[1],[2,3]]"], "--grid: ragged"),
        (["eval", "I", "--task", "nope"], "no task 'nope'"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(args, message):
    done = arcbatt(*args)
    assert done.returncode == 2
    assert done.stderr.startswith("arcbatt: ")
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_eval():
    assert arcbatt("eval", "hmirror(I)", "--grid", "[[1,2],[3,4]]").stdout == "[[3, 4], [1, 2]]\n"
    assert arcbatt("eval", "palette(I)", "--task", "007bbfb7").stdout == '{"set": [0, 7]}\n'
    done = arcbatt("eval", "first(ofcolor(I, 9))", "--grid", "[[1]]")
    assert (done.returncode, done.stderr) == (1, "failed: empty in first, line 2: item 0 of 0\n")


def test_card_writes_bytecode_as_text(tmp_path):
    batt, code = tmp_path / "batt.py", tmp_path / "code.txt"
    done = arcbatt("card", "--count", "2", "--file", str(batt), "--code", str(code))
    assert done.returncode == 0
    assert f"{code}: " in done.stdout
    text = code.read_text()
    assert text.startswith(f"version {VERSION_TEXT}: ")
    assert "HALT" in text
