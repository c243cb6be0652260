"""A signal is seen within an evaluation, however the engine was called: it ends long before its time."""

from __future__ import annotations

import signal
import time

import pytest

from arcbatt.compiler.program_set import compile
from arcbatt.data.packing import pack_samples
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.dynamic import DynamicTier
from arcbatt.language.limits import MAX_STEPS, MAX_TOTAL_STEPS
from arcbatt.language.sample import Sample
from arcbatt.syntax import parse_program

SAMPLE = Sample(((1, 2), (3, 4)))
LOOPS = """
def solve_loops(I):
    y = interval(height(I), 60000, ONE)
    f = chain(size, lbind(sfilter, y), lbind(lbind, greater))
    a = apply(f, interval(ZERO, 500, ONE))
    b = apply(f, interval(ONE, 500, ONE))
    return astuple(a, b)
"""
KEYS = """
def solve_keys(I):
    x = interval(ZERO, 60000, ONE)
    y = interval(height(I), 3000, ONE)
    return order(x, compose(lbind(combine, y), rbind(repeat, ONE)))
"""
FUNCTIONS = """
def solve_functions(I):
    a = lbind(lbind, add)
    b = fork(compose, a, a)
    c = fork(compose, b, b)
    d = fork(compose, c, c)
    e = fork(compose, d, d)
    f = fork(compose, e, e)
    return size(apply(f, interval(height(I), 60000, ONE)))
"""


def typed_values(text):
    engine = CpuEngine.of([parse_program(text)], threads=1)
    assert not engine.refused()
    return lambda: engine.values(Sample(SAMPLE.I))


def profiled(text):
    engine = CpuEngine.of([parse_program(text)], threads=1)
    return lambda: engine.first.watched(pack_samples([SAMPLE]))


def dynamic_values(text):
    program = parse_program(text)
    tier = DynamicTier(compile([program]), threads=1)
    return lambda: tier.values(SAMPLE, [program.name], MAX_STEPS, MAX_TOTAL_STEPS)


class Interrupted(KeyboardInterrupt):
    pass


@pytest.mark.parametrize(
    ("way", "text"),
    [
        (typed_values, LOOPS),
        (profiled, LOOPS),
        (dynamic_values, KEYS),
        (dynamic_values, FUNCTIONS),
    ],
    ids=["typed values", "profile", "keys compared", "functions made"],
)
def test_a_signal_ends_an_evaluation_long_before_its_time(way, text):
    run = way(text)

    def interrupt(*_):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        start = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(Interrupted):
            run()
        cut = time.process_time() - start
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    start = time.process_time()
    run()
    assert cut < (time.process_time() - start) / 2
