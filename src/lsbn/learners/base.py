"""What every learner takes and gives.

A learner is a function ``learn_x(dataset, *, knowledge, random_state, n_jobs, ...)`` that gives a
`Learned`. It works on the whole of the dataset it is handed, be that a table or one community.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lsbn.graph import EdgeProbabilities


@dataclass(frozen=True)
class Knowledge:
    """What is known before any data are seen. Empty for now: every edge is possible."""


@dataclass(frozen=True)
class Learned:
    """What a learner found.

    Attributes
    ----------
    edges : EdgeProbabilities
        Learners that give one graph give 1 to a directed edge and 0.5 each way to an undirected
        one.
    diagnostics : mapping
        Figures about the run, ready for JSON.
    """

    edges: EdgeProbabilities
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
