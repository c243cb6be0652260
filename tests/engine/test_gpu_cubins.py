"""The kernel built ahead, loaded by an engine on a GPU: `make test-gpu`."""

from __future__ import annotations

import numpy as np
import pytest

from arcbatt.engine import cpu
from arcbatt.engine.cuda.compile import ENTRY, KernelOptions, compile_ahead, file_name
from arcbatt.engine.cuda.cubin_file import kernel_figures
from arcbatt.engine.cuda.nvrtc import find_nvrtc
from arcbatt.errors import UsageError
from compiler.support import LIBRARY, random_sample

cupy = pytest.importorskip("cupy", reason="CuPy is not installed: pip install 'arcbatt[cuda]'")
cuda = pytest.importorskip("arcbatt.engine.cuda.engine")
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(cuda.device_count() == 0, reason="there is no NVIDIA GPU"),
]
QUICK = KernelOptions(fast_compile="mid")
SAMPLES = [random_sample(seed) for seed in range(10)]


def compilers():
    """CuPy's compiler, and NVIDIA's own without CuPy where it is found."""
    yield cupy.cuda.nvrtc
    try:
        yield find_nvrtc()
    except UsageError:
        return


COMPILERS = list(compilers())


@pytest.mark.parametrize("nvrtc", COMPILERS, ids=["CuPy's", "NVIDIA's"][: len(COMPILERS)])
def test_a_cubin_built_ahead_is_what_runs(nvrtc, tmp_path, monkeypatch):
    arch = int(cupy.cuda.Device(0).compute_capability)
    if arch not in nvrtc.getSupportedArchs():
        pytest.skip(f"NVRTC {nvrtc.getVersion()} does not know sm_{arch}")
    (path,) = compile_ahead([arch], tmp_path, options=QUICK, nvrtc=nvrtc)
    assert path.name == file_name(QUICK, arch)
    assert 0 < kernel_figures(path.read_bytes(), ENTRY).registers <= 255
    monkeypatch.setenv("ARCBATT_CUBINS", str(tmp_path))
    monkeypatch.setattr("arcbatt.engine.cuda.compile.compiled", None)  # nothing is compiled any more
    engine = cuda.CudaEngine.of(LIBRARY[::10], kernel=QUICK)
    want = cpu.CpuEngine.of(LIBRARY[::10]).run(SAMPLES, "hash", complete=False)
    np.testing.assert_array_equal(engine.run(SAMPLES, "hash", complete=False).hashes, want.hashes)


def test_a_run_counts_what_it_moves():
    engine = cuda.CudaEngine.of(LIBRARY[::10], kernel=QUICK)
    engine.run(SAMPLES, complete=False)
    traffic = engine.cuda.last.traffic
    assert traffic.launches >= 1
    assert engine.cuda.last.kernel_ms > 0
    assert traffic.downloaded >= len(SAMPLES) * len(LIBRARY[::10]) * 4
    assert {"copy", "launch", "fetch"} <= {span.stage for span in traffic.spans}
    assert 1e3 * traffic.seconds("launch") >= engine.cuda.last.kernel_ms / 2, "the host waits for the kernel"
