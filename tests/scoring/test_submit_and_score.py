from __future__ import annotations

import pytest

import arcbatt
from arcbatt.errors import DataError


@pytest.fixture(scope="module")
def tasks():
    return arcbatt.load_tasks("arcagi")[:4]


@pytest.mark.parametrize("recorded", [False, True])
def test_from_programs_to_a_score(tmp_path, tasks, recorded):
    out = tmp_path / "run" if recorded else None
    done = arcbatt.run(arcbatt.library()[:30], tasks, out=out, backend="cpu")
    chosen = arcbatt.submit(out or done, tmp_path / "submission.json")
    found = arcbatt.score(tmp_path / "submission.json", tasks)
    assert found == arcbatt.score(chosen.submission, iter(tasks))
    assert found.tasks_solved == len(done.record.solved_tests()) > 0


def test_what_is_no_submission(tasks):
    with pytest.raises(DataError, match=f"task {tasks[0].id}: missing"):
        arcbatt.score({}, tasks, strict=True)
    with pytest.raises(DataError, match="nothing to score: the submission has none of the"):
        arcbatt.score({}, tasks)
