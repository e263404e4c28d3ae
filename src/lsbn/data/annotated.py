"""Tables of single cells: the matrix of an AnnData object, dense or sparse.

An object is taken for AnnData by its attributes ``X``, ``var_names`` and ``obs_names``, so that the
package is needed only to read files. Rows of the matrix are observations, columns are variables.
Annotations (``obs``, ``var``, ``layers``) are not used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lsbn.data.columns import DataError

__all__ = ["annotated_matrix", "dense_column", "is_annotated", "read_h5ad"]


def is_annotated(table: Any) -> bool:
    """Return whether a table is an AnnData object, or has its attributes."""
    return all(hasattr(table, name) for name in ("X", "var_names", "obs_names"))


def annotated_matrix(table: Any) -> tuple[Any, list[Any]]:
    """Return the matrix of an AnnData object and the names of its columns.

    Returns
    -------
    matrix : numpy.ndarray or scipy.sparse.csc_array
    names : list

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> cells = SimpleNamespace(X=np.eye(2), var_names=["g1", "g2"], obs_names=["c1", "c2"])
    >>> annotated_matrix(cells)[1]
    ['g1', 'g2']
    """
    matrix = table.X
    if matrix is None:
        raise DataError(
            "the AnnData object has no matrix X; choose one, such as "
            "adata.X = adata.layers['counts']"
        )
    if hasattr(matrix, "to_memory"):  # of a file that is open
        matrix = matrix.to_memory()
    if sparse.issparse(matrix):
        matrix = sparse.csc_array(matrix)
        matrix.sum_duplicates()
    else:
        matrix = np.asarray(matrix)
    return matrix, list(table.var_names)


def dense_column(matrix: sparse.csc_array, place: int) -> np.ndarray:
    """Return one column of a sparse matrix with its zeros."""
    own = slice(*matrix.indptr[place : place + 2])
    column = np.zeros(matrix.shape[0], matrix.dtype)
    column[matrix.indices[own]] = matrix.data[own]
    return column


def read_h5ad(path: Path) -> Any:
    """Read an .h5ad file by anndata, which must be installed.

    Raises
    ------
    DataError
        If anndata is not installed, or cannot read the file.
    """
    try:
        import anndata
    except ImportError:
        raise DataError(
            f"{path}: .h5ad files need the package anndata; install it: pip install "
            "'lsbn[anndata]'; or save the matrix: adata.to_df().to_parquet('cells.parquet')"
        ) from None
    try:
        return anndata.read_h5ad(path)
    except (OSError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise DataError(f"{path}: not a readable .h5ad file ({error})") from error
