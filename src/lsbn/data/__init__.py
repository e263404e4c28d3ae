"""Tables as integer codes: `Dataset`, readers of tables and files, and copies of columns."""

from lsbn.data.check import TableReport, check_file
from lsbn.data.columns import DataError
from lsbn.data.dataset import Dataset
from lsbn.data.options import TableOptions

__all__ = ["DataError", "Dataset", "TableOptions", "TableReport", "check_file"]
