"""From values to what a batt returns: (o, s) of a sample."""

from __future__ import annotations

from typing import Any

from arcbatt.batt.card import Card, score_name
from arcbatt.data.grids import to_grid
from arcbatt.language.failures import Outcome
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
