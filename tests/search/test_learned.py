"""Features from known programs: parts in common, whole programs, and what they do for solving."""

from __future__ import annotations

import arcbatt as ab
from arcbatt.search.bank import Bank
from arcbatt.search.features import as_programs
from arcbatt.search.growing import CONVINCING, digest, keep_found, library_features
from arcbatt.search.learned import CHEAPEST, FAMILY, LONGEST, TIER, WHOLE, learned_features, said
from arcbatt.search.solution import Attempt, Solution

PROGRAMS = ab.parse(
    """
def solve_a(I):
    x1 = replace(hmirror(I), ONE, TWO)
    return vconcat(x1, I)

def solve_b(I):
    x1 = replace(hmirror(I), ONE, TWO)
    return hconcat(x1, x1)

def solve_c(S, I):
    return first(first(S))

def solve_d(I):
    return I
"""
)


def test_common_parts_and_whole_programs():
    found = {one.text: one for one in learned_features(PROGRAMS)}
    assert found.keys() == {
        "hmirror(I)",
        "replace(hmirror(I), ONE, TWO)",
        "vconcat(replace(hmirror(I), ONE, TWO), I)",
        "hconcat(replace(hmirror(I), ONE, TWO), replace(hmirror(I), ONE, TWO))",
    }
    assert {one.family for one in found.values()} == {FAMILY}
    assert CHEAPEST <= found["hmirror(I)"].cost < WHOLE
    assert said(list(found.values())) == "4 features learned: 2 programs, 2 parts of several"


def test_every_feature_of_the_library_is_a_program():
    found = learned_features(ab.library(), most=300)
    assert len(found) == 300
    assert len(as_programs(tuple(found))) == 300
    assert all(len(one.text) <= LONGEST for one in found)


def test_parts_that_double_do_not_grow_without_end():
    lines = "".join(f"    x{k + 1} = hconcat(x{k}, x{k})\n" for k in range(60))
    text = f"def solve_a(I):\n    x0 = hmirror(I)\n{lines}    return x60\n"
    assert learned_features(ab.parse(text)) == []


def test_a_learned_feature_makes_an_image():
    bank = Bank(learned_features(PROGRAMS), threads=1)
    images = bank.images([((1, 5), (3, 3))], tier=TIER)
    assert images is not None
    made = {one.text: images.grids(place)[0] for place, one in enumerate(bank.features)}
    assert made["replace(hmirror(I), ONE, TWO)"] == ((3, 3), (2, 5))


def test_a_library_grows_by_what_is_convincing(tmp_path):
    path = tmp_path / "mine.py"
    assert library_features(path) == ()
    assert digest(path) == ""

    def solution(key, expression, **more):
        program = f"def solve_found(I):\n    x1 = replace(hmirror(I), 1, 2)\n    return {expression}\n"
        return Solution(key, ((Attempt(((1,),), program=program, **{"score": 3.0, **more}), Attempt(((0,),))),))

    found = [
        solution("a", "vconcat(x1, I)"),
        solution("b", "hconcat(x1, x1)"),
        solution("c", "vconcat(x1, I)"),  # known
        solution("d", "vconcat(I, x1)", score=CONVINCING + 1),
        solution("e", "vconcat(I, x1)", left_out=True),
    ]
    assert keep_found(path, found) == 2
    before = digest(path)
    assert keep_found(path, found) == 0
    assert digest(path) == before != ""
    texts = {one.text for one in library_features(path)}
    assert {"replace(hmirror(I), 1, 2)", "vconcat(replace(hmirror(I), 1, 2), I)"} <= texts
    assert len(ab.parse(path.read_text())) == 2
