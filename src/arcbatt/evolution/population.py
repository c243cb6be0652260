"""The programs that are kept: for each task those that come nearest by its demonstrations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from arcbatt.errors import ArcbattError, DataError, UsageError
from arcbatt.language.program import Program
from arcbatt.support.files import atomic_write, read_file
from arcbatt.support.shapes import row_of
from arcbatt.syntax.parser import parse_text

PROGRAMS: Final = "programs.py"
STATE: Final = "evolve.json"


@dataclass(frozen=True, order=True)
class Standing:
    """How near a program comes to a task by its demonstrations; the greater the nearer, and the shorter of equals."""

    right: int
    """Demonstrations that it gets right."""
    share: float
    """Of the cells of all of them, how many."""
    shortness: int
    """Minus the number of its lines."""
    name: str = field(compare=False)
    generation: int = field(compare=False, default=0)


class Population:
    """The best programs for each task, at most `places` of them.

    Several programs that are right on every demonstration are not needed: of a solved task one stays, the shortest.
    """

    def __init__(self, demonstrations: Mapping[str, int], places: int) -> None:
        self.demonstrations = dict(demonstrations)
        self.places = places
        self.best: dict[str, list[Standing]] = {}
        self.programs: dict[str, Program] = {}

    @property
    def solved(self) -> dict[str, str]:
        """Tasks whose demonstrations a program gets right, and that program."""
        return {task: best[0].name for task, best in self.best.items() if self._is_solved(task, best)}

    def offer(self, task: str, found: Iterable[Standing], programs: Mapping[str, Program]) -> bool:
        """Keep what belongs to the best of a task; whether something changed."""
        before = self.best.get(task, [])
        best = sorted({*before, *found}, key=lambda one: (one, -one.generation), reverse=True)
        best = best[: 1 if self._is_solved(task, best) else self.places]
        self.best[task] = best
        self.programs |= {one.name: programs[one.name] for one in best if one.name in programs}
        return best != before

    def drop_unused(self) -> None:
        """Forget programs that no task has a place for."""
        used = {one.name for best in self.best.values() for one in best}
        self.programs = {name: one for name, one in self.programs.items() if name in used}

    def parents(self) -> list[Program]:
        """What is changed next: programs of open tasks as often as they have a place, those of solved ones once."""
        solved = self.solved
        names = [one.name for task, best in self.best.items() if task not in solved for one in best]
        return [self.programs[name] for name in (*names, *dict.fromkeys(solved.values()))]

    def _is_solved(self, task: str, best: Sequence[Standing]) -> bool:
        return bool(best) and best[0].right == self.demonstrations[task]

    def write(self, directory: Path, options: Mapping[str, Any], generation: int, log: Sequence[Any]) -> None:
        """Write where each program stands, with its text, and the programs as a solver file too.

        One file is all that is read back, so that a write that is cut short leaves what was there before.
        """
        self.drop_unused()
        state = {
            "options": dict(options),
            "generation": generation,
            "log": list(log),
            "best": {task: [asdict(one) for one in best] for task, best in self.best.items()},
            "programs": "\n\n".join(map(str, self.programs.values())),
        }
        try:
            for place, text in ((STATE, json.dumps(state, indent=1)), (PROGRAMS, state["programs"])):
                with atomic_write(directory / place) as file:
                    file.write(text)
        except OSError as error:
            raise UsageError(
                f"{directory}: cannot be written: {error.strerror}; what was there is kept, go on with it by --resume"
            ) from error

    def read(self, directory: Path) -> dict[str, Any]:
        """Read them back; what was written beside them."""
        place = directory / STATE
        try:
            state: dict[str, Any] = json.loads(read_file(place))
            self.programs = {one.name: one for one in parse_text(state["programs"], str(place)).check()}
            self.best = {task: list(self._standings(best)) for task, best in state["best"].items()}
            options, generation, log = state["options"], state["generation"], state["log"]
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, ArcbattError) as error:
            raise DataError(f"{place}: not what evolve writes: {error}") from error
        if not (isinstance(options, dict) and type(generation) is int and generation >= 0 and isinstance(log, list)):
            raise DataError(f"{place}: not what evolve writes")
        return state

    def _standings(self, best: Sequence[Any]) -> Iterator[Standing]:
        for one in best:
            standing = row_of(Standing, one)
            self.programs[standing.name]  # a program that is not there is an error
            yield standing
