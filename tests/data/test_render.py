from __future__ import annotations

import pytest

from arcbatt.display.colours import COLOURS, digits, size_text
from contrast import contrast


@pytest.mark.parametrize("colour", COLOURS, ids=lambda colour: colour.name)
def test_ink_reads_on_its_colour(colour):
    assert contrast(colour.hex, colour.ink) >= 4.5


def test_ten_different_colours():
    assert len({colour.hex for colour in COLOURS}) == len({colour.name for colour in COLOURS}) == 10


def test_digits_and_size():
    assert digits(((1, 2, 3), (4, 5, 6))) == ["123", "456"]
    assert size_text(((1, 2, 3), (4, 5, 6))) == "2 x 3"
