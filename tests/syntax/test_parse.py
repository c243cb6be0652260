from __future__ import annotations

import pytest

from arcbatt import parse
from arcbatt.errors import UsageError

TEXT = "def solve_a(I):\n    return vmirror(I)\n"


def test_text_a_file_and_a_folder(tmp_path):
    wanted = parse(TEXT)
    assert [program.name for program in wanted] == ["solve_a"]
    (tmp_path / "some.py").write_text(TEXT)
    for source in (tmp_path / "some.py", str(tmp_path / "some.py"), tmp_path, str(tmp_path)):
        assert parse(source) == wanted
    assert parse("def solve_a(I): return vmirror(I)") == wanted


def test_errors_are_shown():
    for empty in ("", "# none"):
        with pytest.raises(UsageError, match="no program found"):
            parse(empty)
    with pytest.raises(UsageError, match="no_such_thing"):
        parse("def solve_a(I):\n    return no_such_thing(I)\n")
    with pytest.raises(UsageError, match=r"nowhere\.py"):
        parse("nowhere.py")
