# SPDX-License-Identifier: GPL-3.0-or-later
"""Which files a batch is about, and what they are called in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toehold.batch.orders import BatchError, Search, find_files, is_batch

KINDS = (".bvh", ".fbx")
ROOT = Path(__file__).resolve().parents[2]
FILES = ("top.bvh", "a/take.bvh", "a/take.FBX", "b/take.bvh", "b/c/deep.bvh", "b/notes.txt", ".hidden/x.bvh")


@pytest.fixture
def takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in FILES:
        path = tmp_path / "takes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


def names(*inputs: str, besides: Path | None = None, **how: object) -> list[str]:
    return list(find_files(Search(inputs, KINDS, **how), besides))  # type: ignore[arg-type]


def test_a_folder_is_searched_with_its_sub_folders_and_equal_names_are_fine(takes: Path) -> None:
    assert names("takes") == ["a/take.bvh", "a/take.FBX", "b/c/deep.bvh", "b/take.bvh", "top.bvh"]
    assert names("takes", deep=False) == ["top.bvh"]


def test_files_can_be_chosen_by_name_or_by_path(takes: Path) -> None:
    assert names("takes", include=("take.*",)) == ["a/take.bvh", "a/take.FBX", "b/take.bvh"]
    assert names("takes", exclude=("b/*", "*.FBX")) == ["a/take.bvh", "top.bvh"]
    with pytest.raises(BatchError, match="that --include and --exclude leave"):
        names("takes", include=("nothing*",))


def test_a_pattern_is_named_from_where_it_begins(takes: Path) -> None:
    assert names("takes/*.bvh") == ["top.bvh"]
    assert names("takes/*/take.bvh") == ["a/take.bvh", "b/take.bvh"]
    assert names("takes/*.bvh", deep=True) == ["a/take.bvh", "b/c/deep.bvh", "b/take.bvh", "top.bvh"]
    assert names("takes/**/*.bvh") == names("takes/*.bvh", deep=True)


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(takes: Path) -> None:
    (takes / "walk[1].bvh").write_text("x")
    assert not is_batch("walk[1].bvh")
    assert is_batch("walk*.bvh")
    assert is_batch("takes")
    assert names("walk[1].bvh") == ["walk[1].bvh"]


def test_results_that_lie_in_the_folder_are_not_done_again(takes: Path) -> None:
    (takes / "takes" / "clean").mkdir()
    (takes / "takes" / "clean" / "top.bvh").write_text("x")
    assert "clean/top.bvh" in names("takes")
    assert "clean/top.bvh" not in names("takes", besides=takes / "takes" / "clean")
    assert names("takes/*/*.bvh", besides=takes / "takes" / "clean") == ["a/take.bvh", "b/take.bvh"]


def test_a_file_is_done_once_and_links_that_lead_round_end(takes: Path) -> None:
    (takes / "takes" / "round").symlink_to(takes / "takes")
    (takes / "takes" / "a" / "same.bvh").symlink_to(takes / "takes" / "top.bvh")
    assert len(names("takes", "takes/top.bvh")) == 5


def test_several_folders_keep_their_names_and_two_files_of_one_name_are_refused(takes: Path) -> None:
    assert names("takes/a", "takes/b", include=("take.bvh",)) == ["a/take.bvh", "b/take.bvh"]
    with pytest.raises(BatchError, match="would have one result"):
        names("takes/a/take.bvh", "takes/b/take.bvh")


def test_a_folder_without_files_is_refused_in_one_line(takes: Path) -> None:
    (takes / "empty").mkdir()
    with pytest.raises(BatchError, match=r"there is no \.bvh \.fbx file in empty"):
        names("empty")


def test_nothing_of_a_batch_needs_blender_or_numpy() -> None:
    boot = (
        "import importlib.util, pkgutil, sys\n"
        "spec = importlib.util.spec_from_file_location('toehold', sys.argv[1] + '/__init__.py',"
        " submodule_search_locations=[sys.argv[1]])\n"
        "sys.modules['toehold'] = importlib.util.module_from_spec(spec)\n"
        "import toehold.batch\n"
        "for module in pkgutil.iter_modules(toehold.batch.__path__):\n"
        "    importlib.import_module('toehold.batch.' + module.name)\n"
        "print(sorted({'bpy', 'numpy', 'mathutils'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", boot, str(ROOT)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
