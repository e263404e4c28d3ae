"""Real tables that come with scikit-learn and statsmodels; every value is the label of a state."""

import sys
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pandas as pd
from sklearn import datasets

BINS = 3
KEPT_VALUES = 8
"""A column of numbers with at most this many values keeps each of them as a state."""
GREY_LIMITS = (6, 12)
"""The 17 grey levels of a pixel of digits become 0 to 5, 6 to 11, and 12 to 16."""
RANDHIE_ROWS = 5_000
DROPPED = {
    "anes96": ["logpopul"],
    "fair": [],
    "star98": [],
    "randhie": [],
    "modechoice": ["individual"],
    "macrodata": ["year", "quarter"],
    "grunfeld": ["year"],
    "fertility": [],
}
"""Tables of statsmodels, and the columns that number the rows or repeat another column."""


def tables() -> dict[str, pd.DataFrame]:
    """Return all real tables by name; every value is the label of a state."""
    return sklearn_tables() | statsmodels_tables()


def sklearn_tables() -> dict[str, pd.DataFrame]:
    """Return the tables that come with scikit-learn."""
    names = ("iris", "wine", "breast_cancer", "diabetes")
    raw = {name: getattr(datasets, f"load_{name}")(as_frame=True).frame for name in names}
    return {name: discretised(table) for name, table in raw.items()} | {"digits": digits()}


def digits() -> pd.DataFrame:
    """Return the images of digits in three shades, with the digit as last column."""
    frame = datasets.load_digits(as_frame=True).frame
    pixels = frame.columns[:-1]
    shades = np.digitize(frame[pixels], GREY_LIMITS).astype(str)
    return pd.DataFrame(shades, columns=pixels).assign(digit=frame["target"].astype(str))


def statsmodels_tables() -> dict[str, pd.DataFrame]:
    """Return usable tables that come with statsmodels, or none where it is not installed."""
    if find_spec("statsmodels") is None:
        print("statsmodels is not installed: its tables are left out", file=sys.stderr)
        return {}
    found = {}
    for name, dropped in DROPPED.items():
        table = import_module(f"statsmodels.datasets.{name}").load_pandas().data
        if name == "star98":
            table = table[[c for c in table.columns if "_" not in c]]
        if name == "randhie":
            table = table.sample(RANDHIE_ROWS, random_state=0)
        if name == "fertility":
            table = table[[str(year) for year in range(1960, 2011, 5)]]
        found[name] = discretised(table.drop(columns=dropped).dropna().reset_index(drop=True))
    return found


def discretised(table: pd.DataFrame, bins: int = BINS) -> pd.DataFrame:
    """Make states of all columns: quantile bins where there are many numbers, else the values."""
    return pd.DataFrame({str(name): _states(table[name], bins) for name in table.columns})


def _states(column: pd.Series, bins: int) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(column):
        return column.astype(str)
    if column.nunique() <= KEPT_VALUES:
        return column.map("{:.12g}".format)
    return pd.Series(quantile_bins(column.to_numpy(float), bins).astype(str), column.index)


def quantile_bins(values: np.ndarray, bins: int) -> np.ndarray:
    """Cut numbers into bins of about equal size; equal numbers share a bin.

    Many equal numbers leave fewer bins, yet two at least where there are two different numbers.
    """
    shares = np.arange(1, bins) / bins
    limits = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    codes = np.searchsorted(limits, values, side="left")
    return codes if codes.any() else np.searchsorted(limits, values, side="right")
