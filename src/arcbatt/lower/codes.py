"""Numbers of the interpreter's own operations, read from the list the native code includes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_LIST = Path(__file__).parent.parent / "native" / "codes.inc"

CODES: Final[dict[str, int]] = {
    name: int(number) for name, number in re.findall(r"AB_CODE\((\w+), (\d+)\)", _LIST.read_text(encoding="utf-8"))
}
"""Name to number."""

NAMES: Final[dict[int, str]] = {number: name for name, number in CODES.items()}
