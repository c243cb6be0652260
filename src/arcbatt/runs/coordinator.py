"""Batches across tasks and programs, with a batt's own results: what every program gave, what every differ says."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcbatt.batt.card import Card
from arcbatt.batt.load import load_batt
from arcbatt.batt.results import line_numbers, result_of, sample_of
from arcbatt.batt.runtime import log_failures
from arcbatt.engine.choose import backend_for, make_engine
from arcbatt.errors import UsageError
from arcbatt.language.encoding import encode
from arcbatt.language.failures import Failed, Outcome
from arcbatt.language.sample import Sample


@dataclass(frozen=True)
class BatchInput:
    """One call of a batt: a task, its demonstrations S, an input I, and the expected output C or None."""

    task_id: str
    S: Any
    I: Any  # noqa: E741 - the batt's own name
    C: Any = None
    log_path: str | None = None

    def to_args(self) -> tuple[str, Any, Any, Any, str | None]:
        """The arguments of `batt`."""
        return self.task_id, self.S, self.I, self.C, self.log_path


@dataclass(frozen=True)
class BatchResult:
    """What a batt gives on one input: `o` and `s` as it defines them, a failed value known by its reason alone."""

    batch_idx: int
    o_result: list[tuple[int, str, Any]]
    s_result: list[tuple[int, str, str, Any]]

    def to_json(self) -> str:
        """A line of JSON that is the same whichever backend ran."""
        o = [[number, program, _plain(value)] for number, program, value in self.o_result]
        s = [[number, program, differ, _plain(value)] for number, program, differ, value in self.s_result]
        return json.dumps({"input": self.batch_idx, "o": o, "s": s}, separators=(",", ":"))


class MegaBatchCoordinator:
    """Runs a batt on many inputs at once.

    `batt_module_name` is a batt file, a module name that stands for one (`batt` for batt.py), or a Card; files are
    read, never executed. With `use_gpu` the GPU is used where there is one, unless `backend` (auto, python, cpu, cuda)
    is given. Results are in the order of inputs and do not depend on the backend, `batch_size` or `max_workers`.
    """

    def __init__(
        self,
        batt_module_name: str | Path | Card = "batt",
        batch_size: int = 1000,
        use_gpu: bool = True,
        *,
        backend: str | None = None,
        parallel: bool = True,
        max_workers: int | None = None,
    ) -> None:
        if batch_size < 1:
            raise UsageError(f"batch_size is a number above 0, got {batch_size}")
        self.card = batt_module_name if isinstance(batt_module_name, Card) else load_batt(_file_of(batt_module_name))
        self.batch_size = batch_size
        self.backend = backend_for(backend or ("auto" if use_gpu else "cpu"))
        self.engine = make_engine(self.backend, self.card.graph, threads=max_workers)
        self.max_workers = max_workers if parallel else 1
        self._numbers = line_numbers(self.card)

    def process_batch(self, batch: Sequence[BatchInput], batch_idx: int = 0) -> list[BatchResult]:
        """The results of one batch, in its order; `batch_idx` is the number of its first input among all of them."""
        samples = [sample_of(one.S, one.I, one.C) for one in batch]
        places = range(batch_idx, batch_idx + len(samples))
        if self.max_workers == 1:
            results = list(map(self._result, places, samples))
        else:
            with ThreadPoolExecutor(self.max_workers) as pool:
                results = list(pool.map(self._result, places, samples))
        for one, result in zip(batch, results, strict=True):
            log_failures(one.log_path, one.task_id, result.o_result)
        return results

    def process_all(self, inputs: Iterable[BatchInput]) -> list[BatchResult]:
        """The results of any number of inputs, a batch at a time."""
        results: list[BatchResult] = []
        batch: list[BatchInput] = []
        for one in inputs:
            batch.append(one)
            if len(batch) == self.batch_size:
                results += self.process_batch(batch, len(results))
                batch = []
        return results + self.process_batch(batch, len(results))

    def _result(self, number: int, sample: Sample) -> BatchResult:
        o, s = result_of(self.card, self._numbers, self.engine.values(sample))
        return BatchResult(
            number, [(*rest, _bare(value)) for *rest, value in o], [(*rest, _bare(value)) for *rest, value in s]
        )


def _file_of(name: str | Path) -> Path:
    """The batt file a name stands for."""
    path = Path(name)
    if path.suffix == ".py" or path.exists():
        return path
    relative = Path(*str(name).split(".")).with_suffix(".py")
    for folder in ("", *sys.path):
        if (Path(folder) / relative).is_file():
            return Path(folder) / relative
    raise UsageError(
        f"no batt {str(name)!r}: there is no {relative} here or on Python's path; make one with arcbatt card"
    )


def _bare(value: Outcome) -> Outcome:
    """A failed value without the words of the backend that met it."""
    return Failed(value.reason) if isinstance(value, Failed) else value


def _plain(value: Outcome) -> Any:
    return {"failed": value.reason.value} if isinstance(value, Failed) else encode(_numbers_only(value))


def _numbers_only(value: Any) -> Any:
    """The value with 0 and 1 for booleans, which equal them."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple):
        return tuple(map(_numbers_only, value))
    return frozenset(map(_numbers_only, value)) if isinstance(value, frozenset) else value
