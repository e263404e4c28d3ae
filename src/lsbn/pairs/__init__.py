"""What is known of pairs of variables, counted once for a whole fit."""

from lsbn.pairs.significance import FALSE_DISCOVERIES
from lsbn.pairs.statistics import (
    LISTED_PAIRS,
    MOST_PARTNERS,
    STANDARDISED,
    WEIGHTS,
    PairStatistics,
    base_weights,
)

__all__ = [
    "FALSE_DISCOVERIES",
    "LISTED_PAIRS",
    "MOST_PARTNERS",
    "STANDARDISED",
    "WEIGHTS",
    "PairStatistics",
    "base_weights",
]
