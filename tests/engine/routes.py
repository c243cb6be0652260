"""What a run says of evaluations that another tier did than the one asked for."""

from __future__ import annotations

from collections import Counter

from arcbatt.engine.outputs import Outputs


def to_tier(outputs: Outputs, tier: str) -> Counter[str]:
    """Those that went to a tier, by why."""
    return Counter({route.why: count for route, count in outputs.rerouted().items() if route.tier == tier})


def to_cpu(outputs: Outputs) -> Counter[str]:
    return to_tier(outputs, "cpu")


def to_dynamic(outputs: Outputs) -> Counter[str]:
    return to_tier(outputs, "dynamic")
