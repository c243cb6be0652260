"""The results of a run in one SQLite file. No other package holds SQL; `docs/run.md` explains the tables."""
