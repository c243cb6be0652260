from __future__ import annotations

import pytest

from arcbatt.engine.cuda.kernels import compile_ahead, kept_kernel
from arcbatt.errors import UsageError
from engine import fake_cupy


class Compiler:
    NVRTCError = type("NVRTCError", (Exception,), {})

    def __init__(self):
        self.compiled = 0

    def getVersion(self):
        return 13, 0

    def createProgram(self, *_):
        return self

    def compileProgram(self, *_):
        self.compiled += 1

    def getCUBIN(self, _):
        return b"machine code"

    def destroyProgram(self, _):
        return None


def test_compiled_ahead_and_found_again(monkeypatch, tmp_path):
    fake = fake_cupy.install(monkeypatch, free=1 << 30, count=2).cupy
    compiler = fake.cuda.nvrtc = Compiler()
    assert kept_kernel(0, tmp_path) is None
    made = compile_ahead(folder=tmp_path)
    assert [one.device for one in made] == [0, 1]
    assert made[0].path == made[1].path  # devices of a kind share it
    assert compiler.compiled == 1
    kept = kept_kernel(1, tmp_path)
    assert kept.path == made[0].path
    assert kept.path.read_bytes() == b"machine code"
    assert [one.device for one in compile_ahead([1], tmp_path)] == [1]
    with pytest.raises(UsageError, match="no GPU number 5"):
        compile_ahead([5], tmp_path)
