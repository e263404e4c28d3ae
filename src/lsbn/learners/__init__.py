"""Learners of a set of variables: model averaging, and four learners that return one graph."""

from collections.abc import Callable

from lsbn.learners.aracne import learn_aracne
from lsbn.learners.averaging import learn_model_averaging
from lsbn.learners.base import Candidates, Learned
from lsbn.learners.diagnostics import Diagnostics
from lsbn.learners.greedy import learn_greedy
from lsbn.learners.mmhc import learn_mmhc
from lsbn.learners.pc import learn_pc
from lsbn.learners.scoring import PUBLISHED, Score

__all__ = [
    "LEARNERS",
    "PUBLISHED",
    "Candidates",
    "Diagnostics",
    "Learned",
    "Score",
    "learn_aracne",
    "learn_greedy",
    "learn_mmhc",
    "learn_model_averaging",
    "learn_pc",
]

LEARNERS: dict[str, Callable[..., Learned]] = {
    "model-averaging": learn_model_averaging,
    "aracne": learn_aracne,
    "pc": learn_pc,
    "greedy": learn_greedy,
    "mmhc": learn_mmhc,
}
"""Learners by name, as on the command line."""
