"""The page of a run: one HTML file that works without a network connection."""

from lsbn.report.inline import NetworkPage
from lsbn.report.page import report_from_run, report_page, write_report

__all__ = ["NetworkPage", "report_from_run", "report_page", "write_report"]
