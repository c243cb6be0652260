"""Features: programs that make an image of any input, read from the text files in `bank/`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.syntax.parser import parse_text

BANK: Final = Path(__file__).parent / "bank"
TIERS: Final = (None, "late", "last")
"""What stands before the cost of a feature, by tier."""
_LIST: Final = re.compile(r"(\w+) = (.+)")
_FEATURE: Final = re.compile(r"(?:(late|last) )?([\d.]+) +(.+)")
_NAME: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Feature:
    """An expression over I, what it costs in a description, and the family it belongs to."""

    text: str
    cost: float
    family: str
    tier: int = 0
    """Features of higher tiers take longer for what they are worth: those of lower ones are tried first."""

    def over(self, name: str) -> str:
        """The expression over another variable."""
        return re.sub(r"\bI\b", name, self.text)


@cache
def features(families: tuple[str, ...] = ()) -> tuple[Feature, ...]:
    """The features of some families, or of all; the input itself comes first."""
    files = sorted(BANK.glob("*.txt"))
    names = [file.stem for file in files]
    if unknown := [name for name in families if name not in names]:
        raise UsageError(f"no family of features {unknown[0]!r}; there are {', '.join(names)}")
    found: dict[str, Feature] = {"I": Feature("I", 0.0, "whole")}
    for file in files:
        if not families or file.stem in families:
            for feature in read_features(file.read_text(encoding="utf-8"), file.stem):
                found.setdefault(feature.text, feature)
    return tuple(found.values())


def read_features(text: str, family: str) -> Iterator[Feature]:
    """The features of a text: lists and templates as bank/README.md says."""
    lists: dict[str, list[str]] = {}
    templates: list[tuple[int, float, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if match := _LIST.fullmatch(line):
            lists[match[1]] = match[2].split(" | ")
        elif match := _FEATURE.fullmatch(line):
            templates.append((TIERS.index(match[1]), float(match[2]), match[3]))
        else:
            raise UsageError(f"{family}: line {number}: a feature is a cost and an expression, got {line!r}")
    for tier, cost, template in templates:
        for expression in _expanded(template, lists):
            yield Feature(expression, cost, family, tier)


def _expanded(template: str, lists: dict[str, list[str]]) -> Iterator[str]:
    """A template with every choice for the first name in it, then for the others."""
    match = _NAME.search(template)
    if match is None:
        yield template
        return
    if match[1] not in lists:
        raise UsageError(f"no list {match[1]!r} for the feature {template!r}")
    for item in lists[match[1]]:
        yield from _expanded(template.replace(match[0], item), lists)


def as_programs(chosen: tuple[Feature, ...]) -> list[Program]:
    """Features as programs, in order."""
    text = "\n".join(f"def solve_{number}(I):\n    return {one.text}\n" for number, one in enumerate(chosen))
    return parse_text(text).check()
