from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from arcbatt.devtools.conformance import check, read_vectors
from arcbatt.errors import DataError
from arcbatt.language.encoding import decode, encode, same
from arcbatt.language.table import STANDARD

SHARED = Path(__file__).parents[3] / "shared" / "conformance" / "vectors.jsonl.gz"


def test_sample_agrees(data):
    report = check(read_vectors(data / "vectors.jsonl"))
    assert not report.differences
    assert report.agree == report.total > 800
    assert report.by_set_order == 1


def test_sample_reaches_every_primitive(data):
    assert set(check(read_vectors(data / "vectors.jsonl")).per_primitive) == STANDARD.ops.keys()


@pytest.mark.skipif(not SHARED.exists(), reason="the whole vector file is not beside this checkout")
def test_all_agree():
    report = check(read_vectors(SHARED))
    assert not report.differences
    assert report.total == 15_848
    assert report.by_set_order == 12


def test_a_wrong_value_is_a_difference(tmp_path):
    vector = {"expr": "mpapply(lbind(branch, T), totuple(objects(I, T, F, F)), first(I))", "I": [[1, 1]]}
    path = tmp_path / "v.jsonl"
    right, swapped, wrong = [[1, [0, 0]], [1, [0, 1]]], [[1, [0, 1]], [1, [0, 0]]], [[1, [0, 1]], [1, [0, 1]]]
    lines = [{**vector, "out": out} for out in (right, swapped, wrong)] + [{**vector, "error": True}]
    path.write_text("\n".join(map(json.dumps, lines)))
    report = check(read_vectors(path))
    assert (report.agree, report.by_set_order, len(report.differences)) == (2, 1, 2)


def test_order_outside_a_merged_set_counts(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(json.dumps({"expr": "merge(I)", "I": [[1, 2]], "out": [2, 1]}))
    assert check(read_vectors(path)).agree == 0


def test_true_is_not_one():
    assert not same(True, 1)
    assert not same((0, frozenset({False})), (0, frozenset({0})))
    assert same(frozenset({(1, (2, 3))}), frozenset({(1, (2, 3))}))


def test_values_survive_json():
    value = (1, True, None, frozenset({frozenset({(1, (0, 0))}), frozenset()}), ())
    assert same(decode(json.loads(json.dumps(encode(value)))), value)


@pytest.mark.parametrize(
    "line",
    ["{", "[]", "{}", '{"expr": "I", "I": [[11]], "out": 1}', '{"expr": "I", "I": [[1], [1, 2]], "out": 1}',
     '{"expr": "I", "I": [["a"]], "out": 1}', '{"expr": "I", "I": [[1]], "out": {"sett": []}}', "[" * 100_000],
)  # fmt: skip
def test_bad_vectors_name_the_line(tmp_path, line):
    path = tmp_path / "v.jsonl"
    path.write_text('{"expr": "I", "I": [[1]], "out": [[1]]}\n' + line)
    with pytest.raises(DataError, match=r"v\.jsonl:2: not a vector"):
        list(read_vectors(path))


def test_missing_and_broken_files(tmp_path):
    with pytest.raises(DataError, match="cannot read vectors"):
        list(read_vectors(tmp_path / "none.jsonl"))
    broken = tmp_path / "v.jsonl.gz"
    broken.write_bytes(gzip.compress(b'{"expr": "I"}')[:12])
    with pytest.raises(DataError, match="cannot read vectors"):
        list(read_vectors(broken))
