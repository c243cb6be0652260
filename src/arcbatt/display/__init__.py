"""How values look: colours, pictures of grids and graphs, HTML, the terminal; it knows nothing of programs."""
