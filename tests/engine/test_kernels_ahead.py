"""Kernels compiled ahead, as archives, and found again."""

from __future__ import annotations

import pytest

from arcbatt.engine.cuda import archive
from arcbatt.engine.waves import ahead, kernels
from arcbatt.engine.waves.device_kernels import compile_for_devices, kept_kernels
from arcbatt.errors import UsageError
from compiler.support import LIBRARY
from engine import fake_cupy


class Compiler:
    NVRTCError = type("NVRTCError", (Exception,), {})

    def __init__(self):
        self.compiled = 0

    def getVersion(self):
        return 13, 0

    def getSupportedArchs(self):
        return [75, 80, 90]

    def createProgram(self, *_):
        return self

    def compileProgram(self, *_):
        self.compiled += 1

    def getCUBIN(self, _):
        return b"machine code"

    def destroyProgram(self, _):
        return None


WANTED = [*kernels.ENDS.values()]


@pytest.fixture
def compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(archive, "is_cubin", lambda data: data == b"machine code")
    compiled = kernels.compiled
    fake = fake_cupy.install(monkeypatch, free=1 << 30, count=2).cupy
    monkeypatch.setattr(kernels, "compiled", compiled)
    fake.cuda.nvrtc = Compiler()
    return fake.cuda.nvrtc


def test_compiled_ahead_for_devices_and_found_again(compiler, tmp_path):
    assert kept_kernels(0) is None
    told = []
    made = compile_for_devices(WANTED, progress=lambda done, total: told.append((done, total)))
    assert [one.device for one in made] == [0, 1]
    assert made[0].path == made[1].path  # devices of a kind share it
    assert compiler.compiled == len(WANTED)
    assert told == [(0, 2), (2, 2)]
    assert kept_kernels(1).path == made[0].path
    with pytest.raises(UsageError, match="no GPU number 5"):
        compile_for_devices(WANTED, [5])


def test_an_archive_serves_machines_without_a_compiler(compiler, tmp_path, monkeypatch):
    (path,) = ahead.compile_ahead(WANTED, [80], tmp_path / "taken", nvrtc=compiler)
    assert path == tmp_path / "taken" / "kernels-sm80.zip"
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("ARCBATT_CUBINS", str(tmp_path / "taken"))
    other = Compiler()
    for arch in (80, 86, 89):
        found = kernels.compiled(other, WANTED, arch)
        assert [one.read_bytes() for one in found.values()] == [b"machine code"] * len(WANTED)
    assert other.compiled == 0
    assert ahead.kept_archive(86) == path
    assert ahead.kept_archive(75) is ahead.kept_archive(90) is None
    kernels.compiled(other, WANTED, 75)
    assert other.compiled == len(WANTED)
    path.write_bytes(b"no archive")
    (tmp_path / "elsewhere").rename(tmp_path / "gone")
    assert len(kernels.compiled(other, WANTED, 80)) == len(WANTED)
    assert other.compiled == 2 * len(WANTED)


def test_architectures_a_compiler_does_not_know(compiler, tmp_path):
    with pytest.raises(UsageError, match="does not compile for sm_60; it does for 75, 80, 90"):
        ahead.compile_ahead(WANTED, [90, 60], tmp_path, nvrtc=compiler)


def test_the_kernels_of_programs():
    few, more = ahead.kernels_of(LIBRARY[:2]), ahead.kernels_of(LIBRARY[:6])
    assert set(WANTED) < set(few) < set(more)
