"""From typed graph to bytecode."""
