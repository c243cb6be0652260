"""Search: programs found for a task from its demonstrations."""
