"""Vectors on the GPU's side run together, and give what they give one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from arcbatt.devtools.conformance import check, read_vectors
from arcbatt.devtools.verify import vectors as together
from arcbatt.devtools.verify.sides import ON_ENGINE, GpuSide
from arcbatt.errors import DataError
from engine import fake_cupy


@pytest.fixture
def side(monkeypatch):
    """The GPU's side over a CuPy that is not there: waves on emulated lanes."""
    return GpuSide("cuda", fake_cupy.install(monkeypatch, free=1 << 28).WaveEngine, {})


@pytest.fixture
def some(request):
    return list(read_vectors(request.config.rootpath / "tests" / "data" / "vectors.jsonl"))[::12]


def test_they_agree_and_what_left_the_engine_is_counted(side, some, monkeypatch):
    monkeypatch.setattr(together, "TOGETHER", 30)
    coverage = Counter()
    report = check(iter(some), together.run_together(side, some, coverage))
    assert (report.agree, report.differences) == (len(some), [])
    assert sum(coverage.values()) == len(some)
    assert coverage[ON_ENGINE] > 0.9 * len(some)


def test_a_wrong_vector_and_one_that_is_no_expression_are_found(side, some):
    bad = [replace(some[0], out=(("no", "such"),), error=False), replace(some[1], expr="size(")]
    report = check(iter(bad), together.run_together(side, bad, Counter()))
    assert report.agree == 0
    assert [vector for vector, _ in report.differences] == bad


def test_a_value_that_is_not_the_cpus_is_an_error(side, some, monkeypatch):
    number = next(vector for vector in some if type(vector.out) is int)
    run = side.kind.run

    def other(self, *args, **options):
        found = run(self, *args, **options)
        found.hashes[:] += 1
        return found

    monkeypatch.setattr(side.kind, "run", other)
    with pytest.raises(DataError, match="no grid, with the hash"):
        together.run_together(side, [number], Counter())
