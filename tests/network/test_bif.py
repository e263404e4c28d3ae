import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lsbn.network import BUNDLED, BayesianNetwork, BIFError, load_network, parse_bif, read_bif
from lsbn.network.generators import random_network

SPRINKLER = """// a comment before everything
network "garden" {
  property author = "me; and { others }";
}
/* a comment
   over two lines */
variable rain { type discrete [ 2 ] { no, yes }; property position = (1, 2); }
variable "wet grass" {
  type discrete[3] { "not wet", <5K, 5-8 };
}
variable sun { type discrete [ 2 ] { True, False }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( sun ) { table 0.5 0.5; }
probability ( "wet grass" | rain, sun ) {
  (yes, True) 0.25, 0.25, 0.5;
  (no, False) 1, 0.0, 0e0;  // in any order
  default 0.1, 0.2, 0.7;
}
"""


def same(a, b):
    return (
        (a.name, a.names, a.states) == (b.name, b.names, b.states)
        and all(np.array_equal(x, y) for x, y in zip(a.parents, b.parents, strict=True))
        and all(np.array_equal(x, y) for x, y in zip(a.tables, b.tables, strict=True))
    )


def two_variables(block, states="x, y"):
    """A text with a root a, a child b, and the given probability block of b from line 4 on."""
    return (
        "variable a { type discrete [ 2 ] { x, y }; }\n"
        f"variable b {{ type discrete [ {len(states.split(','))} ] {{ {states} }}; }}\n"
        "probability ( a ) { table 0.5, 0.5; }\n" + block
    )


def test_all_features():
    net = parse_bif(SPRINKLER)
    assert net.name == "garden"
    assert net.names == ("rain", "wet grass", "sun")
    assert net.states[1] == ("not wet", "<5K", "5-8")
    assert net.parents[1].tolist() == [0, 2]
    np.testing.assert_allclose(
        net.tables[1],
        [[0.1, 0.2, 0.7], [1, 0, 0], [0.25, 0.25, 0.5], [0.1, 0.2, 0.7]],
    )


def test_table_with_parents_has_the_child_slowest():
    """The dog problem of JavaBayes: P(dog out | bowel problem, family out)."""
    text = """
    variable d { type discrete [ 2 ] { true, false }; }
    variable b { type discrete [ 2 ] { true, false }; }
    variable f { type discrete [ 2 ] { true, false }; }
    probability ( b ) { table 0.01, 0.99; }
    probability ( f ) { table 0.15, 0.85; }
    probability ( d b f ) { table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7; }
    """
    net = parse_bif(text)
    expected = [[0.99, 0.01], [0.97, 0.03], [0.9, 0.1], [0.3, 0.7]]
    np.testing.assert_allclose(net.tables[0], expected)


def test_blocks_in_any_order():
    block = "probability ( b | a ) { (x) 0.1, 0.9; (y) 0.2, 0.8; }\n"
    lines = two_variables(block).splitlines()
    reordered = parse_bif("\n".join(lines[2:] + lines[:2]))
    assert same(reordered, parse_bif(two_variables(block)))


@pytest.mark.parametrize("name", BUNDLED)
@pytest.mark.parametrize("suffix", [".bif", ".bif.gz"])
def test_round_trip_of_bundled_networks(name, suffix, tmp_path):
    net = load_network(name)
    path = tmp_path / f"copy{suffix}"
    net.write_bif(path)
    assert same(net, read_bif(path))
    assert same(net, load_network(path))
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == (suffix == ".bif.gz")
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


words = st.text(min_size=1, max_size=6) | st.sampled_from(
    [
        "<5K",
        "1_1",
        "a b",
        'say "x"',
        "a\\",
        "//",
        "/*",
        "|",
        "table",
        "}",
        "é",
        "\r\n",
        ",",
        "(",
        "1",
    ]
)


def encodable(word):
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


@settings(deadline=None, max_examples=200)
@given(
    st.lists(words.filter(encodable), min_size=2, max_size=2, unique=True),
    st.lists(words.filter(encodable), min_size=1, max_size=4, unique=True),
    words.filter(encodable),
    st.integers(0, 1000),
)
def test_round_trip_of_any_words(tmp_path_factory, names, labels, title, seed):
    rng = np.random.default_rng(seed)
    r = len(labels)
    net = BayesianNetwork(
        names=tuple(names),
        states=(tuple(labels), tuple(labels[::-1])),
        parents=(np.array([], dtype=int), np.array([0])),
        tables=(rng.dirichlet(np.ones(r), 1), rng.dirichlet(np.full(r, 0.3), r)),
        name=title if title != "unknown" else "known",
    )
    path = tmp_path_factory.mktemp("bif") / "net.bif"
    net.write_bif(path)
    assert same(net, read_bif(path))


def test_round_trip_of_random_network(tmp_path):
    net = random_network(60, states=(1, 6), random_state=3)
    net.write_bif(tmp_path / "net.bif")
    assert same(net, read_bif(tmp_path / "net.bif"))


def test_compressed_file_does_not_depend_on_the_clock(tmp_path):
    net = load_network("alarm")
    net.write_bif(tmp_path / "a.bif.gz")
    net.write_bif(tmp_path / "b.bif.gz")
    assert (tmp_path / "a.bif.gz").read_bytes() == (tmp_path / "b.bif.gz").read_bytes()


def test_rounded_rows_are_renormalised():
    net = parse_bif(two_variables("probability ( b ) { table 0.333, 0.333, 0.333; }", "x, y, z"))
    np.testing.assert_allclose(net.tables[1], 1 / 3)


def test_unnamed_network_is_named_after_its_file(tmp_path):
    text = "network unknown {\n}\n" + two_variables("probability ( b ) { table 0.5, 0.5; }")
    (tmp_path / "my.net.bif").write_text(text)
    assert read_bif(tmp_path / "my.net.bif").name == "my.net"
    assert parse_bif(text).name == "network"


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            "probability ( b | a ) {\n (x) 0.1, 0.9;\n (y) 0.5, 0.6;\n}",
            r"line 6.*b.*a = y.*sum to 1\.1",
        ),
        ("probability ( b | a ) {\n (x) 0.1, 0.9;\n}", "line 4.*'b' has no row for a = y"),
        (
            "probability ( b | a ) {\n (x) 0.1, 0.9;\n (x) 0.1, 0.9;\n}",
            "line 6.*two rows for a = x",
        ),
        ("probability ( b | a ) {\n (z) 0.1, 0.9;\n}", "line 5.*'z' is not a state of 'a'"),
        ("probability ( b | a ) {\n (x, y) 0.1, 0.9;\n}", "line 5.*names 2 states for 1 parents"),
        ("probability ( b | a ) {\n (x) 0.1, 0.2, 0.7;\n}", "line 5.*3 probabilities for 2 states"),
        ("probability ( b | a ) {\n (x) 0.1, 0.9\n (y) 0.5, 0.5;\n}", "line 5.*not end with ';'"),
        (
            "probability ( b | a ) {\n (x) 0.1, o.9;\n (y) 0.5, 0.5;\n}",
            "line 5.*'o.9' is not a prob",
        ),
        (
            "probability ( b | a ) {\n (x) 0.1, 0.9;\n (y) -0.5, 1.5;\n}",
            "line 6.*'-0.5' is not a prob",
        ),
        ("probability ( b ) {\n table 0.1_0, 0.9;\n}", "line 5.*'0.1_0' is not a probability"),
        ("probability ( b ) {\n table nan, 0.9;\n}", "line 5.*'nan' is not a probability"),
        ("probability ( b | a ) {\n table 0.1, 0.9;\n}", "line 5.*2 probabilities, expected 4"),
        (
            "probability ( b | a ) {\n table 0.1, 0.9, 0.3, 0.7;\n}",
            "line 4.*child must vary slowest",
        ),
        ("probability ( b ) {\n table 0.1, 0.9;\n default 1, 0;\n}", "line 4.*table and rows"),
        ("probability ( b | c ) {\n}", "line 4.*'c' was never declared"),
        ("probability ( b | b ) {\n}", "line 4.*itself as a parent"),
        ("probability ( b, a | a ) {\n}", "line 4.*one child"),
        ("probability ( ) {\n}", "line 4.*names no variable"),
        ("probability ( b | a ) {\n (x) 0.1, 0.9;", "line 4.*never closed"),
        ("probability ( b ) {\n tabel 0.1, 0.9;\n}", "line 5.*found 'tabel'"),
        ("", "'b' has no probability block"),
        ("probability ( a ) { table 0.5, 0.5; }", "line 4.*second probability block.*'a'"),
        ("variable a { type discrete [ 1 ] { x }; }", "line 4.*'a' is declared twice"),
        (
            "variable c {\n type discrete [ 3 ] { x, y };\n}",
            "line 5.*declares 3 states and lists 2",
        ),
        ("variable c {\n type discrete [ 2 ] { x, x };\n}", "line 5.*state 'x' twice"),
        ("variable c {\n type continuous;\n}", "line 5.*expected 'discrete', found 'continuous'"),
        ("variable c {\n}", "line 4.*no 'type discrete'"),
        ("\nnonsense", "line 5.*found 'nonsense'"),
        ("variable", "line 4.*expected a variable's name, found 'the end of the file'"),
        ("\n\n/* open", "line 6.*never closed"),
        ('variable "c { type', "line 4.*found '\"'"),
    ],
)
def test_malformed_text_is_refused_with_its_line(block, message):
    with pytest.raises(BIFError, match=message):
        parse_bif(two_variables(block))


def test_cycle_is_refused():
    text = """
    variable a { type discrete [ 1 ] { x }; }
    variable b { type discrete [ 1 ] { x }; }
    probability ( a | b ) { (x) 1.0; }
    probability ( b | a ) { (x) 1.0; }
    """
    with pytest.raises(BIFError, match=r"cycle: (a -> b -> a|b -> a -> b)"):
        parse_bif(text)


def test_line_is_counted_after_comments():
    text = "// one\n/* two\nthree */\nnonsense"
    with pytest.raises(BIFError, match="line 4"):
        parse_bif(text)


def test_file_that_is_no_bif(tmp_path):
    path = tmp_path / "x.bif"
    path.write_bytes(b"")
    with pytest.raises(BIFError, match=r"x\.bif, line 1: there is no variable block"):
        read_bif(path)
    path.write_bytes(b"network x {\n}\nvariable \xff\xfe")
    with pytest.raises(BIFError, match=r"x\.bif, line 3: not UTF-8"):
        read_bif(path)
    path.write_bytes(gzip.compress(b"network unknown { }" * 100)[:-20])
    with pytest.raises(BIFError, match="damaged gzip"):
        read_bif(path)
