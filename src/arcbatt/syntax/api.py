"""Programs from whatever a caller has: text, a file or a folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, SupportsIndex, overload

from arcbatt.display.html import code, note, page
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.support.text import counted, did_you_mean
from arcbatt.syntax.parser import parse_paths, parse_text

_NAMED: Final = 3
_SHOWN: Final = 5
"""Programs of many that a line names, and that a notebook shows."""
_IS_TEXT: Final = re.compile(r"\n|^\s*(def\b|#|$)")


class Programs(list[Program]):
    """A list of programs that also takes a name, with or without `solve_`: `programs["67a3c6ac"]`."""

    @overload
    def __getitem__(self, which: SupportsIndex | str) -> Program: ...
    @overload
    def __getitem__(self, which: slice) -> Programs: ...
    def __getitem__(self, which: SupportsIndex | str | slice) -> Program | Programs:
        if isinstance(which, str):
            for program in self:
                if which in (program.id, program.name):
                    return program
            hint = did_you_mean(which, (program.id for program in self))
            raise UsageError(f"no program {which!r} among the {counted(len(self), 'program')}{hint}")
        return Programs(super().__getitem__(which)) if isinstance(which, slice) else super().__getitem__(which)

    def __contains__(self, which: object) -> bool:
        if isinstance(which, str):
            return any(which in (program.id, program.name) for program in self)
        return super().__contains__(which)

    def __repr__(self) -> str:
        first = f": {', '.join(program.name for program in self[:_NAMED])}" if self else ""
        return f"<{counted(len(self), 'program')}{first}{', ...' if len(self) > _NAMED else ''}>"

    def _repr_html_(self) -> str:
        more = len(self) - _SHOWN
        shown = [code(str(program)) for program in self[:_SHOWN]]
        return page(counted(len(self), "program"), *shown, note(f"and {more:,} more") if more > 0 else "")


def as_programs(value: Any) -> list[Program]:
    """Programs from what stands for them: one program or several, or what `parse` takes."""
    if isinstance(value, Program):
        return Programs([value])
    if isinstance(value, str | Path):
        return parse(value)
    programs = Programs(value) if isinstance(value, Iterable) else Programs()
    if not isinstance(value, Iterable) or not all(isinstance(one, Program) for one in programs):
        wrong = next((one for one in programs if not isinstance(one, Program)), value)
        raise UsageError(f"programs are what arcbatt.parse gives, or text, a file or a folder; got {wrong!r:.60}")
    return programs


def parse(source: str | Path) -> Programs:
    """The programs of a text with `def`s, of a file, or of every `.py` file in a folder.

    Nothing is imported or run. Raises UsageError that shows every error with its line.
    """
    if isinstance(source, str) and _IS_TEXT.search(source):
        return Programs(parse_text(source).check())
    return Programs(parse_paths([Path(source)]).check())
