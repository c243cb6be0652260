"""The tables of a run's results.sqlite; any SQLite client reads them, and `docs/run.md` explains them."""

from __future__ import annotations

from typing import Final

VERSION: Final = 2

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
