"""Writing a run's record: a transaction a batch, so that at most the batch in flight is ever lost."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from arcbatt._version import __version__
from arcbatt.data.tasks import Task
from arcbatt.errors import UsageError
from arcbatt.language.limits import MAX_PROGRAM_BYTES
from arcbatt.language.program import Program, unparse
from arcbatt.runs.lock import RecordLock
from arcbatt.runs.options import RunOptions
from arcbatt.runs.record import INFO, LOG, PROGRAMS, RESULTS, RunRecord, task_json
from arcbatt.runs.store.database import SIDE_FILES, STORE_ERRORS
from arcbatt.runs.store.tables import Batch
from arcbatt.runs.store.writing import StoreWriter
from arcbatt.support.files import atomic_write
from arcbatt.support.machine import environment
from arcbatt.support.text import plain_text
from arcbatt.syntax.parser import is_program_name


class RunWriter:
    """A record being written. Without a directory it lives in memory and is gone with the process."""

    def __init__(self, record: RunRecord, results: StoreWriter, log: _Log | None) -> None:
        self.record = record
        self._results = results
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
            "options": replace(options, max_steps=options.steps, max_total_steps=options.total_steps).to_json(),
            "environment": environment() | {"backend": backend},
            "started": _now(),
            "ended": None,
            "programs": len(programs),
            "programs_sha256": programs_digest(programs),
        }
        by_id = {one.id: one for one in programs}
        if directory is None:
            results = StoreWriter.create(None)
            writer = cls(RunRecord(results.store, info, None, by_id), results, None)
            writer._fill(programs, tasks)
            return writer
        if (directory / INFO).exists():
            raise UsageError(f"{directory}: already holds a run; go on with --resume, or give another --out")
        text = "\n\n".join(map(_readable, programs))
        with _whole_or_nothing(directory) as log:
            with atomic_write(directory / PROGRAMS) as file:
                file.write(text)
            results = StoreWriter.create(directory / RESULTS)
            writer = cls(RunRecord(results.store, info, directory, by_id), results, log)
            writer._fill(programs, tasks)
            writer._save_info()
        return writer

    @classmethod
    def resume(cls, directory: Path, options: RunOptions, backend: str) -> RunWriter:
        """A record to resume where it was left; refuses options that would change its result.

        It stays as it was until `mark_running`.
        """
        record = RunRecord.open(directory)
        log = None
        try:
            if different := record.options.differences(options):
                raise UsageError(f"{directory}: cannot go on with other options:\n  " + "\n  ".join(different))
            with _told(f"{directory}: the run cannot go on"):
                log = _Log(directory)
                results = StoreWriter.resume(record.store)
        except UsageError:
            if log is not None:
                log.close()
            record.close()
            raise
        record.info.update(state="running", ended=None, environment=environment() | {"backend": backend})
        return cls(record, results, log)

    def check_same(self, programs: Sequence[Program], tasks: Sequence[Task]) -> None:
        """Refuse to go on with programs or tasks that are not those of the record."""
        where = self.record.directory
        if self.record.info["programs_sha256"] != programs_digest(programs):
            raise UsageError(f"{where}: the programs have changed since the run began; run them into another --out")
        sizes = self.record.store.task_sizes()
        for task, size, (name, data) in zip(tasks, sizes, self.record.store.task_texts(), strict=False):
            if task.id != name or task_json(task) != data or (len(task.train), len(task.test)) != size:
                raise UsageError(f"{where}: task {name} has changed since the run began; run it into another --out")
        count = len(sizes)
        if count != len(tasks):
            raise UsageError(f"{where}: the run has {count:,} tasks, there are {len(tasks):,} now")

    def mark_running(self) -> None:
        """Say in the record that it is being written again."""
        with self._writing():
            self._save_info()

    def _fill(self, programs: Sequence[Program], tasks: Iterable[Task]) -> None:
        self._results.fill(
            ((number, one.id, len(one.lines) + 1) for number, one in enumerate(programs)),
            ((number, task.id, len(task.train), len(task.test), task_json(task)) for number, task in enumerate(tasks)),
        )

    def add(self, batch: Batch) -> None:
        """Record a batch, all of it or nothing."""
        with self._writing():
            self._results.add(batch)

    def finish(self, state: str) -> None:
        """Say how the run ended; what was recorded is then one plain file.

        Where that cannot be written (the disk is full), the record says `stopped`, and can be resumed.
        """
        self.record.info.update(state=state, ended=_now())
        try:
            with self._writing():
                self._results.finish()
                self._save_info()
        except UsageError:
            self.record.info.update(state="stopped")
            try:
                self._save_info()
            except OSError:
                self._mark_stopped()
            raise
        finally:
            self._unlock()

    def give_up(self) -> None:
        """Let go of the record of a run that failed; it has stopped, whatever happened."""
        with suppress(UsageError):
            if self.record.info["ended"] is None:
                self.finish("stopped")
        self.close()

    def close(self) -> None:
        """Let go of the record as it is."""
        self._unlock()
        self.record.close()

    def _unlock(self) -> None:
        if self._log is not None:
            self._log.close()
            self._log = None

    def log(self, text: str) -> None:
        """A line for log.txt where there is room for it; it is results that must be written."""
        if self._log is not None:
            with suppress(OSError):
                self._log.write(text)

    def _writing(self) -> AbstractContextManager[None]:
        where = self.record.directory or "the results in memory"
        return _told(f"{where}: cannot be written", "; what was done before is kept, go on with --resume")

    def _save_info(self) -> None:
        if self.record.directory is not None:
            with atomic_write(self.record.directory / INFO) as file:
                file.write(json.dumps(self.record.info, indent=2) + "\n")

    def _mark_stopped(self) -> None:
        """Change one word of `run.json` where it lies, which needs no room on the disk: both words are as long."""
        if self.record.directory is None:
            return
        with suppress(OSError), open(self.record.directory / INFO, "r+b") as file:
            place = file.read().find(_RUNNING)
            if place >= 0:
                file.seek(place)
                file.write(_STOPPED)


_RUNNING: Final = b'"state": "running"'
_STOPPED: Final = b'"state": "stopped"'


@contextmanager
def _told(before: str, after: str = "") -> Iterator[None]:
    """Turns what goes wrong while writing into one message, the reason in its middle."""
    try:
        yield
    except (OSError, *STORE_ERRORS) as error:
        raise UsageError(f"{before}: {getattr(error, 'strerror', None) or error}{after}") from error


@contextmanager
def _whole_or_nothing(directory: Path) -> Iterator[_Log]:
    """The directory, made and locked; if writing the run there fails, all that was made is removed again."""
    made = [one for one in (directory, *directory.parents) if not one.exists()]
    files = [directory / name for name in (PROGRAMS, LOG, *(RESULTS + ending for ending in SIDE_FILES))]
    new = [file for file in files if not file.exists()]
    log = None
    try:
        with _told(f"{directory}: a run cannot be written there"):
            directory.mkdir(parents=True, exist_ok=True)
            log = _Log(directory)
            yield log
    except BaseException:
        if log is not None:
            log.close()
        with suppress(OSError):
            for file in new:
                file.unlink(missing_ok=True)
            for folder in made:
                folder.rmdir()
        raise


def _readable(program: Program) -> str:
    """The text of a program; UsageError where it could not be read back."""
    text = unparse(program)
    if not is_program_name(program.name):
        raise UsageError(f"{program.name!r}: a program is named solve_<id>, or differ_<name>")
    if len(text) > MAX_PROGRAM_BYTES:
        raise UsageError(f"{program.name}: program too large: {len(text):,} characters, at most {MAX_PROGRAM_BYTES:,}")
    return text


def programs_digest(programs: Iterable[Program]) -> str:
    """A digest of the programs' text."""
    digest = hashlib.sha256()
    for program in programs:
        digest.update(unparse(program).encode())
    return digest.hexdigest()


class _Log:
    """log.txt, open to append, in a directory that no other process writes to meanwhile."""

    def __init__(self, directory: Path) -> None:
        self._lock = RecordLock(directory)
        try:
            self._file = open(directory / LOG, "a", encoding="utf-8")  # noqa: SIM115 - open as long as the run writes
        except OSError:
            self._lock.release()
            raise

    def write(self, text: str) -> None:
        self._file.write(f"{_now()} {plain_text(text)}\n")
        self._file.flush()

    def close(self) -> None:
        with suppress(OSError):  # what the buffer still holds, on a full disk
            self._file.close()
        self._lock.release()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
