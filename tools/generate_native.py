"""Write the .inc lists of native/ from the op table, or check that they are up to date (--check).

A variant is one primitive for one choice of concrete types: one C++ function, found by overloading.
"""

from __future__ import annotations

import sys
from pathlib import Path

from arcbatt.compiler.lower.variants import VARIANTS, empty_tuple_text, multiplies_text, native_text, scalars_text

NATIVE = Path(__file__).resolve().parent.parent / "src" / "arcbatt" / "native"


def main() -> None:
    """Write or check."""
    texts = {
        "variants.inc": native_text(),
        "scalars.inc": scalars_text(),
        "empty_tuple.inc": empty_tuple_text(),
        "multiplies.inc": multiplies_text(),
    }
    for name, text in texts.items():
        target = NATIVE / name
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.exit(f"{name} is out of date; run: make native")
    print(f"{len(VARIANTS)} native functions")


if __name__ == "__main__":
    main()
