"""Write docs/ops.md and docs/language-for-models.md from the op table, or check them (--check)."""

from __future__ import annotations

import sys
import tomllib
from itertools import groupby, product
from pathlib import Path

from arcbatt.language import limits
from arcbatt.language.constants import CONSTANTS
from arcbatt.language.spec import Cost, Fact, OpSpec
from arcbatt.language.table import STANDARD
from arcbatt.language.types import CLASSES, IJ, INT

DOCS = Path(__file__).resolve().parent.parent / "docs"
PYTHON = DOCS.parent / "src" / "arcbatt" / "syntax" / "python.toml"
INTRODUCTION = Path(__file__).parent / "language_for_models.txt"
BRIEF = ("completing", "rays", "lattices", "measures", "rules")
"""Families for search, of which the page that fits into a prompt has only the calls."""
FACTS = {
    Fact.COMMUTATIVE: "commutative",
    Fact.INVOLUTION: "its own inverse (grids, truths)",
    Fact.KEEPS_GRID: "keeps grids full",
    Fact.IDEMPOTENT: "idempotent",
    Fact.TURN_INVARIANT: "same of a turned grid",
}


def row(spec: OpSpec) -> str:
    """One primitive as a table row."""
    facts = [text for fact, text in FACTS.items() if fact in spec.facts]
    if spec.cost is Cost.PRODUCT:
        facts.append("cost: product")
    signature = spec.signature.replace("|", "\\|")
    fails = ", ".join(reason.value for reason in spec.fails)
    return f"| `{call(spec)}` | `{signature}` | {spec.doc} | {fails} | {', '.join(facts)} |"


def call(spec: OpSpec) -> str:
    """A primitive with its parameters."""
    return f"{spec.name}({', '.join(spec.params)})"


def page() -> str:
    """The whole page."""
    out = [
        "# Primitives and constants",
        "",
        "Generated from the op table by `make docs`; do not edit. How programs are written is in",
        "[language.md](language.md). In a type, `{t}` is a set, `[t]` a tuple, `(t, u)` a pair, `(t -> u)` a function,",
        "`<t>` a set or tuple (the same kind throughout), `~t` a container of either kind, `Int?` an integer or None,",
        "and a small letter any type. "
        + " ".join(f"`{name}` is {' or '.join(map(str, members))}." for name, members in CLASSES.items()),
        "The column *fails* gives the reasons for which a call with well-typed arguments can fail.",
        "",
        f"{len(STANDARD.ops)} primitives, {len(CONSTANTS)} constants.",
    ]
    for family, specs in groupby(STANDARD.ops.values(), key=lambda spec: spec.family):
        out += ["", f"## {family.capitalize()}", "", "| call | type | gives | fails | facts |", "|---|---|---|---|---|"]
        out += map(row, specs)
    out += ["", "## Constants", "", "| name | value |", "|---|---|"]
    out += [f"| `{name}` | `{value}` |" for name, value in CONSTANTS.items()]
    out += ["", "## Limits", "", (limits.__doc__ or "").strip(), "", "| limit | value |", "|---|---|"]
    out += [f"| `{name}` | {value:,} |" for name, value in vars(limits).items() if name.isupper()]
    return "\n".join(out) + "\n"


def _brief_types(spec: OpSpec) -> str:
    """The rules of a primitive in words for a prompt: those for every two of numbers and pairs as one."""
    numbers = [f"{one}, {two} -> {INT if one == two == INT else IJ}" for one, two in product((INT, IJ), repeat=2)]
    return "Num, Num -> Num" if sorted(spec.signature.split(" | ")) == sorted(numbers) else spec.signature


def models_page() -> str:
    """The page that fits into a prompt."""
    types = ", ".join(f"{name} is {' or '.join(map(str, members))}" for name, members in CLASSES.items())
    python = tomllib.loads(PYTHON.read_text(encoding="utf-8"))
    methods = dict.fromkeys([*python["changes"], *(name.split("/")[0] for name in python["taken"])])
    text = INTRODUCTION.read_text(encoding="utf-8").replace("PYTHON", ", ".join(python["functions"]))
    out = [text.replace("METHODS", ", ".join(methods)).replace("TYPES", f"{types}.")]
    for family, specs in groupby(STANDARD.ops.values(), key=lambda spec: spec.family):
        out += [f"## {family.capitalize()}", "", "```text"]
        brief = family in BRIEF
        out += [call(spec) if brief else f"{call(spec)} :: {_brief_types(spec)} : {spec.doc}" for spec in specs]
        out += ["```", ""]
    numbers = ", ".join(f"{name} {value}" for name, value in CONSTANTS.items())
    return "\n".join([*out, "## Constants", "", numbers, ""])


def main() -> None:
    """Write or check."""
    for name, text in (("ops.md", page()), ("language-for-models.md", models_page())):
        target = DOCS / name
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
        elif not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.exit(f"{name} is out of date; run: make docs")


if __name__ == "__main__":
    main()
