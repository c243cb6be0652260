"""The one folder for everything arcbatt keeps between runs."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder(part: str = "") -> Path:
    """The cache folder, or a part of it (`kernels`, `custom`, `tasks`); it may not exist yet.

    ARCBATT_CACHE names it; otherwise it is where the platform keeps a user's caches, `~/.cache/arcbatt` on Linux.
    """
    given = os.environ.get("ARCBATT_CACHE")
    if given:
        return Path(given) / part
    import platformdirs

    return platformdirs.user_cache_path("arcbatt", appauthor=False) / part
