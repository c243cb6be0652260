"""Ways to run programs, all of which agree with the reference."""
