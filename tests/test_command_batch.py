# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder from the command line, with Blender in the workers: two small walks by formula, and a broken file."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command_batch
from toehold.batch import workers
from toehold.files import bvh
from toehold.files.output import save
from toehold.files.scenes import Source

pytestmark = pytest.mark.timeout(200)


def save_walker(out: Path, slide_mm_s: float) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    save(Source(out, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=slide_mm_s))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture
def takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is worked in, with ``takes`` in it: equal names in two folders, one broken, one that is no clip."""
    monkeypatch.chdir(tmp_path)
    save_walker(tmp_path / "takes" / "a" / "walk.bvh", 120.0)
    save_walker(tmp_path / "takes" / "b" / "walk.bvh", 250.0)
    (tmp_path / "takes" / "b" / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{")
    (tmp_path / "takes" / "notes.txt").write_text("x")
    (tmp_path / "takes" / "two.json").write_text('{"files": [{}, {}]}')
    return tmp_path


def run(arguments: str) -> int:
    assert command_batch.is_batch(arguments.split())
    return command_batch.run(arguments.split())


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_folder_is_done_beside_a_broken_file_and_gone_on_with(
    takes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("clean takes -o out/clean --jobs 2 --json all.json") == 1
    said = capsys.readouterr()
    assert said.err.startswith("b/broken.bvh: the file ends before MOTION")
    assert len(said.err.splitlines()) == 1
    assert "2 of 3 files done, 1 failed" in said.out
    made = takes / "out" / "clean"
    wanted = ["a/walk.bvh", "b/walk.bvh", "toehold-manifest.jsonl", "toehold-summary.csv", "toehold-summary.html"]
    assert files_below(made) == wanted
    for folder in "ab":
        source, result = (bvh.read(root / folder / "walk.bvh") for root in (takes / "takes", made))
        assert result.values.shape == source.values.shape
    records = json.loads((takes / "all.json").read_text())["files"]
    assert [Path(record["file"]).parent.name for record in records] == ["a", "b"]
    assert all(record["after"]["slide_mm_s"] < 2.0 < 100.0 < record["before"]["slide_mm_s"] for record in records)
    assert not any("sketch" in record for record in records)
    rows = list(csv.DictReader((made / "toehold-summary.csv").open()))
    assert [row["state"] for row in rows] == ["failed", "done", "done"]
    stamps = {name: (made / name).stat().st_mtime_ns for name in wanted[:2]}
    (takes / "takes" / "b" / "broken.bvh").unlink()
    (made / "b" / "walk.bvh").unlink()
    assert run("clean takes -o out/clean --jobs 1") == 0
    assert "2 of 2 files done, 1 of them before" in capsys.readouterr().out
    assert (made / "a" / "walk.bvh").stat().st_mtime_ns == stamps["a/walk.bvh"]
    assert (made / "b" / "walk.bvh").exists()
    assert [row["state"] for row in csv.DictReader((made / "toehold-summary.csv").open())] == ["done", "done"]


def test_a_dry_run_lists_and_does_nothing(takes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clean takes -o out --dry-run --exclude broken*") == 0
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    assert all(
        line.startswith("to do") and line.endswith(f"out/{f}/walk.bvh") for line, f in zip(said, "ab", strict=True)
    )
    assert not (takes / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("clean takes -o takes", "that would overwrite an input"),
        ("clean takes -o takes/notes.txt", "is a file; the results of many need a folder"),
        ("clean nothing*.bvh -o out", "there is no .bvh .fbx .glb .gltf .vrm .vrma .blend file in nothing*.bvh"),
        ("clean takes -o out --limbs none.json", "none.json: cannot be read"),
        ("clean takes -o out --limbs takes/notes.txt", "notes.txt: this is not JSON"),
        (
            "clean takes -o out --contacts takes/two.json",
            "two.json goes by names of files, and walk.bvh is there twice",
        ),
    ],
)
def test_what_can_not_be_a_batch_is_refused_before_anything_is_done(
    takes: Path, capsys: pytest.CaptureFixture[str], arguments: str, reason: str
) -> None:
    before = files_below(takes)
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert reason in said
    assert len(said.splitlines()) == 1
    assert files_below(takes) == before


def test_a_list_of_files_is_no_batch_without_jobs() -> None:
    assert not command_batch.is_batch(["clean", "a.bvh", "b.bvh", "-o", "out"])
    assert command_batch.is_batch(["clean", "a.bvh", "b.bvh", "-o", "out", "--jobs", "2"])
    assert not command_batch.is_batch(["clean"])
    assert not command_batch.is_batch(["-h"])


def test_ctrl_c_stops_a_batch_and_leaves_nothing_half_written(takes: Path) -> None:
    for number in range(12):
        (takes / "takes" / f"more{number}.bvh").write_bytes((takes / "takes" / "a" / "walk.bvh").read_bytes())
    place = Path(command_batch.__file__).parent
    # As a worker is started: this very tree.
    command = [sys.executable, "-c", workers.BOOT, str(place), "clean", "takes", "-o", "out", "--jobs", "2"]
    batch = subprocess.Popen(
        command, cwd=takes, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    end = time.monotonic() + 60.0
    while not list((takes / "out").rglob("*.bvh")) and time.monotonic() < end and batch.poll() is None:
        time.sleep(0.02)
    os.killpg(batch.pid, signal.SIGINT)
    _, said = batch.communicate(timeout=30)
    assert batch.returncode == 130
    assert "the same command goes on from here" in said
    assert "Traceback" not in said
    made = list((takes / "out").rglob("*"))
    assert not [path for path in made if path.name.startswith(".")]
    results = [path for path in made if path.suffix == ".bvh"]
    assert 0 < len(results) < 14
    for path in results:
        assert len(bvh.read(path).values) == len(bvh.read(takes / "takes" / "a" / "walk.bvh").values)
