"""A card: the merged graph of programs, with differs attached to the input and to every output."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from arcbatt.compiler.graph import Graph
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.support.text import counted
from arcbatt.syntax import SourceError

INPUT_ID: Final = "I"
"""Stands for the input where a differ is attached to it."""


class Output(NamedTuple):
    """What a program returns."""

    node: int
    program: str


class Score(NamedTuple):
    """What a differ says of a program's output, or of the input."""

    node: int
    program: str
    differ: str


@dataclass
class Card:
    """The merged programs."""

    graph: Graph
    outputs: list[Output] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    problems: list[SourceError] = field(default_factory=list)
    """Lines of a generated file that could not be read."""
    touched: int = 0
    """Lines of such a file that use names which can mean something else at home (`Dialect.differs`)."""


def choose(
    programs: Sequence[Program], ids: Iterable[str] = (), count: int | None = None, seed: int | None = None
) -> list[Program]:
    """The programs with the given ids (all, if none are given), then so many of them drawn by the seed."""
    wanted = list(dict.fromkeys(ids))
    known = {program.id for program in programs}
    if missing := [one for one in wanted if one not in known]:
        raise UsageError(f"no program for {', '.join(missing)} among the {counted(len(programs), 'program')}")
    chosen = [program for program in programs if not wanted or program.id in wanted]
    if count is None:
        return chosen
    if not 0 < count <= len(chosen):
        raise UsageError(f"asked for {count:,} programs, there are {len(chosen):,}")
    if seed is None:
        return chosen[:count]
    drawn = set(random.Random(seed).sample(range(len(chosen)), count))
    return [program for place, program in enumerate(chosen) if place in drawn]


def make_card(programs: Iterable[Program], differs: Sequence[Program] = (), *, commutative: bool = True) -> Card:
    """Merge programs, and attach differs to the input and to every output."""
    graph = Graph(merge_commutative=commutative)
    card = Card(graph)
    for program in programs:
        card.outputs.append(Output(graph.merge(program), program.id))
    if not card.outputs:
        raise UsageError("no program to merge")
    if differs:
        targets = [(graph.input("I"), INPUT_ID), *((output.node, output.program) for output in card.outputs)]
        samples, expected = graph.input("S"), graph.input("C")
        for target, program_id in targets:
            for differ in differs:
                scope = {"S": samples, "I": target, "C": expected}
                node = graph.build(differ, {name: scope[name] for name in differ.params})
                card.scores.append(Score(node, program_id, differ.id))
    for number, score in enumerate(card.scores):
        graph.outputs[score_name(number)] = score.node
    return card


def score_name(number: int) -> str:
    """The name under which the graph knows a score; no program can have it."""
    return f"differ {number}"
