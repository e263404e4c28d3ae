"""Compiled arithmetic on plain arrays: numba only, without imports from the rest of lsbn."""
