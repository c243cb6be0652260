"""The language: values, types, limits, the table of primitives, and the reference that defines them."""
