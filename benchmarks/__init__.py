"""Timings: ratios, and growth with the number of variables. No test asserts a timing."""
