import json
import os

import pytest

from lsbn.knowledge import Knowledge, KnowledgeError, Tier
from lsbn.knowledge.files import parse_edge, parse_tiers

EVERYTHING = Knowledge(
    required=[("a", "b")],
    forbidden=[("c*", "d"), ("d", "a")],
    tiers=[Tier(["a", "b"], edges_inside=False), ["c*"], Tier(["d"], next_only=True)],
    max_parents={"*": 3, "d": 1},
    edge_probabilities={("a", "c1"): 0.75},
    roots=["e"],
    leaves=["f"],
)

CSV = """kind,source,target,value
required,a,b,
forbidden,c*,d,
forbidden,d,a,
tier,a,,1*
tier,b,,1*
tier,c*,,2
tier,d,,3-

max_parents,*,,3
max_parents,d,,1
probability,a,c1,0.75
root,e,,
leaf,f,,
"""

TETRAD = """/knowledge
addtemporal
1* a b
2 c*
3- d

forbiddirect
c* d
d\ta

requiredirect
a b
"""


def read(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return Knowledge.read(path)


def test_csv(tmp_path):
    assert read(tmp_path, "k.csv", "\ufeff" + CSV) == EVERYTHING


def test_json(tmp_path):
    text = json.dumps(EVERYTHING.as_dict())
    assert read(tmp_path, "k.json", text) == EVERYTHING
    assert Knowledge.of(EVERYTHING.as_dict()) == EVERYTHING


def test_tetrad(tmp_path):
    found = read(tmp_path, "k.txt", TETRAD)
    assert found.tiers == EVERYTHING.tiers
    assert (found.required, found.forbidden) == (EVERYTHING.required, EVERYTHING.forbidden)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("k.csv", "a,b\n", "the header must be"),
        ("k.csv", "kind,source,target\nrequired,a\n", "line 2: required needs"),
        ("k.csv", "kind,source,target\nwished,a,b\n", "line 2: unknown kind 'wished'"),
        ("k.csv", "kind,source,target,value\nprobability,a,b,high\n", "'high' is no number"),
        ("k.csv", "kind,source,value\ntier,a,first\n", "'first' is no tier"),
        ("k.json", "{", "not JSON"),
        ("k.json", "[]", "use lsbn.Knowledge"),
        ("k.json", '{"edges": []}', "unknown kind of knowledge 'edges'"),
        ("k.json", '{"required": ["ab"]}', "'ab' is no edge"),
        ("k.json", '{"edge_probabilities": [["a", "b", 1]]}', "a -> b has 1"),
        ("k.json", '{"max_parents": -1}', "-1 is no limit"),
        ("k.json", '{"tiers": [{"name": "a"}]}', "wrong keys"),
        ("k.txt", "a b\n", "line 1: 'a' is no section"),
        ("k.txt", "requiredirect\na b c\n", "line 2: 'a b c' is no edge"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path, name, text, message):
    with pytest.raises(KnowledgeError, match=message) as error:
        read(tmp_path, name, text)
    assert str(tmp_path / name) in str(error.value)


def test_other_bytes_are_refused(tmp_path):
    (tmp_path / "k.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(KnowledgeError, match="not text in UTF-8"):
        Knowledge.read(tmp_path / "k.csv")


def test_texts_of_the_command_line():
    assert parse_edge("a->b") == ("a", "b")
    assert parse_tiers("a,b;c*") == [["a", "b"], ["c*"]]
    for wrong in ("a-b", "a->", "a->b->c"):
        with pytest.raises(KnowledgeError, match="is no edge"):
            parse_edge(wrong)
    with pytest.raises(KnowledgeError, match="empty name"):
        parse_tiers("a,;b")
    assert parse_tiers('a, "b, ""c""";\nd') == [["a", 'b, "c"'], ["d"]]
    with pytest.raises(KnowledgeError, match="'a' twice in a tier; write it once"):
        parse_tiers("a,b,a;c")


def test_statements_are_joined():
    both = Knowledge(required=[("a", "b")], max_parents=2) + Knowledge(
        required=[("b", "c")], max_parents={"a": 1}
    )
    assert both.required == (("a", "b"), ("b", "c"))
    assert both.max_parents == {"*": 2, "a": 1}
    with pytest.raises(KnowledgeError, match="tiers are given twice"):
        Knowledge(tiers=[["a"]]) + Knowledge(tiers=[["b"]])


def test_sentences_tell_everything():
    assert EVERYTHING.sentences() == [
        "required: a -> b",
        "forbidden: c* -> d, d -> a",
        "tiers: a, b (no edges inside); c*; d (edges to the next tier only)",
        "roots: e",
        "leaves: f",
        "at most 3 parents: *",
        "at most 1 parents: d",
        "prior probability of a -> c1: 0.75",
    ]
    assert not Knowledge()
    assert EVERYTHING


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "k.csv")
    with pytest.raises(ValueError, match="no ordinary file"):
        Knowledge.read(tmp_path / "k.csv")
