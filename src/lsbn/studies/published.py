"""Figures printed in the paper, as data.

Misprints stay as printed; `lsbn.studies.misprints` finds and lists them.
"""

from dataclasses import dataclass

from lsbn.partition.weights import WEIGHTS

NETWORKS = ("insurance", "alarm", "win95pts", "pigs", "link")
"""The paper's five networks, in the order of its tables."""

SECOND_ORDER = "second-order"
"""Name of the row of the second-order partition."""

PARTITIONS = (*WEIGHTS, SECOND_ORDER)
"""Rows of the paper's tables of partitions."""

ROWS = 20_000
"""Rows that the paper sampled from each network."""

COUNTS = ("hits", "misses", "errors")
PERCENTAGES = ("precision", "recall", "f_score")
"""Columns of the paper's comparison tables."""

ByNetwork = dict[str, dict[str, float]]
"""Figures of one of the paper's tables: ``figures[network][row]``."""


def _by_network(rows: tuple[str, ...], *columns: tuple[float, ...]) -> ByNetwork:
    return {
        network: dict(zip(rows, column, strict=True))
        for network, column in zip(NETWORKS, columns, strict=True)
    }


TRUNCATION = _by_network(
    WEIGHTS,
    (0.08, 0.2, 0.5, 0.05, 0.0, 0.1, 0.0),
    (0.01, 0.03, 0.5, 0.02, 0.0, 0.4, 0.0),
    (0.007, 0.05, 0.4, 0.013, 0.05, 0.02, 0.75),
    (0.005, 0.05, 2.0, 0.005, 0.8, 0.026, 0.0),
    (0.035, 0.4, 2.5, 0.5, 0.6, 0.075, 1.0),
)
"""Truncate threshold: ``TRUNCATION[network][weight]``."""

KEPT = _by_network(
    WEIGHTS,
    (0.2308, 0.2792, 0.3646, 0.3276, 0.2707, 0.4017, 0.3789),
    (0.2267, 0.2312, 0.2132, 0.2267, 0.2072, 0.2747, 0.2087),
    (0.1659, 0.1635, 0.1618, 0.1687, 0.1368, 0.1894, 0.1175),
    (0.0841, 0.0958, 0.0726, 0.0762, 0.0861, 0.1516, 0.0731),
    (0.0566, 0.0435, 0.0493, 0.0510, 0.0441, 0.0585, 0.0490),
)
"""Fraction of all pairs above the truncate threshold: ``KEPT[network][weight]``."""

SHORTEST_PATH = _by_network(
    PARTITIONS,
    (1.5333, 1.55, 1.9456, 1.7983, 1.4927, 1.7357, 1.8430, 1.36),
    (3.8162, 4.1567, 3.8792, 3.8567, 3.9682, 3.8991, 3.9178, 3.8875),
    (2.9799, 3.1130, 3.0156, 2.5521, 2.8828, 2.7558, 2.8380, 2.8240),
    (5.2616, 5.4789, 5.6248, 5.1297, 5.5749, 4.4463, 5.6633, 4.28198),
    (2.6427, 2.4552, 2.4622, 3.7409, 4.4982, 2.6801, 4.0882, 2.5624),
)
"""Average shortest path inside communities: ``SHORTEST_PATH[network][partition]``."""

DIAMETER = _by_network(
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

TRUE_EDGES = {"insurance": 52, "alarm": 46, "win95pts": 112, "pigs": 592, "link": 1125}
"""Number of arcs of the networks, as the paper states it."""

ARACNE_THRESHOLD = {
    "insurance": 0.05,
    "alarm": 0.01,
    "win95pts": 0.025,
    "pigs": 0.01,
    "link": 0.005,
}
"""Low values threshold of ARACNE. The paper chose it by hand."""

LEARNERS = ("aracne", "pc", "greedy", "mmhc", "model-averaging")
"""Rows of the paper's comparison tables, under the names of the command line."""

PRINTED_SCOPES = ("lsbn", "global")
"""The two halves of the paper's comparison tables."""


@dataclass(frozen=True)
class PrintedFigures:
    """Counts and percentages of one learner in one scope, as printed."""

    hits: int
    misses: int
    errors: int
    precision: float
    recall: float
    f_score: float


def _rows(*rows: tuple[float, ...]) -> dict[str, dict[str, PrintedFigures | None]]:
    table = {}
    for learner, row in zip(LEARNERS, rows, strict=True):
        halves = [
            PrintedFigures(*map(int, h[:3]), *h[3:]) if h else None for h in (row[:6], row[6:])
        ]
        table[learner] = dict(zip(PRINTED_SCOPES, halves, strict=True))
    return table


COMPARISON = {
    "insurance": _rows(
        (33, 19, 4, 89.189, 63.462, 74.157, 25, 27, 2, 92.593, 48.077, 63.291),
        (36, 16, 3, 92.308, 69.231, 79.121, 31, 21, 1, 96.875, 59.615, 73.81),
        (41, 11, 7, 87.179, 65.385, 82.0, 47, 5, 11, 81.034, 90.385, 85.455),
        (43, 9, 4, 91.489, 82.692, 86.869, 43, 9, 2, 95.556, 82.692, 88.66),
        (45, 7, 7, 86.538, 86.538, 86.538),
    ),
    "alarm": _rows(
        (39, 7, 6, 86.667, 84.783, 85.714, 31, 15, 4, 88.571, 67.391, 76.543),
        (38, 8, 0, 100.0, 82.609, 90.476, 35, 11, 0, 100.0, 76.087, 86.42),
        (43, 3, 4, 82.979, 84.783, 83.871, 44, 2, 9, 83.019, 95.652, 88.889),
        (43, 3, 3, 93.478, 93.478, 93.478, 44, 2, 1, 97.778, 95.652, 96.703),
        (43, 3, 8, 84.314, 93.478, 88.66),
    ),
    "win95pts": _rows(
        (81, 31, 39, 67.5, 72.321, 69.828, 53, 59, 8, 86.885, 47.321, 61.272),
        (64, 48, 8, 88.889, 57.143, 69.565, 38, 74, 3, 92.683, 33.929, 49.673),
        (99, 13, 143, 40.909, 88.393, 55.932, 94, 18, 106, 47.0, 83.929, 60.256),
        (92, 20, 56, 62.162, 82.143, 70.769, 90, 22, 32, 73.77, 80.357, 76.923),
        (98, 14, 93, 51.309, 87.5, 64.686),
    ),
    "pigs": _rows(
        (592, 0, 14, 97.69, 100.0, 98.831, 592, 15, 4, 99.831, 100.0, 99.916),
        (574, 18, 0, 100.0, 96.959, 98.456, 591, 1, 8, 98.664, 99.831, 99.244),
        (570, 22, 13, 97.77, 96.284, 97.021, 592, 0, 47, 92.645, 100.0, 96.182),
        (574, 18, 2, 99.653, 96.959, 98.288, 592, 0, 0, 100.0, 100.0, 100.0),
        (447, 145, 940, 32.228, 75.507, 45.174),
    ),
    "link": _rows(
        (422, 703, 338, 55.526, 37.511, 44.775, 444, 681, 280, 61.326, 39.467, 48.026),
        (466, 659, 277, 62.719, 41.422, 49.893, 70, 1055, 26, 72.917, 6.222, 11.466),
        (413, 712, 342, 54.702, 36.711, 43.936, 783, 342, 1374, 36.3, 69.6, 47.715),
        (474, 651, 321, 59.623, 42.133, 49.375, 621, 504, 418, 59.769, 55.2, 57.394),
        (408, 717, 413, 49.695, 36.267, 41.932),
    ),
}
"""Comparison tables: ``COMPARISON[network][learner][scope]``, None where the paper has NA."""

NORMALISED = {
    "precision": {
        "insurance": (96.324, 95.286, 107.583, 95.744),
        "alarm": (97.85, 100.0, 99.952, 95.602),
        "win95pts": (77.689, 95.906, 87.04, 84.265),
        "pigs": (97.855, 101.354, 105.532, 99.653),
        "link": (90.542, 86.014, 150.694, 99.756),
    },
    "recall": {
        "insurance": (132.001, 116.13, 72.341, 100.0),
        "alarm": (125.808, 108.572, 88.637, 97.727),
        "win95pts": (152.831, 168.419, 105.319, 102.223),
        "pigs": (100.0, 97.123, 96.284, 96.959),
        "link": (95.044, 665.734, 52.746, 76.328),
    },
    "f_score": {
        "insurance": (117.168, 107.196, 95.957, 97.98),
        "alarm": (111.982, 104.693, 94.355, 96.665),
        "win95pts": (113.964, 140.046, 92.824, 92.0),
        "pigs": (98.914, 99.206, 100.872, 98.288),
        "link": (93.231, 435.139, 92.08, 86.028),
    },
}
"""LSBN in percent of global, for the first four learners: ``NORMALISED[figure][network]``."""
