"""The page as an object that notebooks show in place."""

import os
from dataclasses import dataclass
from html import escape

from lsbn.files import atomic_file

__all__ = ["NetworkPage"]


@dataclass(frozen=True, repr=False)
class NetworkPage:
    """The page of a network. A notebook shows it below the cell.

    Attributes
    ----------
    text : str
        The HTML text.

    Examples
    --------
    >>> page = NetworkPage("<p>A &amp; B</p>")
    >>> page
    NetworkPage(16 characters)
    >>> 'srcdoc="&lt;p&gt;A &amp;amp; B' in page._repr_html_()
    True
    """

    text: str

    def __repr__(self) -> str:
        return f"NetworkPage({len(self.text):,} characters)"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        with atomic_file(path) as draft:
            draft.write_bytes(self.text.encode("utf-8", "xmlcharrefreplace"))

    def _repr_html_(self) -> str:
        """Return a frame of its own, which cannot reach the notebook around it."""
        return (
            '<iframe title="Bayesian network" width="100%" height="720" style="border: 0" '
            f'sandbox="allow-scripts allow-downloads" srcdoc="{escape(self.text)}"></iframe>'
        )
