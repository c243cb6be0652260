"""Numbers of the interpreter's own operations, read from the list the native code includes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_LIST = Path(__file__).parents[2] / "native" / "codes.inc"

CODES: Final[dict[str, int]] = {
    name: int(number) for name, number in re.findall(r"AB_CODE\((\w+), (\d+)\)", _LIST.read_text(encoding="utf-8"))
}
"""Name to number."""

MULTIPLIES, HIDDEN_ARG, FIXED_COST, OVER_FUNCTIONS, FUNCTIONS_VALUE, NEVER_EQUAL, ORIGINALS = 1, 2, 8, 16, 32, 64, 128
COLUMNAR: Final = 256
PER_LANE: Final = 512
"""Flags of an instruction, as native/exec/code.h has them."""
