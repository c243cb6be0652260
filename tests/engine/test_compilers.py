"""Programs compiled by other processes: the same to the last word, however many there are and whatever befalls them."""

from __future__ import annotations

import time

import pytest

from arcbatt.calls.custom import op, remove_op
from arcbatt.compiler.graph import merge
from arcbatt.compiler.program_set import CompiledSet, compile
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.data.packing import pack_samples
from arcbatt.devtools.generate import Generator, mutants
from arcbatt.engine.compilers import CompiledAhead, helpful
from arcbatt.engine.cpu import CpuEngine
from arcbatt.engine.worker import WorkerSpec
from arcbatt.errors import UsageError
from arcbatt.syntax import parse_program
from compiler.support import LIBRARY, random_sample
from engine.at_work import all_gone, check_an_interrupt_ends_all, check_none_outlives_its_parent

WRONG = parse_program("def solve_wrong(I):\n    return add(I, branch(size(I), hmirror, ONE))\n")
CLOSURES = parse_program(
    "def solve_closures(I):\n    return branch(equality(size(I), ONE), hmirror, vmirror)(apply(last, I))\n"
)
RANDOM = [Generator(seed).program(f"solve_random_{seed}") for seed in range(40)]
PROGRAMS = [*mutants(LIBRARY, 250, 5), *RANDOM, WRONG, CLOSURES]
PARTS = [PROGRAMS[first : first + 60] for first in range(0, len(PROGRAMS), 60)]


def ahead(processes, parts=PARTS, **options):
    return CompiledAhead([lambda part=part: merge(part) for part in parts], processes, **options)


def spec(kind, **options):
    return WorkerSpec(kind, f"engine.odd_compilers:{kind}", tuple(options.items()))


def written(compiled: CompiledSet):
    """All that engines take of a compiled set, as plain values."""
    typed, codes = compiled.typed, [compiled.code(), compiled.waves.code]
    waves = compiled.waves
    return (
        list(compiled.graph.outputs.items()),
        compiled.graph.nodes,
        typed.nodes,
        typed.depends,
        typed.can_fail,
        list(typed.outputs.items()),
        list(typed.unresolved.items()),
        typed.unresolved_at,
        list(typed.bounds.items()),
        [
            (code.words, code.image, code.types.rows, code.types.parts, code.nodes, list(code.outputs.items()))
            for code in codes
        ],
        [(list(code.rejected.items()), code.inputs, code.custom) for code in codes],
        [(wave.kernel, wave.level, wave.nodes, wave.after) for wave in waves.waves],
        (waves.parts, waves.domains, waves.sizes, waves.parents, waves.maps, waves.spent, waves.left_out),
        {**vars(compiled.stats), "seconds": 0},
    )


def same(got: CompiledSet, want: CompiledSet):
    for one, other in zip(written(got), written(want), strict=True):
        assert one == other


@pytest.mark.parametrize("processes", [0, 1, 3])
@pytest.mark.parametrize("waves", [True, False])
def test_any_number_of_processes_makes_the_same(processes, waves):
    with ahead(processes, waves=lambda: waves) as parts:
        for number, programs in enumerate(PARTS):
            same(parts.take(number), compile(programs))
        assert not parts.errors


def test_without_rewrites_that_leave_out_calls():
    with ahead(2, rewrites=Rewrites().exact) as parts:
        for number, programs in enumerate(PARTS[:3]):
            got = parts.take(number)
            assert got.exact is got
            same(got, compile(programs).exact)


def test_what_was_compiled_elsewhere_runs_and_can_be_cut():
    samples = pack_samples([random_sample(seed) for seed in range(12)])
    with ahead(1) as parts:
        parts.take(0)
        got = CpuEngine(parts.take(1)).run(samples, "hash")
        some = parts.take(2).subset([PARTS[2][5].name, PARTS[2][9].name])
    want = CpuEngine.of(PARTS[1]).run(samples, "hash")
    assert got.names == want.names
    for name in ("statuses", "matches", "agreement", "hashes", "route"):
        assert (getattr(got, name) == getattr(want, name)).all()
    same(some, compile(PARTS[2]).subset(some.names))


def test_parts_may_be_left_out_and_come_again():
    with ahead(1) as parts:
        for number in (3, 4, 4, 0):
            same(parts.take(number), compile(PARTS[number]))


def test_nothing_to_compile_ahead_starts_nothing():
    with ahead(3, PARTS[:1]) as parts:
        same(parts.take(0), compile(PARTS[0]))
        assert not parts._pool.workers
    with ahead(3, []) as parts:
        assert not parts._pool.workers


def wait_for_an_error(parts: CompiledAhead) -> None:
    """Otherwise parts may all be taken before a process has started."""
    end = time.monotonic() + 60
    while not parts.errors:
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("Killed", "was killed by SIGKILL, its programs were compiled here"),
        ("DiesAtStart", "ended with code 7"),
        ("Fails", "ended with code 1, its programs were compiled here"),
    ],
)
def test_what_no_process_can_do_is_done_here(kind, said):
    with ahead(2, spec=spec(kind)) as parts:
        wait_for_an_error(parts)
        for number, programs in enumerate(PARTS):
            same(parts.take(number), compile(programs))
        parts._thread.join(60)
        assert any(said in text for text in parts.errors)


def test_a_process_that_ends_costs_no_other_part():
    with ahead(1, spec=spec("KilledOver", name=PARTS[2][7].name)) as parts:
        wait_for_an_error(parts)
        for number, programs in enumerate(PARTS):
            same(parts.take(number), compile(programs))
        parts._thread.join(60)
        (text,) = parts.errors
        assert "was killed by SIGKILL, its programs were compiled here" in text


def test_what_cannot_be_merged_is_an_error_where_it_is_taken(capfd):
    twice = [PARTS[0], [PARTS[1][0]] * 2, PARTS[2]]
    with ahead(1, twice) as parts:
        same(parts.take(0), compile(twice[0]))
        parts._thread.join(60)
        with pytest.raises(UsageError, match="two programs are named"):
            parts.take(1)
        same(parts.take(2), compile(twice[2]))
    assert capfd.readouterr().err == ""


def test_the_end_is_the_end_of_every_process(tmp_path):
    with ahead(2, spec=spec("Slow", folder=str(tmp_path))) as parts:
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.01)
        processes = parts._pool.processes
        assert len(processes) == 2
        asked = []
        assert not parts.wait(1, lambda: bool(asked.append(1) or len(asked) > 3))
        assert len(asked) == 4
        assert parts.wait(0, lambda: True)
    assert all_gone(processes)
    assert not parts._thread.is_alive()


def test_how_many_pay():
    assert helpful(900, 64) == 0
    assert helpful(50_000, 1) == 0
    assert helpful(3_500, 64) == 3
    assert helpful(10**6, 4) == 3
    assert helpful(10**6, 200) == 15

    @op("Int -> Int")
    def twice_over(x):
        """A number twice."""
        return 2 * x

    try:
        assert helpful(10**6, 200) == 0
    finally:
        remove_op("twice_over")


SCRIPT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests were started in the background
from arcbatt.compiler.graph import merge
from arcbatt.engine.compilers import CompiledAhead
from arcbatt.engine.worker import WorkerSpec
from arcbatt.syntax import parse_program
spec = WorkerSpec("slow", "engine.odd_compilers:Slow", (("folder", sys.argv[1]),))
programs = [parse_program("def solve_a(I):\\n    return hmirror(I)\\n")]
with CompiledAhead([lambda: merge(programs)] * 3, 2, spec=spec) as parts:
    parts.take(0)
    while not parts._begun:
        pass
    parts.take(1)
"""


def test_an_interrupt_ends_all(tmp_path, sigint):
    check_an_interrupt_ends_all(SCRIPT, tmp_path)


def test_none_outlives_its_parent(tmp_path):
    check_none_outlives_its_parent(SCRIPT, tmp_path)
