"""The bank: text that stands for many features, all of them programs that compile."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from arcbatt.compiler.program_set import compile
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import UsageError
from arcbatt.search.bank import Bank
from arcbatt.search.features import BANK, as_programs, features, read_features


def test_a_name_stands_for_each_item_of_its_list_the_same_all_over_a_line():
    text = "turn = rot90 | {mirror}\nmirror = hmirror | vmirror\n# a remark\n1.5  pair({turn}(I), {turn}(I))\n2    I\n"
    found = [(one.text, one.cost, one.family) for one in read_features(text, "made")]
    turns = ("rot90", "hmirror", "vmirror")
    assert found == [*((f"pair({turn}(I), {turn}(I))", 1.5, "made") for turn in turns), ("I", 2.0, "made")]


def test_features_come_in_tiers_whose_images_are_those_of_all_together():
    text = "last 1  hmirror(I)\n1  rot90(I)\nlate 2  vmirror(I)\nlate 1  tophalf(I)\n"
    given = list(read_features(text, "made"))
    assert [one.tier for one in given] == [2, 0, 1, 1]
    bank = Bank(given, threads=1)
    assert [one.text for one in bank.features] == ["rot90(I)", "vmirror(I)", "tophalf(I)", "hmirror(I)"]
    assert (bank.tiers, bank.firsts) == (3, (0, 1, 3, 4))
    grids = [((1, 2), (3, 4)), ((5, 6, 7),)]
    alone = Bank([replace(one, tier=0) for one in bank.features], threads=1).images(grids)
    for tier, (first, end) in enumerate(pairwise(bank.firsts)):
        images = bank.images(grids, tier=tier)
        assert [images.grids(k) for k in range(end - first)] == [alone.grids(k) for k in range(first, end)]


@pytest.mark.parametrize("text", ["no cost", "1  {missing}(I)"])
def test_a_bad_line_is_named(text):
    with pytest.raises(UsageError, match=text.split()[-1].strip("{}()I") or "no cost"):
        list(read_features(text, "made"))


def test_an_unknown_family_is_refused():
    with pytest.raises(UsageError, match="nothing"):
        features(("nothing",))


@pytest.mark.parametrize("family", sorted(file.stem for file in BANK.glob("*.txt")))
def test_every_feature_of_a_family_compiles(family):
    chosen = features((family,))
    assert chosen[0].text == "I"
    assert len({one.text for one in chosen}) == len(chosen) > 1
    assert compile(as_programs(chosen)).code().rejected == {}


def test_every_feature_makes_an_image_of_some_input():
    """One that always fails, or is left to a tier that the bank leaves out, takes time and gives nothing."""
    bank = Bank()
    inputs = [sample.I for task in load_tasks("arcagi") for sample in task.samples][::4]
    made = np.concatenate([(bank.images(inputs, tier=tier).offset >= 0).any(axis=0) for tier in range(bank.tiers)])
    assert [bank.features[place].text for place in np.flatnonzero(~made)] == []
