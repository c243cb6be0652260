"""The live view: runs and searches in a browser while they go on, and as metrics; it only ever reads."""
