"""Which score a learner maximises or averages over."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
PRIORS = ("density", "sizes", "none")


@dataclass(frozen=True)
class Score:
    """A decomposable score of a family, with a prior on its structure.

    All kinds but BIC are the log probability of the child's column given the parents' columns: the
    sum of its exponential over all possible columns is 1. A family with more free parameters than
    there are rows is never considered, whatever its score.

    Attributes
    ----------
    kind : {"mixed", "bdeu", "k2", "bic"}
        ``mixed`` averages five ways in which a variable may depend on its parents, tables and
        decision trees with rows of various prior weights: see `lsbn.kernels.mixture`. Markov
        equivalent graphs have exactly the same score with BDeu only. Model averaging corrects the
        mixed score, exactly where no variable has two parents: see `lsbn.kernels.direction`.
    ess : float
        Equivalent sample size of BDeu: the weight of the uniform prior, in rows.
    prior : {"density", "sizes", "none"}
        ``density``: two variables are joined with a probability that is the same for all pairs.
        ``sizes``: every number of parents is as likely as any other, up to half of the variables.
        ``none``: all families are alike.
    density : float, optional
        The probability of that prior. By default model averaging starts from 1 / n for n variables
        and finds it from the data: see `ParentSetSearch.find_density`. Other learners take 1 / n.

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
        """Take a score, the name of its kind, or None for the default."""
        if score is None or isinstance(score, str):
            return cls() if score is None else cls(score)
        if not isinstance(score, cls):
            raise ValueError(f"score is {score!r}; use a Score or one of {', '.join(KINDS)}")
        return score

    @property
    def finds_density(self) -> bool:
        """Whether the density is to be found from the data."""
        return self.prior == "density" and self.density is None

    def tables(self) -> Score:
        """Give the score by which the search begins: BDeu's tables are faster than the mixture."""
        return replace(self, kind="bdeu") if self.kind == "mixed" else self

    def lookup(self) -> _lookup.Lookup:
        """Make look-up tables for the kernels; one set for each thread."""
        return _lookup.make_lookup(KINDS[self.kind], self.ess)

    def penalty(self, n_variables: int, most_parents: int) -> np.ndarray:
        """Log prior of a family by its number of parents, ``0`` to ``most_parents``."""
        k = np.arange(most_parents + 1.0)
        if self.prior == "none":
            return np.zeros(len(k))
        if self.prior == "density":  # of the pairs in an order, each variable has half of its own
            density = 1 / max(n_variables, 2) if self.density is None else self.density
            return k * logit(density) + (n_variables - 1) / 2 * np.log1p(-density)
        half = np.minimum(k, (n_variables - 1) // 2)
        sets = gammaln(n_variables) - gammaln(half + 1) - gammaln(n_variables - half)
        return -sets - (k - half) * np.log(max(n_variables - 1, 1))


PUBLISHED = Score("bdeu", prior="sizes")
"""What the paper's learners maximise or average over."""


def columns_of(dataset: Dataset) -> Columns:
    """Columns of a dataset, as the kernels of scores take them."""
    return Columns(*dataset.bits, dataset.codes)
