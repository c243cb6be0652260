"""`arcbatt card`."""

from __future__ import annotations

from pathlib import Path

import typer

from arcbatt.batt import Card, make_card, write_batt
from arcbatt.batt.card import choose
from arcbatt.batt.differs import standard_differs
from arcbatt.cli.progress import shown_on_stderr
from arcbatt.compiler.pipeline import Stats, compile_graph
from arcbatt.compiler.program_set import CompiledSet
from arcbatt.compiler.rewrites import Rewrites
from arcbatt.errors import UsageError
from arcbatt.language.program import Program
from arcbatt.support.files import atomic_output
from arcbatt.support.text import counted


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
    force: bool = False,
) -> Card:
    """Merge programs, write the batt, and say what was found; a file that is there is replaced only with `force`."""
    if not force and file.is_file():
        raise UsageError(f"{file}: is there already; --force replaces it, --out FILE names another")
    if unknown := [name for name in off if name not in Rewrites.names()]:
        raise UsageError(f"no rewrite {', '.join(unknown)}; there are: {', '.join(Rewrites.names())}")
    rewrites = Rewrites(**dict.fromkeys(off, False))
    own_differs = [program for program in read if program.name.startswith("differ_")]
    programs = choose([program for program in read if program not in own_differs], ids, count, seed)
    differs = [*standard_differs(), *own_differs] if with_differs else []
    with shown_on_stderr("merging"):
        card = make_card(programs, differs, commutative=rewrites.commutative)
    write_batt(card, file, vectorized=vectorized)
    lines = sum(1 for _ in card.graph.calls())
    calls = counted(card.graph.calls_read, "call")
    typer.echo(f"{file}: {counted(len(programs), 'program')}, {calls}, {counted(lines, 'line')}")
    if stats:
        compiled = CompiledSet(card.graph, rewrites)
        with shown_on_stderr("compiling"):
            found = compiled.stats
        _print_stats(card, found)
        _print_untyped(compiled, programs)
    return card


def write_code(card: Card, file: Path) -> None:
    """Write the bytecode of a card, as text."""
    from arcbatt.compiler.lower.disassemble import disassemble
    from arcbatt.compiler.lower.lower import lower

    code = lower(compile_graph(card.graph).graph)
    with atomic_output(file) as out:
        out.write(disassemble(code))
    typer.echo(f"{file}: {len(code.words):,} words of bytecode")


def _print_stats(card: Card, stats: Stats) -> None:
    rows = [
        ("programs", f"{len(card.outputs):,}"),
        ("differs attached", f"{len(card.scores):,}"),
        ("calls as written", f"{stats.calls:,}"),
        ("calls after sharing", f"{stats.merged_calls:,}"),
        ("first-order results", f"{stats.resolved:,} of {stats.programs:,}"),
        ("nodes", f"{stats.nodes:,}, and {stats.body_nodes:,} in loop bodies"),
        ("constant folding", counted(stats.folded, "call")),
        ("algebra", counted(stats.simplified, "call")),
        ("shared in bodies", counted(stats.body_shared, "call")),
        ("hoisted out of bodies", counted(stats.hoisted, "call")),
        ("depends on", ", ".join(f"{name} {count:,}" for name, count in stats.classes.items())),
        ("compiled in", f"{stats.seconds:.2f} s"),
    ]
    for name, value in rows:
        typer.echo(f"  {name:<30}{value}")


def _print_untyped(compiled: CompiledSet, programs: list[Program]) -> None:
    """Which programs run on the dynamic tier and why, with the line where that is met."""
    rejected = compiled.code().rejected
    untyped = [program for program in programs if program.name in rejected]
    typer.echo(f"  {'typed':<30}{len(programs) - len(untyped):,} of {counted(len(programs), 'program')}")
    for program in untyped:
        typer.echo(f"  runs on the dynamic tier: {program.name}: {rejected[program.name]}")
        node = compiled.typed.unresolved_at.get(program.name)
        call = None if node is None else compiled.graph.calls_of(program).get(node)
        if call is not None:
            typer.echo(f"    line {call.line}: {call}")
