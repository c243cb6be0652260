from __future__ import annotations

from arcbatt.language.failures import Failed, Reason
from arcbatt.report.compare import Got, Verdict, compare, places

EXPECTED = ((1, 2), (3, 4))


def test_match():
    assert compare(((1, 2), (3, 4)), EXPECTED) == Got(Verdict.MATCH, "match", EXPECTED)


def test_differing_cells_are_named():
    got = compare(((1, 0), (0, 4)), EXPECTED)
    assert got.verdict is Verdict.DIFFERS
    assert got.differing == ((0, 1), (1, 0))
    assert got.text + places(got) == "2 of 4 cells differ, at (row, column) (0, 1), (1, 0)"
    assert compare(((1, 0), (3, 4)), EXPECTED).text == "1 of 4 cells differs"
    assert got.agreement == 0.5


def test_only_the_first_of_many_are_named():
    got = compare(((0,) * 6,), ((1,) * 6,))
    assert places(got).endswith("(0, 0), (0, 1), (0, 2), (0, 3), ...")
    assert len(got.differing) == 6


def test_other_size_has_no_differing_cells():
    got = compare(((1, 2, 3),), EXPECTED)
    assert (got.verdict, got.text, got.differing) == (Verdict.SHAPE, "1 x 3 where 2 x 2 is expected", ())
    assert (got.agreement, places(got)) == (0.0, "")


def test_hidden_shows_what_was_given():
    assert compare(EXPECTED, None) == Got(Verdict.HIDDEN, "the expected output is hidden", EXPECTED)


def test_failure_with_its_place():
    got = compare(Failed(Reason.EMPTY, "first", 7, "item 0 of 0"), EXPECTED)
    assert (got.verdict, got.grid) == (Verdict.FAILED, None)
    assert got.text == "failed: empty in first, line 7: item 0 of 0"


def test_values_that_are_no_grids():
    for value in (3, (), frozenset({(1, (0, 0))}), ((1, 11),), ((1,), (1, 2)), ((0,) * 31,)):
        for expected in (EXPECTED, None):
            got = compare(value, expected)
            assert (got.verdict, got.grid) == (Verdict.NO_GRID, None)
            assert got.text.startswith("gave no grid of ARC: ")
