"""The engine on NVIDIA GPUs."""
