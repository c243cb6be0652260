"""`arcbatt card`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.batt import Card, make_card, write_batt
from arcbatt.batt.card import choose
from arcbatt.batt.differs import standard_differs
from arcbatt.compiler.pipeline import Stats, compile_graph
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.errors import UsageError
from arcbatt.language.program import Program


def write_card(
    read: list[Program],
    ids: list[str],
    count: int | None,
    seed: int | None,
    file: Path,
    vectorized: bool,
    with_differs: bool,
    off: list[str],
    stats: bool,
) -> Card:
    """Merge programs, write the batt, and say what was found."""
    if unknown := [name for name in off if name not in Rewrites.names()]:
        raise UsageError(f"no rewrite {', '.join(unknown)}; there are: {', '.join(Rewrites.names())}")
    rewrites = Rewrites(**dict.fromkeys(off, False))
    own_differs = [program for program in read if program.name.startswith("differ_")]
    programs = choose([program for program in read if program not in own_differs], ids, count, seed)
    differs = [*standard_differs(), *own_differs] if with_differs else []
    card = make_card(programs, differs, commutative=rewrites.commutative)
    write_batt(card, file, vectorized=vectorized)
    lines = sum(1 for _ in card.graph.calls())
    typer.echo(f"{file}: {len(programs):,} programs, {card.graph.calls_read:,} calls, {lines:,} lines")
    if stats:
        _print_stats(card, compile_graph(card.graph, rewrites).stats)
    return card


def write_code(card: Card, file: Path) -> None:
    """Write the bytecode of a card, as text."""
    from arcbatt.compiler.lower.disassemble import disassemble
    from arcbatt.compiler.lower.lower import lower

    code = lower(compile_graph(card.graph).graph)
    file.write_text(disassemble(code), encoding="utf-8")
    typer.echo(f"{file}: {len(code.words):,} words of bytecode")


def _print_stats(card: Card, stats: Stats) -> None:
    rows = [
        ("programs", f"{len(card.outputs):,}"),
        ("differs attached", f"{len(card.scores):,}"),
        ("calls as written", f"{stats.calls:,}"),
        ("calls after sharing", f"{stats.merged_calls:,}"),
        ("first-order results", f"{stats.resolved:,} of {stats.programs:,}"),
        ("nodes", f"{stats.nodes:,}, and {stats.body_nodes:,} in loop bodies"),
        ("constant folding", f"{stats.folded:,} calls"),
        ("algebra", f"{stats.simplified:,} calls"),
        ("shared in bodies", f"{stats.body_shared:,} calls"),
        ("hoisted out of bodies", f"{stats.hoisted:,} calls"),
        ("depends on", ", ".join(f"{name} {count:,}" for name, count in stats.classes.items())),
        ("compiled in", f"{stats.seconds:.2f} s"),
    ]
    for name, value in rows:
        typer.echo(f"  {name:<30}{value}")
    for program, reason in list(stats.unresolved.items())[:20]:
        typer.echo(f"  runs on the reference: {program}: {reason}")
