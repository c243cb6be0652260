"""Measuring: how fast programs run, on what, and where the time goes."""
