"""What was read and what was refused, in a few lines: many errors grouped by reason, with an example of each."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from arcbatt.support.text import counted
from arcbatt.syntax.parser import Parsed
from arcbatt.syntax.source import SourceError

_SHOWN_WHOLE: Final = 3
"""So many errors are shown one by one."""
_SHOWN_REASONS: Final = 5
_MOST_TEXT: Final = 2_000
"""Characters of a line in JSON: a line of a megabyte may have many errors."""
_PARTICULAR: Final = re.compile(r"'[^']*'|\"[^\"]*\"|\d[\d,]*")


def reason(error: SourceError) -> str:
    """What an error says, without the names and numbers that differ from one to the next."""
    return _PARTICULAR.sub("...", error.message)


def grouped(errors: list[SourceError]) -> list[tuple[str, list[SourceError]]]:
    """Errors by reason, the commonest first."""
    groups: dict[str, list[SourceError]] = defaultdict(list)
    for error in errors:
        groups[reason(error)].append(error)
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def summary(parsed: Parsed, most: int = _SHOWN_REASONS) -> list[str]:
    """What came of reading, in no more lines than a screen has; nothing where all went well."""
    if not parsed.errors:
        return [counts(parsed)] if parsed.touched else []
    shown = listed(parsed.errors, most)
    return [*shown, counts(parsed)] if len(parsed.errors) <= _SHOWN_WHOLE else [counts(parsed), *shown]


def listed(errors: list[SourceError], most: int = _SHOWN_REASONS) -> list[str]:
    """A few errors one by one, many by reason."""
    if len(errors) <= _SHOWN_WHOLE:
        return list(map(str, errors))
    lines = []
    groups = grouped(errors)
    for what, alike in groups[:most]:
        first, *rest = str(alike[0]).split("\n")
        lines += [f"  {_times(alike)}: {what}", f"    {first}", *(f"    {line}" for line in rest[:2])]
    if len(groups) > most:
        others = [error for _, alike in groups[most:] for error in alike]
        lines.append(f"  {_times(others)}: {counted(len(groups) - most, 'other reason')}")
    return lines


def reasons(errors: list[SourceError], most: int = _SHOWN_REASONS) -> list[str]:
    """How often each of the commonest reasons is given, where errors are many."""
    if len(errors) <= _SHOWN_WHOLE:
        return []
    return [f"  {_times(alike)}: {what}" for what, alike in grouped(errors)[:most]]


def _times(alike: list[SourceError]) -> str:
    return "once" if len(alike) == 1 else f"{len(alike):,} times"


def counts(parsed: Parsed) -> str:
    """How many programs were read and refused, of how many files, in which dialects."""
    programs, files = counted(len(parsed.programs), "program"), counted(parsed.files, "file")
    text = f"{programs} read, {parsed.refused:,} refused, in {files}"
    if parsed.others:
        text += f"; {counted(parsed.others, 'file')} without a program"
    if len(parsed.dialects) > 1:
        text += f" (files by dialect: {', '.join(f'{name} {n:,}' for name, n in parsed.dialects.most_common())})"
    if parsed.touched:
        text += f"; {parsed.touched:,} use names that can give something else at home (docs/dialects.md)"
    return text


def as_json(error: SourceError) -> dict[str, str | int]:
    """An error for programs: where, why, and what to write instead."""
    return {
        "file": error.file,
        "line": error.line,
        "column": error.column,
        "reason": error.message,
        "text": error.text if len(error.text) <= _MOST_TEXT else error.excerpt(_MOST_TEXT),
        "suggestion": error.allowed,
    }
