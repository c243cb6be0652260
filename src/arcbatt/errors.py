"""Every error arcbatt raises on purpose, in one short hierarchy."""

from __future__ import annotations


class ArcbattError(Exception):
    """Base of every error meant for a caller; its text is a complete message."""


class UsageError(ArcbattError):
    """A command or call asked for something that cannot be done as asked."""


class DataError(ArcbattError):
    """Input data (a task, a grid, a vector file) is not what it should be."""


class ClusterError(ArcbattError):
    """A cluster cannot be reached, is not fit for the work, or was lost."""


class ClusterLostError(ClusterError):
    """A cluster that was there does not answer any more."""
