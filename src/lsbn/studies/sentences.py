"""The sentences of the study's page. All figures in them are computed from the cells."""

import statistics
from collections import Counter
from dataclasses import replace

from lsbn.studies import published
from lsbn.studies.comparison import MODEL_AVERAGING, ROWS_STUDY
from lsbn.studies.misprints import misprints
from lsbn.studies.partition import SMALL, PartitionStudy
from lsbn.studies.peers import PEER_SCOPE
from lsbn.studies.plots import pooled_calibration
from lsbn.studies.published import COUNTS, SECOND_ORDER
from lsbn.studies.results import (
    LEARNER_NAMES,
    SCOPE_NAMES,
    Results,
    Verdict,
    ratio_to_global,
    stage_seconds,
    verdicts,
)

__all__ = [
    "calibration",
    "framework",
    "gains",
    "in_short",
    "misprint_counts",
    "partition",
    "peers",
    "rows",
    "seconds",
]


def in_short(results: Results) -> str:
    """List the main results."""
    lines = [_reached_words(results, scope) for scope in ("lsbn", "global")]
    lines.append(
        "Caution: the defaults of the partition (`experiments/second_order.md`) and of the other "
        "learners (`experiments/learner_sweeps.md`) were chosen on these same networks, with the "
        "seeds named there. Figures on other networks may be lower. Evidence, unseen rows and "
        "noise chose the score of model averaging (`experiments/ways.md`). The number after ± "
        "shows how much a figure varies between seeds."
    )
    averaged = [n for n in results.networks if results.values(n, MODEL_AVERAGING, "global", "shd")]
    if averaged:
        shown = ", ".join(
            f"{n} {results.mean(n, MODEL_AVERAGING, 'global', 'f_score'):.1f}" for n in averaged
        )
        lines.append(
            "Global model averaging was intractable in the paper ('NA'). Our F in percent: "
            f"{shown}."
        )
    best = [b for n in results.networks if (b := _best(results, n))]
    if best:
        lines.append(f"Best mean F of all learners and scopes, by network: {'; '.join(best)}.")
    return "\n".join(f"- {line}" for line in lines if line)


def _reached_words(results: Results, scope: str) -> str:
    """Say how many cells of a scope have at least the printed F, and name the others."""
    compared = verdicts(results, [scope])
    if not compared:
        return ""
    below = [_short(v) for v in compared if not v.reached]
    reached = f"{len(compared) - len(below)} of {len(compared)}"
    words = f"{SCOPE_NAMES[scope]}: in {reached} cells our F is at least the printed F."
    words += f" Below it: {', '.join(below)}." if below else ""
    counts = [_short(v, counts=True) for v in compared if v.reached and not v.reached_counts]
    if counts:
        words += f" Below the F that follows from the paper's own counts: {', '.join(counts)}."
    return words


def _short(verdict: Verdict, counts: bool = False) -> str:
    paper = verdict.from_counts if counts else verdict.printed
    name = LEARNER_NAMES[verdict.learner]
    return f"{name} on {verdict.network} ({verdict.ours:.1f} / {paper:.1f})"


def _best(results: Results, network: str) -> str:
    means = {
        (learner, scope): results.mean(network, learner, scope, "f_score")
        for scope in results.scopes
        for learner in results.learners
        if results.values(network, learner, scope, "f_score")
    }
    if not means:
        return ""
    learner, scope = max(means, key=lambda key: means[key])
    words = f"{network} {means[learner, scope]:.1f} ({LEARNER_NAMES[learner]}, {SCOPE_NAMES[scope]}"
    learners = published.COMPARISON.get(network, {})
    printed = [f.f_score for halves in learners.values() for f in halves.values() if f]
    return words + (f"; the paper's best {max(printed):.1f})" if printed else ")")


def gains(results: Results) -> str:
    """Give mean, greatest and least difference between our F and the paper's."""
    compared = verdicts(results)
    if not compared:
        return "The paper has none of these networks."
    difference = {v: v.ours - v.printed for v in compared}
    most = max(compared, key=lambda v: difference[v])
    least = min(compared, key=lambda v: difference[v])

    def words(v: Verdict) -> str:
        cell = f"{LEARNER_NAMES[v.learner]}, {SCOPE_NAMES[v.scope]}, {v.network}"
        return f"{difference[v]:+.1f} ({cell})"

    mean = statistics.fmean(difference.values())
    return (
        f"Our F minus the paper's F is {mean:+.1f} on average. The greatest difference is "
        f"{words(most)}, the least {words(least)}."
    )


def framework(results: Results) -> str:
    """Compare F of LSBN with F of global, and count the runs with equal figures."""
    parts = []
    for scope in (s for s in results.scopes if s != "global"):
        ratios = {}
        for network in results.networks:
            for learner in results.learners:
                ratio = ratio_to_global(results, network, learner, scope, "f_score")
                if ratio is not None:
                    ratios[f"{LEARNER_NAMES[learner]} on {network}"] = ratio
        if ratios:
            least, most = min(ratios, key=lambda k: ratios[k]), max(ratios, key=lambda k: ratios[k])
            reached = sum(round(ratio, 1) >= 100 for ratio in ratios.values())
            parts.append(
                f"In {reached} of {len(ratios)} pairs of learner and network, F of "
                f"{SCOPE_NAMES[scope]} is at least F of global. The ratio ranges from "
                f"{ratios[least]:.1f} percent ({least}) to {ratios[most]:.1f} percent ({most})."
            )
    same, both = _same_as_global(results)
    if both:
        parts.append(
            "After Mergence, LSBN with our defaults runs the learner once more over all variables, "
            "among the candidates that the communities proposed. For networks of this size, model "
            "averaging searches among all variables instead. This last pass can give the same "
            f"network as global: {same} of {both} runs have the same hits, misses, errors and SHD "
            "as global on the same data table. The scope 'LSBN as published' has no last pass, so "
            "it shows the effect of partition, votes and merging alone."
        )
    return " ".join(parts) or "There are no cells to compare."


def _same_as_global(results: Results) -> tuple[int, int]:
    """Count the runs of LSBN with the same figures as global, and all runs with both scopes."""
    same = both = 0
    for cell, outcome in results.outcomes.items():
        alone = results.outcomes.get(replace(cell, scope="global"))
        if cell.scope == "lsbn" and alone is not None:
            both += 1
            same += all(outcome.figures[f] == alone.figures[f] for f in (*COUNTS, "shd"))
    return same, both


def partition(results: Results) -> str:
    """Give coverage and sizes of the second-order communities."""
    study = results.partition()
    if study is None:
        return "No partition has been measured."
    covered = ", ".join(f"{n} {study.coverage(n, SECOND_ORDER):.1f}" for n in study.networks)
    small = ", ".join(f"{n} {_small_share(study, n):.1f}" for n in study.networks)
    return (
        "True edges inside a community of the second-order partition, in percent: "
        f"{covered}. Communities of at most {SMALL} variables, in percent: {small}. Short paths "
        "alone do not show a good partition: small communities have short paths even if they cut "
        "many edges. Therefore the coverage of true edges is shown too."
    )


def _small_share(study: PartitionStudy, network: str) -> float:
    """Percentage of the second-order communities that are small."""
    small, count = (study.mean(network, SECOND_ORDER, x) for x in ("small", "communities"))
    return 100 * small / count


def calibration(results: Results) -> str:
    """Say how many of the pairs with the highest probabilities are edges."""
    parts = []
    for scope in results.scopes:
        outcomes = [o for n in results.networks for o in results.with_curves(n, scope)]
        bins = pooled_calibration(outcomes)
        if bins:
            expected, true, count = bins[-1]
            parts.append(
                f"{SCOPE_NAMES[scope]}: the highest bin has {count:,} pairs with mean probability "
                f"{expected:.3f}, and {100 * true:.1f} percent of them are edges."
            )
    warned = Counter(o.cell.scope for o in results.outcomes.values() if o.curves and o.warnings)
    if warned:
        noted = ", ".join(f"{n} of {SCOPE_NAMES[s]}" for s, n in sorted(warned.items()))
        parts.append(f"Cells with a warning that the chains disagree: {noted}.")
    return " ".join(parts)


def seconds(results: Results) -> str:
    """Give the time of all cells, and the slowest network and stage."""
    spent = [o.seconds["total"] for o in results.outcomes.values() if o.cell.scope != PEER_SCOPE]
    words = (
        f"All {len(spent):,} cells of lsbn took {sum(spent) / 60:.1f} minutes. Seconds are wall "
        "time: other work on the machine makes them longer."
    )
    stages = {n: s for n in results.networks if (s := stage_seconds(results, n))}
    if stages:
        slowest = max(stages, key=lambda n: sum(stages[n].values()))
        total = sum(stages[slowest].values())
        stage = max(stages[slowest], key=lambda s: stages[slowest][s])
        share = 100 * stages[slowest][stage] / max(total, 1e-9)
        words += (
            f" LSBN with model averaging takes longest on {slowest}: {total:.1f} s. The stage "
            f"'{stage}' takes {share:.0f} percent of this time."
        )
    return words


def rows(results: Results) -> str:
    """Give F with the fewest and with the most rows; empty without the study of rows."""
    changes = []
    for network in results.rows_networks:
        means = {
            r: results.mean(network, MODEL_AVERAGING, "lsbn", "f_score", r)
            for r in ROWS_STUDY
            if results.values(network, MODEL_AVERAGING, "lsbn", "f_score", r)
        }
        (few, first), *_, (many, last) = means.items()
        changes.append(f"{network} from {first:.1f} at {few:,} rows to {last:.1f} at {many:,}")
    if not changes:
        return ""
    return f"F of LSBN with model averaging, by rows: {'; '.join(changes)}."


def peers(results: Results) -> str:
    """Compare F of LSBN with F of the best peer on every network; empty without peers."""
    compared = []
    for network in results.networks:
        scores = [
            (results.mean(network, p, PEER_SCOPE, "f_score"), p)
            for p in results.peers
            if results.values(network, p, PEER_SCOPE, "f_score")
        ]
        if scores and results.values(network, MODEL_AVERAGING, "lsbn", "f_score"):
            ours = results.mean(network, MODEL_AVERAGING, "lsbn", "f_score")
            score, name = max(scores)
            compared.append(f"{network} {ours:.1f} against {score:.1f} ({name})")
    if not compared:
        return ""
    return f"F of LSBN with model averaging against the best peer: {'; '.join(compared)}."


def misprint_counts() -> str:
    """Count the misprints of each of the paper's tables."""
    contradicted = misprints()
    tables = Counter(m.table.split(" on ")[0] for m in contradicted)
    listed = ", ".join(f"{n} in {name}" for name, n in tables.items())
    return f"The paper has {len(contradicted)} figures that contradict its other figures: {listed}."
