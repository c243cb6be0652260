"""Combiners of grids: rules about cells, objects and parts, learned from the grids of a task themselves."""
