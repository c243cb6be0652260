"""Writing a run's record: a transaction a batch, so that at most the batch in flight is ever lost."""

from __future__ import annotations

import datetime
import fcntl
import hashlib
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from arcbatt._version import __version__
from arcbatt.data.tasks import Task
from arcbatt.engine.speeds import processor
from arcbatt.errors import UsageError
from arcbatt.language.program import Program, unparse
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import INFO, LOG, PROGRAMS, RESULTS, RunRecord, task_json
from arcbatt.runs.store import Batch, Store, StoreError


class RunWriter:
    """A record being written. Without a directory it lives in memory and is gone with the process."""

    def __init__(self, record: RunRecord, log: IO[str] | None) -> None:
        self.record = record
        self._log = log

    @classmethod
    def create(
        cls,
        directory: Path | None,
        options: RunOptions,
        backend: str,
        programs: Sequence[Program],
        tasks: Iterable[Task],
    ) -> RunWriter:
        """Start a record; refuses a directory that already holds one."""
        info = {
            "arcbatt": __version__,
            "state": "running",
            "dataset": options.dataset,
            "options": options.to_json(),
            "environment": environment(backend),
            "started": _now(),
            "ended": None,
            "programs": len(programs),
            "programs_sha256": programs_digest(programs),
        }
        log = None
        if directory is None:
            store = Store.create(None)
        else:
            if (directory / INFO).exists():
                raise UsageError(f"{directory}: already holds a run; go on with --resume, or give another --out")
            try:
                directory.mkdir(parents=True, exist_ok=True)
                log = _locked_log(directory)
                _write(directory / PROGRAMS, "\n\n".join(map(unparse, programs)))
                store = Store.create(directory / RESULTS)
            except (OSError, StoreError) as error:
                raise UsageError(f"cannot write a run to {directory}: {error}") from error
        writer = cls(RunRecord(store, info, directory, {one.id: one for one in programs}), log)
        writer._fill(programs, tasks)
        writer._save_info()
        return writer

    @classmethod
    def resume(cls, directory: Path, options: RunOptions, backend: str) -> RunWriter:
        """Take up a record where it was left; refuses options that would change its result."""
        record = RunRecord.open(directory)
        try:
            if different := record.options.differences(options):
                raise UsageError(f"{directory}: cannot go on with other options:\n  " + "\n  ".join(different))
            log = _locked_log(directory)
        except UsageError:
            record.close()
            raise
        record.store.make_writable()
        record.info.update(state="running", ended=None, environment=environment(backend))
        writer = cls(record, log)
        writer._save_info()
        return writer

    def check_same(self, programs: Sequence[Program], tasks: Sequence[Task]) -> None:
        """Refuse to go on with programs or tasks that are not those of the record."""
        where = self.record.directory
        if self.record.info["programs_sha256"] != programs_digest(programs):
            raise UsageError(f"{where}: the programs have changed since the run began; run them into another --out")
        for task, (name, data) in zip(tasks, self.record.store.task_texts(), strict=False):
            if task.id != name or task_json(task) != data:
                raise UsageError(f"{where}: task {name} has changed since the run began; run it into another --out")
        count = len(self.record.store.task_sizes())
        if count != len(tasks):
            raise UsageError(f"{where}: the run has {count:,} tasks, there are {len(tasks):,} now")

    def _fill(self, programs: Sequence[Program], tasks: Iterable[Task]) -> None:
        self.record.store.fill(
            ((number, one.id, len(one.lines) + 1) for number, one in enumerate(programs)),
            (
                (number, task.id, len(task.train), len(task.test), task_json(task))
                for number, task in enumerate(tasks)
            ),
        )

    def add(self, batch: Batch) -> None:
        """Record a batch, all of it or nothing."""
        self.record.store.add(batch)

    def finish(self, state: str) -> None:
        """Say how the run ended; what was recorded is then one plain file."""
        self.record.store.finish()
        self.record.info.update(state=state, ended=_now())
        self._save_info()
        if self._log is not None:
            self._log.close()
            self._log = None

    def log(self, text: str) -> None:
        """A line for log.txt."""
        if self._log is not None:
            self._log.write(f"{_now()} {text}\n")
            self._log.flush()

    def _save_info(self) -> None:
        if self.record.directory is not None:
            _write(self.record.directory / INFO, json.dumps(self.record.info, indent=2) + "\n")


def environment(backend: str) -> dict[str, Any]:
    """Where a run runs."""
    return {
        "arcbatt": __version__,
        "git": _git_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{platform.system()} {platform.machine()} {processor()}".strip(),
        "cores": os.cpu_count(),
        "backend": backend,
    }


def programs_digest(programs: Iterable[Program]) -> str:
    """A digest of the programs' text."""
    digest = hashlib.sha256()
    for program in programs:
        digest.update(unparse(program).encode())
    return digest.hexdigest()


def _git_version() -> str | None:
    """The commit arcbatt runs from, where it runs from a checkout; ARCBATT_COMMIT says it for a copy of one."""
    source = Path(__file__).resolve().parents[3]
    if not (source / ".git").exists():
        return os.environ.get("ARCBATT_COMMIT")
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


def _locked_log(directory: Path) -> IO[str]:
    """The log, opened to append and locked: a directory has one writer at a time."""
    log = open(directory / LOG, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the run writes
    try:
        fcntl.flock(log, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        log.close()
        raise UsageError(f"{directory}: another run is writing to it") from error
    return log


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f".{path.name}.new")
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
