"""Many programs as one batt: merging, the readable file, and running it."""

from arcbatt.card.card import Card, make_card
from arcbatt.card.load import load_batt
from arcbatt.card.write import batt_text, write_batt

__all__ = ["Card", "batt_text", "load_batt", "make_card", "write_batt"]
