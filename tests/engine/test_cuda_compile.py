"""Where the GPU kernel's machine code comes from: built ahead, kept, or compiled."""

from __future__ import annotations

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from arcbatt.engine.cuda import compile as cuda_compile
from arcbatt.engine.cuda.compile import (
    OBJECTS_KERNEL,
    CompileError,
    KernelOptions,
    compile_ahead,
    cubin,
    file_name,
    kept_cubin,
    prebuilt,
)
from arcbatt.engine.cuda.nvrtc import Nvrtc, NVRTCError, find_nvrtc
from arcbatt.engine.cuda.source import kernel_source
from arcbatt.errors import UsageError
from native.test_kernel_figures import elf


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
        assert source in (kernel_source(), OBJECTS_KERNEL.source())
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
def said():
    return []


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ARCBATT_CUBINS", raising=False)
    return Compiler(tmp_path / "log")


def test_compiled_once_for_each_way_to_build(compiler, tmp_path, said):
    first = cubin(compiler, KernelOptions(), 90, say=said.append)
    assert cubin(compiler, KernelOptions(), 90, say=said.append) == first
    assert first.read_bytes() == elf(b"")
    assert compiler.compiled == 1
    assert said == ["compiling the GPU kernel for sm_90, half a minute, once"]
    newer = Compiler(tmp_path / "log", version=(13, 1))
    others = {
        cubin(compiler, KernelOptions(), 75, say=said.append),
        cubin(compiler, KernelOptions(blocks=3), 90, say=said.append),
        cubin(newer, KernelOptions(), 90, say=said.append),
    }
    assert len(others | {first}) == 4


def test_looking_compiles_nothing(compiler, tmp_path, said):
    assert kept_cubin(compiler, KernelOptions(), 90) is None
    assert not (tmp_path / "cache").exists()
    path = cubin(compiler, KernelOptions(), 90, say=said.append)
    assert kept_cubin(compiler, KernelOptions(), 90) == path
    assert compiler.compiled == 1


def test_another_source_is_another_file(monkeypatch):
    before = file_name(KernelOptions(), 90)
    monkeypatch.setattr(cuda_compile, "kernel_source", lambda *names: kernel_source(*names) + " ")
    assert file_name(KernelOptions(), 90) != before


def truncated(path):
    path.write_bytes(path.read_bytes()[:-7])


def changed(path):
    path.write_bytes(path.read_bytes().replace(b"one", b"two"))


def emptied(path):
    path.write_bytes(b"")


def undigested(path):
    path.with_name(path.name + ".sha256").unlink()


@pytest.mark.parametrize("spoil", [truncated, changed, emptied, undigested])
def test_a_spoilt_file_is_built_again(compiler, said, spoil):
    path = cubin(compiler, KernelOptions(), 90, say=said.append)
    spoil(path)
    assert cubin(compiler, KernelOptions(), 90, say=said.append) == path
    assert path.read_bytes() == elf(b"")
    assert compiler.compiled == 2


def _want(log, start):
    start.wait()
    cubin(Compiler(log, seconds=0.3), KernelOptions(), 90)


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


def test_a_cache_that_cannot_be_written_to(compiler, tmp_path, monkeypatch, said):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARCBATT_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(cuda_compile.tempfile, "tempdir", str(tmp_path))
    path = cubin(compiler, KernelOptions(), 90, say=said.append)
    assert path.parent.parent == tmp_path
    assert path.read_bytes() == elf(b"")
    assert "cannot be written to (Not a directory)" in said[0]
    assert "ARCBATT_CACHE" in said[0]


def test_a_kernel_that_does_not_compile(tmp_path, compiler, said):
    broken = Compiler(tmp_path / "log", problem="arcbatt.cu(1): error: expected a ';'")
    with pytest.raises(CompileError, match=r"for sm_90: NVRTC_ERROR_COMP\w+\narcbatt.cu.1.: error: expected a ';'"):
        cubin(broken, KernelOptions(), 90, say=said.append)
    assert cubin(compiler, KernelOptions(), 90, say=said.append).exists(), "nothing is left in the way"


def test_built_ahead_comes_first(compiler, tmp_path, monkeypatch, said):
    folder = tmp_path / "ahead"
    paths = compile_ahead([75, 90, 75], folder, nvrtc=compiler, say=said.append)
    assert [path.name[:11] for path in paths] == ["kernel-sm75", "kernel-sm90"]
    assert compile_ahead([90], folder, nvrtc=compiler, say=said.append) == paths[1:]
    assert compiler.compiled == 4, "the kernel and the one that finds objects, for each"
    assert (folder / file_name(OBJECTS_KERNEL, 75)).exists()
    monkeypatch.setenv("ARCBATT_CUBINS", os.pathsep.join([str(tmp_path / "none"), str(folder)]))
    other = Compiler(tmp_path / "other", version=(12, 9))
    assert cubin(other, KernelOptions(), 90, say=said.append) == paths[1], "whatever compiler it came from"
    assert other.compiled == 0
    assert prebuilt(KernelOptions(blocks=3), 90) is None, "built otherwise"
    paths[1].write_bytes(b"spoilt")
    assert prebuilt(KernelOptions(), 90) is None


def test_code_of_the_same_generation_serves(compiler, tmp_path, monkeypatch, said):
    (path,) = compile_ahead([80], tmp_path / "ahead", nvrtc=compiler, say=said.append)
    monkeypatch.setenv("ARCBATT_CUBINS", str(tmp_path / "ahead"))
    whole = KernelOptions().whole
    assert prebuilt(whole, 89) == path
    assert prebuilt(whole, 75) is None
    assert prebuilt(whole, 90) is None


def test_what_took_full_effort_goes_before(compiler, said):
    quick = cubin(compiler, KernelOptions(), 90, say=said.append)
    whole = cubin(compiler, KernelOptions().whole, 90, say=said.append)
    assert whole != quick
    assert cubin(compiler, KernelOptions(), 90, say=said.append) == whole
    assert kept_cubin(compiler, KernelOptions(), 90) == whole
    assert compiler.compiled == 2
    assert ["half a minute" in said[0], "some minutes" in said[1]] == [True, True]


def test_built_ahead_for_this_machine(compiler, said):
    (path,) = compile_ahead([90], nvrtc=compiler, say=said.append)
    assert cubin(compiler, KernelOptions(), 90, say=said.append) == path
    assert cubin(compiler, OBJECTS_KERNEL, 90, say=said.append).parent == path.parent
    assert compiler.compiled == 2


def test_an_architecture_the_compiler_does_not_know(compiler, tmp_path):
    with pytest.raises(UsageError, match=r"NVRTC 13.0 does not compile for sm_60; it does for 75, 80, 90.*compile"):
        compile_ahead([90, 60], tmp_path, nvrtc=compiler)
    assert compiler.compiled == 0


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
