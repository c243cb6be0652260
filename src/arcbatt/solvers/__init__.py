"""Our own solver programs: text of the language, read by the frontend and never imported."""

from __future__ import annotations

from pathlib import Path

from arcbatt.syntax import parse_paths
from arcbatt.syntax.api import Programs


def library() -> Programs:
    """Every program that ships with arcbatt."""
    folder = Path(__file__).parent
    files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    return Programs(parse_paths(files).check())
