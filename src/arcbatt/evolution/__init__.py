"""Programs that get better from one generation to the next: changed, merged, run, scored, and the best kept."""
