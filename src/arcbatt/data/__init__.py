"""ARC data: grids and tasks."""
