"""The Python API over batches: grids, primitives, tasks, existing code. `arcbatt` itself has the names."""
