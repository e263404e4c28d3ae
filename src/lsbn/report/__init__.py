"""The page of a run: one HTML file that works without a network connection."""

from lsbn.report.page import report_from_run, write_report

__all__ = ["report_from_run", "write_report"]
