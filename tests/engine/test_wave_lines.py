"""Waves dealt out to lines: whatever they take, each begins when what it needs is done and its line is free."""

from __future__ import annotations

import random

import pytest

from arcbatt.compiler.wave_kernels import WaveKernel
from arcbatt.compiler.wave_parts import Wave
from arcbatt.engine.waves.lines import Work, turns

COUNT = 4
KERNEL = WaveKernel(0, (), (), ())


def random_works(seed, count=120, first=10):
    source = random.Random(seed)
    works = []
    for number in range(count):
        after = sorted(source.sample(range(first + number), min(first + number, source.randrange(4))))
        blocks = source.choice((0.0, 0.0, 2.0))
        works.append(Work(Wave(KERNEL, 0, after=after), source.uniform(0.1, 3), source.random() < 0.5, blocks))
    return works


@pytest.mark.parametrize("seed", range(20))
def test_waves_begin_when_they_can(seed):
    works, lines = random_works(seed), range(seed % 3, COUNT)
    found = turns(works, 10, lines, COUNT)
    free, ends = {}, {}
    for number in sorted(range(len(works)), key=lambda one: (found[one].begin, one)):
        work, turn = works[number], found[number]
        assert turn.line - (0 if work.makes else COUNT) in lines
        assert turn.begin >= free.get(turn.line, 0.0)
        assert all(turn.begin >= ends[one - 10] for one in work.wave.after if one >= 10)
        free[turn.line] = turn.begin + work.takes
        ends[number] = free[turn.line] + work.blocks_take  # or later, where no line for blocks was free
        assert (turn.behind - 2 * COUNT in lines) if work.blocks_take else turn.behind == -1


def test_what_has_most_behind_it_comes_first():
    chain = [Work(Wave(KERNEL, 0, after=[number - 1] if number else []), 1.0, True) for number in range(5)]
    alone = [Work(Wave(KERNEL, 0), 1.0, True) for _ in range(5)]
    found = turns(
        [*alone, *[Work(Wave(KERNEL, 0, after=[one + 5 for one in w.wave.after]), 1.0, True) for w in chain]],
        0,
        range(2),
        2,
    )
    assert [turn.begin for turn in found[5:]] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert max(turn.begin for turn in found) == 4.0
