from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arcbatt.data.tasks import Task
from arcbatt.scoring.attempts import Candidate, Pick, Question, choose_attempts
from arcbatt.scoring.submission import check_submission
from data.support import tasks
from strategies import grids

A, B, C, D = ((1,),), ((2,),), ((3,),), ((4, 4),)
QUESTION = Question("x", ((A, B), (B, C)), (D,))


def candidate(name, output, demos=2, agreement=1.0, lines=5):
    return Candidate(name, lines, demos, agreement, (output,))


def chosen(*candidates, question=QUESTION):
    ((first, second),) = choose_attempts(question, candidates)
    return first, second


def test_demonstrations_come_first():
    first, second = chosen(candidate("p", A, demos=1, agreement=0.9, lines=1), candidate("q", B, lines=9))
    assert (first, second) == (Pick(B, "q", solves=True), Pick(A, "p", solves=False))


def test_then_the_shorter_program_then_how_many_agree_then_the_name():
    assert chosen(candidate("p", A, lines=6), candidate("r", A, lines=6), candidate("q", B))[0].grid == B
    assert chosen(candidate("p", A), candidate("q", B), candidate("r", B))[0] == Pick(B, "q", True)
    assert chosen(candidate("q", A), candidate("p", B))[0] == Pick(B, "p", True)


def test_worse_programs_have_no_say_in_agreement():
    worse = [candidate(f"w{number}", B, demos=1, agreement=0.5) for number in range(3)]
    first, second = chosen(candidate("z", B), candidate("p", A), *worse)
    assert (first.grid, second.grid) == (A, B)


def test_near_misses_by_share_of_cells():
    near = [candidate("p", A, demos=0, agreement=0.5, lines=1), candidate("q", B, demos=0, agreement=0.9, lines=9)]
    assert [pick.grid for pick in chosen(*near)] == [B, A]


def test_the_same_output_is_one_attempt():
    assert [pick.grid for pick in chosen(candidate("p", A), candidate("q", A), candidate("r", B, demos=0))] == [A, B]


def test_guesses():
    assert chosen() == (Pick(D), Pick(B))  # the input, then the first output of a demonstration
    assert chosen(candidate("p", D)) == (Pick(D, "p", True), Pick(B))
    alike = Question("x", ((A, A),), (A,))
    assert chosen(question=alike) == (Pick(A), Pick(((0,),)))
    zero = Question("x", ((A, ((0,),)),), (((0,),),))
    assert chosen(question=zero) == (Pick(((0,),)), Pick(((1,),)))


def test_what_is_no_grid_of_arc_is_no_attempt():
    for bad in (None, ((10,),), ((-1,),), ((0,) * 31,), ((0,),) * 31, ((1,), (1, 2)), (), ((),)):
        assert chosen(candidate("p", bad)) == chosen()


def test_a_candidate_may_lack_some_outputs():
    question = Question("x", QUESTION.demonstrations, (D, D))
    picks = choose_attempts(question, [Candidate("p", 1, 2, 1.0, (None, A))])
    assert [first.program for first, _ in picks] == [None, "p"]


candidates = st.builds(
    Candidate,
    program=st.text("pqr", min_size=1, max_size=3),
    lines=st.integers(1, 3),
    demos_right=st.integers(0, 2),
    agreement=st.sampled_from([0.0, 0.5, 1.0]),
    outputs=st.tuples(*[st.none() | grids(2, 1)] * 3),
)
several = st.lists(candidates, max_size=6, unique_by=lambda one: one.program)


@given(tasks("a"), several, st.randoms())
def test_always_two_different_valid_attempts_in_an_order_of_their_own(task, some, random):
    question = Question.of(task)
    picks = choose_attempts(question, some)
    submission = [{"attempt_1": one.grid, "attempt_2": two.grid} for one, two in picks]
    assert check_submission({"a": submission}, {"a": len(task.test)})
    assert all(one.grid != two.grid for one, two in picks)
    random.shuffle(some)
    assert choose_attempts(question, some) == picks


@given(tasks("a"), st.data())
def test_answers_play_no_part(task, data):
    other = Task("a", task.train, tuple((given, data.draw(st.none() | grids(3))) for given, _ in task.test))
    assert Question.of(other) == Question.of(task)
