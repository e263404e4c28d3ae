"""Write the page of a run. This module makes the text and the tables, its script the picture.

The page loads nothing from the network. Its content security policy allows only its own script and
style, given by their hashes, so the browser blocks all other code and all requests. Text of the
user is escaped, and the script inserts it as text, never as markup. So the name of a variable
cannot run as code.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import networkx as nx

from lsbn.answers.answers import Answers
from lsbn.answers.store import CODING, POSTERIOR, read_answers
from lsbn.framework.diagnostics import FitDiagnostics
from lsbn.graph import EdgeProbabilities
from lsbn.metrics import compare, group_nodes
from lsbn.report.columns import constants_line, groups_section
from lsbn.report.dependence import strengths, tables
from lsbn.report.inline import NetworkPage
from lsbn.report.knowledge import knowledge_section
from lsbn.report.missing import missing_section
from lsbn.report.picture import payload
from lsbn.report.values import value_text
from lsbn.report.words import Finding, findings
from lsbn.runfiles import foreign_contents
from lsbn.runs import Run, Summary, json_ready, load_truth, table_columns_of, threshold_of
from lsbn.stagenames import duration, stage_name
from lsbn.version import __version__

__all__ = ["report_from_run", "report_page", "write_report"]

REPORT = "report.html"
SCRIPT = ("picture.js", "panel.js", "tables.js", "controls.js")
"""The parts of the script, in their order."""
SHOWN_ELSEWHERE = ("knowledge", "constants", "missing")
"""Diagnostics that have their own place on the page."""


def write_report(path: str | os.PathLike[str], **content: Any) -> None:
    """Write the page of `report_page`, which has the same parameters, whole or not at all."""
    report_page(**content).write(path)


def report_page(
    *,
    edges: EdgeProbabilities,
    communities: Sequence[Sequence[str]],
    summary: Mapping[str, Any] | Summary,
    truth: nx.DiGraph | None = None,
    title: str | None = None,
    threshold: float | None = None,
    answers: Answers | None = None,
) -> NetworkPage:
    """Return a page that shows a learned network.

    Parameters
    ----------
    edges : EdgeProbabilities
        The page rounds them as `EdgeProbabilities.as_written` does, so page and edges.csv agree.
    communities : sequence of sequences of str
        Names of the variables of each community; may be empty.
    summary : mapping or Summary
        The contents of summary.json; every part may be missing.
    truth : networkx.DiGraph, optional
        The true graph over the columns of the table. With it the page shows hits, misses and
        errors.
    title : str, optional
        By default ``Bayesian network of 37 variables``, with the number of variables.
    threshold : float, optional
        The page counts and draws edges with a greater probability; the reader can change it. By
        default the threshold of the summary's settings, else 0.5.
    answers : Answers, optional
        With it the page shows strength and sign of each edge, and the probability tables.

    Returns
    -------
    NetworkPage
        The page; a notebook shows it.

    Raises
    ------
    ValueError
        If the truth or a community has variables that the edges do not have.
    """
    facts = vars(summary) if isinstance(summary, Summary) else summary
    limit = threshold_of(facts) if threshold is None else threshold
    content = _Content(edges.as_written(), communities, truth, answers)
    return _page(content, facts, title=title, threshold=limit)


def report_from_run(
    run_folder: str | os.PathLike[str] | Run,
    *,
    truth: nx.DiGraph | None = None,
    title: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Path:
    """Write the page of a run folder again.

    The page is the same as the page of `lsbn learn`, with three exceptions: the footer has the
    version of lsbn that writes the page; the truth is missing if its file is gone; and folders of
    older versions do not hold the order of the variables, which is then alphabetical, nor what
    strengths and probability tables need.

    Parameters
    ----------
    run_folder : str, path or Run
        The folder. The threshold is that of the settings in summary.json, else 0.5.
    truth : networkx.DiGraph, optional
        By default the truth of the run, if its file still exists.
    title : str, optional
        As for `report_page`.
    output : str or path, optional
        By default ``report.html`` in the folder.

    Returns
    -------
    Path
        The file.
    """
    run = run_folder if isinstance(run_folder, Run) else Run(Path(run_folder))
    target = Path(output) if output is not None else run.path / REPORT
    with foreign_contents(run.path):
        summary, edges = run.summary, run.edges()
        communities = run.communities if (run.path / "communities.json").is_file() else []
        if truth is None:
            truth = _truth_of(summary, table_columns_of(edges.names, run.groups))
        stored = all((run.path / name).is_file() for name in (CODING, POSTERIOR))
        answers = read_answers(run.path, edges) if stored else None
        content = _Content(edges, communities, truth, answers)
        page = _page(content, summary, title=title, threshold=threshold_of(summary))
    page.write(target)
    return target


def _truth_of(summary: Mapping[str, Any], names: Sequence[str]) -> nx.DiGraph | None:
    """Load the truth that a run names; return None if its file is gone."""
    source = (summary.get("settings") or {}).get("truth")
    if not isinstance(source, str):
        return None
    try:
        return load_truth(source, names)
    except (OSError, ValueError):
        return None


# -- the whole page --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Content:
    """What the page shows of a network; the edges are rounded as in edges.csv."""

    edges: EdgeProbabilities
    communities: Sequence[Sequence[str]]
    truth: nx.DiGraph | None
    answers: Answers | None

    def data(self, threshold: float, constants: Sequence[str]) -> dict[str, Any]:
        """Return the data for the script of the page."""
        data = payload(self.edges, self.communities, self.truth, threshold, constants)
        if self.answers is not None:
            data["pairs"] |= strengths(self.answers, data["pairs"])
            data |= tables(self.answers)
        return data


def _page(
    content: _Content, summary: Mapping[str, Any], *, title: str | None, threshold: float
) -> NetworkPage:
    """Return the page."""
    facts = json_ready(summary)
    edges, communities = content.edges, content.communities
    diagnostics = facts.get("diagnostics") or {}
    facts["seconds"] = facts.get("seconds") or diagnostics.pop("seconds", None) or {}
    groups = facts.get("groups") or {}
    if content.truth is not None:
        content = replace(content, truth=group_nodes(content.truth, groups))
        facts["evaluation"] = compare(edges.dag(threshold), content.truth).as_dict()
    told = FitDiagnostics.of(diagnostics)
    said = findings(told, threshold)
    name = title or f"Bayesian network of {_counted(edges.n_variables, 'variable')}"
    data = content.data(threshold, told.constants or ())
    text = _filled(
        _asset("page.html"),
        {
            "title": escape(name),
            "subtitle": _subtitle(facts),
            "tiles": _tiles(edges, communities, facts, threshold),
            "alert": _alert(said),
            "threshold": f"{threshold}",
            "threshold_text": _threshold_text(threshold),
            "constants": constants_line([edges.names[v] for v in data["constants"]]),
            "plain": _plain_edges(data),
            "findings": _findings(said),
            "groups": "".join(
                (
                    groups_section(groups),
                    missing_section(told.missing),
                    knowledge_section(told.knowledge),
                )
            ),
            "seconds": _seconds(facts["seconds"]),
            "settings": _settings_and_versions(facts),
            "recorded": value_text(
                {k: v for k, v in diagnostics.items() if k not in SHOWN_ELSEWHERE}
            ),
            "version": escape(__version__),
            "style": _asset("page.css"),
            "script": _script(),
            "style_hash": _hash(_asset("page.css")),
            "script_hash": _hash(_script()),
            "data": _embedded(data),
        },
    )
    return NetworkPage(text)


def _script() -> str:
    """Return the script: its parts, in one function, so that their names are not global."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_asset, SCRIPT)) + "})();\n"


def _asset(name: str) -> str:
    return (files("lsbn.report") / name).read_text(encoding="utf-8")


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill the template in one pass, so that inserted text is never filled again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _embedded(value: Any) -> str:
    """Write JSON for a script element: ASCII only, without ``<``, ``>`` and ``&``."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


# -- what was learned ------------------------------------------------------------------------------


def _counted(number: int, thing: str) -> str:
    many = thing[:-1] + "ies" if thing.endswith("y") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"


def _subtitle(facts: Mapping[str, Any]) -> str:
    """Return one line about the learner, the table and the seed."""
    settings = facts.get("settings") or {}
    parts = []
    learner, scope = settings.get("learner"), settings.get("scope")
    if learner:
        parts.append(f"learned by {learner}" + (", all variables at once" * (scope == "global")))
    source = settings.get("data")
    if isinstance(source, str):
        parts.append(f"from {Path(source).name}")
    if facts.get("seed") is not None:
        parts.append(f"seed {facts['seed']}")
    return escape(" · ".join(map(str, parts)))


def _tiles(
    edges: EdgeProbabilities,
    communities: Sequence[Sequence[str]],
    facts: Mapping[str, Any],
    threshold: float,
) -> str:
    """Return the figures at the top of the page."""
    skeleton = edges.skeleton(threshold).number_of_edges()
    large = sum(len(set(community)) > 1 for community in communities)
    groups = facts.get("groups") or {}
    grouped = f"{_counted(len(groups), 'group')} of equal columns among them" if groups else ""
    tiles = [(f"{edges.n_variables:,}", "variables", grouped)]
    if isinstance(facts.get("rows"), int):
        tiles.append((f"{facts['rows']:,}", "rows", ""))
    tiles.append((f"{skeleton:,}", f"edges above {threshold:g}", ""))
    if communities:
        tiles.append((f"{large:,}", "communities", "of two variables or more"))
    total = (facts.get("seconds") or {}).get("total")
    if isinstance(total, int | float):
        tiles.append((duration(total), "total time", ""))
    if evaluation := facts.get("evaluation"):
        note = "{hits:,} hits, {misses:,} misses, {errors:,} errors".format(**evaluation)
        tiles.append((f"{evaluation['f_score']:.1f} %", "F against the truth", note))
    return "".join(
        f'<div class="tile" title="{escape(note)}"><strong>{escape(figure)}</strong>'
        f"<span>{escape(word)}</span></div>"
        for figure, word, note in tiles
    )


def _threshold_text(threshold: float) -> str:
    """Write a threshold with two decimals, or with more if it has more.

    >>> _threshold_text(0.5), _threshold_text(0.125)
    ('0.50', '0.125')
    """
    return f"{threshold:.2f}" if round(threshold, 2) == threshold else f"{threshold}"


def _alert(said: Sequence[Finding]) -> str:
    """Return a link to the warnings, if there are any."""
    warnings = [finding for finding in said if finding.level == "warning"]
    if not warnings:
        return ""
    text = "; ".join(finding.text for finding in warnings[:3])
    return f'<a class="alert" href="#diagnostics">Read before use: {escape(text)}</a>'


def _plain_edges(data: Mapping[str, Any], most: int = 100) -> str:
    """List the most probable edges for browsers that run no script."""
    names, pairs = data["names"], data["pairs"]
    rows = list(zip(pairs["a"], pairs["b"], pairs["f"], pairs["r"], strict=True))[:most]
    items = "".join(
        f"<li><bdi>{escape(names[a])}</bdi> → <bdi>{escape(names[b])}</bdi> {f:.3f} "
        f"(opposite direction {r:.3f})</li>"
        for a, b, f, r in rows
        if f > 0
    )
    return f"<p>The picture needs JavaScript. The most probable edges:</p><ol>{items}</ol>"


# -- diagnostics and settings ----------------------------------------------------------------------


def _findings(said: Sequence[Finding]) -> str:
    if not said:
        return "<p>The run recorded no diagnostics.</p>"
    items = "".join(
        f'<li class="{finding.level}"><strong>{escape(finding.text)}</strong> '
        f"<span>{escape(finding.why)}</span></li>"
        for finding in said
    )
    return f'<ul class="findings">{items}</ul>'


def _seconds(seconds: Mapping[str, Any]) -> str:
    """Return a table of the seconds of each stage, with a bar for its share."""
    stages = {k: float(v) for k, v in seconds.items() if isinstance(v, int | float)}
    total = stages.pop("total", sum(stages.values()))
    if not stages:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(stage_name(stage))}</th><td class="number">{time:,.2f}</td>'
        '<td><svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * time / total if total > 0 else 0:.1f}" height="6"/></svg></td></tr>'
        for stage, time in stages.items()
    )
    return (
        '<h3>Seconds by stage</h3><table class="stages">'
        f'{rows}<tr><th scope="row">total</th><td class="number">{total:,.2f}</td><td></td></tr>'
        "</table>"
    )


def _settings_and_versions(facts: Mapping[str, Any]) -> str:
    settings = dict(facts.get("settings") or {})
    if facts.get("seed") is not None:
        settings["seed"] = facts["seed"]
    versions = facts.get("versions") or {}
    parts = [f"<h3>Settings</h3>{value_text(settings)}"] if settings else []
    if versions:
        parts.append(f"<h3>Versions</h3>{value_text(versions)}")
    return "".join(parts)
