"""Many programs as one batt: merging, the readable file, and running it."""

from arcbatt.batt.card import Card, make_card
from arcbatt.batt.load import load_batt
from arcbatt.batt.write import batt_text, write_batt

__all__ = ["Card", "batt_text", "load_batt", "make_card", "write_batt"]
