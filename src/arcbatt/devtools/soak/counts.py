"""What a soak has done so far, kept on disk as it goes, so that soaks can be added up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from arcbatt.support.files import atomic_write

REPORT: Final = "report.json"
TEXT: Final = "report.txt"
_COUNTERS: Final = ("pieces", "programs", "compared", "differ", "done")
_PARTS: Final = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True)
class Interrupt:
    """How long a command took to end after it was asked to."""

    how: str
    what: str
    seconds: float
    processor_seconds: float
    load: float
    """Processes that wanted to run on the machine, over the last minute, per core."""


@dataclass(frozen=True)
class Finding:
    """Something that should not have been, and the file that shows it again."""

    kind: str
    title: str
    seed: int
    file: str


@dataclass
class Counts:
    """Everything that is counted."""

    began: str = ""
    machine: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    hours: float = 0.0
    pieces: Counter[str] = field(default_factory=Counter)
    """Pieces of work by kind; piece n of a soak has the seed of the soak plus n."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time by kind."""
    programs: Counter[str] = field(default_factory=Counter)
    """Programs that were compared, by the sides together."""
    compared: Counter[str] = field(default_factory=Counter)
    """Evaluations by pair of sides."""
    differ: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    """Commands, kills, full disks, interrupts."""
    interrupts: list[Interrupt] = field(default_factory=list)
    memory: dict[str, dict[str, int]] = field(default_factory=dict)
    """Resident bytes of each process that lives long: at its start, now, and at most."""
    findings: list[Finding] = field(default_factory=list)
    state: str = "running"

    def remember(self, process: str, resident: int, most: int) -> None:
        """Note the memory of a process."""
        known = self.memory.setdefault(process, {"start": resident, "end": resident, "peak": most})
        known["end"], known["peak"] = resident, max(most, known["peak"])

    def write(self, folder: Path) -> None:
        """Write the report, for programs and for people."""
        with atomic_write(folder / REPORT) as file:
            json.dump(vars(self), file, indent=1, default=asdict)
        with atomic_write(folder / TEXT) as file:
            file.write(self.text())

    @classmethod
    def read(cls, path: Path) -> Counts:
        """A report that was written."""
        made = cls(**json.loads(path.read_text(encoding="utf-8")))
        for name in _COUNTERS:
            setattr(made, name, Counter(getattr(made, name)))
        made.interrupts = [Interrupt(**one) for one in made.interrupts]  # type: ignore[arg-type]
        made.findings = [Finding(**one) for one in made.findings]  # type: ignore[arg-type]
        return made

    def add(self, other: Counts) -> None:
        """Add what another soak did."""
        self.hours += other.hours
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for kind, seconds in other.seconds.items():
            self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        self.interrupts += other.interrupts
        self.findings += other.findings
        for process, known in other.memory.items():
            self.memory[f"{process} from {other.began}"] = known

    def text(self) -> str:
        """The report as text."""
        lines = [
            f"soak from {self.began}, {self.hours:.2f} hours, {self.state}, seed {self.seed}",
            *(f"  {name}: {value}" for name, value in self.machine.items()),
            "",
            "evaluations compared",
            *(
                f"  {pair:<20} {count:>14,} {self.differ[pair]:>6,} differ"
                for pair, count in sorted(self.compared.items())
            ),
            *(f"  programs: {sides:<10} {count:>14,}" for sides, count in sorted(self.programs.items())),
            "",
            "done",
            *(f"  {what:<40} {count:>10,}" for what, count in sorted(self.done.items())),
            "",
            "time by kind of work",
            *(
                f"  {kind:<12} {seconds / 60:>8.1f} minutes {self.pieces[kind]:>8,} pieces"
                for kind, seconds in sorted(self.seconds.items())
            ),
            "",
            "resident memory",
            *(f"  {process:<12} {_memory(known)}" for process, known in sorted(self.memory.items())),
            "",
            *interrupt_table(self.interrupts),
            "",
            f"{len(self.findings)} findings",
            *(f"  {one.kind}, seed {one.seed}: {one.title}\n    {one.file}" for one in self.findings),
        ]
        return "\n".join(lines) + "\n"


def _memory(known: dict[str, int]) -> str:
    return ", ".join(f"{name} {known[name] / 2**20:.0f} MiB" for name in ("start", "end", "peak"))


def interrupt_table(interrupts: Iterable[Interrupt]) -> list[str]:
    """Times to end by the way a command was asked to, as lines of a table."""
    by_way: dict[str, list[Interrupt]] = {}
    for one in interrupts:
        by_way.setdefault(one.how, []).append(one)
    lines = [f"{'time to end, seconds':<24}{'count':>7}{'median':>9}{'90 %':>9}{'99 %':>9}{'most':>9}   load per core"]
    for how, some in sorted(by_way.items()):
        loads = sorted(one.load for one in some)
        load = f"   {loads[0]:.1f} to {loads[-1]:.1f}"
        for what, times in (
            (how, [one.seconds for one in some]),
            ("  of processors", [one.processor_seconds for one in some]),
        ):
            lines.append(f"{what:<24}{len(times):>7}" + "".join(f"{part:>9}" for part in parts(times)) + load)
            load = ""
    return lines if by_way else []


def parts(times: Iterable[float]) -> list[str]:
    """The median of some seconds, what 90 and 99 of 100 are within, and the most."""
    ascending = sorted(times)
    return [f"{ascending[min(len(ascending) - 1, int(share * len(ascending)))]:.2f}" for share in _PARTS]
