"""Tasks and runs for people to look at: grids in the terminal, and a run as one HTML file."""
