"""Programs compiled by parts and joined: what they give does not depend on it, nor on how many processes there are."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.gpu import PartsTier
from arcbatt.engine.parted import PartedSet
from compiler.support import LIBRARY, random_sample
from engine.test_compilers import CLOSURES, WRONG, same
from engine.test_demotion import PROGRAMS as BROKEN
from engine.test_demotion import plant_check, plant_lowering

PROGRAMS = [
    *mutants(LIBRARY, 200, 9),
    *(Generator(seed).program(f"solve_random_{seed}") for seed in range(50, 80)),
    WRONG,
    CLOSURES,
    *BROKEN,
]
GRAPH = compile(PROGRAMS).graph
SAMPLES = pack_samples([random_sample(seed) for seed in range(8)])


def by_parts(processes: int = 0, size: int = 50) -> PartedSet:
    return PartedSet(GRAPH, size=size, processes=processes)


def test_any_number_of_processes_makes_the_same():
    here, there = by_parts(), by_parts(2)
    assert len(here.parts) == len(there.parts) == 5
    for one, other in zip(here.parts, there.parts, strict=True):
        same(one, other)
    same(here, there)
    assert not there.errors


@pytest.mark.parametrize("exact", [False, True])
def test_the_whole_gives_what_it_gives_in_one_piece(exact):
    whole, parts = compile(PROGRAMS), by_parts()
    if exact:
        whole, parts = whole.exact, parts.exact
        assert isinstance(parts, PartedSet)
        assert parts.exact is parts
    want, got = (CpuEngine(one, threads=1).run(SAMPLES, "hash", max_steps=400) for one in (whole, parts))
    assert got.names == want.names
    for name in ("statuses", "matches", "agreement", "hashes"):
        assert np.array_equal(getattr(got, name), getattr(want, name)), name


def test_programs_that_were_not_resolved_are_found_in_the_whole():
    whole, parts = compile(PROGRAMS), by_parts()
    assert list(parts.typed.unresolved) == list(whole.typed.unresolved)
    assert parts.typed.unresolved_at == whole.typed.unresolved_at
    for name in ("programs", "calls", "merged_calls", "resolved"):
        assert getattr(parts.stats, name) == getattr(whole.stats, name)
    assert len(parts.typed.nodes) == parts.stats.nodes <= sum(part.stats.nodes for part in parts.parts)


def test_a_subset_is_cut_out():
    parts = by_parts()
    names = parts.names[30:90:7]
    got = CpuEngine(parts.subset(names), threads=1).run(SAMPLES, "hash")
    want = CpuEngine.of([one for one in PROGRAMS if one.name in names], threads=1).run(SAMPLES, "hash")
    assert got.names == want.names == names
    assert np.array_equal(got.hashes, want.hashes)


@pytest.mark.parametrize("plant", [None, plant_lowering, plant_check])
def test_what_the_cpu_refuses_is_known_without_the_whole(monkeypatch, plant):
    if plant:
        plant(monkeypatch)
    tier = PartsTier(by_parts(), threads=1)
    of_parts = tier.refused().keys(), tier.internal_errors().keys()
    assert "_ready" not in vars(tier)
    assert not tier.compiled.is_compiled
    _ = tier.loaded
    assert (tier.refused().keys(), tier.internal_errors().keys()) == of_parts
    assert bool(of_parts[1]) == (plant is not None)
    assert CLOSURES.name in of_parts[0]


def test_an_interrupt_while_parts_are_compiled(monkeypatch):
    def interrupted(self: CompiledSet, *, waves: bool):
        raise KeyboardInterrupt

    monkeypatch.setattr(CompiledSet, "forms", interrupted)
    made = by_parts(2)
    with pytest.raises(KeyboardInterrupt):
        _ = made.parts
    assert "compilers" not in {thread.name for thread in threading.enumerate()}
