"""Write native/variants.inc from the op table, or check that it is up to date (--check).

A variant is one primitive for one choice of concrete types: one C++ function, found by overloading.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arcbatt.lower.variants import VARIANTS, native_text

TARGET = Path(__file__).resolve().parent.parent / "src" / "arcbatt" / "native" / "variants.inc"


def main() -> None:
    """Write or check."""
    text = native_text()
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
        print(f"{len(VARIANTS)} variants")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        sys.exit(f"{TARGET.name} is out of date; run: make native")


if __name__ == "__main__":
    main()
