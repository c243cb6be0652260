from __future__ import annotations

from arcbatt.watch.gpus import GpuWatch, ask_tool, read_gpus

PRINTED = "0, NVIDIA H200, 1024, 143771, 37\n1, Tesla T4, [N/A], 15360, [N/A]\n"


def test_a_printed_table():
    first, second = read_gpus(PRINTED)
    assert (first.number, first.name, first.used, first.total, first.busy) == (
        0, "NVIDIA H200", 1 << 30, 143771 << 20, 0.37,
    )  # fmt: skip
    assert (second.used, second.busy) == (None, None)


def test_what_is_no_table():
    assert read_gpus("") == []
    assert read_gpus("NVIDIA-SMI has failed because it couldn't communicate with the driver\n1, 2\n") == []


def test_the_tool_is_not_asked_again_at_once():
    asked, now = [], [100.0]
    watch = GpuWatch(lambda: asked.append(1) or PRINTED, lambda: now[0])
    assert [gpu.number for gpu in watch.now()] == [0, 1]
    watch.now()
    assert len(asked) == 1
    now[0] += 5
    assert watch.now()[0].history == ((100.0, 0.37), (105.0, 0.37))
    assert watch.now()[1].history == ()


def test_a_machine_without_the_tool(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert ask_tool() == ""


def test_a_tool_that_fails(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\nexit 9\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert ask_tool() == ""
