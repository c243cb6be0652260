"""Primitives by family: what each means, and its entry in the table."""
