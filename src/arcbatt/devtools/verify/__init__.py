"""Backends against each other: workloads, agreement, and differences made small."""
