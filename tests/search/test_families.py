"""Families of features make the images they are for."""

from __future__ import annotations

import pytest

from arcbatt.search.bank import Bank
from arcbatt.search.features import features

LEGEND = """
270000
000022
330022
008000
330000
"""
BLOCKS = """
1020
0300
1121
0301
"""
ORDER = """
0110
0000
3000
0044
"""
GROUND = """
00500
00507
55500
00000
"""

SQUARES = """
120033
210033
"""
LARGE = """
0000000
0112200
0112200
0331100
0331100
"""
HIDDEN = """
123123
231231
355312
155123
231231
312312
"""


def rows(text):
    return tuple(tuple(map(int, row)) for row in text.split())


CASES = {
    "a legend to the right": ("legends", LEGEND, "770000 000077 330077 008000 330000"),
    "both ways": ("legends", LEGEND.replace("3", "7"), "720000 000077 220077 008000 220000"),
    "without the legend": ("legends", LEGEND, "000000 000077 330077 008000 330000"),
    "the block with most of one colour": ("blocks", BLOCKS, "11 03"),
    "blocks over one another": ("blocks", BLOCKS, "21 01"),
    "how many colours each block has": ("blocks", BLOCKS, "32 33"),
    "moved round": ("blocks", BLOCKS, "0201 3000 1211 3010"),
    "from the left": ("objects", ORDER, "0110 0000 2000 0000"),
    "the square with most colours": ("parts", SQUARES, "12 21"),
    "the last square": ("parts", SQUARES, "33 33"),
    "the ground of a half": ("parts", SQUARES.replace("0", "2"), "222 222"),
    "as small as it can be without loss": ("parts", LARGE, "12 31"),
    "what a colour hides, completed": ("completing", HIDDEN, "123123 231231 312312 123123 231231 312312"),
    "what a colour hides": ("completing", HIDDEN, "12 23"),
    "ground that touches a colour": ("objects", GROUND, "00011 00010 00011 11111"),
}


@pytest.fixture(scope="module")
def images():
    """By family all images of a grid."""

    def made(family, grid):
        bank = Bank(features((family,)), threads=1)
        found = [bank.images([grid], tier=tier) for tier in range(bank.tiers)]
        return {image for one in found for number in range(len(one.cost)) for image in one.grids(number)}

    return made


@pytest.mark.parametrize("case", CASES)
def test_an_image_of_a_family(case, images):
    family, given, wanted = CASES[case]
    assert rows(wanted) in images(family, rows(given))
