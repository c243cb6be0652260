"""Runs: every program on every task, in batches, recorded so that a run can be stopped and resumed."""
