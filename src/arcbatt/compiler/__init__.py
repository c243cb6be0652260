"""The merged program as a graph."""
