from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from arcbatt.batt import batt_text, load_batt, make_card, write_batt
from arcbatt.batt.card import INPUT_ID, choose
from arcbatt.batt.differs import standard_differs
from arcbatt.cli.app import app
from arcbatt.compiler import specialize
from arcbatt.compiler.context import UnresolvedError
from arcbatt.compiler.graph import merge
from arcbatt.data.tasks import load_tasks
from arcbatt.errors import UsageError
from arcbatt.language.failures import Failed
from arcbatt.language.reference import evaluate
from arcbatt.solvers import library
from arcbatt.syntax import parse_program, parse_text
from compiler.support import equal, random_programs, random_sample

LIBRARY = library()
TASKS = {task.id: task for task in load_tasks("arcagi")}


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fifty(tmp_path_factory):
    path = tmp_path_factory.mktemp("batt") / "batt_fifty.py"
    write_batt(make_card(choose(LIBRARY, count=50, seed=1), standard_differs()), path)
    return path


def test_fifty_programs_by_hand(fifty):
    batt = imported(fifty)
    assert batt.banner().startswith("Batt ")
    for program in choose(LIBRARY, count=50, seed=1)[::10]:
        sample = TASKS[program.id].samples[0]
        o, s = batt.batt(program.id, sample.S, sample.I, sample.C)
        assert [value for _, name, value in o if name == program.id] == [sample.C]
        for number, name, value in o:
            alone = next(one for one in LIBRARY if one.id == name)
            assert equal(value, evaluate(alone, sample))
            assert number in batt.CALLS
        matching = {name: value for _, name, differ, value in s if differ == "matching_cells"}
        assert matching[program.id] == len(sample.C) * len(sample.C[0])
        assert len(s) == 4 * 51
        assert INPUT_ID in matching


def test_batch_gives_what_batt_gives(fifty):
    batt = imported(fifty)
    samples = [TASKS[name].samples[0] for name in ("007bbfb7", "a85d4709")]
    many = batt.batt_batch(["a", "b"], [s.S for s in samples], [s.I for s in samples], [s.C for s in samples])
    for sample, result in zip(samples, many, strict=True):
        assert result == batt.batt("x", sample.S, sample.I, sample.C)
    with pytest.raises(UsageError, match="as many task_ids, Ss, Is and Cs"):
        batt.batt_batch(["a"], [], [], [])


def test_the_file_is_a_clean_module(fifty):
    for check in (["ruff", "check", "--isolated"], ["mypy", "--strict"]):
        done = subprocess.run([sys.executable, "-m", *check, str(fifty)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_the_file_imports_quietly(fifty):
    code = f"import sys; sys.path.insert(0, {str(fifty.parent)!r}); import batt_fifty; print('cupy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_the_file_is_deterministic_for_a_seed():
    one, two = (batt_text(make_card(choose(LIBRARY, count=20, seed=5), standard_differs())) for _ in range(2))
    assert one == two
    assert one != batt_text(make_card(choose(LIBRARY, count=20, seed=6), standard_differs()))


def test_loading_gives_the_graph_back(fifty):
    card = make_card(choose(LIBRARY, count=50, seed=1), standard_differs())
    again = load_batt(fifty)
    assert batt_text(again) == fifty.read_text()
    assert [output.program for output in again.outputs] == [output.program for output in card.outputs]
    sample = random_sample(5)
    for one, two in list(zip(card.outputs, again.outputs, strict=True))[::7]:
        assert equal(
            evaluate(card.graph.to_program(one.node), sample), evaluate(again.graph.to_program(two.node), sample)
        )


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_through_the_file(seed, tmp_path):
    programs, sample = random_programs(seed), random_sample(seed)
    path = tmp_path / f"batt_random_{seed}.py"
    write_batt(make_card(programs, standard_differs()), path)
    o, s = imported(path).batt("x", sample.S, sample.I, sample.C, str(tmp_path / "log.jsonl"))
    for program, (_, name, value) in zip(programs, o, strict=True):
        assert name == program.id
        assert equal(value, evaluate(program, sample))
    assert (o, s) == imported(path).batt_batch(["x"], [sample.S], [sample.I], [sample.C])[0]
    failed = [value for _, _, value in o if isinstance(value, Failed)]
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == len(failed)


@pytest.mark.parametrize("value", ["30", "-7", "2147483647", "True", "(3, -4)", "(1, 2, 3)", "ONE", "I", "rot90"])
def test_programs_that_return_what_is_written(value, tmp_path):
    card = make_card([parse_program(f"def solve_a(I):\n    return {value}\n")], standard_differs())
    path = tmp_path / "batt_written.py"
    write_batt(card, path)
    assert batt_text(load_batt(path)) == path.read_text()


def test_the_log_names_what_failed(tmp_path):
    path = tmp_path / "batt_fail.py"
    write_batt(make_card([parse_program("def solve_a(I):\n    return first(ofcolor(I, 9))\n")]), path)
    imported(path).batt("task", (), ((1,),), None, str(tmp_path / "log"))
    assert json.loads((tmp_path / "log").read_text()) == {
        "task": "task", "t": 2, "program": "a", "failed": "empty", "in": "first"
    }  # fmt: skip


def test_vectorized_batt_goes_through_the_engine(tmp_path):
    path = tmp_path / "batt_vectorized.py"
    write_batt(make_card(LIBRARY[:5]), path, vectorized=True)
    module = imported(path)
    assert module.VECTORIZED
    sample = TASKS[LIBRARY[0].id].samples[0]
    assert module.batt("x", sample.S, sample.I, sample.C)[0][0][2] == sample.C
    assert len(load_batt(path).outputs) == 5


def test_lines_over_the_demonstrations_alone_stand_first():
    text = """
def solve_a(S, I, C):
    x1 = apply(first, S)
    x2 = apply(second, S)
    x3 = mapply(p_g, x1)
    x4 = mapply(p_g, x2)
    x5 = dedupe(x3)
    x6 = difference_tuple(x4, x5)
    return fill(I, first(x6), asindices(I))
"""
    out = batt_text(make_card(parse_text(text).check()))
    assert (
        "    # these depend on S alone\n    t1 = apply(first, S)\n    t2 = apply(second, S)\n    t3 = mapply(p_g, t1)"
        in out
    )


def test_differs():
    sample = TASKS["a85d4709"].samples[0]
    values = {differ.id: evaluate(differ, sample) for differ in standard_differs()}
    assert set(values) == {"extra_colours", "missing_colours", "object_sizes", "matching_cells"}
    assert values["extra_colours"] == frozenset({0, 5})
    assert values["missing_colours"] == frozenset({2, 3, 4})
    assert values["matching_cells"] == 0


def test_choosing():
    with pytest.raises(UsageError, match="no program for nope"):
        choose(LIBRARY, ["nope"])
    with pytest.raises(UsageError, match="asked for 1,000 programs, there are"):
        choose(LIBRARY, count=1000)
    with pytest.raises(UsageError, match="asked for 0 programs"):
        choose(LIBRARY, count=0)
    with pytest.raises(UsageError, match="no program to merge"):
        make_card([])
    assert [program.id for program in choose(LIBRARY, ["a85d4709", "007bbfb7"])] == ["007bbfb7", "a85d4709"]


EDITS = {
    "another first line": ("# arcbatt batt, format 1", "# arcbatt batt, format 0", "not a batt file of this version"),
    "an operator": ("    t1 = ", "    t1 = 1 + ", "not a call"),
    "a nested call": ("    t1 = rot90(I)", "    t1 = rot90(rot90(I))", "no name, integer or tuple"),
    "an import": ("    t1 = ", "    import os\n    t1 = ", "not a line of a batt"),
    "a dangerous call": ("    t1 = rot90(I)", "    t1 = __import__('os')", "no name, integer or tuple"),
    "an unknown name": ("    t1 = rot90(I)", "    t1 = rot91(I)", "unknown name"),
    "a wrong count": ("    t1 = rot90(I)", "    t1 = rot90(I, I)", "rot90 takes 1 argument, got 2"),
    "a line twice": ("    t1 = rot90(I)", "    t1 = rot90(I)\n    t1 = rot90(I)", "redefinition of t1"),
    "a missing line": ("    t1 = rot90(I)\n", "", "unknown name 't1'"),
    "a wrong number": ('(1, "a", t1)', '(2, "a", t1)', "t1 is not t2"),
    "bad syntax": ("    t1 = rot90(I)", "    t1 = rot90(I", "not Python syntax"),
    "an end in the middle": ("    ]\n    s:", "    s:", "not an entry of the results"),
    "an integer beyond 32 bits": ("    t1 = rot90(I)", "    t1 = rot90(2147483648)", "integer does not fit 32 bits"),
    "a tuple with one": ("    t1 = rot90(I)", "    t1 = rot90((1, -2147483649))", "integer does not fit 32 bits"),
    "a name with a space": ('"b", t1)', '"b b", t1)', "not an entry of the results"),
    "a name with an escape": ('"b", t1)', '"\x1b[31m", t1)', "not an entry of the results"),
    "a name that is none": ('"b", t1)', '"\N{SUPERSCRIPT TWO}", t1)', "is no name of a program"),
    "a name that is another": ('"b", t1)', '"\N{LATIN SMALL LIGATURE FI}", t1)', "is no name of a program"),
    "no function": ("def batt(", "def bat(", "no function `batt`"),
}


@pytest.mark.parametrize("edit", EDITS, ids=str)
def test_a_batt_edited_into_nonsense_is_refused(edit, tmp_path):
    old, new, message = EDITS[edit]
    text = batt_text(make_card([parse_program("def solve_a(I):\n    return size(rot90(I))\n"),
                                parse_program("def solve_b(I):\n    return rot90(I)\n")]))  # fmt: skip
    text = text.replace('(2, "a", t2)', '(1, "a", t1)') if edit == "a wrong number" else text
    assert old in text
    path = tmp_path / "bad.py"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UsageError, match=r"bad\.py") as info:
        load_batt(path)
    assert message in str(info.value)


def test_a_program_of_a_batt_that_could_not_be_read_back_is_refused(tmp_path, monkeypatch):
    card = make_card([parse_program("def solve_a(I):\n    return rot90(rot90(rot90(rot180(I))))\n")])
    write_batt(card, tmp_path / "batt.py")
    monkeypatch.setattr("arcbatt.batt.load.MAX_CALLS", 3)
    with pytest.raises(UsageError, match="a has 4 calls, at most 3"):
        load_batt(tmp_path / "batt.py")


def test_nothing_half_written(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        write_batt(make_card(LIBRARY[:2]), tmp_path / "none" / "batt.py")
    folder = tmp_path / "batt.py"
    folder.mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write_batt(make_card(LIBRARY[:2]), folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_calls_of_function_variables_survive():
    program = parse_program("def solve_a(I):\n    f = branch(portrait(I), rot90, rot180)\n    return f(I)\n")
    text = batt_text(make_card([program]))
    assert "= invoke(t" in text
    assert merge([program]).outputs


def test_stats_say_why_a_program_is_not_typed_and_where(tmp_path, monkeypatch):
    typed = specialize._Specializer.call_primitive

    def refusing(self, context, name, args):
        if name == "trim":
            raise UnresolvedError("trim is not typed here")
        return typed(self, context, name, args)

    monkeypatch.setattr(specialize._Specializer, "call_primitive", refusing)
    source = tmp_path / "mine.py"
    source.write_text(
        "def solve_good(I):\n    return hmirror(I)\n\n\ndef solve_shared(I):\n    return trim(I)\n\n\n"
        "def solve_odd(I):\n    x1 = height(I)\n    x2 = trim(I)\n    return canvas(x1, shape(x2))\n"
    )
    args = ["card", "--solvers", str(source), "--stats", "--no-differs", "-f", str(tmp_path / "batt.py")]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    assert "1 of 3 programs" in done.stdout
    lines = done.stdout.splitlines()
    place = lines.index("  runs on the dynamic tier: solve_odd: trim is not typed here")
    assert lines[place + 1] == "    line 11: trim(I)"
    assert "    line 6: trim(I)" in lines
