"""Writing a run's record: a transaction a batch, so that at most the batch in flight is ever lost."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arcbatt._version import __version__
from arcbatt.data.tasks import Task
from arcbatt.errors import UsageError
from arcbatt.language.program import Program, unparse
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import INFO, LOCK, LOG, PROGRAMS, RESULTS, RunRecord, task_json
from arcbatt.runs.store import Batch, Store, StoreError
from arcbatt.support.files import atomic_write
from arcbatt.support.machine import environment


class RunWriter:
    """A record being written. Without a directory it lives in memory and is gone with the process."""

    def __init__(self, record: RunRecord, log: _Log | None) -> None:
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
            "options": replace(options, max_steps=options.steps).to_json(),
            "environment": environment() | {"backend": backend},
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
                log = _Log(directory)
                with atomic_write(directory / PROGRAMS) as file:
                    file.write("\n\n".join(map(unparse, programs)))
                store = Store.create(directory / RESULTS)
            except (OSError, StoreError) as error:
                raise UsageError(f"cannot write a run to {directory}: {error}") from error
        writer = cls(RunRecord(store, info, directory, {one.id: one for one in programs}), log)
        writer._fill(programs, tasks)
        writer._save_info()
        return writer

    @classmethod
    def resume(cls, directory: Path, options: RunOptions, backend: str) -> RunWriter:
        """Resume a record where it was left; refuses options that would change its result."""
        record = RunRecord.open(directory)
        try:
            if different := record.options.differences(options):
                raise UsageError(f"{directory}: cannot go on with other options:\n  " + "\n  ".join(different))
            log = _Log(directory)
        except UsageError:
            record.close()
            raise
        record.store.make_writable()
        record.info.update(state="running", ended=None, environment=environment() | {"backend": backend})
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
            ((number, task.id, len(task.train), len(task.test), task_json(task)) for number, task in enumerate(tasks)),
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
            self._log.write(text)

    def _save_info(self) -> None:
        if self.record.directory is not None:
            with atomic_write(self.record.directory / INFO) as file:
                file.write(json.dumps(self.record.info, indent=2) + "\n")


def programs_digest(programs: Iterable[Program]) -> str:
    """A digest of the programs' text."""
    digest = hashlib.sha256()
    for program in programs:
        digest.update(unparse(program).encode())
    return digest.hexdigest()


class _Log:
    """log.txt, open to append, in a directory that no other process writes to meanwhile."""

    def __init__(self, directory: Path) -> None:
        from filelock import FileLock, Timeout

        self._lock_file = directory / LOCK
        self._lock = FileLock(self._lock_file, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise UsageError(f"{directory}: another run is writing to it") from error
        self._file = open(directory / LOG, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the run writes

    def write(self, text: str) -> None:
        self._file.write(f"{_now()} {text}\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()
        with suppress(OSError):  # Windows removes it with the lock
            self._lock_file.unlink()
        self._lock.release()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
