"""A run compiles its programs once, whatever they come to."""

from __future__ import annotations

from collections import Counter

import pytest
from typer.testing import CliRunner

from arcbatt.cli.app import app
from arcbatt.compiler import pipeline, program_set
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.profile import profile
from arcbatt.engine.cpu import CpuEngine
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_sample


@pytest.fixture
def compiled(monkeypatch):
    """How often each program was brought to first-order form."""
    counts: Counter[str] = Counter()
    specialize = pipeline.specialize

    def counted(graph, *rest):
        counts.update(list(graph.outputs))
        return specialize(graph, *rest)

    monkeypatch.setattr(pipeline, "specialize", counted)
    return counts


def test_the_command_compiles_every_program_once(compiled, tmp_path):
    done = CliRunner().invoke(app, ["run", "--count", "3", "--out", str(tmp_path / "run"), "--quiet"])
    assert done.exit_code == 0, done.output
    programs = {name: count for name, count in compiled.items() if name.startswith("solve_")}
    assert len(programs) == len(LIBRARY)
    assert set(programs.values()) == {1}
    assert set(compiled.values()) == {1}  # the differs too


def test_parts_are_cut_out(compiled):
    texts = [f"shift(asobject(I), astuple({k}, ONE))" for k in range(40)]
    programs = [parse_program(f"def solve_{k}(I):\n    return {text}\n") for k, text in enumerate(texts)]
    engine = CpuEngine.of(programs, arena_bytes=1, most_bytes=1)
    assert engine.run([random_sample(1)]).done.all()
    assert engine.compiled.subset(["solve_7"]).code().outputs.keys() == {"solve_7"}
    assert set(compiled.values()) == {1}


def test_a_profile_compiles_once(compiled):
    profile(LIBRARY[:5], [random_sample(1)], gpus=False)
    assert set(compiled.values()) == {1}


def test_a_subset_gives_what_the_whole_gives():
    whole = program_set.compile(LIBRARY[::20])
    names = whole.names[3:9:2]
    data = pack_samples([random_sample(seed) for seed in range(10)])
    all_of_it, some = CpuEngine(whole).run(data, "hash"), CpuEngine(whole.subset(names)).run(data, "hash")
    columns = [whole.names.index(name) for name in names]
    assert some.names == names
    assert (some.hashes == all_of_it.hashes[:, columns]).all()
