"""Choosing attempts, writing and checking submissions, and scoring them."""
