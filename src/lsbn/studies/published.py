"""Figures printed in the paper, as data.

Misprints are kept as printed and named here: the thresholds (not the fractions) of MI_sqrt and
MI_pr are swapped between the rows, as MI_sqrt cannot exceed 1; in the column of link the average
shortest paths of MI_pr (3.7409), MI_sn (4.4982) and Pearson_sn (4.0882) are the diameters of
the second-order partition, MI_sn and Pearson_sn.
"""

from lsbn.partition.weights import WEIGHTS

NETWORKS = ("insurance", "alarm", "win95pts", "pigs", "link")
"""The paper's five networks, in the order of its tables."""

SECOND_ORDER = "second-order"
"""Name of the row of the second-order partition."""

PARTITIONS = (*WEIGHTS, SECOND_ORDER)
"""Rows of the paper's tables of partitions."""

ROWS = 20_000
"""Rows the paper sampled from each network."""

Table = dict[str, dict[str, float]]


def _table(rows: tuple[str, ...], *columns: tuple[float, ...]) -> Table:
    return {
        network: dict(zip(rows, column, strict=True))
        for network, column in zip(NETWORKS, columns, strict=True)
    }


KEPT = _table(
    WEIGHTS,
    (0.2308, 0.2792, 0.3646, 0.3276, 0.2707, 0.4017, 0.3789),
    (0.2267, 0.2312, 0.2132, 0.2267, 0.2072, 0.2747, 0.2087),
    (0.1659, 0.1635, 0.1618, 0.1687, 0.1368, 0.1894, 0.1175),
    (0.0841, 0.0958, 0.0726, 0.0762, 0.0861, 0.1516, 0.0731),
    (0.0566, 0.0435, 0.0493, 0.0510, 0.0441, 0.0585, 0.0490),
)
"""Fraction of all pairs left by the truncate threshold: ``KEPT[network][weight]``."""

SHORTEST_PATH = _table(
    PARTITIONS,
    (1.5333, 1.55, 1.9456, 1.7983, 1.4927, 1.7357, 1.8430, 1.36),
    (3.8162, 4.1567, 3.8792, 3.8567, 3.9682, 3.8991, 3.9178, 3.8875),
    (2.9799, 3.1130, 3.0156, 2.5521, 2.8828, 2.7558, 2.8380, 2.8240),
    (5.2616, 5.4789, 5.6248, 5.1297, 5.5749, 4.4463, 5.6633, 4.28198),
    (2.6427, 2.4552, 2.4622, 3.7409, 4.4982, 2.6801, 4.0882, 2.5624),
)
"""Average shortest path inside communities: ``SHORTEST_PATH[network][partition]``."""

DIAMETER = _table(
    PARTITIONS,
    (3.0, 3.0, 4.0, 3.6, 2.7143, 3.33, 3.778, 2.423),
    (6.1667, 6.8, 6.8333, 6.2, 6.7143, 6.1, 6.625, 6.4211),
    (5.1429, 5.4, 5.1667, 4.05, 4.6857, 4.5556, 4.886, 4.619),
    (10.6875, 11.2247, 11.672, 9.4707, 11.4805, 8.3585, 11.3907, 7.7565),
    (5.0026, 4.3666, 4.3480, 4.6027, 4.4982, 4.9513, 4.0882, 3.7409),
)
"""Average diameter of communities: ``DIAMETER[network][partition]``."""

SIZE_BINS = (*(f"{low}-{low + 4}" for low in range(1, 51, 5)), ">50")
"""Columns of the paper's size distribution."""

SIZES = {
    "insurance": (1, 3, 6, 0, 0, 0, 0, 0, 0, 0, 0),
    "alarm": (3, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0),
    "win95pts": (19, 19, 13, 4, 0, 0, 0, 0, 0, 0, 0),
    "pigs": (102, 76, 24, 11, 7, 6, 6, 1, 1, 1, 2),
    "link": (81, 47, 16, 5, 9, 3, 0, 2, 3, 0, 0),
}
"""Number of second-order communities of each size."""

MEAN_SIZE = {"insurance": 9.8, "alarm": 10.286, "win95pts": 8.345, "pigs": 9.527, "link": 8.904}
"""Mean number of variables of a second-order community, as printed in the text."""
