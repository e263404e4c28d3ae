"""Missing values in the average: several completions of a table, each learned, and averaged."""

from lsbn.missing.average import average_learned, completed_counts, even_shares
from lsbn.missing.chain import ChainSettings, complete

__all__ = ["ChainSettings", "average_learned", "complete", "completed_counts", "even_shares"]
