"""The store: the one package that knows SQL."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import arcbatt

PACKAGE = Path(arcbatt.__file__).parent
SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s+(OR\s+\w+\s+)?INTO|DELETE\s+FROM|UPDATE\s+\w+\s+SET|CREATE\s+(TABLE|VIEW|INDEX)"
    r"|PRAGMA)\b",
    re.DOTALL,
)


def test_the_record_needs_no_engine():
    code = "import sys, arcbatt.runs.writer; print([name for name in sys.modules if name.startswith('arcbatt.engine')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def texts(path):
    return [node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]


def test_no_sql_stands_outside_the_store():
    store = set((PACKAGE / "runs" / "store").glob("*.py"))
    assert len([text for path in store for text in texts(path) if isinstance(text, str) and SQL.search(text)]) > 20
    damage = PACKAGE / "devtools" / "soak" / "damage.py"  # which must know what it breaks
    for path in PACKAGE.rglob("*.py"):
        if path not in (*store, damage):
            assert "sqlite3" not in path.read_text(), path
            assert not [text for text in texts(path) if isinstance(text, str) and SQL.search(text)], path
