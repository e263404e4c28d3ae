"""A table of text, written as Markdown, plain text or CSV."""

import csv
import io
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Table", "mean_and_spread"]


@dataclass(frozen=True)
class Table:
    """Cells of text with a title.

    Attributes
    ----------
    name : str
        Name of the CSV file, without ending.
    title : str
    header : sequence of str
    rows : sequence of sequences of str
    note : str
        Explanation below the table.

    Examples
    --------
    >>> table = Table("t", "Beans", ["kind", "count"], [["red", "3"]], "Counted by hand.")
    >>> print(table.markdown())
    ## Beans
    <BLANKLINE>
    | kind | count |
    |------|-------|
    | red  | 3     |
    <BLANKLINE>
    Counted by hand.
    <BLANKLINE>
    """

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def markdown(self, level: int = 2) -> str:
        """Format as Markdown with aligned columns; `level` is that of the heading."""
        widths = self._widths()

        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths, strict=True)) + " |"

        rule = "|" + "|".join("-" * (w + 2) for w in widths) + "|"
        head = [f"{'#' * level} {self.title}\n", line(self.header), rule]
        note = [f"\n{self.note}\n"] if self.note else [""]
        return "\n".join([*head, *map(line, self.rows), *note])

    def text(self) -> str:
        """Format for a terminal."""
        widths = self._widths()

        def line(cells: Sequence[str]) -> str:
            padded = (c.ljust(w) for c, w in zip(cells, widths, strict=True))
            return "  ".join(padded).rstrip()

        rule = "-" * (sum(widths) + 2 * len(widths) - 2)
        note = [f"\n{self.note}\n"] if self.note else [""]
        return "\n".join([self.title, "", line(self.header), rule, *map(line, self.rows), *note])

    def csv(self) -> str:
        """Format as CSV with a header."""
        file = io.StringIO()
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return file.getvalue()

    def _widths(self) -> list[int]:
        return [max(map(len, column)) for column in zip(self.header, *self.rows, strict=True)]


def mean_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and standard deviation; the deviation of a single value is 0."""
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0
