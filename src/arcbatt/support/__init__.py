"""What every layer may use: files, caches, facts about the machine."""
