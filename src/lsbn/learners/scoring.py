"""The score that a learner maximises or averages over."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logit

from lsbn.data import Dataset
from lsbn.kernels import lookup as _lookup
from lsbn.kernels.state import Columns

__all__ = ["PUBLISHED", "Score", "columns_of"]

KINDS = {
    "mixed": _lookup.MIXED,
    "bdeu": _lookup.BDEU,
    "k2": _lookup.K2,
    "bic": _lookup.BIC,
}
"""Kinds of score, and their codes in the kernels."""
PRIORS = ("density", "sizes", "none")
"""Structure priors."""
_IDLE: dict[tuple[int, float], list[_lookup.Lookup]] = {}
"""Look-up tables that no thread uses at present, by kind of score and equivalent sample size."""
_MOST_IDLE = 8
"""Most sizes whose tables are kept."""


@dataclass(frozen=True)
class Score:
    """A decomposable score of a family (a variable and its parent set), with a structure prior.

    Every kind except BIC is a log marginal likelihood: the log probability of the child's column
    given the parents' columns. The sum of ``exp(score)`` over all possible columns is 1. A family
    with more free parameters than the table has rows is never considered.

    Attributes
    ----------
    kind : {"mixed", "bdeu", "k2", "bic"}
        ``mixed`` is the average of five models of a variable given its parents. The models are
        tables and decision trees with different prior weights, see `lsbn.kernels.mixture`. Only
        BDeu gives exactly the same score to Markov equivalent graphs. Model averaging corrects
        the mixed score for this; the correction is exact if no variable has two parents, see
        `lsbn.kernels.direction`.
    ess : float
        Equivalent sample size of BDeu: the weight of the uniform prior, in rows.
    prior : {"density", "sizes", "none"}
        ``density``: each pair of variables has an edge with the same prior probability.
        ``sizes``: each number of parents has the same prior probability, up to half of the
        variables. ``none``: each family has the same prior probability.
    density : float, optional
        Prior probability of an edge between two variables. By default model averaging starts from
        1 / n for n variables and then estimates the density from the data, see
        `ParentSetSearch.find_prior`. Other learners take 1 / n.

    Examples
    --------
    >>> Score().kind
    'mixed'
    >>> Score("bdeu", prior="sizes").penalty(5, 3)[1:].round(3).tolist()
    [-1.386, -1.792, -3.178]
    """

    kind: str = "mixed"
    ess: float = 1.0
    prior: str = "density"
    density: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown score {self.kind!r}; there are {', '.join(KINDS)}")
        if not 0 < self.ess < np.inf:
            raise ValueError(f"the equivalent sample size must be positive, not {self.ess}")
        if self.prior not in PRIORS:
            raise ValueError(f"unknown prior {self.prior!r}; there are {', '.join(PRIORS)}")
        if self.density is not None and not 0 < self.density < 1:
            raise ValueError(f"the density must be between 0 and 1, not {self.density}")
        if self.density is not None and self.prior != "density":
            raise ValueError(f"the prior {self.prior!r} has no density")

    @classmethod
    def of(cls, score: Score | str | None) -> Score:
        """Return a score, given as a score, as the name of its kind, or as None for the default."""
        if score is None or isinstance(score, str):
            return cls() if score is None else cls(score)
        if not isinstance(score, cls):
            raise ValueError(f"score is {score!r}; use a Score or one of {', '.join(KINDS)}")
        return score

    @property
    def finds_density(self) -> bool:
        """Whether model averaging estimates the density from the data."""
        return self.prior == "density" and self.density is None

    def lookup(self) -> _lookup.Lookup:
        """Return look-up tables for the kernels. Each thread needs its own tables."""
        return _lookup.make_lookup(KINDS[self.kind], self.ess)

    @contextmanager
    def lent_lookup(self) -> Iterator[_lookup.Lookup]:
        """Lend look-up tables that were filled before, to one thread at a time.

        To fill new ones takes longer than to learn a few variables.
        """
        if len(_IDLE) > _MOST_IDLE:
            _IDLE.clear()
        idle = _IDLE.setdefault((KINDS[self.kind], self.ess), [])
        try:
            lookup = idle.pop()
        except IndexError:
            lookup = self.lookup()
        yield lookup
        idle.append(lookup)

    def edge_density(self, n_variables: int) -> float:
        """Return the prior probability of an edge: the density, or 1 / n without one."""
        return 1 / max(n_variables, 2) if self.density is None else self.density

    def edge_log_odds(self, n_variables: int) -> float:
        """Return the log odds of an edge; 0 if the prior is not one of single edges."""
        return float(logit(self.edge_density(n_variables))) if self.prior == "density" else 0.0

    def penalty(self, n_variables: int, most_parents: int) -> np.ndarray:
        """Return the log prior of a family with k parents, for k from 0 to ``most_parents``."""
        k = np.arange(most_parents + 1.0)
        if self.prior == "none":
            return np.zeros(len(k))
        if self.prior == "density":  # half of the other variables precede it
            density = self.edge_density(n_variables)
            return k * logit(density) + (n_variables - 1) / 2 * np.log1p(-density)
        half = np.minimum(k, (n_variables - 1) // 2)
        sets = gammaln(n_variables) - gammaln(half + 1) - gammaln(n_variables - half)
        return -sets - (k - half) * np.log(max(n_variables - 1, 1))


PUBLISHED = Score("bdeu", prior="sizes")
"""The score of the paper's learners."""


def columns_of(dataset: Dataset) -> Columns:
    """Return the columns of a dataset as the kernels of scores take them."""
    return Columns(*dataset.bits, dataset.planes)
