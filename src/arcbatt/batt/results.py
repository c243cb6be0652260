"""From values to what a batt returns: (o, s) of a sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arcbatt.batt.card import Card, make_card, score_name
from arcbatt.batt.load import load_batt
from arcbatt.data.grids import to_grid
from arcbatt.errors import UsageError
from arcbatt.language.failures import Outcome
from arcbatt.language.program import Program
from arcbatt.language.sample import Sample

Result = tuple[list[tuple[int, str, Any]], list[tuple[int, str, str, Any]]]
"""(t number, program, value) of every program, and (t number, program, differ, value) of every differ."""


def sample_of(samples: Any, given: Any, expected: Any) -> Sample:
    """A sample from whatever a caller has: tuples, lists or arrays."""
    pairs = tuple((to_grid(a, "S"), to_grid(b, "S")) for a, b in samples)
    return Sample(to_grid(given, "I"), pairs, None if expected is None else to_grid(expected, "C"))


def line_numbers(card: Card) -> dict[int, int]:
    """Of each call of a card, its t number; loading a file adds them line by line."""
    return {node: place for place, node in enumerate(card.graph.calls(), 1)}


def result_of(card: Card, numbers: dict[int, int], values: dict[str, Outcome]) -> Result:
    """(o, s) from the values of the card's outputs."""
    o = [(numbers.get(node, 0), program, values[f"solve_{program}"]) for node, program in card.outputs]
    s = [
        (numbers.get(score.node, 0), score.program, score.differ, values[score_name(place)])
        for place, score in enumerate(card.scores)
    ]
    return o, s


def card_of(batt: Card | str | Path | Sequence[Program]) -> Card:
    """A card from whatever stands for a batt."""
    if isinstance(batt, Card):
        return batt
    return load_batt(Path(batt)) if isinstance(batt, str | Path) else make_card(batt)


def as_sample(one: Any) -> Sample:
    """A sample from a sample, an input of a batt, or (S, I, C)."""
    if isinstance(one, Sample):
        return one
    if hasattr(one, "to_args"):
        _, samples, given, expected, _ = one.to_args()
        return sample_of(samples, given, expected)
    if isinstance(one, tuple) and len(one) == 3:
        return sample_of(*one)
    raise UsageError(f"an input is a Sample, a BatchInput or (S, I, C), got {one!r:.60}")
