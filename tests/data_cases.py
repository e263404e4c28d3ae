"""What several tests of datasets have in common."""

import numpy as np
import pandas as pd

from lsbn.data import Dataset


def assert_same(a: Dataset, b: Dataset) -> None:
    assert a.names == b.names
    assert a.states == b.states
    assert a.codes.dtype == b.codes.dtype
    np.testing.assert_array_equal(a.codes, b.codes)
    np.testing.assert_array_equal(a.cards, b.cards)


def frame(**columns):
    return pd.DataFrame(columns)
