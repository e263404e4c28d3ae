"""The section of the page on missing values."""

from html import escape

from lsbn.framework.diagnostics import MissingDiagnostics

__all__ = ["missing_section"]

SHOWN = 20
"""This many columns are shown at once, those with the most missing values; the others unfold."""


def missing_section(missing: MissingDiagnostics | None) -> str:
    """Return the section as HTML; empty if no value is missing.

    >>> missing_section(MissingDiagnostics(share=0.1, columns={"<a>": 0.2}))[-52:]
    '<li><bdi>&lt;a&gt;</bdi>: 20.0 %</li></ul></section>'
    """
    if missing is None:
        return ""
    how = "They were not inferred: their rows are left out, or they are a state of their own."
    if missing.completions == 0:
        how = "They were taken from copies of their columns."
    elif missing.completions is not None:
        how = (
            f"They were drawn from the network {missing.completions:,} times, given the other "
            "values of their rows. All probabilities are averages over these completions."
        )
    if missing.doubtful_variables:
        names = ", ".join(f"<bdi>{escape(v)}</bdi>" for v in missing.doubtful_variables[:SHOWN])
        how += f" Edges into these variables depend on the completions: {names}."
    falling = sorted(missing.columns.items(), key=lambda item: (-item[1], item[0]))
    items = [f"<li><bdi>{escape(name)}</bdi>: {100 * s:.1f} %</li>" for name, s in falling]
    listed = f"<ul>{''.join(items[:SHOWN])}</ul>"
    if len(items) > SHOWN:
        more = f"{len(items) - SHOWN:,} more columns"
        listed += f"<details><summary>{more}</summary><ul>{''.join(items[SHOWN:])}</ul></details>"
    return (
        '<section aria-labelledby="missing-title" id="missing"><h2 id="missing-title">Missing '
        f'values</h2><p class="quiet">{100 * missing.share:.1f} % of all values of the table are '
        f"missing. {how}</p>{listed}</section>"
    )
