"""Compiled arithmetic on plain arrays: numba only, nothing of the rest of the package."""
