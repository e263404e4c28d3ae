"""Step 1 of the paper, ROPART: from a table to overlapping communities of variables."""

from lsbn.partition.linkcomm import LinkCommunities, link_communities

__all__ = ["LinkCommunities", "link_communities"]
