"""Measured figures: rows with median and spread, the machine and the command, as JSON, as Markdown, and compared."""

from __future__ import annotations

import importlib
import json
import os
import platform
import re
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from arcbatt.errors import DataError, UsageError
from arcbatt.support.files import atomic_output, read_file
from arcbatt.support.machine import environment
from arcbatt.support.shapes import fields_of, is_of

HIGHER: Final = frozenset({
    "evaluations/s", "executed evaluations/s", "calls/s", "equivalent calls/s", "samples/s", "grids/s", "GB/s",
})  # fmt: skip
"""Units of which more is better; of all others less is."""


@dataclass(frozen=True)
class Row:
    """One figure: what was measured, on which side, in which unit."""

    suite: str
    case: str
    side: str
    unit: str
    median: float
    low: float
    high: float
    runs: int
    note: str = ""
    x: float | None = None
    """Where the figure stands on a curve, in suites that have one."""

    @classmethod
    def of(cls, suite: str, case: str, side: str, unit: str, values: Sequence[float], **more: Any) -> Row:
        """The row of repeated measurements."""
        return cls(suite, case, side, unit, statistics.median(values), min(values), max(values), len(values), **more)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is the figure of."""
        return self.suite, self.case, self.side, self.unit


@dataclass
class Result:
    """Everything one command measured."""

    command: str
    machine: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def to_json(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), indent=1) + "\n"

    @classmethod
    def read(cls, path: Path) -> Result:
        """The result a file holds."""
        try:
            data = json.loads(read_file(path).decode())
            rows = [Row(**row) for row in data.pop("rows")]
            result = cls(rows=rows, **data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DataError(f"{path}: not a result of arcbatt bench: {error}") from error
        for one in (result, *rows):
            for name, hint in fields_of(type(one)).items():
                if not is_of(getattr(one, name), hint):
                    raise DataError(f"{path}: not a result of arcbatt bench: {name} is {getattr(one, name)!r:.40}")
        return result

    def joined(self, later: Result) -> Result:
        """This and what was measured later on the same machine; of a suite that both have, the later rows count."""
        for name in ("machine", "cores", "gpus", "git"):
            if self.machine.get(name) != later.machine.get(name):
                was, now = self.machine.get(name), later.machine.get(name)
                raise UsageError(f"figures of one result must be of one {name}: {was} then, {now} now")
        suites = {row.suite for row in later.rows}
        return Result(
            f"{self.command} && {later.command}",
            self.machine,
            [*(row for row in self.rows if row.suite not in suites), *later.rows],
            list(dict.fromkeys([*self.notes, *later.notes])),
            self.seconds + later.seconds,
        )

    def markdown(self) -> str:
        """As a page: the command, the machine, a table a suite."""
        parts = [f"Command: `{self.command}` ({self.seconds:.0f} s)\n"]
        parts.append("\n".join(f"- {name}: {value}" for name, value in self.machine.items()) + "\n")
        parts += [f"{note}\n" for note in self.notes]
        for suite in dict.fromkeys(row.suite for row in self.rows):
            parts.append(f"## {suite}\n\n{table([row for row in self.rows if row.suite == suite])}\n")
        return "\n".join(parts)

    def save(self, target: Path) -> list[Path]:
        """Write TARGET.json and TARGET.md."""
        target.parent.mkdir(parents=True, exist_ok=True)
        files = {target.with_name(target.name + ".json"): self.to_json()}
        files[target.with_name(target.name + ".md")] = f"# Measured {self.machine['date']}\n\n{self.markdown()}"
        for path, text in files.items():
            with atomic_output(path) as file:
                file.write(text)
        return list(files)


def table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table."""
    lines = ["| case | side | median | spread | runs | unit | |", "|---|---|---:|---:|---:|---|---|"]
    for row in rows:
        spread = f"{number(row.low)} to {number(row.high)}" if row.runs > 1 else ""
        cells = [row.case, row.side, number(row.median), spread, str(row.runs), row.unit, row.note]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def number(value: float) -> str:
    """A figure with three digits that count, or all before the point."""
    if value == 0:
        return "0"
    digits = max(0, 2 - int(f"{abs(value):e}".partition("e")[2]))
    return f"{value:,.{min(digits, 6)}f}"


def machine_facts() -> dict[str, Any]:
    """What figures were measured on."""
    core = importlib.import_module("arcbatt._core")
    facts = environment() | {
        "compiler": core.compiler(),
        "gpus": ", ".join(_gpus()) or "none",
        "date": date.today().isoformat(),
    }
    if hasattr(os, "getloadavg"):
        facts["load before"] = f"{os.getloadavg()[0]:.2f} (of {os.cpu_count()} cores)"
    return facts


def _gpus() -> list[str]:
    from arcbatt.devtools.bench.sides import gpu_names

    return gpu_names()


def file_name(facts: dict[str, Any]) -> str:
    """A name by date and machine."""
    words = re.findall(r"[a-z0-9]+", str(facts["machine"]).lower())
    skipped = {
        "linux",
        "darwin",
        "windows",
        platform.machine().lower(),
        *platform.machine().lower().split("_"),
        "processor",
    }
    slug = "-".join(dict.fromkeys(word for word in words if word not in skipped)) or "machine"
    return f"{facts['date']}-{slug}-{facts['cores']}-cores-bench"


def compared(a: Result, b: Result) -> str:
    """Two results side by side; a change is marked where the spreads do not touch."""
    others = {row.key: row for row in b.rows}
    lines = ["| suite | case | side | unit | A | B | B against A | |", "|---|---|---|---|---:|---:|---:|---|"]
    for row in a.rows:
        other = others.pop(row.key, None)
        if other is None:
            lines.append(
                f"| {row.suite} | {row.case} | {row.side} | {row.unit} | {number(row.median)} | | | only in A |"
            )
            continue
        lines.append(
            f"| {row.suite} | {row.case} | {row.side} | {row.unit} | {number(row.median)} | {number(other.median)} "
            f"| {_change(row, other)} | {_verdict(row, other)} |"
        )
    for row in others.values():
        lines.append(f"| {row.suite} | {row.case} | {row.side} | {row.unit} | | {number(row.median)} | | only in B |")
    differ = [f"- {name}: {a.machine.get(name)} | {b.machine.get(name)}" for name in {**a.machine, **b.machine}
              if a.machine.get(name) != b.machine.get(name)]  # fmt: skip
    head = f"A: `{a.command}`\nB: `{b.command}`\n"
    return "\n".join([head, *(["not the same in A and B:", *differ, ""] if differ else []), *lines])


def _change(a: Row, b: Row) -> str:
    return f"{b.median / a.median - 1:+.1%}" if a.median else ""


def _verdict(a: Row, b: Row) -> str:
    if a.low <= b.high and b.low <= a.high:
        return "within the spread"
    better = b.median > a.median if a.unit in HIGHER else b.median < a.median
    return "better" if better else "worse"
