"""Which arcbatt this is, by more than its version: results of one run must not come from two."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from arcbatt._version import __version__


@cache
def this_build() -> str:
    """The version, and a digest of the package's sources."""
    digest = hashlib.sha256()
    root = Path(__file__).parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(f"{path.relative_to(root).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return f"arcbatt {__version__} ({digest.hexdigest()[:12]})"
