"""Explain the diagnostics of a run in words."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lsbn.data.columns import listing
from lsbn.framework.diagnostics import FitDiagnostics
from lsbn.learners.averaging.convergence import searches_disagree

__all__ = ["Finding", "findings"]

R_HAT_GOOD, R_HAT_BAD = 1.05, 1.1
"""Up to the first value the chains agree; above the second value they disagree."""
FEW_DRAWS = 100
"""A smaller effective sample size is worth a note."""
STRONG = 3.0
"""Log odds above this are strong evidence (Kass & Raftery 1995): 20 to 1."""
LARGE_ERROR = 0.05
"""A larger standard error is worth a note; twice this error is worth a warning."""


@dataclass(frozen=True)
class Finding:
    """One statement about the reliability of a result.

    Attributes
    ----------
    level : str
        ``good``, ``note`` or ``warning``.
    text : str
        The statement, in a few words.
    why : str
        Its meaning, and what the user can do.
    """

    level: str
    text: str
    why: str


def findings(diagnostics: FitDiagnostics, threshold: float = 0.5) -> list[Finding]:
    """Explain what the diagnostics of a run mean.

    Parameters
    ----------
    diagnostics : FitDiagnostics
        If the method of the whole is exact, and no missing values were inferred, there was no
        sampling, and figures about sampling do not count.
    threshold : float
        The threshold of the run.

    Returns
    -------
    list of Finding
        Warnings first, then notes, then good news.

    Examples
    --------
    >>> [f.text for f in findings(FitDiagnostics(method="exact"))]
    ['Exact averages']
    >>> findings(FitDiagnostics(r_hat=1.4))[0].level
    'warning'
    """
    found = list(_method(diagnostics))
    if diagnostics.method != "exact" or _completed(diagnostics):
        found += [
            *_chains(diagnostics),
            *_searches(diagnostics),
            *_r_hat(diagnostics),
            *_precision(diagnostics, threshold),
        ]
    found += _knowledge(diagnostics)
    found += [Finding("note", "About the table", note) for note in diagnostics.notes or ()]
    order = ("warning", "note", "good")
    return sorted(found, key=lambda finding: order.index(finding.level))


def _method(diagnostics: FitDiagnostics) -> Iterator[Finding]:
    """Name the method of the whole result or, if there is none, the methods of the communities."""
    by_graphs = diagnostics.count == "graphs"
    if diagnostics.method == "exact" and _completed(diagnostics):
        why = (
            "Missing values are sampled. The average over the orders of the variables is exact for "
            "each completion of the table."
        )
        yield Finding("good", "Averages over sampled completions", why)
    elif diagnostics.method == "exact":
        every = "graphs, each counted once" if by_graphs else "orders of the variables"
        why = f"The average is over all {every}, so there is no sampling error."
        yield Finding("good", "Exact averages", why)
    elif diagnostics.method == "sampled" and by_graphs:
        why = "Probabilities are averages over graphs, sampled by several chains. Each counts once."
        yield Finding("good", "Averages over sampled graphs", why)
    elif diagnostics.method == "sampled":
        why = "Probabilities are averages over orders of the variables, sampled by several chains."
        yield Finding("good", "Averages over sampled orders", why)
    else:
        methods = Counter(str(part.method) for part in diagnostics.communities or ())
        exact, sampled = methods["exact"], methods["sampled"]
        if exact or sampled:
            yield Finding(
                "good",
                f"Communities: {exact:,} exact, {sampled:,} sampled",
                "The average is over all orders of the variables in small communities, and over "
                "sampled orders in large communities.",
            )


def _completed(diagnostics: FitDiagnostics) -> bool:
    """Return whether the result is an average over completions of the table."""
    return diagnostics.missing is not None and bool(diagnostics.missing.completions)


def _knowledge(diagnostics: FitDiagnostics) -> Iterator[Finding]:
    """Say whether the data agree with what was told."""
    known = diagnostics.knowledge
    if known is None:
        return
    strong = [each for each in known.disagreements if each.log_odds > STRONG]
    if not strong:
        why = "Every edge that was told is honoured, and no strong evidence is against a statement."
        yield Finding("good", "Knowledge is honoured", why)
        return
    edges = listing([f"{each.source} -> {each.target} ({each.statement})" for each in strong], 5)
    yield Finding(
        "warning",
        f"The data disagree with {len(strong):,} statement(s) of your knowledge",
        f"Networks without these statements fit the data much better: {edges}. The result honours "
        "them nevertheless. Check them, or leave them out.",
    )


def _chains(diagnostics: FitDiagnostics) -> Iterator[Finding]:
    chains, kept = diagnostics.chains or 0, diagnostics.chains_kept or 0
    if kept and kept < chains:
        yield Finding(
            "warning",
            f"{chains - kept:,} of {chains:,} chains left out",
            "These chains ended at networks that fit the data much worse than those of the best "
            "chain, so the average does not include them. The posterior has several modes. Use "
            "--effort thorough to search longer for the best one.",
        )


def _searches(diagnostics: FitDiagnostics) -> Iterator[Finding]:
    """Say whether independent searches found the same networks."""
    compared, agreed = diagnostics.searches_compared, diagnostics.searches_agreed or 0
    if not compared:
        return
    names = diagnostics.doubtful_variables or []
    if not searches_disagree(diagnostics):
        why = "Searches that know nothing of each other reached the same log score and edges."
        yield Finding("good", f"{compared} independent searches agree", why)
        return
    into = f" Edges into {listing(map(repr, names))} differ." if names else ""
    why = (
        f"Searches that know nothing of each other found different networks.{into} "
        "Another seed may give other probabilities. Use --effort thorough."
    )
    text = f"Only {agreed} of {compared} independent searches reached the best log score"
    if agreed >= compared:
        text = f"{compared} independent searches reached the same log score by different edges"
    yield Finding("warning", text, why)


def _r_hat(diagnostics: FitDiagnostics) -> Iterator[Finding]:
    worst, above = diagnostics.r_hat, diagnostics.high_r_hat_edges
    if worst is None:
        return
    text = f"R-hat at most {worst:.3f}"
    if worst <= R_HAT_GOOD:
        yield Finding("good", text, "The chains agree on every edge (1 is perfect agreement).")
    elif worst <= R_HAT_BAD:
        why = "The chains agree on nearly every edge. Values up to 1.1 usually count as agreement."
        yield Finding("note", text, why)
    else:
        edges = f"{above:,} edge(s)" if above else "at least one edge"
        why = (
            f"Chains or searches disagree on {edges}, so some probabilities may be wrong. "
            "Use --effort thorough, or compare the results of several seeds."
        )
        text = "R-hat above 100" if worst > 100 else f"R-hat up to {worst:.3g}"
        yield Finding("warning", text, why)


def _precision(diagnostics: FitDiagnostics, threshold: float) -> Iterator[Finding]:
    least, error = diagnostics.effective_sample_size, diagnostics.standard_error
    if least is not None:
        more = "" if error is None else f" Its standard error is {error:.3g}."
        yield Finding(
            "note" if least < FEW_DRAWS else "good",
            f"Effective sample size at least {least:,.0f}",
            f"The probability of the least certain edge is worth about {least:,.0f} independent "
            f"draws.{more}",
        )
    if error is not None and error > LARGE_ERROR:
        yield Finding(
            "warning" if error > 2 * LARGE_ERROR else "note",
            f"Standard error up to {error:.2g}",
            f"In another run, probabilities near the threshold {threshold:g} could be on its other "
            "side. Sample longer if such an edge matters.",
        )
