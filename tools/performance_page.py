"""Fill the tables and curves of docs/performance.md from saved results; with --check, fail where they have drifted.

In the page `<!-- source: FILE.json -->` names a result of `arcbatt bench` (under benchmarks/results), and each
`<!-- figures: NAME -->` ... `<!-- end -->` after it holds what this tool writes: the table of the suites whose name
begins so (primitives by size), or for `machine` the command and the machine, for `curves` the scaling curves, for
`limits` how the time of each case divides. A FILE may hold `*`: it is the last of that name by the alphabet, and where
there is none its figures are "not measured". `<!-- figures: expectations CPU GPU -->` sets what the documents expect
beside figures of two such results. To put new figures in, save them there (or change the source) and run `make docs`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from arcbatt.devtools.bench.curves import draw_curves
from arcbatt.devtools.bench.expectations import NOT_MEASURED, expectations
from arcbatt.devtools.bench.result import Result, Row, number, table
from arcbatt.devtools.bench.shares import limits, limits_table

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "performance.md"
RESULTS: Final = ROOT / "benchmarks" / "results"
_MARK: Final = re.compile(r"<!-- source: (\S+) -->|<!-- figures: (.*?) -->\n.*?<!-- end -->", re.DOTALL)


def filled(text: str) -> tuple[str, dict[str, str]]:
    """The page with its figures, and the curves by file name."""
    source: Result | None = None
    seen = False
    curves: dict[str, str] = {}

    def fill(mark: re.Match[str]) -> str:
        nonlocal source, seen
        if mark[1]:
            source, seen = found(mark[1]), True
            return mark[0]
        name, *others = mark[2].split() if mark[2].startswith("expectations ") else [mark[2]]
        if name == "expectations":
            figures = f"\n{expectations(*map(found, others))}\n"
        elif not seen:
            raise SystemExit(f"{PAGE.name}: figures of {mark[2]} stand before any source")
        else:
            figures = _figures(source, name, curves) if source else f"\n{NOT_MEASURED}\n"
        return f"<!-- figures: {mark[2]} -->\n{figures}\n<!-- end -->"

    return _MARK.sub(fill, text), curves


def found(pattern: str) -> Result | None:
    """A result by its file, or the last of several."""
    if "*" not in pattern:
        return Result.read(RESULTS / pattern)
    files = sorted(RESULTS.glob(pattern))
    return Result.read(files[-1]) if files else None


def _figures(source: Result, name: str, curves: dict[str, str]) -> str:
    if name == "machine":
        facts = "\n".join(f"- {key}: {value}" for key, value in source.machine.items())
        return f"\n    {source.command}\n\n{facts}\n"
    if name.startswith("curves"):
        prefix = name.removeprefix("curves").strip()
        drawn = {f"{prefix}{'-' if prefix else ''}{file}": text for file, text in draw_curves(source).items()}
        curves |= drawn
        return "\n".join(f"![{file.removesuffix('.svg')}]({file})" for file in drawn)
    if name == "limits":
        return f"\n{limits_table(limits(source)) if limits(source) else NOT_MEASURED}\n"
    rows = [row for row in source.rows if row.suite.startswith(name) or row.suite.partition(": ")[2].startswith(name)]
    if not rows:
        raise SystemExit(f"{PAGE.name}: the source has no suite {name!r}")
    return f"\n{_by_size(rows) if name == 'primitives' else table(rows)}\n"


def _by_size(rows: list[Row]) -> str:
    """Primitives by the size of the input: medians, the least and the greatest beside them in the saved result."""
    sizes = list(dict.fromkeys(row.side for row in rows))
    known = {(row.case, row.side): number(row.median) for row in rows}
    lines = [f"| ns a call | {' | '.join(sizes)} |", "|---|" + "---:|" * len(sizes)]
    for name in sorted({row.case for row in rows}):
        lines.append(f"| `{name}` | " + " | ".join(known.get((name, size), "") for size in sizes) + " |")
    return "\n".join(lines)


def main() -> None:
    """Write or check."""
    before = PAGE.read_text(encoding="utf-8")
    text, curves = filled(before)
    files = {PAGE: text} | {PAGE.parent / name: drawn for name, drawn in curves.items()}
    if "--check" not in sys.argv:
        for path, content in files.items():
            path.write_text(content, encoding="utf-8")
        return
    for path, content in files.items():
        if not path.exists() or path.read_text(encoding="utf-8") != content:
            sys.exit(f"{path.name} is out of date; run: make docs")


if __name__ == "__main__":
    main()
