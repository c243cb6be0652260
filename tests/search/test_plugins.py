"""Features, combiners and rankings of a user's own, as docs/search.md shows them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_solving import FAMILIES, made

from arcbatt.errors import UsageError
from arcbatt.search.api import solve
from arcbatt.search.features import Feature
from arcbatt.search.options import SolveOptions
from arcbatt.search.proposals import Proposal

OPTIONS = SolveOptions(budget=1.0, families=FAMILIES, threads=1, turns=0, grow=0)
PAGE = Path(__file__).parents[2] / "docs" / "search.md"


def test_a_feature_of_ones_own_is_used():
    wanted = "apply(rbind(order, identity), I)"
    task = made(wanted, 5)
    assert task.test[0][1] not in solve(task, OPTIONS).pairs[0]
    solution = solve(task, OPTIONS, features=[Feature(wanted, 2.0, "mine")])
    assert [pair[0] for pair in solution.pairs] == [expected for _, expected in task.test]


def test_a_combiner_of_ones_own_is_heard_where_it_is_right():
    task = made("apply(rbind(order, invert), I)", 5)

    def sorted_rows(question, clock):
        assert clock.left() > 0
        for key in ("identity", "invert"):
            yield Proposal(f"apply(rbind(order, {key}), I)", 3.0)

    best = solve(task, OPTIONS, combiners=[sorted_rows]).attempts[0][0]
    assert (best.grid, best.combiner, best.score) == (task.test[0][1], "sorted_rows", 3.0)
    assert "order, invert" in best.program


def test_a_combiner_that_proposes_nonsense_is_named():
    def nonsense(question, clock):
        return [Proposal("no such thing(", 1.0)]

    with pytest.raises(UsageError, match="nonsense"):
        solve(made("hmirror(I)", 1), OPTIONS, combiners=[nonsense])


def test_a_ranking_of_ones_own_has_the_last_word():
    task = made("cellwise(I, vmirror(I), 0)", 2, demos=2)

    def backwards(question, test, candidates):
        return candidates[::-1]

    plain = solve(task, OPTIONS).attempts[0]
    found = [one for one in plain if one.program]
    turned = [one for one in solve(task, OPTIONS, ranking=backwards).attempts[0] if one.program]
    assert len(found) > 1
    assert turned[0].weight <= found[0].weight


def test_the_example_of_the_page():
    (example,) = [
        text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "ab.solve" in text
    ]
    exec(example, {})
