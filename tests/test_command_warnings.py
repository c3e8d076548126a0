# SPDX-License-Identifier: GPL-3.0-or-later
"""The command tells each warning in one line and in JSON, in the file's own frames, and says nothing of buttons."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command, command_warnings
from toehold.files.output import save
from toehold.files.scenes import Source
from toehold.rig.common import warnings

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "import sys; from toehold.command import main; sys.exit(main())"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``walk.bvh``, whose planted feet slide at 120 mm/s."""
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "walk.bvh"
    save(Source(out, walking_armature(walk(strides=2.0, slide_mm_s=120.0))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return tmp_path


def entry_of(path: str) -> dict[str, Any]:
    (entry,) = json.loads(Path(path).read_text(encoding="utf-8"))["files"]
    return dict(entry)


def with_contacts(folder: Path, contacts: list[dict[str, Any]]) -> None:
    """Write contacts.json, which lists these for both legs of walk.bvh."""
    assert command.run(["annotate", "walk.bvh", "--json", "found.json", "--quiet"]) == 0
    entry = entry_of("found.json")
    for limb in entry["limbs"]:
        limb["contacts"] = contacts
    (folder / "contacts.json").write_text(json.dumps({"files": [entry]}), encoding="utf-8")


@pytest.mark.parametrize("verb", ["report", "clean -o out.bvh", "lock -o out.bvh", "annotate -o out.blend"])
def test_a_walk_has_no_warning(folder: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.run([*verb.split(), "walk.bvh", "--json", "r.json"]) == 0
    assert entry_of("r.json")["warnings"] == []
    assert capsys.readouterr().err == ""


def test_without_contacts_it_is_told_and_written_all_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_contacts(folder, [])
    arguments = ["clean", "walk.bvh", "-o", "out.bvh", "--contacts", "contacts.json", "--json", "r.json", "--quiet"]
    assert command.run(arguments) == 0
    (warning,) = entry_of("r.json")["warnings"]
    assert (warning["code"], warning["limb"], warning["frames"]) == ("no-contacts", None, [])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"walk.bvh: {warning['text']}\n"
    assert (folder / "out.bvh").exists()


def test_a_foot_out_of_reach_is_told_with_its_limb_and_the_files_own_frames(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with_contacts(folder, [{"start": 0, "end": 120, "kind": "toe"}])
    assert command.run(["clean", "walk.bvh", "-o", "o.bvh", "--contacts", "contacts.json", "--json", "r.json"]) == 0
    warning = next(one for one in entry_of("r.json")["warnings"] if one["code"] == "out-of-reach")
    assert warning["limb"] in ("Left Leg", "Right Leg")
    assert warning["frames"] == [[0, 120]]
    assert re.match(rf"{warning['limb']} stays up to \d+ mm short of its place, frames 0-120; ", warning["text"])
    assert f"walk.bvh: {warning['text']}\n" in capsys.readouterr().err


def test_of_several_actions_each_warning_says_which(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    armature = walking_armature(walk(strides=2.0))
    right = armature.animation_data.action
    armature.scale = (100.0,) * 3
    other = right.copy()
    other.name = "Other"
    other.use_fake_user = right.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "two.blend"))
    assert command.run(["report", "two.blend", "--json", "r.json"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert sorted(line.split(": ")[1] for line in told) == ["Other", "Walker Walk"]
    assert all("the legs are 88 m long" in line for line in told)
    files = json.loads(Path("r.json").read_text(encoding="utf-8"))["files"]
    assert [[one["code"] for one in entry["warnings"]] for entry in files] == [["odd-unit"], ["odd-unit"]]


def test_what_can_be_done_names_options_that_there_are_and_no_button(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(command_warnings.WAYS) <= set(warnings.TEXTS)
    known = ""
    for verb in ("clean", "adapt"):
        assert command.run([verb, "-h"]) == 0
        known += capsys.readouterr().out
    for way in command_warnings.WAYS.values():
        assert set(re.findall(r"--[a-z-]+", way)) <= set(re.findall(r"--[a-z-]+", known)), way
        assert not re.search(r"Toe Speed|Keep Travel|Adapt to Ground|panel|press", way), way


def test_a_slot_that_moves_nothing_is_refused_with_the_name_of_the_one_that_does(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    animation = walking_armature(walk(strides=1.0)).animation_data
    right = animation.action_slot.name_display
    animation.action_slot = animation.action.slots.new("OBJECT", "Camera")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "slots.blend"))
    code = command.run(["report", "slots.blend"])
    told = capsys.readouterr().err
    assert code == 1
    assert f'slot "{right}" of action "Walker Walk"' in told


def piped(arguments: str, folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "as_installed"), **options.pop("env", {})}
    return subprocess.Popen([sys.executable, "-c", COMMAND, *arguments.split()], env=environment, **options)


@pytest.fixture
def installed(folder: Path) -> Path:
    """The folder, with this tree in it as package ``toehold`` for other processes."""
    (folder / "as_installed").mkdir()
    (folder / "as_installed" / "toehold").symlink_to(ROOT)
    return folder


@pytest.mark.parametrize("verb", ["report", "clean -o out.bvh"])
def test_it_ends_quietly_when_its_reader_has_left(installed: Path, verb: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = piped(f"{verb} walk.bvh", installed, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    _, told = process.communicate(timeout=120)
    assert told == b""
    assert process.returncode == 0
    assert (installed / "out.bvh").exists() == verb.startswith("clean")


@pytest.mark.parametrize("closing", [">&-", "2>&-", ">&- 2>&-", ">/dev/full", "2>/dev/full"])
def test_a_closed_or_full_output_costs_no_result(installed: Path, closing: str) -> None:
    line = f'exec "$0" -c "$1" clean walk.bvh -o out.blend --json r.json {closing}'
    environment = {**os.environ, "PYTHONPATH": str(installed / "as_installed")}
    ended = subprocess.run(["sh", "-c", line, sys.executable, COMMAND], env=environment, timeout=120, check=False)
    assert ended.returncode == 0
    assert (installed / "out.blend").read_bytes()
    assert entry_of("r.json")["after"]["slide_mm_s"] < 2.0


def test_names_that_the_output_cannot_spell_cost_no_result(installed: Path) -> None:
    (installed / "walk.bvh").rename(installed / "歩く.bvh")
    process = piped("clean 歩く.bvh -o out.bvh", installed, stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "ascii"})
    told, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert b"slide of planted feet" in told
    assert (installed / "out.bvh").exists()
