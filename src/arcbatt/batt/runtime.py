"""What a batt file calls: engines behind `batt_batch`, its banner, its log."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

from arcbatt.batt.card import Card
from arcbatt.batt.load import load_batt
from arcbatt.batt.results import Result, line_numbers, result_of, sample_of
from arcbatt.engine.cpu import CpuEngine
from arcbatt.errors import UsageError
from arcbatt.language.failures import UNKNOWN_OUTPUT, Failed
from arcbatt.support.machine import cores


@lru_cache(maxsize=4)
def _loaded(path: str, stamp: int) -> tuple[Card, CpuEngine, dict[int, int]]:
    card = load_batt(Path(path))
    return card, CpuEngine.of(card.graph), line_numbers(card)


def run_batch(
    path: str,
    task_ids: Sequence[str],
    Ss: Sequence[Any],  # noqa: N803 - the names of the batt's own parameters
    Is: Sequence[Any],  # noqa: N803
    Cs: Sequence[Any],  # noqa: N803
) -> list[Result]:
    """(o, s) of each sample, computed from the graph the file holds."""
    if not len(task_ids) == len(Ss) == len(Is) == len(Cs):
        lengths = f"{len(task_ids)}, {len(Ss)}, {len(Is)} and {len(Cs)}"
        raise UsageError(f"batt_batch takes as many task_ids, Ss, Is and Cs; got {lengths}")
    card, engine, numbers = _loaded(path, Path(path).stat().st_mtime_ns)
    samples = [sample_of(*parts) for parts in zip(Ss, Is, Cs, strict=True)]
    with ThreadPoolExecutor(engine.threads) as pool:
        return [result_of(card, numbers, values) for values in pool.map(engine.values, samples)]


def plain_sample(samples: Any, given: Any, expected: Any) -> tuple[Any, Any, Any]:
    """S, I and C as the language has them; an expected output that is not known has failed."""
    sample = sample_of(samples, given, expected)
    return sample.S, sample.I, sample.C if sample.C is not None else UNKNOWN_OUTPUT


def engine_banner() -> str:
    """Which engine `batt_batch` uses."""
    threads = cores()
    return f"Batt CPU: {threads} thread{'s' * (threads != 1)}"


def log_failures(log_path: str | None, task_id: str, o: list[tuple[int, str, Any]]) -> None:
    """Append what failed to a log, a JSON object a line."""
    if log_path is None:
        return
    with open(log_path, "a", encoding="utf-8") as log:
        for number, program, value in o:
            if isinstance(value, Failed):
                entry = {
                    "task": task_id,
                    "t": number,
                    "program": program,
                    "failed": value.reason,
                    "in": value.primitive,
                }
                log.write(json.dumps(entry) + "\n")
