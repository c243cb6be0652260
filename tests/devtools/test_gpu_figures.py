"""The script that measures all of a GPU in one call: a part that hangs or fails costs only itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "gpu_figures.py"
ASIDE = """
import runpy, sys
sys.argv = sys.argv[1:]
tool = runpy.run_path(sys.argv[0], run_name="tool")
Part, python = tool["Part"], sys.executable
some = [
    Part("hangs", 1.5, (python, "-c", "import time; print('| begun', flush=True); time.sleep(600)")),
    Part("fails", 60, (python, "-c", "raise SystemExit(3)")),
    Part("is not there", 60, ("/no/such/program",)),
    Part("works", 60, (python, "-c", "print('all is well')")),
]
tool["main"].__globals__["parts"] = lambda options: iter(some)
tool["main"]()
"""


def test_every_part_has_its_own_end(tmp_path):
    given = [str(TOOL), "--out", str(tmp_path / "out"), "--work", str(tmp_path / "work")]
    found = subprocess.run([sys.executable, "-c", ASIDE, *given], capture_output=True, text=True, check=True).stdout
    table = [line for line in found.split("| part |")[-1].splitlines() if line.startswith("| ")]
    outcomes = [line.split("|")[3].strip() for line in table]
    assert outcomes[:2] == ["ended after its 2 s", "exit status 3"]
    assert outcomes[2].startswith("not run: ")
    assert outcomes[3] == "done"
    assert "| begun" in found
    assert "all is well" in (tmp_path / "out" / "figures.txt").read_text(encoding="utf-8")
    assert set(json.loads((tmp_path / "out" / "figures.json").read_text())) == {
        "hangs",
        "fails",
        "is not there",
        "works",
    }
