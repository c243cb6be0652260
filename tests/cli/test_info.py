"""`arcbatt info`, as a process without a GPU, and its text for a machine that has some."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from arcbatt import __version__
from arcbatt.cli.app import app
from arcbatt.cli.info import lines, print_info
from arcbatt.engine.speeds import Speed, record_speeds
from engine import fake_cupy


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path))
    return tmp_path


def info(*args):
    code = "import sys; sys.modules['cupy'] = None; from arcbatt.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, "info", *args], capture_output=True, text=True, check=False, env=os.environ
    )


def test_without_a_gpu(cache):
    done = info()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"arcbatt {__version__}")
    assert "no GPU: cupy is not installed; pip install 'arcbatt[cuda]'" in done.stdout
    assert "speeds: not measured here yet; arcbatt info --measure does" in done.stdout
    refused = info("--compile")
    assert refused.returncode == 2
    assert "no GPU to compile for" in refused.stderr


def test_measured(cache):
    done = info("--measure", "--json")
    assert done.returncode == 0, done.stderr
    assert "measuring cpu" in done.stderr
    facts = json.loads(done.stdout)
    assert facts["speeds"]["cpu"]["rate"] > 0
    assert facts["crossovers"] == facts["gpus"] == []
    again = info()
    assert "crossovers: none, there is one engine" in again.stdout


def test_with_gpus(cache, monkeypatch, capsys):
    fake_cupy.install(monkeypatch, free=1 << 30, count=2)
    record_speeds({"cpu": Speed(0.5, 1e5, "today"), "cuda": Speed(3.0, 1e6), "cuda on 2 GPUs": Speed(6.0, 9e5)})
    print_info(False, False, False)
    shown = capsys.readouterr().out
    assert "NVIDIA driver:" in shown
    assert "GPU 1: NVIDIA H200 (Hopper), compute capability 9.0, 2.0 GiB, 1.0 GiB free" in shown
    assert "kernels compile when they are first used; arcbatt info --compile does it ahead" in shown
    assert "cpu: 100,000 evaluations/s, 0.50 s to start (measured today)" in shown
    assert "cuda is faster than cpu from 277,778 evaluations on" in shown
    assert "cuda on 2 GPUs is never faster than cuda" in shown
    print_info(False, False, True)
    facts = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in facts["gpus"]] == ["H200", "H200"]
    facts["gpus"][0] |= {"supported": False, "capability": [3, 7]}
    facts["gpus"][1]["kernel"] = "kernels-sm90.zip"
    text = "\n".join(lines(facts))
    assert "compute capability 3.7, 2.0 GiB, 1.0 GiB free; not supported: compute capability 6.0 is the least" in text
    assert "kernels compiled ahead: kernels-sm90.zip" in text


def test_cubins_for_gpus_that_are_elsewhere(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(
        "arcbatt.engine.waves.ahead.compile_ahead", lambda _, *args, **__: asked.append(args) or [tmp_path]
    )
    monkeypatch.setattr("arcbatt.engine.waves.ahead.kernels_of", list)
    done = CliRunner().invoke(app, ["info", "--compile", "--arch", "75", "--arch", "90", "--out", str(tmp_path)])
    assert done.stdout == f"{tmp_path}\n"
    assert asked == [([75, 90], tmp_path)]
    for wrong, words in ((["--arch", "75"], "go with --compile"), (["--compile", "--out", "x"], "needs --arch")):
        assert words in str(CliRunner().invoke(app, ["info", *wrong]).exception)
