from __future__ import annotations

import subprocess
import sys

import pytest

from arcbatt.engine.devices import Device, device, devices
from arcbatt.errors import UsageError
from engine import fake_cupy


def test_import_needs_no_gpu_and_no_cupy():
    code = (
        "import sys; sys.modules['cupy'] = None; from arcbatt.engine.devices import devices; "
        "from arcbatt.documents import gpu_memory_cleanup; print(devices(), gpu_memory_cleanup())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[] 0\n", "")


def test_every_gpu_is_found(monkeypatch):
    fake_cupy.install(monkeypatch, free=1 << 30, count=2)
    found = devices()
    assert found == [Device(number, "NVIDIA H200", (9, 0), 2 << 30, 1 << 30) for number in (0, 1)]
    assert found[0].kind == "H200"
    assert found[0].supported
    with pytest.raises(UsageError, match="no GPU number 2: 2 are visible"):
        device(2)


@pytest.mark.parametrize(
    ("name", "capability", "kind", "architecture"),
    [
        ("Tesla T4", (7, 5), "T4", "Turing"),
        ("Tesla P100-PCIE-16GB", (6, 0), "P100", "Pascal"),
        ("NVIDIA L4", (8, 9), "L4", "Ada"),
        ("NVIDIA A100-SXM4-80GB", (8, 0), "A100", "Ampere"),
        ("NVIDIA GeForce RTX 4090", (8, 9), "RTX 4090", "Ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", (12, 0), "RTX PRO 6000", "Blackwell"),
        ("Graphics Device", (14, 0), "newer than Blackwell", "newer than Blackwell"),
        ("Tesla K80", (3, 7), "K80", "older than Pascal"),
    ],
)
def test_kinds(name, capability, kind, architecture):
    one = Device(0, name, capability, 0, 0)
    assert (one.kind, one.architecture) == (kind, architecture)
    assert one.supported == (capability >= (6, 0))
