"""The GPU by waves: one kernel per operation and its types, over flat lists of calls."""
