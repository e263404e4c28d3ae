"""Missing values in the average: several completions of a table, each learned, and averaged.

The other way is to judge each edge by the rows that have all values it needs. It was measured, and
found fewer true edges and more false ones (``experiments/missing.md``).
"""

from lsbn.missing.average import average_learned, completed_counts, even_shares
from lsbn.missing.chain import ChainSettings, complete

__all__ = ["ChainSettings", "average_learned", "complete", "completed_counts", "even_shares"]
