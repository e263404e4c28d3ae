"""Edge probabilities, the graphs that follow from them, and Markov equivalence."""

from lsbn.graph.edges import EdgeProbabilities
from lsbn.graph.equivalence import CycleError, cpdag_of, dag_to_cpdag, topological_order

__all__ = ["CycleError", "EdgeProbabilities", "cpdag_of", "dag_to_cpdag", "topological_order"]
