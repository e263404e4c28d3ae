"""The files and names in CONTRIBUTING exist, and the code keeps to the limits of its rules."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lsbn"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PLACES = sorted(set(re.findall(r"`([a-z_/]+(?:\.py|/))`", TEXT)))
STEPS = re.findall(r"^\| (\d+)\. [^|]*\|([^|]*)\|([^|]*)\|$", TEXT, re.MULTILINE)
NAMED = re.findall(r"`([A-Z][A-Za-z_]*(?:\.[a-z_]+)?)`", TEXT)
TREE = re.findall(r"^      ([a-z_]+(?:/|\.py)) ", TEXT, re.MULTILINE)
MODULES = sorted(
    path
    for folder in ("src", "tests", "experiments", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py")
)


def defined(paths):
    """Names of the functions, methods, classes and constants of modules or packages."""
    modules = [m for p in paths for m in (p.rglob("*.py") if p.is_dir() else [p])]
    for node in (n for m in modules for n in ast.walk(ast.parse(m.read_text(encoding="utf-8")))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


@pytest.mark.parametrize("place", PLACES)
def test_places_exist(place):
    folders = [ROOT, SOURCE, *SOURCE.glob("*/")]
    assert any((folder / place).exists() for folder in folders), place


def test_the_tree_names_what_exists():
    assert [place for place in TREE if not (SOURCE / place).exists()] == []
    assert len(TREE) > 20


def test_there_are_ten_steps():
    assert [int(number) for number, _, _ in STEPS] == list(range(1, 11))


@pytest.mark.parametrize(("number", "files", "names"), STEPS)
def test_functions_of_a_step_are_in_its_files(number, files, names):
    paths = [SOURCE / place for place in re.findall(r"`([^`]+)`", files)]
    assert set(re.findall(r"`([^`]+)`", names)) <= set(defined(paths))


def test_classes_and_constants_exist():
    known = set(defined([SOURCE])) | {"LSBN_COMPILE"}
    assert [name for name in NAMED if not set(name.split(".")) <= known] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_and_functions_are_short(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno - node.lineno < 60, node.name
            places = [a.arg for a in node.args.posonlyargs + node.args.args]
            assert len([a for a in places if a not in ("self", "cls")]) <= 7, node.name
