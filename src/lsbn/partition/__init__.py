"""Step 1 of LSBN, ROPART: partition the variables of a table into overlapping communities."""

from lsbn.partition.linkcomm import LinkCommunities, link_communities
from lsbn.partition.robust import RobustPartition, ropart
from lsbn.partition.second_order import (
    SecondOrderNetwork,
    partition_support,
    second_order_network,
    second_order_partition,
)
from lsbn.partition.truncation import elbow
from lsbn.partition.weights import WEIGHTS, WeightedGraph, weighted_graphs

__all__ = [
    "WEIGHTS",
    "LinkCommunities",
    "RobustPartition",
    "SecondOrderNetwork",
    "WeightedGraph",
    "elbow",
    "link_communities",
    "partition_support",
    "ropart",
    "second_order_network",
    "second_order_partition",
    "weighted_graphs",
]
