from __future__ import annotations

import pytest

from arcbatt.watch.words import duration, markup, moment, short, small_time


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (3, "3"), (9.5, "9.5"), (85, "85"), (999.9, "1k"), (1000, "1k"), (1234, "1.2k"), (85_300, "85k"),
     (3.4e6, "3.4M"), (2e9, "2G")],
)  # fmt: skip
def test_numbers_in_short(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.44, "0.4 s"), (12.3, "12 s"), (59.7, "1 min"), (200, "3 min 20 s"), (7500, "2 h 5 min"),
     (90_000, "1 d 1 h")],
)  # fmt: skip
def test_lengths_of_time(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.000012, "12 us"), (0.0034, "3.4 ms"), (0.034, "34 ms"), (1.25, "1.2 s")]
)
def test_short_times(seconds, text):
    assert small_time(seconds) == text


def test_times_that_are_none():
    assert moment(None) == moment(1e300) == "not known"
    assert moment(0) == "1970-01-01 00:00 UTC"


def test_text_does_nothing_but_show():
    assert markup('<b a="1">\x1b\u202e') == "&lt;b a=&quot;1&quot;&gt;\\x1b\\u202e"
