# SPDX-License-Identifier: GPL-3.0-or-later
"""The command does its verbs over files, and whatever is wrong with one of them costs only that one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest

from support.clips import DATA
from support.ground_objects import add_mesh, add_plate
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command, command_verbs
from toehold.command_line import version
from toehold.files import bvh as bvh_files
from toehold.files.bvh_motion import to_clip
from toehold.files.output import save
from toehold.files.scenes import Source
from toehold.rig.terrain.surface import set_walk_on

STRIDES, FPS, SLIDE = 3.0, 60.0, 120.0
LIMB_KEYS = {
    "name",
    "root",
    "hip",
    "knee",
    "hock",
    "ankle",
    "heel",
    "toe",
    "toe_end",
    "hand",
    "contacts",
    "foot_down",
} | {"suspects"}
CONTACT_KEYS = {"start", "end", "kind", "drift_mm", "slide_mm_s", "unreached_mm"}
FILE_KEYS = {"file", "armature", "action", "fps", "frames", "unit", "treadmill", "limbs", "before", "after"} | {
    "warnings",
    "root_speed_ratio",
}


@pytest.fixture
def sliding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``walk.bvh``, in metres, whose planted feet slide at 120 mm/s."""
    monkeypatch.chdir(tmp_path)
    save_walker(tmp_path / "walk.bvh")
    return tmp_path


def save_walker(out: Path) -> None:
    armature = walking_armature(walk(strides=STRIDES, fps=FPS, slide_mm_s=SLIDE))
    save(Source(out, armature), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def run(arguments: str) -> int:
    return command.run(arguments.split())


def files_of(path: str) -> list[dict[str, Any]]:
    document = json.loads(Path(path).read_text())
    assert document["toehold"] == version()
    return list(document["files"])


def toe_speeds(path: str, entry: dict[str, Any]) -> np.ndarray:
    """Level speeds in mm/s of the toes of a written file, within the contacts that its JSON lists."""
    clip = to_clip(bvh_files.read(path), entry["unit"])
    speeds = []
    for limb in entry["limbs"]:
        toe = clip.positions[:, clip.skeleton.index(limb["toe"]), :2]
        for contact in limb["contacts"]:
            if contact["kind"] == "toe":
                steps = np.diff(toe[contact["start"] : contact["end"] + 1], axis=0)
                speeds.append(np.linalg.norm(steps, axis=1) * clip.fps * 1000.0)
    return np.concatenate(speeds)


def test_clean_makes_planted_feet_stand_still_in_the_written_file(sliding: Path) -> None:
    assert run("clean walk.bvh -o out.bvh --json r.json") == 0
    entry = files_of("r.json")[0]
    assert toe_speeds("walk.bvh", entry).mean() > 100.0
    assert toe_speeds("out.bvh", entry).mean() < 2.0
    before, after = bvh_files.read("walk.bvh"), bvh_files.read("out.bvh")
    assert (after.head, after.names, after.channels) == (before.head, before.names, before.channels)
    assert after.values.shape == before.values.shape
    arms = [joint for joint, name in enumerate(before.names) if "Arm" in name]
    for joint in arms:
        first, count = before.first_channels[joint], len(before.channels[joint])
        assert np.array_equal(before.values[:, first : first + count], after.values[:, first : first + count])


def test_the_json_is_what_the_manual_says(sliding: Path) -> None:
    assert run("clean walk.bvh -o out.bvh --json r.json") == 0
    (entry,) = files_of("r.json")
    last = len(bvh_files.read("walk.bvh").values) - 1
    assert set(entry) == FILE_KEYS
    assert entry["file"] == "walk.bvh"
    assert entry["frames"] == [0, last]
    assert entry["fps"] == pytest.approx(FPS)
    assert entry["unit"] == 1.0
    assert set(entry["before"]) == set(entry["after"])
    assert entry["before"]["slide_mm_s"] > 100.0 > 2.0 > entry["after"]["slide_mm_s"]
    assert len(entry["limbs"]) == 2
    for limb in entry["limbs"]:
        assert set(limb) == LIMB_KEYS
        assert limb["toe"].endswith("ToeBase")
        assert limb["toe_end"].endswith("ToeBase_end")
        assert limb["contacts"]
        for contact in limb["contacts"]:
            assert set(contact) == CONTACT_KEYS
            assert contact["kind"] in ("toe", "heel")
            assert 0 <= contact["start"] <= contact["end"] <= last
            assert any(start <= contact["start"] <= contact["end"] <= end for start, end in limb["foot_down"])


def test_report_changes_nothing_and_annotate_finds_the_same(sliding: Path) -> None:
    content = (sliding / "walk.bvh").read_bytes()
    assert run("report walk.bvh --json report.json") == 0
    assert run("annotate walk.bvh --json annotate.json") == 0
    assert sorted(path.name for path in sliding.iterdir()) == ["annotate.json", "report.json", "walk.bvh"]
    assert (sliding / "walk.bvh").read_bytes() == content
    report, annotated = files_of("report.json")[0], files_of("annotate.json")[0]
    assert report["after"] is None
    assert report["limbs"] == annotated["limbs"]
    assert report["before"] == annotated["before"]


def test_what_annotate_wrote_is_taken_as_contacts_and_limbs(sliding: Path) -> None:
    assert run("annotate walk.bvh --json a.json") == 0
    assert run("report walk.bvh --contacts a.json --limbs a.json --json b.json") == 0

    def spans(entry: dict[str, Any]) -> list[Any]:
        return [[(c["kind"], c["start"], c["end"]) for c in limb["contacts"]] for limb in entry["limbs"]]

    assert spans(files_of("a.json")[0]) == spans(files_of("b.json")[0])


def test_only_the_frames_asked_for_change(sliding: Path) -> None:
    assert run("clean walk.bvh -o out.bvh --frames 40:90 --json r.json") == 0
    assert files_of("r.json")[0]["frames"] == [40, 90]
    changed = (bvh_files.read("walk.bvh").values != bvh_files.read("out.bvh").values).any(axis=1)
    assert changed[40:91].any()
    assert not changed[:40].any()
    assert not changed[91:].any()


def test_frames_that_the_file_does_not_have_are_refused(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clean walk.bvh -o out.bvh --frames 40:9000") == 1
    assert "walk.bvh: --frames 40:9000 is not in the file" in capsys.readouterr().err
    assert not Path("out.bvh").exists()


def test_strength_0_changes_no_number(sliding: Path) -> None:
    assert run("clean walk.bvh -o out.bvh --strength 0") == 0
    assert Path("out.bvh").read_bytes() == Path("walk.bvh").read_bytes()


def test_one_bad_file_does_not_keep_the_others_from_being_done(
    sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (sliding / "bad.bvh").write_text("spam")
    (sliding / "folder").mkdir()
    assert run("clean bad.bvh walk.bvh gone.bvh -o folder --json r.json --quiet") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = printed.err.splitlines()
    assert [line.split(":")[0].split(",")[0] for line in lines] == ["bad.bvh", "gone.bvh"]
    assert [path.name for path in (sliding / "folder").iterdir()] == ["walk.bvh"]
    assert [entry["file"] for entry in files_of("r.json")] == ["walk.bvh"]


ONE_LEG = (
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "JOINT LeftUpLeg\n{\nOFFSET 0.1 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftLeg\n{\nOFFSET 0 -0.4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "JOINT LeftFoot\n{\nOFFSET 0 -0.4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "End Site\n{\nOFFSET 0 -0.05 0.15\n}\n}\n}\n}\n}\nMOTION\nFrames: 30\nFrame Time: 0.0333\n"
    + "".join(f"0 0.85 {0.01 * frame} 0 0 0 0 -10 0 0 20 0 0 -10 0\n" for frame in range(30))
)


def test_one_leg_is_done_and_told(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sliding / "leg.bvh").write_text(ONE_LEG)
    assert run("clean leg.bvh -o out.bvh --quiet") == 0
    assert 'leg.bvh: only one leg was found, from "LeftUpLeg" down' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "what"),
    [("one.bvh", "there is 1 frame"), ("legless.bvh", "no legs found")],
)
def test_a_clip_that_cannot_be_judged_is_refused(
    name: str, what: str, sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (sliding / "walk.bvh").read_text()
    head, rows = text.split("Frame Time:")
    first_rows = "\n".join(rows.splitlines()[:2])
    (sliding / "one.bvh").write_text(head.rsplit("Frames:", 1)[0] + f"Frames: 1\nFrame Time:{first_rows}\n")
    (sliding / "legless.bvh").write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n"
        "End Site\n{\nOFFSET 0 1 0\n}\n}\n"
        "MOTION\nFrames: 3\nFrame Time: 0.04\n0 0 0\n0 0 0\n0 0 0\n"
    )
    assert run(f"clean {name} -o out.bvh --quiet") == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{name}: ")
    assert what in printed.err
    assert printed.err.count("\n") == 1
    assert not (sliding / "out.bvh").exists()


def test_contacts_and_limbs_that_do_not_fit_are_refused(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tail = [{"toe": "Tail", "name": "Tail", "contacts": []}]
    Path("c.json").write_text(json.dumps({"files": [{"limbs": tail}]}))
    assert run("clean walk.bvh -o out.bvh --contacts c.json") == 1
    assert "walk.bvh: contacts: no leg has toe 'Tail'" in capsys.readouterr().err
    Path("l.json").write_text(json.dumps([{"root": "Hips", "hip": "a", "knee": "b", "heel": "c"}]))
    assert run("clean walk.bvh -o out.bvh --limbs l.json") == 1
    assert "walk.bvh: there is no joint 'a'" in capsys.readouterr().err


def test_a_surprise_is_one_line_that_names_the_file(
    sliding: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def surprise(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(command_verbs.journey, "measure", surprise)
    assert run("report walk.bvh") == 1
    assert capsys.readouterr().err.startswith("walk.bvh: unexpected ZeroDivisionError: of all things; ")


@pytest.mark.parametrize("ending", ["blend", "fbx", "glb"])
def test_a_bvh_becomes_a_file_of_another_kind(ending: str, sliding: Path) -> None:
    assert run(f"clean walk.bvh -o out.{ending}") == 0
    assert run(f"report out.{ending} --json r.json") == 0
    # Contacts are found anew, with edges that differ by some frames, in what carries no curves of bones' properties.
    figures = files_of("r.json")[0]["before"]
    assert figures["slide_mm_s"] < (2.0 if ending == "blend" else 20.0)


def test_annotated_contacts_travel_in_the_blend_and_are_cleaned(sliding: Path) -> None:
    # Contacts that no detector would find: they must come from the curves.
    span = {"start": 10, "end": 30, "kind": "toe"}
    toes = [{"toe": f"{side}ToeBase", "contacts": [span]} for side in ("Left", "Right")]
    Path("c.json").write_text(json.dumps({"files": [{"limbs": toes}]}))
    assert run("annotate walk.bvh -o a.blend --contacts c.json") == 0
    assert run("clean a.blend -o b.blend --json r.json") == 0
    (entry,) = files_of("r.json")
    # A BVH's frame 0 is frame 1 of Blender's scene.
    assert [[c["start"], c["end"]] for limb in entry["limbs"] for c in limb["contacts"]] == [[11, 31], [11, 31]]


def test_the_open_file_is_worked_on_where_none_is_named(sliding: Path) -> None:
    assert run("clean walk.bvh -o open.blend") == 0
    bpy.ops.wm.open_mainfile(filepath=str(sliding / "open.blend"), load_ui=False)
    assert run("report --json r.json") == 0
    assert files_of("r.json")[0]["file"].endswith("open.blend")
    assert run("clean -o open.blend") == 2


def test_a_person_is_told_what_was_done(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clean walk.bvh -o out.bvh") == 0
    text = capsys.readouterr().out
    assert f"walk.bvh: {len(bvh_files.read('walk.bvh').values)} frames at 60 fps, guessed 1 m per unit (metres)" in text
    assert "2 legs: " in text
    assert "wrote out.bvh" in text
    columns = next(line for line in text.splitlines() if "slide of planted feet, mean" in line).split()
    assert float(columns[-3]) > 100.0 > 2.0 > float(columns[-2])


def test_wrong_usage_and_help_have_their_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("polish") == 2
    assert run("-h") == 0


@pytest.mark.skipif(not DATA.is_dir(), reason="the real clips of ../shared/data are not here")
def test_a_real_walk_is_cleaned_and_only_its_legs_and_pelvis_change(tmp_path: Path) -> None:
    source, out = DATA / "cmu" / "cmu_12_01_walk.bvh", tmp_path / "out.bvh"
    assert command.run(["clean", str(source), "-o", str(out), "--quiet"]) == 0
    before, after = bvh_files.read(source), bvh_files.read(out)
    assert after.head == before.head
    changed = (before.values != after.values).any(axis=0)
    moved = {
        name
        for name, first, channels in zip(before.names, before.first_channels, before.channels, strict=True)
        if changed[first : first + len(channels)].any()
    }
    legs = {f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase")}
    assert moved <= {"Hips"} | legs


def test_a_clip_in_place_is_written_with_root_motion(sliding: Path) -> None:
    text = bvh_files.read("walk.bvh")
    first, count = text.first_channels[0], len(text.channels[0])
    values = text.values.copy()
    ahead = [first + at for at, channel in enumerate(text.channels[0][:count]) if channel.endswith("position")]
    share = np.linspace(0.0, 1.0, len(values))[:, None]
    travel = values[-1, ahead] - values[0, ahead]
    values[:, ahead] -= share * travel
    bvh_files.write(Path("in_place.bvh"), text, values)
    assert run("clean in_place.bvh -o out.bvh --root-motion --json r.json") == 0
    entry = files_of("r.json")[0]
    result = bvh_files.read("out.bvh").values[:, ahead]
    # The walker slides on top of what its feet say.
    seconds = (len(values) - 1) / FPS
    expected = np.linalg.norm(travel) * entry["unit"] - 1e-3 * SLIDE * seconds
    assert np.linalg.norm(result[-1] - result[0]) * entry["unit"] == pytest.approx(expected, rel=0.02)
    assert np.linalg.norm(entry["treadmill"]["velocity_m_s"]) == pytest.approx(expected / seconds, rel=0.02)
    assert toe_speeds("out.bvh", entry).mean() < 2.0


def test_a_report_says_how_fast_the_root_goes_for_its_feet(sliding: Path) -> None:
    assert run("report walk.bvh --json r.json") == 0
    speed = 1200.0 / 1.1
    assert files_of("r.json")[0]["root_speed_ratio"] == pytest.approx((speed + SLIDE) / speed, rel=0.02)


def test_root_motion_of_some_frames_only_is_refused(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("clean walk.bvh -o out.bvh --root-motion --frames 3:20") == 2
    assert "leave out --frames" in capsys.readouterr().err


def test_steps_and_timing_are_fitted_to_the_travel(sliding: Path) -> None:
    ratio = (1200.0 / 1.1 + SLIDE) / (1200.0 / 1.1)
    assert run("clean walk.bvh -o stride.bvh --fit stride --json s.json") == 0
    assert run("clean walk.bvh -o timing.blend --fit timing --json t.json") == 0
    stride, timing = files_of("s.json")[0], files_of("t.json")[0]
    for entry in (stride, timing):
        assert entry["root_speed_ratio"] == pytest.approx(ratio, rel=0.02)
        assert entry["after"]["slide_mm_s"] < 2.0
    first, last = stride["frames"]
    assert timing["frames"][1] - timing["frames"][0] == pytest.approx((last - first) / ratio, abs=1.0)
    assert len(bvh_files.read("stride.bvh").values) == len(bvh_files.read("walk.bvh").values)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("-o out.bvh --fit timing", "a .bvh keeps its frames"),
        ("-o out.bvh --fit stride --frames 3:20", "leave out --frames"),
        ("-o out.bvh --fit stride --root-motion", "choose one"),
    ],
)
def test_what_can_not_be_fitted_is_refused(
    sliding: Path, options: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"clean walk.bvh {options}") == 2
    assert reason in capsys.readouterr().err


def test_the_ground_may_be_an_object_of_the_file(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_plate("Stage", half=9.0, height=0.0)
    walker = walking_armature(walk(strides=STRIDES, fps=FPS, slide_mm_s=SLIDE))
    walker.location.z = 0.5
    stage = bpy.data.objects["Stage"]
    stage.location.z = 0.5
    bpy.ops.wm.save_as_mainfile(filepath=str(sliding / "stage.blend"))
    stage.location.x = 19.0
    bpy.ops.wm.save_as_mainfile(filepath=str(sliding / "beside.blend"))
    assert run("clean stage.blend -o out.blend --ground Stage --json r.json") == 0
    assert "beside the ground objects" not in capsys.readouterr().err
    after = files_of("r.json")[0]["after"]
    assert after["slide_mm_s"] < 2.0
    assert after["penetration_mm"] < 2.0
    assert run("report beside.blend --ground Stage --ground 0.5") == 0
    assert (
        "beside.blend: 100 % of planted feet are on the floor beside the ground objects; name all"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Nowhere", 'there is no object or collection "Nowhere"'),
        ("Light", "there is no mesh in Light"),
        ("Walker", "there is no mesh in Walker"),
        ("Bare", "there is no face in Bare"),
        ("Off", 'ground object "Off" is switched off in this scene'),
        ("Box", "all of Box is an obstacle"),
    ],
)
def test_a_ground_that_nobody_can_stand_on_is_refused(
    sliding: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
) -> None:
    walking_armature(walk(strides=1.0))
    add_mesh("Bare", [], [])
    add_plate("Off").hide_viewport = True
    set_walk_on(add_plate("Box"), "OBSTACLE")
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Light", bpy.data.lights.new("Light", "POINT")))
    bpy.ops.wm.save_as_mainfile(filepath=str(sliding / "stage.blend"))
    assert run(f"clean stage.blend -o out.blend --ground {name}") == 1
    told = capsys.readouterr().err
    assert f"stage.blend: {reason}" in told
    assert told.count("\n") == 1
    assert not (sliding / "out.blend").exists()


def test_a_bvh_has_no_objects_to_stand_on(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("report walk.bvh --ground Stage") == 1
    assert "walk.bvh: --ground Stage: a .bvh has no objects to stand on" in capsys.readouterr().err
