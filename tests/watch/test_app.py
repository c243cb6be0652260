"""The application, asked as a browser asks it."""

from __future__ import annotations

import re
import sqlite3
from html import escape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arcbatt.runs.record import RESULTS
from arcbatt.watch.access import Access
from arcbatt.watch.app import make_app
from arcbatt.watch.gpus import GpuWatch
from arcbatt.watch.page import LISTED
from watch.records import age, make_run, make_search, set_state
from watch.test_gpus import PRINTED
from watch.test_metrics import parsed

LOCAL = Access("127.0.0.1")
NO_GPUS = GpuWatch(lambda: "")


def client(
    folder: Path, access: Access = LOCAL, gpus: GpuWatch = NO_GPUS, base: str = "http://127.0.0.1:8420"
) -> TestClient:
    return TestClient(make_app(folder, access, gpus), base_url=base)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    make_search(folder / "search")  # before the run, which is the newest then, whenever a second ends
    age(folder / "search", 1000)
    make_run(folder / "first")
    return folder


def test_the_page_of_the_newest_run(folder):
    answer = client(folder).get("/")
    assert answer.status_code == 200
    text = answer.text
    assert "<title>first - arcbatt watch</title>" in text
    for words in ("100.0% of 12 evaluations", "Tasks solved", "Evaluations a second", "Slowest programs", "Near misses",
                  "1 of 6 cells differs", "4 of 12 evaluations failed", "GPU"):  # fmt: skip
        assert (words in text) is (words != "GPU"), words
    assert text.count("<svg") > 10


def test_a_search(folder):
    text = client(folder).get("/run/search").text
    for words in ("Programs found", "Latest attempts", "by single", "a guess", "Nothing was heard of this search for"):
        assert words in text


def test_the_run_s_own_folder_may_be_given(folder):
    assert "<h1>first</h1>" in client(folder / "first").get("/").text


def test_a_number_is_not_the_whole_heading(tmp_path):
    make_run(tmp_path / "7")
    text = client(tmp_path).get("/").text
    assert "<h1>Run 7</h1>" in text
    assert "<title>Run 7 - arcbatt watch</title>" in text


def test_gpus_are_shown_where_there_are_any(folder):
    text = client(folder, gpus=GpuWatch(lambda: PRINTED)).get("/").text
    assert "GPUs of this machine" in text
    assert "0: NVIDIA H200" in text
    assert "1.0 GiB of 140.4 GiB" in text


def test_the_part_that_changes_is_sent_only_when_it_does(folder):
    browser = client(folder)
    first = browser.get("/run/first?part=1")
    assert "<html" not in first.text
    assert first.text in browser.get("/run/first").text
    assert browser.get("/run/first?part=1", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    assert browser.get("/run/first?part=1", headers={"If-None-Match": '"x"'}).text == first.text


def test_metrics(folder):
    answer = client(folder).get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = parsed(answer.text)
    assert found["arcbatt_run_evaluations_total"] == [({"run": "first", "dataset": "tiny", "on": "cpu"}, 12)]
    assert found["arcbatt_search_found_total"][0][1] == 2


def test_nothing_is_there_yet(tmp_path):
    assert "No runs yet" in client(tmp_path / "missing").get("/").text
    assert parsed(client(tmp_path).get("/metrics").text)["arcbatt_records"]


def test_a_run_that_has_just_begun_or_is_damaged(tmp_path):
    make_run(tmp_path / "begun")
    set_state(tmp_path / "begun", state="running", ended=None)
    (tmp_path / "begun" / RESULTS).unlink()
    make_run(tmp_path / "worse")
    (tmp_path / "worse" / "run.json").write_text("[]")
    browser = client(tmp_path)
    assert "the run stopped before its first result" in browser.get("/run/begun").text
    assert "not the record of a run" in browser.get("/run/worse").text
    assert ({"state": "damaged"}, 1.0) in parsed(browser.get("/metrics").text)["arcbatt_records"]


@pytest.mark.parametrize("key", ["nothing", "%2e%2e%2fetc", "first/..", "-0000"])
def test_other_places_are_not_shown(folder, key):
    assert client(folder).get(f"/run/{key}").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_it_only_answers_questions(folder, method):
    assert client(folder).request(method, "/").status_code == 405


def test_many_runs_are_listed_in_part(tmp_path):
    for number in range(LISTED + 5):
        make_search(tmp_path / f"s{number:03}", 0)
    browser = client(tmp_path)
    assert browser.get("/").text.count("<li><a") == LISTED
    assert "5 more" in browser.get("/").text
    assert browser.get("/?all=1").text.count("<li><a") == LISTED + 5


# --- who may ask ---


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8420", "localhost:1", "[::1]:8420", "LOCALHOST"])
def test_names_of_this_machine(folder, host):
    assert client(folder).get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "localhost.evil.example", "", "10.0.0.1", "[::2]"],
)
def test_other_names_are_refused(folder, host):
    assert client(folder).get("/metrics", headers={"Host": host}).status_code == 421


def test_a_token_is_asked_for_elsewhere(folder):
    access = Access.of("192.0.2.7")
    assert access.token is not None
    assert len(access.token) >= 32
    for given in ("", "?token=", "?token=wrong", f"?token={access.token}x", f"?Token={access.token}", "?token=%ff"):
        browser = client(folder, access, base="http://192.0.2.7:8420")
        answer = browser.get(f"/{given}")
        assert answer.status_code == 401, given
        assert "first" not in answer.text
    assert browser.get("/metrics", headers={"Authorization": f"Bearer {access.token}"}).status_code == 200
    assert browser.get("/metrics", headers={"Authorization": "Bearer no"}).status_code == 401
    assert browser.get("/", headers={"Cookie": "arcbatt_watch=no"}).status_code == 401
    assert browser.get("/", headers={"Cookie": "="}).status_code == 401


def test_the_token_of_the_address_becomes_a_cookie(folder):
    access = Access.of("0.0.0.0")
    browser = client(folder, access, base="http://192.0.2.7:8420")
    answer = browser.get(f"/run/first?all=1&token={access.token}", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/run/first?all=1")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert browser.get("/").status_code == 200
    other = client(folder, access, base="http://192.0.2.7:8420")
    led = other.get(f"//evil.example/?token={access.token}", follow_redirects=False)
    assert led.headers.get("location", "/").startswith("/")
    assert not led.headers.get("location", "/").startswith("//")


def test_names_elsewhere_are_the_machine_s_own(folder):
    access = Access.of("watch.example")
    header = {"Authorization": f"Bearer {access.token}"}
    for host, status in (("watch.example:8420", 200), ("192.0.2.7", 200), ("localhost", 200), ("evil.example", 421)):
        assert client(folder, access).get("/", headers=header | {"Host": host}).status_code == status


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "localhost", "::1"])
def test_this_machine_needs_no_token(host):
    assert Access.of(host).token is None


def test_tokens_differ():
    assert len({Access.of("0.0.0.0").token for _ in range(20)}) == 20


def test_every_answer_says_what_browsers_must_not_do(folder):
    browser = client(folder)
    for answer in (
        browser.get("/"),
        browser.get("/nothing"),
        browser.post("/"),
        browser.get("/", headers={"Host": "x"}),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_nothing_is_fetched_from_outside(folder):
    text = client(folder).get("/").text
    assert re.findall(r'(?:src|href)="([^"]*)"', text.replace('href="data:,"', "")) == [
        "#main", "#runs", "/run/first", "/run/search",
    ]  # fmt: skip
    assert "url(" not in text.replace("url(#lines)", "")
    assert "@import" not in text


# --- hostile text ---
HOSTILE = "</h1><script>alert(1)</script>\"'&\u202e\x1b[2J"


def test_text_from_records_is_shown_and_does_nothing(tmp_path):
    name = HOSTILE.replace("/", "_")
    make_run(tmp_path / name)
    set_state(tmp_path / name, dataset=HOSTILE)
    with sqlite3.connect(tmp_path / name / RESULTS) as connection:
        connection.execute("UPDATE program SET name = ? || program", [HOSTILE])
        connection.execute("UPDATE task SET id = 'nearly<b>' WHERE id = 'nearly'")
        connection.execute(
            "UPDATE progress SET ran_on = json_object(?, 12), failures = json_object(?, 4)", [HOSTILE] * 2
        )
        connection.execute("UPDATE batch SET rerouted = json_object(?, 4)", [HOSTILE])
    connection.close()
    browser = client(tmp_path)
    text = browser.get("/").text
    assert text.count("<script>") == 1
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "nearly<b>" not in text
    assert text.count(escape("<script>alert(1)")) >= 6
    assert len(parsed(browser.get("/metrics").text)["arcbatt_run_failures_total"]) == 1
    (key,) = set(re.findall(r'href="/run/([^"?]*)"', text))
    assert re.fullmatch(r"-[0-9a-f]{16}", key)
    assert browser.get(f"/run/{key}").status_code == 200


@pytest.mark.parametrize("now", [0.0, -1e9, 1e12, 1e18])
def test_a_clock_that_was_set_anew(folder, now):
    browser = TestClient(make_app(folder, LOCAL, NO_GPUS, lambda: now), base_url="http://127.0.0.1:8420")
    for place in ("/", "/run/search", "/run/first?all"):
        assert browser.get(place).status_code == 200
    parsed(browser.get("/metrics").text)
