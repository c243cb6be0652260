"""The guard over what the GPU kernel needs: what it says of figures. `make kernel` compiles and compares."""

from __future__ import annotations

import importlib.util
import json
import struct
from pathlib import Path

import pytest

from arcbatt.engine.cuda.cubin_file import KernelFigures, is_cubin, kernel_figures
from arcbatt.errors import DataError

TOOL = Path(__file__).parents[2] / "tools" / "kernel_figures.py"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("kernel_figures", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_growth_beyond_the_tolerance_is_said(tool):
    before = {"registers": 124, "stack": 1000, "code": 1000}
    known = {"quick": {"sm_60": before, "sm_90": before}}
    more = {"registers": 136, "stack": 1101, "code": 1100}
    lines = tool.check({"quick": {"sm_60": more, "sm_90": {**before, "registers": 128}, "sm_75": before}}, known)
    assert lines[0] == "sm_60, quick: registers GREW from 124 to 136; stack GREW from 1,000 to 1,101"
    assert lines[1] == "sm_90, quick: 128 registers, 1,000 stack, 1,000 code"
    assert "not known before" in lines[2]


def test_every_architecture_is_known(tool):
    names = set(tool.chosen())
    for by_kernel in json.loads(tool.FIGURES.read_text()).values():
        assert set(by_kernel) == names
        for by_arch in by_kernel.values():
            assert set(by_arch) == {f"sm_{arch}" for arch in tool.ARCHS}
            assert all(0 < figures["registers"] <= 255 for figures in by_arch.values())


def test_without_a_compiler_the_check_says_so(tool, monkeypatch, capsys):
    def none():
        raise tool.UsageError("no NVRTC")

    monkeypatch.setattr(tool, "find_nvrtc", none)
    monkeypatch.setattr(tool.sys, "argv", ["", "check"])
    assert tool.main() == 0
    assert capsys.readouterr().out == "compile checks of the GPU kernel skipped: no NVRTC\n"


def elf(attributes: bytes, *, cut: int = 0) -> bytes:
    """A file laid out as a cubin is: one kernel, its attributes, 96 bytes of code."""
    names = b"\0.shstrtab\0.strtab\0.symtab\0.nv.info\0.text.one\0"
    places = {name: names.index(name.encode() + b"\0") for name in (".shstrtab", ".strtab", ".symtab", ".nv.info")}
    places[".text.one"] = names.index(b".text.one")
    texts = b"\0one\0"
    symbols = bytes(24) + struct.pack("<I", 1) + bytes(20)
    parts = [(".shstrtab", 3, names, 0), (".strtab", 3, texts, 0), (".symtab", 2, symbols, 2),
             (".nv.info", 0x70000000, attributes, 3), (".text.one", 1, bytes(96), 3)]  # fmt: skip
    body, rows = b"", [bytes(64)]
    for name, kind, data, link in parts:
        rows.append(struct.pack("<IIQQQQIIQQ", places[name], kind, 0, 0, 64 + len(body), len(data), link, 0, 0, 0))
        body += data
    head = b"\x7fELF\x02\x01".ljust(40, b"\0") + struct.pack("<Q", 64 + len(body)) + bytes(10)
    head += struct.pack("<HHH", 64, len(rows), 1)
    whole = head + body + b"".join(rows)
    return whole[: len(whole) - cut]


def attribute(number: int, value: int) -> bytes:
    return struct.pack("<BBHII", 4, number, 8, 1, value)


def test_figures_are_read_from_the_machine_code():
    short = struct.pack("<BBH", 3, 0x50, 7)
    data = elf(attribute(0x2F, 64) + short + struct.pack("<BBHI", 4, 0x10, 4, 9) + attribute(0x12, 512))
    assert kernel_figures(data, "one") == KernelFigures(registers=64, stack=512, code=96)


def test_what_is_no_cubin_is_said():
    whole = elf(attribute(0x2F, 64))
    assert is_cubin(whole)
    assert not is_cubin(elf(b"", cut=1))
    assert not is_cubin(b"machine code")
    with pytest.raises(DataError, match="no kernel two"):
        kernel_figures(whole, "two")
    with pytest.raises(DataError, match="does not say what one needs"):
        kernel_figures(whole, "one")
    with pytest.raises(DataError, match="not a cubin"):
        kernel_figures(whole[:100], "one")
