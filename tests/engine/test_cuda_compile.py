"""Where a kernel's machine code comes from: kept or compiled. Built ahead is in test_kernels_ahead.py."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arcbatt.engine.cuda import compile as cuda_compile
from arcbatt.engine.cuda.compile import CompileError, cubin, file_name, kept_cubin
from arcbatt.engine.cuda.nvrtc import Nvrtc, NVRTCError, find_nvrtc
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.engine.waves import kernels
from arcbatt.errors import UsageError
from native.test_kernel_figures import elf

ENDS = kernels.ENDS[1]


class Compiler:
    """Counts what it compiles, in a file, so that processes can share the count."""

    NVRTCError = NVRTCError

    def __init__(self, log: Path, version=(13, 0), seconds=0.0, problem="") -> None:
        self.log, self.version, self.seconds, self.problem = log, version, seconds, problem

    def getVersion(self):
        return self.version

    def getSupportedArchs(self):
        return [75, 80, 90]

    def createProgram(self, source, *_):
        assert source == ENDS.source()
        return 1

    def compileProgram(self, _, flags):
        with self.log.open("a") as file:
            file.write(" ".join(flags) + "\n")
        time.sleep(self.seconds)
        if self.problem:
            raise NVRTCError("NVRTC_ERROR_COMPILATION")

    def getProgramLog(self, _):
        return self.problem

    def getCUBIN(self, _):
        return elf(b"")

    def destroyProgram(self, _):
        return None

    @property
    def compiled(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ARCBATT_CUBINS", raising=False)
    return Compiler(tmp_path / "log")


def test_compiled_once_for_each_way_to_build(compiler, tmp_path):
    first = cubin(compiler, ENDS, 90)
    assert cubin(compiler, ENDS, 90) == first
    assert first.read_bytes() == elf(b"")
    assert compiler.compiled == 1
    newer = Compiler(tmp_path / "log", version=(13, 1))
    others = {
        cubin(compiler, ENDS, 75),
        cubin(compiler, replace(ENDS, blocks=3), 90),
        cubin(newer, ENDS, 90),
    }
    assert len(others | {first}) == 4


def test_looking_compiles_nothing(compiler, tmp_path):
    assert kept_cubin(compiler, ENDS, 90) is None
    assert not (tmp_path / "cache").exists()
    path = cubin(compiler, ENDS, 90)
    assert kept_cubin(compiler, ENDS, 90) == path
    assert compiler.compiled == 1


def test_another_source_is_another_file(monkeypatch):
    before = file_name(ENDS, 90)
    monkeypatch.setattr(cuda_compile, "kernel_source", lambda *names: kernel_source(*names) + " ")
    assert file_name(ENDS, 90) != before


def truncated(path):
    path.write_bytes(path.read_bytes()[:-7])


def changed(path):
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))


def emptied(path):
    path.write_bytes(b"")


def undigested(path):
    path.with_name(path.name + ".sha256").unlink()


@pytest.mark.parametrize("spoil", [truncated, changed, emptied, undigested])
def test_a_spoilt_file_is_built_again(compiler, spoil):
    path = cubin(compiler, ENDS, 90)
    spoil(path)
    assert cubin(compiler, ENDS, 90) == path
    assert path.read_bytes() == elf(b"")
    assert compiler.compiled == 2


def _want(log, start):
    start.wait()
    cubin(Compiler(log, seconds=0.3), ENDS, 90)


def test_of_two_processes_one_compiles(compiler):
    context = multiprocessing.get_context("fork")
    start = context.Barrier(2)
    workers = [context.Process(target=_want, args=(compiler.log, start)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert compiler.compiled == 1


def test_a_cache_that_cannot_be_written_to(compiler, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(cuda_compile.tempfile, "tempdir", str(tmp_path))
    path = cubin(compiler, ENDS, 90)
    assert path.parent.parent == tmp_path
    assert path.read_bytes() == elf(b"")
    assert cubin(compiler, ENDS, 90) == kept_cubin(compiler, ENDS, 90) == path
    other = cubin(compiler, replace(ENDS, blocks=3), 90)
    assert (other.parent, compiler.compiled) == (path.parent, 2)
    (said,) = capsys.readouterr().err.splitlines()
    assert "cannot be written to (Not a directory)" in said
    assert "ARCBATT_CACHE" in said


def test_a_kernel_that_does_not_compile(tmp_path, compiler):
    broken = Compiler(tmp_path / "log", problem="arcbatt.cu(1): error: expected a ';'")
    with pytest.raises(CompileError, match=r"for sm_90: NVRTC_ERROR_COMP\w+\narcbatt.cu.1.: error: expected a ';'"):
        cubin(broken, ENDS, 90)
    assert cubin(compiler, ENDS, 90).exists(), "nothing is left in the way"


def nvrtc() -> Nvrtc:
    try:
        return find_nvrtc()
    except UsageError as error:
        pytest.skip(str(error))


def test_the_compiler_without_cupy():
    found = nvrtc()
    assert {75, 80, 89, 90} <= set(found.getSupportedArchs())
    program = found.createProgram('extern "C" __global__ void f(int *p) { *p = 1; }', "a.cu")
    found.compileProgram(program, ["--gpu-architecture=sm_90"])
    assert found.getCUBIN(program)[:4] == b"\x7fELF"
    found.destroyProgram(program)
    program = found.createProgram("int f(", "a.cu")
    with pytest.raises(NVRTCError, match="nvrtcCompileProgram: NVRTC_ERROR_COMPILATION"):
        found.compileProgram(program, [])
    assert "a.cu(1): error" in found.getProgramLog(program)


def test_no_compiler_names_the_extra(monkeypatch):
    monkeypatch.setattr("arcbatt.engine.cuda.nvrtc._places", lambda: iter(["/no/such/libnvrtc.so.12"]))
    with pytest.raises(UsageError, match=r"no NVRTC .* .tried: .*libnvrtc.*pip install 'arcbatt.compile.'"):
        find_nvrtc.__wrapped__()
