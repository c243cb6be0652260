"""The tables of a run's file, and the rows that a batch adds to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

VERSION: Final = 3
READABLE: Final = (2, VERSION)
"""Version 2 has no table `tier`."""

TABLES: Final = """
CREATE TABLE task (
    task INTEGER PRIMARY KEY,
    id TEXT UNIQUE NOT NULL,
    demos INTEGER NOT NULL,
    tests INTEGER NOT NULL,
    data TEXT NOT NULL            -- the task as ARC's JSON
);
CREATE TABLE program (
    program INTEGER PRIMARY KEY,
    name TEXT UNIQUE NOT NULL,    -- without "solve_"
    lines INTEGER NOT NULL
);
CREATE TABLE result (
    program INTEGER NOT NULL,
    task INTEGER NOT NULL,
    demos_right INTEGER NOT NULL,
    tests_right INTEGER,          -- NULL where an expected output is hidden
    failed INTEGER NOT NULL,      -- on how many samples the program failed
    reason TEXT,                  -- the first failure's
    agreement REAL NOT NULL,      -- mean over demonstrations of the share of cells that are right
    hash INTEGER NOT NULL,        -- of all outputs
    PRIMARY KEY (program, task)
) WITHOUT ROWID;
CREATE INDEX result_by_task ON result (task, demos_right);
CREATE TABLE output (
    hash INTEGER PRIMARY KEY,
    height INTEGER NOT NULL,
    width INTEGER NOT NULL,
    cells BLOB NOT NULL           -- a signed byte a cell, row after row
);
CREATE TABLE attempt (
    task INTEGER NOT NULL,
    sample INTEGER NOT NULL,      -- demonstrations, then tests
    program INTEGER NOT NULL,
    hash INTEGER,                 -- of the output; NULL where there is no grid
    PRIMARY KEY (task, program, sample)
) WITHOUT ROWID;
CREATE TABLE near (
    task INTEGER NOT NULL,
    program INTEGER NOT NULL,
    differ TEXT NOT NULL,
    score INTEGER,                -- over the demonstrations; NULL where the differ said nothing
    PRIMARY KEY (task, program, differ)
) WITHOUT ROWID;
CREATE TABLE batch (
    batch INTEGER PRIMARY KEY,
    first_task INTEGER NOT NULL,
    tasks INTEGER NOT NULL,
    first_program INTEGER NOT NULL,
    programs INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    seconds REAL NOT NULL,
    rerouted TEXT NOT NULL        -- JSON: "tier: why" to count of evaluations that another tier did than asked for
);
CREATE VIEW results AS
    SELECT program.name AS program, task.id AS task, demos_right, task.demos, tests_right, task.tests,
           failed, reason, agreement, hash
    FROM result JOIN program USING (program) JOIN task USING (task);
"""
TIER_TABLE: Final = """
CREATE TABLE tier (
    program INTEGER PRIMARY KEY,
    tier TEXT NOT NULL,           -- what ran it: cpu, cuda, dynamic or python
    why TEXT,                     -- why that is not the tier that was asked for
    error TEXT                    -- JSON: stage, error and trace of an internal error met on the way, for a bug report
);
"""

PROGRESS_TABLES: Final = """
CREATE TABLE IF NOT EXISTS progress (
    batch INTEGER PRIMARY KEY,
    ended REAL NOT NULL,          -- seconds since 1970
    ran_on TEXT NOT NULL,         -- JSON: evaluations by the device or tier that gave their outcome
    failures TEXT NOT NULL        -- JSON: evaluations that failed, by reason
);
CREATE TABLE IF NOT EXISTS pace (
    program INTEGER PRIMARY KEY,
    seconds REAL NOT NULL,        -- of one core for an evaluation, over a few samples
    evaluations INTEGER NOT NULL  -- how many samples
);
"""
"""Tables that other versions of arcbatt neither need nor mind."""

# Rows that are written, in the order of their table's columns.
ProgramRow = tuple[int, str, int]
TaskRow = tuple[int, str, int, int, str]
ResultRow = tuple[int, int, int, int | None, int, str | None, float, int]
OutputRow = tuple[int, int, int, bytes]
AttemptRow = tuple[int, int, int, int | None]
NearRow = tuple[int, int, str, int | None]
TierRow = tuple[int, str, str | None, str | None]
PaceRow = tuple[int, float, int]


@dataclass
class Batch:
    """What one batch adds to the record, as rows."""

    first_task: int
    tasks: int
    first_program: int
    programs: int
    evaluations: int
    seconds: float
    rerouted: dict[str, int]
    ended: float = 0.0
    """Seconds since 1970."""
    ran_on: dict[str, int] = field(default_factory=dict)
    """Evaluations by the device or tier that gave their outcome."""
    failures: dict[str, int] = field(default_factory=dict)
    """Evaluations that failed, by reason."""
    paces: list[PaceRow] = field(default_factory=list)
    """Of programs that were timed before this batch."""
    results: Iterable[ResultRow] = ()
    outputs: list[OutputRow] = field(default_factory=list)
    attempts: list[AttemptRow] = field(default_factory=list)
    near: list[NearRow] = field(default_factory=list)
    tiers: list[TierRow] = field(default_factory=list)
    """Of programs whose tier was not known or is another now."""
    dropped: list[tuple[int, int]] = field(default_factory=list)
    """Task and program of near misses of earlier batches that nearer ones push out."""
