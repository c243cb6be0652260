from __future__ import annotations

import pytest
from typer.testing import CliRunner

from arcbatt.cli import verify as command
from arcbatt.cli.app import app
from arcbatt.compiler.lower.disassemble import disassemble
from arcbatt.devtools.verify.compare import differs_between
from arcbatt.devtools.verify.shrink import Case, as_expression, shrink
from arcbatt.devtools.verify.sides import ReferenceSide, side_named
from arcbatt.devtools.verify.workload import random_batch
from arcbatt.engine import cpu
from arcbatt.language.sample import Sample
from arcbatt.solvers import library
from arcbatt.syntax import parse_expression, parse_program
from devtools.planted import Planted, uses

GRID = tuple(tuple((3 * i + 5 * j) % 10 for j in range(7)) for i in range(6))
LONG = parse_program(
    "def solve_long(S, I, C):\n    x1 = vmirror(I)\n    x2 = hmirror(x1)\n    x3 = compose(hmirror, vmirror)\n"
    "    x4 = x3(x2)\n    x5 = height(x4)\n    x6 = add(x5, ONE)\n    x7 = astuple(x6, x5)\n    return x7\n"
)
OTHERS = tuple(library()[:9])


def shrunk(wrong, programs=(LONG,), sample=None) -> Case:
    side = Planted(wrong)
    sample = sample or Sample(GRID, ((GRID, GRID),), GRID)
    case = Case(tuple(programs), sample)
    differs = differs_between(ReferenceSide(), side)
    assert differs(case)
    small = shrink(case, "solve_long", differs)
    assert differs(small)
    return small


def test_to_one_call_and_one_cell():
    small = shrunk(
        lambda _, program, sample: "hmirror" in uses(program) and any(7 in row for row in sample.I), (*OTHERS, LONG)
    )
    assert [str(program) for program in small.programs] == ["def solve_long(I):\n    return hmirror(I)\n"]
    assert small.sample == Sample(((7,),))


def test_a_call_with_its_arguments():
    small = shrunk(lambda _, program, sample: {"add", "height"} <= uses(program))
    assert len(small.programs) == 1
    assert str(as_expression(small.programs[0])) in ("add(height(I), 0)", "add(height(I), 1)", "add(height(I), ONE)")
    assert small.sample.I in (((0,),), ((1,),), ((5,),))


def test_what_only_goes_wrong_together_stays_together():
    def wrong(programs, program, sample):
        return program.name == "solve_long" and OTHERS[3].name in {one.name for one in programs}

    small = shrunk(wrong, (*OTHERS, LONG))
    assert len(small.programs) == 2
    assert small.sample.I in (((0,),), ((5,),))


def test_the_demonstrations_shrink_where_they_matter():
    program = parse_program("def solve_long(S, I, C):\n    x1 = apply(first, S)\n    return size(x1)\n")
    pairs = ((GRID, GRID), (GRID[:2], GRID), (GRID, GRID))
    small = shrunk(lambda _, one, sample: "S" in uses(one) and sample.S != (), (program,), Sample(GRID, pairs, GRID))
    assert len(small.sample.S) == 1
    assert all(len(grid) == len(grid[0]) == 1 for grid in small.sample.S[0])


def test_trials_are_bounded():
    asked = 0

    def differs(case):
        nonlocal asked
        asked += 1
        return True

    shrink(Case(tuple(random_batch(30, 1).programs), Sample(GRID)), "solve_r0", differs, trials=5)
    assert asked == 5


def test_as_expression():
    assert str(as_expression(LONG)) == (
        "astuple(add(height(compose(hmirror, vmirror)(hmirror(vmirror(I)))), ONE), "
        "height(compose(hmirror, vmirror)(hmirror(vmirror(I)))))"
    )
    assert as_expression(parse_program("def solve_a(S, I, C):\n    return first(S)\n")) is None
    assert as_expression(parse_expression("hmirror(I)")) == parse_expression("hmirror(I)").result


def test_the_command_shows_a_small_case_and_fails(monkeypatch):
    planted = Planted(lambda _, program, sample: "vmirror" in uses(program))
    monkeypatch.setattr(command, "side_named", lambda name, *_: planted if name == "planted" else side_named(name))
    asked = ["verify", "--random", "120", "--seed", "2", "--generator", "1"]
    done = CliRunner().invoke(app, [*asked, "--backend", "planted", "--show", "1"])
    assert done.exit_code == 1
    assert "480 evaluations of 120 programs" in done.stdout
    assert "python and planted differ" in done.stdout
    assert "arcbatt eval 'vmirror(I)' --grid '[[" in done.stdout
    assert f"arcbatt {' '.join(asked)} --backend planted" in done.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "one of them"),
        (["--random", "3", "--vectors", "x"], "one of them"),
        (["--random", "3", "--generator", "7"], "no generator of version 7; there are: 1, 2, 3, 4, 5, 6"),
        (["--random", "3", "--backend", "python"], "python is what the other backends are compared with"),
    ],
)
def test_usage(args, message):
    done = CliRunner().invoke(app, ["verify", *args])
    assert message in str(done.exception)


def test_a_solver_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def solve_a(I):\n    return hmirror(I)\n\ndef solve_b(I):\n    return divide(ONE, ZERO)\n")
    done = CliRunner().invoke(app, ["verify", "--solvers", str(path), "--limit", "3"])
    assert done.exit_code == 0, done.output
    assert "2 programs on 3 tasks of arcagi: python, cpu, dynamic, lanes" in done.stdout
    assert "of 2 programs" in done.stdout


def test_what_an_engine_refuses_to_load_is_a_difference(monkeypatch):
    load = cpu.loaded

    def refusing(core, code, *rest):
        """As ever, but that no code with `hmirror` is loaded."""
        if "hmirror" in disassemble(code):
            raise ValueError("bytecode that cannot be run: hmirror")
        return load(core, code, *rest)

    monkeypatch.setattr(cpu, "loaded", refusing)
    done = CliRunner().invoke(
        app, ["verify", "--random", "60", "--seed", "2", "--generator", "2", "--backend", "cpu", "--show", "3"]
    )
    assert done.exit_code == 1, done.output
    assert done.stdout.count("python and cpu differ") == 1, "the same small case is shown once"
    assert "bytecode that cannot be run: hmirror" in done.stdout
