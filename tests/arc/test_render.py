from __future__ import annotations

import pytest

from arcbatt.arc.render import COLOURS, digits, size_text


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("colour", COLOURS, ids=lambda colour: colour.name)
def test_ink_reads_on_its_colour(colour):
    low, high = sorted([luminance(colour.hex), luminance(colour.ink)])
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_ten_different_colours():
    assert len({colour.hex for colour in COLOURS}) == len({colour.name for colour in COLOURS}) == 10


def test_digits_and_size():
    assert digits(((1, 2, 3), (4, 5, 6))) == ["123", "456"]
    assert size_text(((1, 2, 3), (4, 5, 6))) == "2 x 3"
