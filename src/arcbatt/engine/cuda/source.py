"""A kernel's source as one string: its header with all it includes put in place."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_NATIVE: Final = Path(__file__).parents[2] / "native"
_INCLUDE: Final = re.compile(r'^[ \t]*#include "([\w./]+)"[ \t]*$', re.MULTILINE)
_CUSTOM: Final = "custom.inc"


@cache
def kernel_source(entry: str, custom: str = "") -> str:
    """Everything the GPU compiler needs: headers stand once, lists that macros expand where they are used.

    `entry` is the header of the kernel that is wanted, `custom` what stands in place of custom.inc.
    """
    seen: set[str] = set()

    def text_of(name: str) -> str:
        if name.endswith(".h"):
            if name in seen:
                return ""
            seen.add(name)
        if name == _CUSTOM and custom:
            return custom
        text = (_NATIVE / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda match: text_of(match[1]), text)

    return text_of(entry)
