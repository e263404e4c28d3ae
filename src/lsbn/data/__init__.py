"""Tables as integer codes: `Dataset`, reading of files, and columns that repeat one another."""

from lsbn.data.dataset import DataError, Dataset

__all__ = ["DataError", "Dataset"]
