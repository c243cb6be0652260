"""The kernel's source as one string: the headers with their includes put in place.

Run as a program it writes lane_library.h, which builds with lanes on a CPU need.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

_NATIVE: Final = Path(__file__).parents[2] / "native"
_INCLUDE: Final = re.compile(r'^[ \t]*#include "([\w./]+)"[ \t]*$', re.MULTILINE)
ENTRY: Final = "cuda/engine.h"
_CUSTOM: Final = "custom.inc"
LANE_LIBRARY: Final = "lane_library.h"
"""The headers once more, for a lane by itself (native/loops/per_lane.h)."""
_LANE_ENTRY: Final = "exec/interpreter.h"
_BEFORE: Final = """\
#undef AB_LANES
#undef AB_OWN_SLOTS
#define AB_LANES 1
#define AB_OWN_SLOTS 1
"""
_AFTER: Final = """
#undef AB_LANES
#undef AB_OWN_SLOTS
#define AB_LANES 32
#define AB_OWN_SLOTS 0
"""


@cache
def kernel_source(entry: str = ENTRY, custom: str = "") -> str:
    """Everything the GPU compiler needs.

    `entry` is the header of the kernel that is wanted, `custom` what stands in place of custom.inc.
    """
    return _amalgamated(entry, custom, lane_library(custom))


@cache
def lane_library(custom: str = "") -> str:
    """The headers for a lane by itself, in their own namespace."""
    text = _amalgamated(_LANE_ENTRY, custom, "")
    return _BEFORE + re.sub(r"\bnamespace arcbatt\b", "namespace arcbatt_lane", text) + _AFTER


def _amalgamated(entry: str, custom: str, library: str) -> str:
    """A header with all it includes. Headers stand once; lists that macros expand stand where they are used."""
    seen: set[str] = set()

    def text_of(name: str) -> str:
        if name == LANE_LIBRARY:
            return library
        if name.endswith(".h"):
            if name in seen:
                return ""
            seen.add(name)
        if name == _CUSTOM and custom:
            return custom
        text = (_NATIVE / name).read_text(encoding="utf-8").replace("#pragma once\n", "")
        return _INCLUDE.sub(lambda match: text_of(match[1]), text)

    return text_of(entry)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(lane_library(), encoding="utf-8")
