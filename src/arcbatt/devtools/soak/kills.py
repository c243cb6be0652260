"""Runs that are killed, or whose disk fills up, and that are gone on with: the same result as of one left in peace."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arcbatt.data.tasks import load_tasks, task_to_json
from arcbatt.devtools.generate import mutants
from arcbatt.devtools.soak.commands import Ended, Started, command
from arcbatt.devtools.soak.soak import Soak
from arcbatt.errors import ArcbattError
from arcbatt.runs.record import INFO, RunRecord
from arcbatt.solvers import library

RUN: Final = (
    "run", "--solvers", "solvers.py", "--dataset", "tasks.json", "--backend", "cpu", "--threads", "1", "-q",
    "--no-mega-batch", "--max-steps", "1000000",
)  # fmt: skip
_TASKS: Final = 24
_MOST_KILLS: Final = 3
_ROOM: Final = 64 << 20


def make_run(folder: Path) -> None:
    """Programs, tasks, and a run of them that was left in peace."""
    programs = [*library()[::12], *mutants(library(), 60, 0)]
    (folder / "solvers.py").write_text("\n\n".join(map(str, programs)))
    (folder / "tasks.json").write_text(json.dumps({one.id: task_to_json(one) for one in load_tasks("arcagi")[:_TASKS]}))
    done = command((*RUN, "--out", "run"), folder)
    assert done.status == 0, done.err


def contents(folder: Path) -> list[str]:
    """The result of a run, whole."""
    with RunRecord.open(folder) as record:
        return list(record.dump())


def difference(given: Path, out: Path) -> str:
    """What is wrong with a run that was gone on with, or nothing."""
    try:
        with RunRecord.open(out) as record:
            if record.state != "done":
                return f"the record says {record.state}"
        return "" if contents(out) == contents(given / "run") else "another result than that of a run left in peace"
    except ArcbattError as error:
        return f"the record cannot be read: {error}"


def gone_on(out: Path) -> tuple[str, ...]:
    """The command that makes a run or goes on with it."""
    return (*RUN, "--out", str(out), *(["--resume"] if (out / INFO).exists() else []))


def kills(seed: int, soak: Soak) -> None:
    """A run that is killed at random moments, up to three times, and then gone on with."""
    draw, given = random.Random(f"kills {seed}"), soak.made("run", make_run)
    out = soak.folder / "killed"
    shutil.rmtree(out, ignore_errors=True)
    with RunRecord.open(given / "run") as record:
        took = sum(batch.seconds for batch in record.store.batches())
    for _ in range(draw.randint(1, _MOST_KILLS)):
        started = Started(gone_on(out), given)
        started.begun()
        time.sleep(draw.uniform(0, 1.5 * took + 1.0))
        counted = "kills" if started.running() else "kills that came after the end"
        started.send(signal.SIGKILL)
        soak.counts.done[counted] += 1
        ended = started.end()
        if ended.status >= 0 and (problem := ended.problem((0,))):
            soak.findings.add("kill", f"a run after a kill: {problem}", seed, _resumed_test(), _state(given, out, soak))
            return
        if soak.stop():
            return
    before = _state(given, out, soak)
    ended = command(gone_on(out), given)
    soak.counts.done["runs gone on with after a kill"] += 1
    if problem := ended.problem((0,)) or difference(given, out):
        soak.findings.add("kill", f"after a kill: {problem}", seed, _resumed_test(), before)


def _state(given: Path, out: Path, soak: Soak) -> Path:
    """A copy of a killed run, with what it was a run of."""
    state = soak.folder / "state"
    shutil.rmtree(state, ignore_errors=True)
    shutil.copytree(given, state, symlinks=True)  # runs are kept as links, to those of earlier pieces too
    if out.exists():
        shutil.copytree(out, state / "out")
    return state


def _resumed_test() -> str:
    return """import shutil
from pathlib import Path

from arcbatt.devtools.soak.commands import command
from arcbatt.devtools.soak.kills import difference, gone_on


def test_a_run_is_gone_on_with(tmp_path):
    folder = shutil.copytree(Path(__file__).parent / "{given}", tmp_path / "given", symlinks=True)
    assert command(gone_on(folder / "out"), folder).problem((0,)) == ""
    assert difference(folder, folder / "out") == ""
"""


# --- full disks ---
def full_disks(seed: int, soak: Soak) -> None:
    """A run whose disk fills up, or whose files may not grow, and that is then gone on with."""
    draw, given = random.Random(f"disks {seed}"), soak.made("run", make_run)
    size = draw.choice((draw.randrange(4, 64), draw.randrange(4, 600), draw.randrange(4, 4_000))) << 10
    with small_disk(soak.folder / "disk", size) as disk:
        small = disk is not None
        place = disk or soak.folder / "limited"
        shutil.rmtree(place / "runs", ignore_errors=True)
        out = place / "runs" / "run"
        place.mkdir(exist_ok=True)
        ended = command((*RUN, "--out", str(out)), given, most_bytes=None if small else size)
        soak.counts.done["full disks" if small else "files that may not grow"] += 1
        problem = problem_on_full_disk(ended, out)
        if not problem:
            if small:
                grow(place)
            ended = command(gone_on(out), given)
            problem = ended.problem((0,)) or difference(given, out)
        if problem:
            title = f"a run on a disk of {size:,} bytes: {problem}"
            soak.findings.add("disk", title, seed, _disk_test(size), given)


def problem_on_full_disk(ended: Ended, out: Path) -> str:
    """What is wrong with a run on a disk that was too small, or nothing."""
    if problem := ended.problem((0, 2)):
        return problem
    if ended.status == 2 and str(out) not in ended.err:
        return f"the message does not name {out.name}: {ended.err.strip()[-200:]}"
    if (out / INFO).exists():
        with RunRecord.open(out) as record:
            if record.state != ("stopped" if ended.status else "done"):
                return f"status {ended.status}, but the record says {record.state}"
    return ""


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path | None]:
    """A disk in memory of so many bytes; None where none can be made."""
    place.mkdir(exist_ok=True)
    if not _mount(place, size):
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", place], check=False, capture_output=True)


def grow(place: Path) -> None:
    """Give a small disk room enough."""
    _mount(place, _ROOM, "remount")


def _mount(place: Path, size: int, *options: str) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", ",".join([*options, f"size={size}"]), "tmpfs", str(place)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _disk_test(size: int) -> str:
    return f"""from pathlib import Path

from arcbatt.devtools.soak.commands import command
from arcbatt.devtools.soak.kills import RUN, difference, gone_on, grow, problem_on_full_disk, small_disk


def test_a_run_on_a_full_disk_is_gone_on_with(tmp_path):
    given = Path(__file__).parent / "{{given}}"
    with small_disk(tmp_path / "disk", {size}) as disk:
        out = (disk or tmp_path) / "runs" / "run"
        ended = command((*RUN, "--out", str(out)), given, most_bytes=None if disk else {size})
        assert problem_on_full_disk(ended, out) == ""
        if disk:
            grow(disk)
        assert command(gone_on(out), given).problem((0,)) == ""
        assert difference(given, out) == ""
"""
