import csv

import numpy as np
import pytest

from lsbn.network import load_network
from lsbn.studies import published
from lsbn.studies.partition import (
    PartitionStudy,
    measure,
    partition_figures,
    shuffled_sample,
    skeleton_distances,
)
from lsbn.studies.partition_tables import partition_text, write_partition_study

PATH_OF_FIVE = np.array([(0, 1), (1, 2), (2, 3), (3, 4)])


def measured(*communities, n=6):
    return measure(
        "x",
        0,
        "MI",
        0.5,
        [np.array(c) for c in communities],
        skeleton_distances(n, PATH_OF_FIVE),
        PATH_OF_FIVE,
    )


def test_distances_are_those_of_the_whole_skeleton():
    """0 and 2 are two apart although 1 is not in their community."""
    found = measured([0, 2], [2, 3, 4], [1], [5])
    assert found.path == pytest.approx((2 + 4 / 3) / 2)
    assert found.diameter == 2.0
    assert (found.covered, found.edges) == (2, 4)


def test_unconnected_pairs_and_single_variables_have_no_distance():
    found = measured([0, 1, 5], [4, 5], [3])
    assert (found.path, found.diameter) == (1.0, 1.0)
    assert (found.communities, found.largest, found.small) == (3, 3, 3)
    assert found.mean_size == 2.0


def test_sizes_go_into_the_papers_bins():
    distances = np.zeros((60, 60))
    communities = [np.arange(s) for s in (1, 5, 6, 10, 25, 26, 50, 51, 60)]
    found = measure("x", 0, "MI", 0.5, communities, distances, PATH_OF_FIVE)
    assert dict(zip(published.SIZE_BINS, found.sizes, strict=True)) == {
        **dict.fromkeys(published.SIZE_BINS, 0),
        "1-5": 2,
        "6-10": 2,
        "21-25": 1,
        "26-30": 1,
        "46-50": 1,
        ">50": 2,
    }
    assert found.small == 5


def test_shuffled_edges_are_those_of_the_network():
    network = load_network("alarm")
    dataset, edges = shuffled_sample(network, 100, 3)
    names = dataset.names
    assert list(names) != list(network.names)
    assert {(names[u], names[v]) for u, v in edges} == set(network.dag.edges)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    network = load_network("alarm")
    figures = [f for seed in (0, 1) for f in partition_figures(network, "alarm", 2_000, seed)]
    found = PartitionStudy(("alarm",), (0, 1), 2_000, tuple(figures))
    write_partition_study(found, folder)
    return found, folder


def test_files_hold_the_tables_and_every_figure(study):
    found, folder = study
    assert (folder / "partition.md").read_text(encoding="utf-8") == partition_text(found)
    assert {p.name for p in folder.iterdir()} == {"partition.md", "partition.csv"}
    with (folder / "partition.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(found.figures) == 2 * 8
    assert rows[0]["partition"] == "MI"
    assert int(rows[0]["edges"]) == 46


def test_text_has_ours_beside_the_papers(study):
    text = partition_text(study[0])
    for title in ("Pairs kept", "Average shortest path", "Average diameter", "Sizes", "True edges"):
        assert f"## {title}" in text
    assert " / 22.7" in text
    assert "/ 6.42(4)" in text
    assert "| second-order" in text


def test_means_and_ranks(study):
    found: PartitionStudy = study[0]
    paths = {p: found.mean("alarm", p, "path") for p in published.PARTITIONS}
    ranks = found.ranks("alarm", "path")
    assert min(paths, key=paths.get) in [p for p, r in ranks.items() if r == 1]
    rank, count = found.rank_at_coverage("alarm", "path")
    assert 1 <= rank <= count <= 8


def test_published_ranks_are_the_papers():
    """The paper ranks the second-order partition 2.4 by path and 2.0 by diameter on average."""
    for table, mean in ((published.SHORTEST_PATH, 2.4), (published.DIAMETER, 2.0)):
        ranks = [
            1 + sum(v < column[published.SECOND_ORDER] for v in column.values())
            for column in table.values()
        ]
        assert sum(ranks) / 5 == mean


def test_published_sizes_agree_with_the_text():
    small = {n: 100 * sum(s[:5]) / sum(s) for n, s in published.SIZES.items()}
    assert small == pytest.approx(
        {"insurance": 100, "alarm": 100, "win95pts": 100, "pigs": 92.827, "link": 95.181}, abs=5e-4
    )
