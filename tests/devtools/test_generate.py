from __future__ import annotations

import hashlib
import random
from collections import Counter
from functools import cache

import pytest

from arcbatt.devtools.generate import VERSION, Generator, crossover, mutants
from arcbatt.devtools.verify.workload import random_batch
from arcbatt.language.failures import Failed
from arcbatt.language.program import Program, reads
from arcbatt.language.reference import evaluate
from arcbatt.language.sample import Sample
from arcbatt.language.spec import Gives, Over
from arcbatt.language.table import STANDARD
from arcbatt.solvers import library
from arcbatt.syntax import parse_program
from devtools.watching import FEATURES, Watching

MAX_STEPS = 100_000
DIGESTS = {
    1: ("9757cd3ac05642cf", "7729e5c9d51bdd04"),
    2: ("e5359f4077b91655", "e72ab5d9e14a9cf2"),
    3: ("dcee2fc943cafa06", "4ff3cb58c0541141"),
    4: ("e18e28a4b34658cc", "4ff3cb58c0541141"),
    5: ("e18e28a4b34658cc", "c0a0a0a9a6aaaff6"),
    6: ("5d508827542ae43e", "c0a0a0a9a6aaaff6"),
}
"""Of the programs and of the mutants of some seeds. They stay: a change of the generator, or primitives that are drawn,
are a new version. Those of the newest may be written anew until it is released."""


def drawn(count: int, version: int = VERSION) -> list[Program]:
    return [Generator(seed, version).program(lines=1 + seed % 12, samples=seed % 3 == 0) for seed in range(count)]


@cache
def samples_of(seed: int) -> list[Sample]:
    return random_batch(0, seed).samples


def run(programs: list[Program]) -> tuple[Counter[str], Counter[str]]:
    """How often each feature was seen, and each kind of outcome."""
    seen: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for number, program in enumerate(programs):
        watching = Watching(MAX_STEPS)
        outcome = evaluate(program, random.Random(number).choice(samples_of(number // 50)), watching)
        outcomes[str(outcome.reason) if isinstance(outcome, Failed) else "value"] += 1
        seen.update(watching.seen)
        seen.update(f"reads {param}" for param in "SC" if reads(program, param))
    return seen, outcomes


@cache
def of_2000_seeds() -> tuple[Counter[str], Counter[str]]:
    return run(drawn(2000))


@pytest.mark.parametrize("version", DIGESTS)
def test_a_seed_keeps_its_meaning_within_a_version(version):
    programs = "".join(map(str, drawn(300, version)))
    changed = "".join(map(str, mutants(library(), 300, 5, version)))
    assert tuple(hashlib.sha256(text.encode()).hexdigest()[:16] for text in (programs, changed)) == DIGESTS[version]


@pytest.mark.parametrize("feature", [*FEATURES, "reads S", "reads C"])
def test_every_feature_is_frequent(feature):
    assert of_2000_seeds()[0][feature] >= 10


def test_features_are_those_that_are_seen():
    assert set(of_2000_seeds()[0]) == {*FEATURES, "reads S", "reads C"}


@pytest.mark.parametrize("over", [Over.STATES, Over.ITEMS])
def test_loops_that_carry_a_state_are_frequent(over):
    loops = {
        spec.name
        for spec in STANDARD.ops.values()
        if spec.loop and spec.loop.gives is Gives.STATE and spec.loop.over is over
    }
    assert loops
    texts = map(str, drawn(300))
    assert sum(any(f"{name}(" in text for name in loops) for text in texts) >= 8


def test_most_programs_give_a_value():
    assert of_2000_seeds()[1]["value"] > 0.7 * 2000


def test_mutants_have_features_and_mostly_give_a_value():
    seen, outcomes = run(list(mutants(library(), 1000, 1)))
    assert outcomes["value"] > 0.55 * 1000
    assert [feature for feature in FEATURES if not seen[feature]] == []


def test_programs_can_be_written_and_read():
    for program in [*drawn(300), *mutants(library(), 300, 2)]:
        assert parse_program(str(program)) == program


def test_mutants_of_what_has_no_lines():
    bare = parse_program("def solve_a(I):\n    return hmirror(I)\n")
    changed = list(mutants([bare], 60, 1))
    assert len({str(program.result) for program in changed}) > 20
    for program in changed:
        assert parse_program(str(program)) == program


@pytest.mark.parametrize("changed", [mutants, crossover], ids=["mutants", "crossover"])
def test_changed_programs_can_be_read(changed):
    for program in changed(library(), 5_000, 3):
        assert parse_program(str(program)) == program
