"""Print results to the terminal: communities, evaluations, warnings."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import networkx as nx

    from lsbn.framework.diagnostics import FitDiagnostics

__all__ = [
    "print_communities",
    "print_coverage",
    "print_evaluation",
    "print_warnings",
    "print_written",
]

SHOWN_COMMUNITIES = 20
SHOWN_CHARACTERS = 600
"""Of the names in one community."""


def print_communities(communities: Sequence[Sequence[str]], rest: str) -> None:
    """Print the largest communities, one paragraph each.

    Parameters
    ----------
    communities : sequence of sequences of str
        Names of the variables of every community.
    rest : str
        Where to find the communities that are not printed.
    """
    members = sum(map(len, communities))
    variables = len({name for community in communities for name in community})
    print(
        f"{len(communities):,} communities of {variables:,} variables; "
        f"a variable is in {members / max(variables, 1):.1f} communities on average"
    )
    print("\n size  members")
    for community in sorted(communities, key=lambda c: (-len(c), c))[:SHOWN_COMMUNITIES]:
        text = ", ".join(sorted(community))
        if len(text) > SHOWN_CHARACTERS:
            text = text[:SHOWN_CHARACTERS].rsplit(",", 1)[0] + ", ..."
        lines = textwrap.wrap(text, 88, break_long_words=False, break_on_hyphens=False)
        print(f"{len(community):5d}  " + "\n       ".join(lines))
    if len(communities) > SHOWN_COMMUNITIES:
        print(f"  ...  {len(communities) - SHOWN_COMMUNITIES:,} smaller communities; {rest}")


def print_coverage(coverage: Mapping[str, int], truth: nx.DiGraph) -> None:
    """Print how many true edges lie inside a community, for each partition."""
    total = truth.number_of_edges()
    print(f"\ntrue edges with both ends in the same community, of {total:,} true edges")
    for name, count in coverage.items():
        label = "second-order (the result)" if name == "second_order" else f"by {name} alone"
        print(f"  {label:<26}{count:6,}  {100 * count / max(total, 1):5.1f} %")


def print_evaluation(evaluation: Mapping[str, Any]) -> None:
    """Print a comparison with the truth."""
    e = evaluation
    print(
        f"  hits {e['hits']:,}   misses {e['misses']:,}   errors {e['errors']:,}\n"
        f"  precision {e['precision']:.1f} %   recall {e['recall']:.1f} %   "
        f"F {e['f_score']:.1f} %\n"
        f"  structural Hamming distance of the CPDAGs {e['shd']:,}"
    )


def print_warnings(diagnostics: FitDiagnostics) -> None:
    """Print the warnings of the report."""
    from lsbn.report.words import findings

    for finding in findings(diagnostics):
        if finding.level == "warning":
            print(f"warning: {finding.text}. {finding.why}")


def print_written(folder: str, seconds: float) -> None:
    """Print where the run folder and its report are, and how long the command took."""
    page = Path(folder) / "report.html"
    print(f"written to {folder} in {seconds:.1f} s; open {page}")
