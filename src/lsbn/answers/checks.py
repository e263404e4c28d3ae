"""Checks of the tables that scikit-learn hands to a fitted estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.utils.validation import check_array

from lsbn.data import DataError

__all__ = ["check_features"]


def check_features(model: Any, table: Any) -> None:
    """Refuse arrays and data frames as scikit-learn does, with its messages.

    An array must have the number of columns of the fit, and a data frame its columns in the same
    order.

    Parameters
    ----------
    model : fitted estimator
    table : any table
    """
    if sparse.issparse(table) or isinstance(table, np.ndarray):
        check_array(table, dtype=None, ensure_all_finite=False)
        if table.shape[1] != model.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but {type(model).__name__} is expecting "
                f"{model.n_features_in_} features as input"
            )
        numbers = table.dtype.kind == "f"
        if numbers and model.missing == "error" and not np.isfinite(table).all():
            raise DataError("the array has NaN or infinity; leave out these rows")
    elif isinstance(table, pd.DataFrame):
        _check_names([str(name) for name in table.columns], list(model.feature_names_in_))


def _check_names(found: list[str], fitted: list[str]) -> None:
    """Refuse columns other than those of the fit, or in another order."""
    if found == fitted:
        return
    unseen, absent = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
    message = "The feature names should match those that were passed during fit.\n"
    for title, names in (
        ("Feature names unseen at fit time:\n", unseen),
        ("Feature names seen at fit time, yet now missing:\n", absent),
    ):
        if names:
            message += title + "".join(f"- {name}\n" for name in names[:5])
    if not unseen and not absent:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
