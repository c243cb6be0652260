"""The vocabulary: one table of primitives and constants, and their types."""

from arcbatt.ops.constants import CONSTANTS
from arcbatt.ops.spec import Cost, Fact, Kind, OpSpec
from arcbatt.ops.table import OPS

__all__ = ["CONSTANTS", "OPS", "Cost", "Fact", "Kind", "OpSpec"]
