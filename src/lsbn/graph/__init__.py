"""Graphs whose edges have probabilities: one DAG of them, its equivalence class, and files."""

from lsbn.graph.edges import EdgeProbabilities
from lsbn.graph.equivalence import CycleError, cpdag_of, dag_to_cpdag, topological_order

__all__ = ["CycleError", "EdgeProbabilities", "cpdag_of", "dag_to_cpdag", "topological_order"]
