"""The result is the same on every backend."""

import os
import signal
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone

from learner_cases import shuffled_alarm
from lsbn.data import Dataset
from lsbn.estimator import LSBN
from lsbn.learners import Score
from lsbn.learners.averaging import SearchSettings
from lsbn.learners.averaging.search import ParentSetSearch
from lsbn.parallel import run, scatter


@pytest.fixture(scope="module")
def table():
    whole, _ = shuffled_alarm(1000)
    return whole[whole.columns[:20]]


def assert_equal(model, expected):
    difference = model.edge_probabilities_ != expected.edge_probabilities_
    assert difference.nnz == 0
    assert model.communities_ == expected.communities_
    assert np.array_equal(model.hierarchy_, expected.hierarchy_)


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes that use TCP on loopback; without Dask, the tests are skipped."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    with (
        distributed.LocalCluster(
            **options, host="127.0.0.1", protocol="tcp", dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        client.wait_for_workers(2)
        yield client


STAGES = {
    "_counted_block",
    "_each_iamb",
    "_each_community",
    "_merged",
    "_search_part",
    "plain_shares",
    "_advanced",
}
"""Functions that workers call: strips of pairs, blankets, communities, merges, parts, chains."""


@pytest.fixture(scope="module")
def many_pieces():
    """Divide the work on a small table as that on a large one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lsbn.fitting.REACH", 10)
        patch.setattr("lsbn.framework.candidates._EXPANDED", 10)
        patch.setattr("lsbn.framework.candidates._PART", 7)
        patch.setattr("lsbn.framework.mergence._SUBTREE", 2)
        patch.setattr("lsbn.pairs.statistics.STORED_VARIABLES", 10)
        patch.setattr("lsbn.pairs.survey._BLOCK", 8)
        patch.setattr("lsbn.parallel._PIECES", 4)
        yield


@pytest.fixture(scope="module")
def quick():
    return LSBN(random_state=0, effort="quick", score="bdeu")


@pytest.fixture(scope="module")
def alone(many_pieces, quick, table):
    return clone(quick).set_params(n_jobs=1).fit(table)


def test_threads_agree(table, quick, alone):
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert_equal(clone(quick).fit(table), alone)


def sent_as(change, monkeypatch):
    """Send ``change(name, function)`` to the workers in place of each function."""
    from lsbn import parallel

    original = parallel.on_workers

    def send(team, function, *rest):
        name = getattr(function, "func", function).__name__
        return original(team, change(name, function), *rest)

    monkeypatch.setattr(parallel, "on_workers", send)


def deadly(folder, names):
    """Let each of these functions kill the first worker that calls it; a file says that it did."""

    def change(name, function):
        def call(data, item):
            try:
                Path(folder, name).touch(exist_ok=False)
            except FileExistsError:
                return function(data, item)
            os.kill(os.getpid(), signal.SIGKILL)

        return call if name in names else function

    return change


def test_processes_are_started_for_long_work_only_and_ended(
    table, quick, alone, tmp_path, monkeypatch
):
    """One of them is killed."""
    from lsbn import workers

    seen, sent = [], workers._sent

    def watched(team, calls, data):
        seen.append((team.prefer, calls[0][0].__name__))
        return sent(team, calls, data)

    monkeypatch.setattr(workers, "_sent", watched)
    monkeypatch.setattr(workers, "cpu_count", lambda: 2)
    get_reusable_executor(reuse=True).shutdown()
    assert_equal(clone(quick).set_params(n_jobs=2).fit(table), alone)
    assert seen == []
    monkeypatch.setattr("lsbn.parallel._MANY_VARIABLES", 10)
    monkeypatch.setattr("lsbn.parallel._MANY_CELLS", 10)
    sent_as(deadly(tmp_path, {"_each_community"}), monkeypatch)
    assert_equal(clone(quick).set_params(n_jobs=2).fit(table), alone)
    assert seen == [("processes", name) for name in ("call", "call", "_search_part")]
    assert workers._executor() is None
    with joblib.parallel_config(backend="threading"):
        assert_equal(clone(quick).set_params(n_jobs=2).fit(table), alone)
    assert len(seen) == 3


def await_both(client):
    """Wait for two workers. Dask gives up one that dies while it starts: start both again then."""
    try:
        client.wait_for_workers(2, timeout=30)
    except TimeoutError:
        client.cluster.scale(0)
        client.cluster.scale(2)
        client.wait_for_workers(2, timeout=60)


@pytest.fixture
def ray():
    """Two workers of Ray; without Ray, the test is skipped."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'lsbn[ray]'")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    register_ray()
    yield
    ray.shutdown()


@pytest.mark.filterwarnings("default")  # Ray has warnings of its own
def test_ray_agrees(table, quick, alone, ray):
    with joblib.parallel_config(backend="ray", n_jobs=2):
        assert_equal(clone(quick).fit(table), alone)


def test_a_worker_is_killed_in_every_stage(table, quick, alone, cluster, tmp_path, monkeypatch):
    sent_as(deadly(tmp_path, STAGES), monkeypatch)
    before = set(cluster.run(os.getpid).values())
    with joblib.parallel_config(backend="dask"):
        survivor = clone(quick).fit(table)
    assert {path.name for path in tmp_path.iterdir()} == STAGES
    await_both(cluster)
    assert before.isdisjoint(cluster.run(os.getpid).values())
    assert_equal(survivor, alone)


def test_pools_are_searched_on_workers_of_which_one_is_killed(
    table, cluster, tmp_path, monkeypatch
):
    monkeypatch.setattr("lsbn.learners.averaging.finder._MANY", 20)
    dataset = Dataset.from_table(table)

    def found(spreads):
        search = ParentSetSearch(dataset, Score(), SearchSettings())
        search.spreads = spreads
        search.explore([np.arange(20)] * 20, 1)
        return search.candidates(), search.listed().lists

    here, alone = found(True), found(False)
    sent_as(deadly(tmp_path, {"_found_alone"}), monkeypatch)
    with joblib.parallel_config(backend="dask"):
        there = found(True)
    await_both(cluster)
    assert Path(tmp_path, "_found_alone").exists()
    for ours, theirs in zip(here[1], there[1], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(here[0], alone[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(here[1].set_score, alone[1].set_score)


def test_the_answer_survives_the_death_of_a_worker(table, cluster, tmp_path):
    shot, here = tmp_path / "shot", os.getpid()

    def deadly(dataset, *, random_state, n_jobs):
        """Exact model averaging; the first worker that calls it is killed."""
        from lsbn.learners import learn_model_averaging

        learned = learn_model_averaging(dataset, method="exact", max_parents=2)
        if os.getpid() != here and dataset.n_variables > 3:
            try:
                with Path(shot).open("x") as file:
                    file.write(str(os.getpid()))
            except FileExistsError:
                return learned
            os.kill(os.getpid(), signal.SIGKILL)
        return learned

    alone = LSBN(learner=deadly, random_state=0, n_jobs=1).fit(table)
    assert not shot.exists()
    before = set(cluster.run(os.getpid).values())
    with joblib.parallel_config(backend="dask"):
        survivor = LSBN(learner=deadly, random_state=0).fit(table)
    assert int(shot.read_text()) in before
    await_both(cluster)
    assert int(shot.read_text()) not in cluster.run(os.getpid).values()
    assert_equal(survivor, alone)


def test_threads_see_the_callers_memory_under_any_backend():
    seen = []
    with joblib.parallel_config(backend="loky", n_jobs=2):
        run(seen.append, [1, 2, 3], n_jobs=2)
    assert sorted(seen) == [1, 2, 3]


def _sums(data, chunk):
    return [float(data[0].sum()) + item for item in chunk]


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(n_jobs):
    items = list(range(23))
    got = scatter(_sums, (np.ones(4),), items, n_jobs)
    assert got == [4.0 + item for item in items]
    assert scatter(_sums, (np.ones(4),), [], n_jobs) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_item_is_reported(n_jobs, monkeypatch):
    told = []
    monkeypatch.setattr("lsbn.parallel._PIECES", 3)
    scatter(_sums, (np.ones(1),), range(5), n_jobs, progress=lambda *p: told.append(p))
    assert told[-1] == (5, 5, 0)
    assert len(told) == 3
    assert [done for done, *_ in told] == sorted({done for done, *_ in told})


def test_a_part_has_the_variables_of_the_dataset(table):
    from lsbn.framework.parts import Part

    dataset = Dataset.from_table(table)
    part = Part.of(dataset, np.array([5, 2, 5, 9]))
    assert part.dataset.names == tuple(dataset.names[v] for v in (2, 5, 9))
    assert np.array_equal(part.select(np.array([9, 2])).codes, dataset.codes[[9, 2]])
