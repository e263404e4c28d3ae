"""What sampling orders and searching parent sets cost, where the exact answer can be had."""

import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lsbn.learners import learn_model_averaging
from lsbn.learners.averaging import SamplingSettings, SearchSettings
from lsbn.learners.averaging.sampler import OrderSampler
from parts.drawing import graph_matrix
from parts.own_prior import MAX_PARENTS, Case, draw_cases
from parts.reliability import Pairs, calibration_error

VARIABLES = (18, 19)


def _sampler(case: Case, seed: np.random.SeedSequence) -> OrderSampler:
    settings = SearchSettings().bounded(MAX_PARENTS)
    rng = np.random.default_rng(seed)
    return OrderSampler(case.known, case.score, settings, SamplingSettings(), rng)


WAYS: dict[str, Callable[[Case], np.ndarray]] = {
    "exact": lambda case: learn_model_averaging(
        case.known, score=case.score, max_parents=MAX_PARENTS, method="exact"
    ).edges.matrix.toarray(),
    "orders sampled, all parent sets": lambda case: (
        _sampler(case, case.seed).run_exhaustive(MAX_PARENTS)[0].toarray()
    ),
    "as shipped: orders sampled, parent sets searched": lambda case: (
        _sampler(case, case.seed).run()[0].toarray()
    ),
}


def sampling_cost(count: int, seed: np.random.SeedSequence) -> list[str]:
    """Compare the sampler with the exact answer on networks that both can do."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    cases = list(draw_cases(count, VARIABLES, seed))
    found = {way: [learn(case) for case in cases] for way, learn in WAYS.items()}
    lines = [
        "## What sampling and searching cost",
        "",
        f"{count} networks of {VARIABLES[0]} to {VARIABLES[1]} variables; states known, the"
        " generator's score. At this size the learner",
        "samples by default, but the exact sum is also possible. The table has the differences",
        "from the exact probabilities, over ordered pairs.",
        "",
        "| | mean difference | over 0.02 | over 0.1 | largest | ECE, p >= 0.01 |",
        "|---" * 6 + "|",
    ]
    for way, matrices in found.items():
        gaps = [np.abs(m - e).ravel() for m, e in zip(matrices, found["exact"], strict=True)]
        gap = np.concatenate(gaps)
        parts = [
            Pairs.of(m, graph_matrix(case.network.parents), np.ones(m.shape, bool))
            for m, case in zip(matrices, cases, strict=True)
        ]
        p, truth, _ = Pairs.joined(parts).directed
        error = calibration_error(p[p >= 0.01], truth[p >= 0.01])
        figures = f"{gap.mean():.5f} | {np.mean(gap > 0.02):.2%} | {np.mean(gap > 0.1):.2%}"
        lines.append(f"| {way} | {figures} | {gap.max():.3f} | {error:.4f} |")
    return lines
