"""Check the parameters of `lsbn.LSBN` before a fit starts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from lsbn.data import TableOptions
from lsbn.data.copies import FOLDS
from lsbn.knowledge import Knowledge
from lsbn.learners import LEARNERS, PUBLISHED, Score
from lsbn.learners.averaging import COUNTS, EFFORTS
from lsbn.pairs import WEIGHTS, base_weights

__all__ = [
    "check_count",
    "check_effort",
    "check_parameters",
    "copies_of",
    "default_score",
    "score_of",
    "seed_sequence",
]


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Raise an error for a parameter that is unknown or out of range.

    The parameter ``random_state`` is checked by `seed_sequence`, which may draw from it.

    Parameters
    ----------
    parameters : mapping
        All parameters of `lsbn.LSBN` by name.

    Raises
    ------
    ValueError
        The message has the name of the parameter, its value, and what is possible.
    """
    given = parameters
    if not callable(given["learner"]) and given["learner"] not in tuple(LEARNERS):
        raise ValueError(f"unknown learner {given['learner']!r}; there are {', '.join(LEARNERS)}")
    score_of(given["learner"], given["score"])
    check_count(given["learner"], given["count"], given["last_pass"])
    check_effort(given["learner"], given["effort"])
    copies_of(given["learner"], given["fold_copies"])
    if given["knowledge"] is not None:
        Knowledge.of(given["knowledge"])
    _check_weights(given["weights"])
    if not isinstance(given["checkpoint"], str | os.PathLike | None):
        raise ValueError(
            f"checkpoint is {given['checkpoint']!r}; use the name of a folder, or None"
        )
    _check_whole("n_graphs", given["n_graphs"], 0)
    _check_whole("max_community", given["max_community"], 2)
    _check_whole("max_size", given["max_size"], 2, 20)
    if not _is_number(given["triplet_threshold"]) or not 0 <= given["triplet_threshold"] <= 1:
        raise ValueError(f"triplet_threshold is {given['triplet_threshold']!r}; use 0 to 1")
    if not _is_number(given["threshold"]) or not 0 <= given["threshold"] < 1:
        raise ValueError(f"threshold is {given['threshold']!r}; use 0 or more, and less than 1")
    for name in ("blanket_alpha", "false_discoveries"):
        level = given[name]
        if level is not None and not (_is_number(level) and 0 < level < 1):
            raise ValueError(f"{name} is {level!r}; use more than 0, less than 1")
    TableOptions(given["discretize"], given["bins"], given["missing"], given["max_states"])
    jobs = given["n_jobs"]
    if jobs is not None and (not isinstance(jobs, Integral) or jobs == 0):
        raise ValueError(f"n_jobs is {jobs!r}; use 1 or more, -1 for all cores, or None")


def score_of(learner: Any, score: Score | str | None) -> Score | None:
    """Return the parameter ``score`` as a `Score`; raise an error if the learner has none."""
    if score is not None and learner in ("pc", "aracne"):
        raise ValueError(f"the learner {learner!r} has no score; leave out score")
    return None if score is None else Score.of(score)


def default_score(learner: Any, last_pass: bool = True) -> Score:
    """Return the score that applies if none is given: mixed, or that of the paper.

    Learners without a score have tables by the score of the paper.

    Examples
    --------
    >>> default_score("model-averaging").kind, default_score("pc").kind
    ('mixed', 'bdeu')
    """
    return Score() if learner == "model-averaging" and last_pass else PUBLISHED


def check_count(learner: Any, count: Any, last_pass: bool = True) -> None:
    """Raise an error if the parameter ``count`` is unknown, or has no effect.

    Examples
    --------
    >>> check_count("pc", "graphs")
    Traceback (most recent call last):
        ...
    ValueError: count is 'graphs', but only model-averaging counts graphs; leave out count
    """
    if count not in tuple(COUNTS):
        raise ValueError(f"count is {count!r}; use {' or '.join(COUNTS)}")
    if count != "orders" and learner != "model-averaging":
        raise ValueError(
            f"count is {count!r}, but only model-averaging counts {count}; leave out count"
        )
    if count != "orders" and not last_pass:
        raise ValueError(
            f"count is {count!r}, which is for the last pass; leave out count, or use last_pass"
        )


def check_effort(learner: Any, effort: Any) -> None:
    """Raise an error if the parameter ``effort`` is unknown, or has no effect.

    Examples
    --------
    >>> check_effort("model-averaging", "heroic")
    Traceback (most recent call last):
        ...
    ValueError: effort is 'heroic'; use quick, standard or thorough
    """
    if effort not in tuple(EFFORTS):
        raise ValueError(f"effort is {effort!r}; use quick, standard or thorough")
    if effort != "standard" and learner != "model-averaging":
        raise ValueError(f"effort is {effort!r}, but only model-averaging has efforts")


def copies_of(learner: Any, fold_copies: bool | str | None) -> str:
    """Return what the parameter ``fold_copies`` means: a key of `lsbn.data.copies.FOLDS`.

    Examples
    --------
    >>> copies_of("greedy", None), copies_of("pc", None), copies_of("pc", True)
    ('join', 'keep', 'join')
    """
    if isinstance(fold_copies, str) and fold_copies in FOLDS:
        return fold_copies
    if fold_copies is None:
        return "keep" if learner in ("pc", "aracne") else "join"
    if isinstance(fold_copies, bool | np.bool_):
        return "join" if fold_copies else "keep"
    raise ValueError(
        f"fold_copies is {fold_copies!r}; use {', '.join(map(repr, FOLDS))}, True, False or None"
    )


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Convert a seed, as numpy and scikit-learn accept it, to a SeedSequence.

    Examples
    --------
    >>> seed_sequence(-1)
    Traceback (most recent call last):
        ...
    ValueError: random_state is -1; use a whole number of 0 or more, a numpy generator, or None
    """
    if isinstance(random_state, np.random.SeedSequence):
        return np.random.SeedSequence(random_state.entropy, spawn_key=random_state.spawn_key)
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return np.random.SeedSequence(random_state.randint(2**31))
    try:
        return np.random.SeedSequence(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state is {random_state!r}; use a whole number of 0 or more, a numpy "
            "generator, or None"
        ) from None


def _check_weights(weights: Any) -> None:
    if isinstance(weights, str) or not isinstance(weights, Iterable):
        raise ValueError(f"weights is {weights!r}; use a sequence such as ['MI']")
    if not base_weights(list(weights)):
        raise ValueError(f"weights is empty; use some of {', '.join(WEIGHTS)}")


def _check_whole(name: str, value: Any, low: int, high: int | None = None) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        possible = f"{low} or more" if high is None else f"{low} to {high}"
        raise ValueError(f"{name} is {value!r}; use {possible}")


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
