from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from arcbatt.data.tasks import Task
from arcbatt.report import html
from arcbatt.report.html import BATCH_ROWS, report_html
from arcbatt.report.model import TaskReport, Timing
from arcbatt.report.tasks_html import Anchors
from arcbatt.runs.outcomes import Standing
from contrast import contrast
from report.models import COLOURS, DOT, NEARLY, OPEN, SOLVED, WITH_PROGRAMS, attempt, report, task_report

VOID = {"meta", "link", "input", "rect", "path"}


class Page(HTMLParser):
    """A page read strictly: every element closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def all(self, name: str) -> list[dict]:
        return [attrs for tag, attrs in self.elements if tag == name]

    @property
    def text(self) -> str:
        return "".join(self.words)


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(report_html(report()))


def test_sections_counts_and_tasks(page):
    assert [attrs["id"] for attrs in page.all("section")] == ["summary", "nearly-solved", "open", "solved", "timings"]
    tasks = [attrs["id"] for attrs in page.all("details") if attrs.get("class") == "item task"]
    assert tasks == ["task-aaaa0002", "task-aaaa0003", "task-aaaa0001"]
    for text in (
        "Solved: 1 (33.3%)",
        "demonstrations 2/2",
        "tests 2/2",
        "by p0 and 3 others",
        "The same on every pair: b, c, d.",
        "tests hidden",
        "nearest p0, 87.5% of cells",
        "1 of 4 cells differs",
        "failed: empty in first, line 3: item 0 of 0",
        "1 x 1 where 2 x 2 is expected",
        "Rerouted: 1,203 evaluations",
        "2 batches",
        "x1 = hmirror(I)",
    ):
        assert text in page.text, text


def test_every_grid_is_there(page):
    labels = Counter(attrs["aria-label"] for attrs in page.all("svg") if attrs.get("class", "").startswith("g "))
    assert labels["input, 2 x 5: 01234 56789"] == 1
    assert labels["got by p0, 2 x 2: 66 69; 1 marked: (1, 1)"] == 1
    pairs = [*SOLVED.train, *SOLVED.test, *NEARLY.train, *NEARLY.test]
    assert sum(count for label, count in labels.items() if label.startswith("input")) == len(pairs) + 2
    assert sum(count for label, count in labels.items() if label.startswith("expected")) == len(pairs) - 1 + 2


def test_nothing_comes_from_outside_and_only_our_script_runs(page):
    text = report_html(report())
    for _, attrs in page.elements:
        for name, value in attrs.items():
            assert not name.startswith("on")
            assert name != "style"  # the policy would drop it
            if name in ("href", "src"):
                assert value.startswith("#") or value == "data:,"
    assert not re.search(r"https?:|//[a-z]|@import", re.sub(r"// .*", "", text))
    policy = page.all("meta")[1]["content"]
    assert policy.startswith("default-src 'none';")
    for element in ("style", "script"):
        (body,) = re.findall(f"<{element}>(.*?)</{element}>", text, re.DOTALL)
        assert f"{element}-src 'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" in policy


def test_links_lead_to_places_and_places_are_different(page):
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    assert {attrs["href"][1:] for attrs in page.all("a")} <= set(ids)


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_every_picture_has_a_text_or_is_hidden(page):
    for attrs in page.all("svg"):
        assert attrs.get("aria-hidden") == "true" or attrs.get("aria-label") or attrs.get("class") == "time"


HOSTILE = "</code></script><script>alert(1)</script><img src=x onerror=alert(1)>\"' & "


def test_hostile_text_stays_text():
    task = Task(HOSTILE, ((DOT, ((1,),)),), ((DOT, None),))
    near = TaskReport(task, Standing.NEAR, (attempt(task, [DOT, DOT], HOSTILE, HOSTILE, [HOSTILE]),))
    rows = ((HOSTILE, HOSTILE),)
    hostile = report(
        near,
        title=HOSTILE,
        state=HOSTILE,
        facts=rows,
        options=rows,
        environment=rows,
        rerouted=((HOSTILE, 1),),
        stages=(Timing(HOSTILE, 1.0),),
        batches=(Timing(HOSTILE, 1.0, 1),),
    )
    page = Page(report_html(hostile))
    assert not page.all("img")
    assert len(page.all("script")) == 1
    assert page.text.count(HOSTILE) >= 15
    assert len([attrs for attrs in page.all("details") if attrs.get("class") == "item task"]) == 1


def test_anchors_are_legal_and_different():
    anchors = Anchors.of(["007bbfb7", "a b", "a/b", 'a"b', "ü"])
    assert list(anchors.by_id.values()) == ["task-007bbfb7", "task-a_b", "task-a_b-2", "task-a_b-3", "task-_"]


def test_nearest_tasks_first_and_left_out_tasks_counted():
    near = [
        task_report(Task(name, ((COLOURS, COLOURS),) * 2, ()), Standing.NEAR, [first, second])
        for name, first, second in [
            ("far", ((0, 0, 0, 0, 0), (0, 0, 0, 0, 0)), DOT),
            ("near", ((0, 1, 2, 3, 4), (5, 6, 7, 8, 8)), DOT),
            ("one", COLOURS, DOT),
        ]
    ]
    text = report_html(report(*near, left_out={Standing.NEAR: 1200}))
    assert re.findall(r'<details class="item task" id="([^"]+)"', text) == ["task-one", "task-near", "task-far"]
    assert "1,200 more are not shown here" in text
    assert '<span class="count">1,203</span>' in text


def test_a_run_without_anything():
    page = Page(report_html(report(title="empty", tasks=(), rerouted=(), stages=(), batches=(), options=())))
    for text in ("The run has no tasks", "Rerouted: none", "The run recorded no times", "Nothing recorded"):
        assert text in page.text


def test_only_the_slowest_of_many_batches():
    batches = tuple(Timing(f"batch {n}", n / 10, 10) for n in range(BATCH_ROWS + 5))
    text = report_html(report(batches=batches))
    assert f"{BATCH_ROWS + 5} batches, the slowest {BATCH_ROWS}" in text
    assert "batch 4<" not in text
    assert "batch 5<" in text


INKS = {"ink": ("paper", "card", "code"), "soft": ("paper", "card"), "link": ("paper", "card")}
INKS |= {name: ("card", f"{name}-paper") for name in ("good", "poor")}
INKS |= dict.fromkeys(("key", "prim", "num", "rem"), ("code",))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_ink_reads_on_its_paper(dark):
    style = Path(html.__file__).with_name("page.css").read_text()
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", re.findall(r":root \{(.*?)\}", style, re.DOTALL)[dark]))
    for ink, papers in INKS.items():
        for paper in papers:
            assert contrast(colours[ink], colours[paper]) >= 4.5, (ink, paper)


def test_programs_and_what_changed():
    page = Page(report_html(WITH_PROGRAMS))
    sections = [attrs["id"] for attrs in page.all("section")]
    assert sections == ["summary", "against", "nearly-solved", "solved", "programs", "timings"]
    programs = [attrs["id"] for attrs in page.all("details") if attrs.get("class") == "item program"]
    assert programs == ["program-p1", "program-p0", "program-p2"]
    for text in ("Programs 7", "solves 1", "90% of evaluations failed", "reads S", "4 more are not shown here",
                 "Compared with an earlier run", "not in it"):  # fmt: skip
        assert text in page.text, text
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert {attrs["href"][1:] for attrs in page.all("a")} <= ids  # what is not shown here is no link


def test_a_task_that_changed_shows_what_was_given_then():
    now = task_report(OPEN, Standing.SOLVED, [DOT, DOT], solvers=1)
    then = task_report(OPEN, Standing.NEAR, [((5,),), DOT])
    page = Page(report_html(report(replace(now, before=Standing.NEAR, attempts_before=then.attempts))))
    assert "then nearly solved" in page.text
    assert "then: p0 1 of 1 cells differs" in page.text
