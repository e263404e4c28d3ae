"""Which score a learner maximises or averages over."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from lsbn.kernels import scores as _scores

KINDS = {"bdeu": _scores.BDEU, "k2": _scores.K2, "bic": _scores.BIC}


@dataclass(frozen=True)
class Score:
    """A decomposable score of a family, with a prior on its structure.

    Attributes
    ----------
    kind : {"bdeu", "k2", "bic"}
    ess : float
        Equivalent sample size of BDeu: the weight of the uniform prior, in rows.
    prior : bool
        Count each family with probability ``1 / C(n - 1, |parents|)``: every number of parents is
        as likely as any other. Without it false edges grow with the number of variables.
    density : float, optional
        Probability of an edge between two variables, each independent of the others, to take the
        place of that prior.
    trees : bool
        Whether a family may have a decision tree in the place of its table, one as likely as the
        other, averaged over all trees that ask every parent (`lsbn.kernels.trees`). For BDeu.
    dilution : float
        How thinly the prior's weight is spread over the ``m`` cells of a joint table of child and
        parents, or of the parents: each has ``ess / m**dilution``. BDeu has 1, which starves large
        tables; with 0 every cell has the whole weight. Graphs that say the same have the same
        score whatever it is, unless there are trees. Below 1 the score of a family is a difference
        of log evidences, but no log evidence itself.
    """

    kind: str = "bdeu"
    ess: float = 1.0
    prior: bool = True
    density: float | None = None
    trees: bool = False
    dilution: float = 1.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown score {self.kind!r}; there are {', '.join(KINDS)}")
        if not 0 < self.ess < np.inf:
            raise ValueError(f"the equivalent sample size must be positive, not {self.ess}")
        if self.density is not None and not 0 < self.density < 1:
            raise ValueError(f"the density must be between 0 and 1, not {self.density}")
        if not 0 <= self.dilution <= 1:
            raise ValueError(f"the dilution must be between 0 and 1, not {self.dilution}")
        if self.trees and self.kind != "bdeu":
            raise ValueError(f"trees are for the score 'bdeu', not {self.kind!r}")

    def tables(self) -> tuple:
        """Make look-up tables for the kernels; one set for each thread."""
        return _scores.score_tables(KINDS[self.kind], self.ess, self.dilution, self.trees)

    def penalty(self, n_variables: int, most_parents: int) -> np.ndarray:
        """Log prior of a family by its number of parents, ``0`` to ``most_parents``."""
        k = np.arange(most_parents + 1)
        if not self.prior:
            return np.zeros(len(k))
        if self.density is not None:  # of the pairs in an order, each variable has half of its own
            no_edge = np.log1p(-self.density)
            return k * (np.log(self.density) - no_edge) + (n_variables - 1) / 2 * no_edge
        k = np.minimum(k, max(n_variables - 1, 0))
        return gammaln(k + 1) + gammaln(n_variables - k) - gammaln(n_variables)
