"""Programs of one name in several files."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcbatt.syntax import parse_paths, parse_text
from arcbatt.syntax.distinct import distinct


def write(path, *names):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"def solve_{name}(I):\n    return {turn}(I)\n" for name, turn in names))
    return path


@pytest.fixture
def people(tmp_path):
    """Files as people keep them: one name in each, one file name in two folders."""
    return [
        write(tmp_path / "mine.py", ("a", "rot90"), ("b", "rot90")),
        write(tmp_path / "one" / "solvers.py", ("a", "rot180"), ("c", "rot90")),
        write(tmp_path / "two" / "solvers.py", ("a", "rot270")),
    ]


def names(parsed):
    return [program.id for program in parsed.programs]


def test_the_first_keeps_its_name_and_the_others_are_told_apart_by_their_file(people):
    parsed = parse_paths(people)
    assert names(parsed) == ["a", "b", "a_one_solvers", "c", "a_two_solvers"]
    assert [str(program.result) for program in parsed.programs if program.id.startswith("a")] == [
        "rot90(I)", "rot180(I)", "rot270(I)"]  # fmt: skip
    assert not parsed.errors
    assert parsed.renamed[0] == f"solve_a of {people[1]} is now solve_a_one_solvers"


def test_a_name_that_nobody_else_has_stays(people):
    assert names(parse_paths(people[:1])) == ["a", "b"]
    assert parse_paths(people[:1]).renamed == []


def test_a_file_named_twice_is_read_once(people, tmp_path):
    (tmp_path / "link.py").symlink_to(people[0])
    assert names(parse_paths([people[0], people[0], tmp_path / "link.py"])) == ["a", "b"]


def test_a_new_name_that_is_taken_gets_a_number(tmp_path):
    files = [write(tmp_path / "x.py", ("a", "rot90"), ("a_y", "rot90")), write(tmp_path / "y.py", ("a", "rot180"))]
    assert names(parse_paths(files)) == ["a", "a_y", "a_y_2"]


LETTERS = st.sampled_from("ab-_.é ")


@given(
    st.lists(
        st.tuples(st.text(LETTERS, max_size=4), st.lists(st.sampled_from(["a", "b", "a_b", "a_a"]), unique=True)),
        max_size=6,
    )
)
def test_whatever_the_files_names_differ_and_can_be_read_back(tmp_path_factory, files):
    folder = tmp_path_factory.getbasetemp()
    read = [
        (folder / str(number % 2) / f"x{stem}.py", parse_text("".join(
            f"def solve_{name}(I):\n    return I\n" for name in own)).programs)
        for number, (stem, own) in enumerate(files)
    ]  # fmt: skip
    programs, renamed = distinct(read)
    assert max(Counter(program.name for program in programs).values(), default=1) == 1
    assert len(programs) == sum(len(own) for _, own in files)
    assert len(renamed) == sum(count - 1 for count in Counter(name for _, own in files for name in own).values())
    assert [one.name for one in parse_text("".join(map(str, programs))).programs] == [one.name for one in programs]
