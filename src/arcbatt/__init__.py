"""Run thousands of ARC programs on thousands of grids at once, exactly."""

from arcbatt._version import __version__

__all__ = ["__version__"]
