"""Diagnostics of a community and of a whole fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lsbn.data.copies import Folded
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.diagnostics import Diagnostics, Figures
from lsbn.learners.evidence import KnowledgeDiagnostics

__all__ = [
    "CommunityDiagnostics",
    "FitDiagnostics",
    "MissingDiagnostics",
    "fit_diagnostics",
    "missing_diagnostics",
]

NOT_NEEDED = (
    f"with at most {SearchSettings.max_unrestricted:,} variables the last pass searches among all "
    "variables"
)
"""Reason for stages that were not run."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CommunityDiagnostics(Figures):
    """What LocalLearn tells about a community. A field that does not apply is None.

    Attributes
    ----------
    sub_communities : int
        Number of sub-communities.
    clusters : int
        Number of clusters of triplets that were learned again.
    method : str or list of str
        Methods of model averaging in the sub-communities, exact or sampled.
    r_hat : float
        Largest R-hat of a sub-community.
    effective_sample_size : float
        Smallest effective sample size of a sub-community.
    """

    sub_communities: int
    clusters: int
    method: str | list[str] | None = None
    r_hat: float | None = None
    effective_sample_size: float | None = None

    @classmethod
    def of_parts(
        cls, parts: Sequence[Diagnostics], sub_communities: int, clusters: int
    ) -> CommunityDiagnostics:
        """Combine the diagnostics of sub-communities.

        Parameters
        ----------
        parts : sequence of Diagnostics
            Of the sub-communities that were learned.
        sub_communities, clusters : int

        Returns
        -------
        CommunityDiagnostics
        """
        methods = sorted({part.method for part in parts if part.method is not None})
        return cls(
            sub_communities=sub_communities,
            clusters=clusters,
            method=methods[0] if len(methods) == 1 else methods or None,
            r_hat=_largest_r_hat(parts),
            effective_sample_size=_smallest_size(parts),
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MissingDiagnostics(Figures):
    """The missing values of the table.

    Attributes
    ----------
    share : float
        Share of missing values in the whole table.
    columns : dict of str to float
        Share of missing values of each column that has any.
    completions : int
        Number of completions of the table that were averaged; None if the missing values were not
        inferred, 0 if copies of the columns have all of them.
    doubtful_variables : list of str
        Variables with edges into them that depend on the completions, most edges first: a standard
        error is above 0.05. None if there are none.
    """

    share: float
    columns: dict[str, float]
    completions: int | None = None
    doubtful_variables: list[str] | None = None


def missing_diagnostics(
    folded: Folded, tables: int, doubtful: Sequence[str] = ()
) -> MissingDiagnostics | None:
    """Return what is to say of missing values; None if there are none.

    Parameters
    ----------
    folded : Folded
    tables : int
        Number of tables that were learned.
    doubtful : sequence of str
        Variables with edges into them that depend on the completions.
    """
    table = folded.table
    if not table.missing:
        return None
    columns = {n: round(s, 6) for n, s in zip(table.names, table.missing, strict=True) if s}
    completions = tables if folded.whole.gaps is not None else 0
    return MissingDiagnostics(
        share=round(sum(table.missing) / len(table.missing), 6),
        columns=columns,
        completions=None if table.gaps is None else completions,
        doubtful_variables=list(doubtful) or None,
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FitDiagnostics(Diagnostics):
    """What a fit tells about itself: `lsbn.LSBN.diagnostics_`.

    The fields of `lsbn.learners.Diagnostics` are those of the last pass. Without a last pass,
    ``method``, ``r_hat`` and ``effective_sample_size`` are those of the communities together.

    Attributes
    ----------
    not_run : dict of str to str
        The stages that were not run, with the reason.
    seconds : dict of str to float
        Wall time of each stage.
    communities : list of CommunityDiagnostics
        One for each community that was learned by LocalLearn.
    notes : list of str
        Notes about the table, such as columns that repeat another.
    constants : list of str
        Columns with a single state; they have no edges. None if there are none.
    knowledge : KnowledgeDiagnostics
        What was told, and where the data disagree; None without knowledge.
    missing : MissingDiagnostics
        The shares of missing values; None if there are none.

    Examples
    --------
    >>> FitDiagnostics.of({"method": "exact", "seconds": {"read": 0.1}, "communities": []})
    FitDiagnostics(method='exact', seconds={'read': 0.1}, communities=[])
    """

    not_run: dict[str, str] | None = None
    seconds: dict[str, float] | None = None
    communities: list[CommunityDiagnostics] | None = None
    notes: list[str] | None = None
    constants: list[str] | None = None
    knowledge: KnowledgeDiagnostics | None = None
    missing: MissingDiagnostics | None = None


def fit_diagnostics(
    last_pass: Diagnostics,
    communities: Sequence[CommunityDiagnostics] | None,
    seconds: Mapping[str, float],
    notes: Sequence[str],
    knowledge: KnowledgeDiagnostics | None = None,
    constants: Sequence[str] = (),
    missing: MissingDiagnostics | None = None,
) -> FitDiagnostics:
    """Return `LSBN.diagnostics_`, from the last pass or else from the communities.

    Parameters
    ----------
    last_pass : Diagnostics
        Empty if there was no last pass.
    communities : sequence of CommunityDiagnostics, optional
        None if LocalLearn was not run.
    seconds : mapping
        Wall time of each stage.
    notes : sequence of str
        Notes about the table.
    knowledge : KnowledgeDiagnostics, optional
    constants : sequence of str
        Columns with a single state.
    missing : MissingDiagnostics, optional

    Returns
    -------
    FitDiagnostics
    """
    not_run = dict.fromkeys(("blankets", "local", "merge"), NOT_NEEDED)
    return FitDiagnostics(
        **vars(last_pass or _together(communities or ())),
        not_run=not_run if communities is None else None,
        seconds={stage: round(spent, 4) for stage, spent in seconds.items()},
        communities=list(communities or ()),
        notes=list(notes),
        knowledge=knowledge,
        constants=list(constants) or None,
        missing=missing,
    )


def _together(communities: Sequence[CommunityDiagnostics]) -> Diagnostics:
    """Return the methods and the worst figures of the communities."""
    methods = sorted({part.method for part in communities if isinstance(part.method, str)})
    return Diagnostics(
        method=" and ".join(methods) or None,
        r_hat=_largest_r_hat(communities),
        effective_sample_size=_smallest_size(communities),
    )


def _largest_r_hat(parts: Sequence[Diagnostics | CommunityDiagnostics]) -> float | None:
    """Return the largest R-hat, None if no part has one."""
    return max((part.r_hat for part in parts if part.r_hat is not None), default=None)


def _smallest_size(parts: Sequence[Diagnostics | CommunityDiagnostics]) -> float | None:
    """Return the smallest effective sample size, None if no part has one."""
    sizes = (part.effective_sample_size for part in parts)
    return min((size for size in sizes if size is not None), default=None)
