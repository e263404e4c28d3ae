"""Timings as ratios and growth, run by command and never asserted in tests."""
