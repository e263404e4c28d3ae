"""Prior knowledge about edges: what a user says, and what it means for the variables of a table."""

from lsbn.knowledge.constraints import Constraints
from lsbn.knowledge.resolve import resolve
from lsbn.knowledge.statements import Knowledge, KnowledgeError, Tier

__all__ = ["Constraints", "Knowledge", "KnowledgeError", "Tier", "resolve"]
