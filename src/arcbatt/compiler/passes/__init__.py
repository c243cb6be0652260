"""Rewrites, a file each."""
