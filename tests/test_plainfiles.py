import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lsbn.checkpoint import Checkpoint
from lsbn.plainfiles import read_value, write_value

kinds = st.sampled_from([np.dtype(kind) for kind in (np.int32, np.float64, np.uint8, bool)])
arrays = hnp.arrays(kinds, hnp.array_shapes(min_dims=0))
numbers = kinds.flatmap(lambda kind: hnp.from_dtype(kind, allow_nan=False))
plain = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text() | arrays | numbers,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)


def same(a, b):
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b


@settings(deadline=None, max_examples=60)
@given(st.lists(plain, max_size=4))
def test_plain_values_come_back(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("draft") / "x"
    stored = Checkpoint(folder, {"data": "1"})
    for k, value in enumerate(values):
        stored.store(str(k), value)
    stored.flush()
    found = Checkpoint(folder, {"data": "1"})
    assert all(same(found.load(str(k)), value) for k, value in enumerate(values))


@pytest.mark.parametrize(
    "value", [object(), np.array([None]), {1, 2}, np.str_("a"), {(1, 2): 3}, np.ones(2, ">f8")]
)
def test_other_objects_are_refused(tmp_path, value):
    with pytest.raises(TypeError, match="cannot be stored"):
        Checkpoint(tmp_path / "x", {}).store("1", value)


def test_a_piece_that_changes_later_is_stored_as_it_was(tmp_path):
    stored, array = Checkpoint(tmp_path / "x", {}), np.arange(3)
    stored.store("1", [array])
    array += 1
    stored.flush()
    assert Checkpoint(tmp_path / "x", {}).load("1")[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize("left", [0, 40])
def test_a_file_that_was_cut_off_has_no_pieces(tmp_path, left):
    stored = Checkpoint(tmp_path / "x", {})
    stored.store("1", np.arange(5))
    stored.flush()
    (file,) = (tmp_path / "x").glob("*.npz")
    file.write_bytes(file.read_bytes()[:left])
    assert not Checkpoint(tmp_path / "x", {}).has("1")


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_piece_with_damaged_bytes_is_right_or_not_there(tmp_path_factory, data):
    """Whatever the bytes are: those of the numbers, of their headers, or of the archive."""
    folder = tmp_path_factory.mktemp("draft") / "x"
    stored, value = Checkpoint(folder, {}), [np.arange(1, 30), 5, np.ones((2, 2))]
    stored.store("1", value)
    stored.flush()
    (file,) = folder.glob("*.npz")
    whole = bytearray(file.read_bytes())
    start = data.draw(st.integers(0, len(whole) - 1))
    new = data.draw(st.binary(min_size=1, max_size=3) | st.integers(1, 200).map(bytes))
    whole[start : start + len(new)] = new[: len(whole) - start]
    file.write_bytes(whole)
    found = Checkpoint(folder, {})
    assert not found.has("1") or same(found.load("1"), value)


@settings(deadline=None, max_examples=60)
@given(plain)
def test_a_value_comes_back_with_its_types(tmp_path_factory, value):
    file = tmp_path_factory.mktemp("value") / "x"
    write_value(file, value)
    assert same(read_value(file), value)


def test_a_damaged_value_is_none(tmp_path):
    write_value(tmp_path / "x", np.arange(500))
    whole = (tmp_path / "x").read_bytes()
    assert read_value(tmp_path / "x").tolist() == list(range(500))
    for damaged in (b"", whole[:40], whole[:1_000] + b"?" + whole[1_001:]):
        (tmp_path / "x").write_bytes(damaged)
        assert read_value(tmp_path / "x") is None


def test_a_table_is_not_copied_when_it_is_written(tmp_path):
    table = {"codes": np.zeros((4, 1 << 24), np.uint8), "cards": np.arange(4)}
    tracemalloc.start()
    write_value(tmp_path / "x", table)
    _, written = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    found = read_value(tmp_path / "x")
    _, read = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert written < table["codes"].nbytes / 2
    assert read < 1.5 * table["codes"].nbytes
    assert same(found, table)
