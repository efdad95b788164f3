"""The egg that scrapyd-deploy sends holds all that a crawl needs, and works zipped, from any folder."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from web import PROJECT, serve, tree

pytest.importorskip("setuptools", reason="building an egg needs setuptools")


@pytest.fixture(scope="module")
def egg(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the egg as scrapyd-deploy does, from a copy of the project."""
    source = tmp_path_factory.mktemp("source")
    for name in ("nutchlike", "seeds"):
        shutil.copytree(PROJECT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "scrapy.cfg", "requirements.txt", "README.md", "LICENSE"):
        shutil.copy(PROJECT / name, source)
    out = tmp_path_factory.mktemp("egg")
    command = [sys.executable, "setup.py", "bdist_egg", "-d", str(out)]
    built = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    [path] = out.glob("*.egg")
    return path


def crawl_from(egg: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the spider from the zipped egg in ``folder``, as Scrapyd's runner does."""
    return run_from(egg, folder, "crawl", "site", "-s", "DOWNLOAD_DELAY=0", *arguments)


def run_from(egg: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a ``scrapy`` command with nothing but the zipped egg."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SCRAPY_", "REDIS_", "PYTHONPATH"))}
    environment |= {"PYTHONPATH": str(egg), "SCRAPY_SETTINGS_MODULE": "nutchlike.settings"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_the_egg_holds_rules_scripts_and_the_settings_entry_point(egg: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        names = set(archive.namelist())
        entry_points = archive.read("EGG-INFO/entry_points.txt").decode()
    here = {str(path.relative_to(PROJECT)) for path in (PROJECT / "nutchlike").rglob("*") if path.is_file()}
    expected = {name for name in here if name.endswith((".py", ".lua", ".txt"))}
    assert expected - names == set()
    assert any(name.endswith(".lua") for name in expected)
    assert "settings = nutchlike.settings" in entry_points
    assert not any(name.startswith("tests") for name in names)


def test_a_crawl_runs_from_the_zipped_egg_in_an_empty_folder(egg: Path, tmp_path: Path) -> None:
    with serve(tree(5)) as web:
        seeds = tmp_path / "seeds.txt"
        seeds.write_text(f"{web.url}/\n", encoding="utf-8")
        folder = tmp_path / "empty"
        folder.mkdir()
        done = crawl_from(egg, folder, "-a", f"seeds={seeds}", "-o", "pages.jsonl")
    assert done.returncode == 0, done.stderr
    lines = (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()
    assert len([json.loads(line) for line in lines]) == 5
    assert (folder / ".scrapy" / "nutch").is_dir()


def test_the_seeds_of_the_project_are_in_the_egg_and_found_from_an_empty_folder(egg: Path, tmp_path: Path) -> None:
    for seeds in ("seeds/urls.txt", "seeds"):
        shown = run_from(egg, tmp_path, "inject", "--dry-run", seeds)
        assert shown.returncode == 0, shown.stderr
        urls = [line.partition("\t")[0] for line in shown.stdout.splitlines()]
        assert len(urls) >= 3
        assert all(url.startswith("http") for url in urls)
    # the crawl reads them as well; a rule that no seed passes keeps it from the network
    done = crawl_from(egg, tmp_path, "-a", "seeds=seeds/urls.txt", "-s", "NUTCH_URLFILTER_REGEX_RULES=-.")
    assert done.returncode == 1
    assert f"{len(urls)} of {len(urls)} seeds rejected" in done.stderr
    assert "nutchlike:seeds/urls.txt:" in done.stderr


def test_a_rule_file_that_is_nowhere_is_an_error_that_lists_the_places_tried(egg: Path, tmp_path: Path) -> None:
    done = crawl_from(
        egg, tmp_path, "-a", "url=http://127.0.0.1:1/", "-s", "NUTCH_URLFILTER_REGEX_FILE=conf/missing.txt"
    )
    assert done.returncode == 2
    assert "NUTCH_URL_FILTERS" in done.stderr
    assert str(tmp_path / "conf" / "missing.txt") in done.stderr
    assert "nutchlike/conf/missing.txt" in done.stderr


def test_every_module_can_be_imported_from_the_unpacked_egg(egg: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(egg) as archive:
        archive.extractall(tmp_path)
    code = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import nutchlike
for module in pkgutil.walk_packages(nutchlike.__path__, "nutchlike."):
    try:
        importlib.import_module(module.name)
    except ImportError as error:
        if "is missing: pip install 'nutchlike[" not in str(error):  # what an extra brings
            raise
print(nutchlike.__file__)
"""
    command = [sys.executable, "-I", "-c", code, str(tmp_path)]
    done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().startswith(str(tmp_path))
