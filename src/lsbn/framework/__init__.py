"""Steps 2 and 3 of LSBN: LocalLearn learns each community, Mergence merges the structures."""

from lsbn.framework.diagnostics import CommunityDiagnostics, FitDiagnostics

__all__ = ["CommunityDiagnostics", "FitDiagnostics"]
