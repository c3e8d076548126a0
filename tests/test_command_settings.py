# SPDX-License-Identifier: GPL-3.0-or-later
"""The command can all that the panel can: every setting is an option, presets are read, and limits make a gate."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command, command_batch, registration, settings
from toehold.command_gate import limit
from toehold.command_line import given_arguments, parse
from toehold.command_settings import SETTINGS
from toehold.command_values import path
from toehold.files import bvh
from toehold.files.output import save
from toehold.files.scenes import Source
from toehold.files.setting_presets import SHIPPED, preset_file, read_preset
from toehold.rig.common.wording import RigError

# Settings of an armature and buttons that are no number of SETTINGS: which option says the same to the command.
OTHER_OPTIONS = {
    "ToeholdSettings.limbs": "--limbs",
    "ToeholdSettings.ground_height": "--ground",
    "ToeholdSettings.path": "--path",
    "FollowPath.path": "--path",
    "FollowPath.gait": "--gait",
    "FollowPath.speed": "--speed",
    "Clean.all_selected": "--armature",
    "FollowPath.own_cycle": "--own",
    **{f"Push.{name}": f"--{name}" for name in ("bone", "frame", "impulse", "mass", "fall")},
    "WalkOn.walk_on": "--walk-on",
    "ToeholdGround.object": "--ground",
    "ToeholdGround.collection": "--ground",
    "FindLegs.hands": "--hands",
    "UseLimbPreset.filepath": "--limbs",
    "ExportReport.filepath": "--json",
    "ExportReport.file_format": "--json",
    "Clean.over_strips": "--result",
    "RootMotion.way": "--way",
    "RootMotion.kind": "--kind",
    "RootMotion.target": "--on",
    "RootMotion.bone": "--on",
    "ExportContacts.file_format": "--events-format",
    "GenerateGait.gait": "--gait",
    "GenerateGait.speed": "--speed",
    "GenerateGait.turn": "--turn",
    "GenerateGait.direction": "--direction",
    "GenerateGait.cycles": "--cycles",
    "GenerateGait.in_place": "--in-place",
    **{f"GenerateGait.{style}": "--style" for style in ("bounce", "lean", "lift", "stride", "spread", "crouch")},
    **{f"GenerateGait.{style}": "--style" for style in ("pelvis", "arms", "head", "tail")},
}
# What only a window has: which entry of a list is chosen, where a file is saved, edits of single contacts by hand.
OF_THE_WINDOW = {
    *("ToeholdSettings.active_limb", "ToeholdGround.active_object", "ToeholdLockSettings.show_in_renders"),
    *("ToeholdSettings.hands_asked_for", "ToeholdSettings.hands_touch", "ExportContacts.filter_glob"),
    "ExportReport.filter_glob",
    # Groups of settings, whose own are options.
    *(f"ToeholdSettings.{group}" for group in ("contacts", "cleanup", "lock", "ground")),
}
HAND_EDITS = {
    "SetContact",
    "JumpContact",
    "NudgeContact",
    "SplitContact",
    "ReviewContacts",
    "ShowWarning",
    "UseSlot",
} | {
    *("PickBone", "AddLeg", "UseGroundHeight", "ChooseLeg", "DragContact", "ToggleContact", "ShowSide"),
    *("UseFrameRate", "UseUnit", "WalkOnIt"),
}
GROUPS = {
    "ToeholdContactSettings": "contacts",
    "CleanupValues": "cleanup",
    "FootPitch": "cleanup",
    "ToeholdLockSettings": "lock",
}


@pytest.fixture
def sliding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``walk.bvh``, whose planted feet slide at 120 mm/s."""
    monkeypatch.chdir(tmp_path)
    save_walk(tmp_path / "walk.bvh", 120.0)
    return tmp_path


def save_walk(out: Path, slide_mm_s: float) -> None:
    save(Source(out, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=slide_mm_s))), out)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def run(arguments: str) -> int:
    return command.run(arguments.split())


def shown_settings() -> list[str]:
    """Every property of an armature's settings and of a button, as ``Class.name``."""
    holders = [*settings.CLASSES, settings.CleanupValues, settings.FootPitch, *registration.OPERATORS]
    holders += [base for holder in settings.CLASSES for base in holder.__mro__ if base.__name__ == "WalkOn"]
    names = {f"{holder.__name__}.{name}" for holder in holders for name in vars(holder).get("__annotations__", {})}
    return sorted(names)


def test_every_setting_that_is_shown_is_an_option_of_the_command() -> None:
    by_setting = {(setting.group, setting.name): setting.option for setting in SETTINGS}
    missing = []
    for shown in shown_settings():
        holder, _, name = shown.partition(".")
        is_option = (GROUPS.get(holder, ""), name) in by_setting or shown in OTHER_OPTIONS
        # Of a limb, bones and lower leg are what --limbs reads.
        if not is_option and shown not in OF_THE_WINDOW and holder not in {*HAND_EDITS, "ToeholdLimb"}:
            missing.append(shown)
    assert not missing


def test_the_options_of_buttons_exist() -> None:
    known = set()
    needed = {"follow": ["--path", "Curve"], "push": ["--bone", "Hips", "--frame", "9", "--impulse", "9,0,0"]}
    for verb in ("report", "annotate", "clean", "gait", "follow", "push", "root-motion"):
        parser = given_arguments([verb, "x.bvh", "-o", "y.bvh", *needed.get(verb, [])]).parser
        known |= {option for action in parser._actions for option in action.option_strings}
    assert set(OTHER_OPTIONS.values()) <= known


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.option)
def test_an_option_sets_its_setting_and_no_other(setting: object, sliding: Path) -> None:
    verb = "adapt" if setting.group == "cleanup" else "lock"
    needed = f"{verb} walk.bvh -o out.bvh --ground Ramp"
    usual, given = parse(needed.split(), None), parse([*needed.split(), f"{setting.option}=0.0625"], None)
    changed = [
        (group, name)
        for group in ("contacts", "cleanup", "lock")
        for name, value in vars(getattr(given.settings, group)).items()
        if value != getattr(getattr(usual.settings, group), name)
    ]
    assert changed == [(setting.group, setting.name)]
    assert getattr(getattr(given.settings, setting.group), setting.name) == 0.0625


def test_a_preset_sets_what_the_sidebar_would_and_options_are_stronger(sliding: Path) -> None:
    arguments = ["clean", "walk.bvh", "-o", "out.bvh", "--preset", "AI generated", "--smoothness", "2"]
    job = parse(arguments, None)
    assert job.settings.contacts.toe_share == 0.35
    assert (job.settings.cleanup.keep_travel, job.settings.cleanup.smoothness) == (0.5, 2.0)


@pytest.mark.parametrize("shipped", sorted(SHIPPED.glob("*.py")), ids=lambda path: path.stem)
def test_a_preset_that_comes_along_is_found_by_its_name_and_means_what_blender_runs(
    shipped: Path, registered: ModuleType
) -> None:
    armature = walking_armature(walk(strides=1.0, fps=30.0))
    bpy.context.view_layer.objects.active = armature
    exec(compile(shipped.read_text(), str(shipped), "exec"))
    assert preset_file(shipped.stem.replace("_", " ").lower()) == shipped
    for group, values in read_preset(shipped).items():
        for name, value in values.items():
            assert getattr(getattr(armature.toehold, group), name) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("import os\nos.remove('x')\nprint(1)\nx = 3\n", "line 4 is no setting"),
        ("settings.contacts.toe_share = open('x')\n", "line 1 is no setting"),
        ("settings.contacts.shoe_size = 44\n", "there is no setting contacts.shoe_size"),
        ("settings.contacts.toe_share = 4.0\n", "not between 0 and 1"),
        ("settings = (\n", "this is no preset"),
    ],
)
def test_a_preset_that_is_none_is_refused_in_a_line_and_never_run(
    text: str, what: str, sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text(text)
    Path("x").touch()
    assert run("clean walk.bvh -o out.bvh --preset mine.py") == 2
    said = capsys.readouterr().err
    assert what in said
    assert said.count("\n") == 1
    assert Path("x").exists()


def test_a_preset_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(RigError, match="AI Generated, Dance, Keyframed Loop, Locomotion"):
        preset_file("Jig")


@pytest.mark.parametrize(
    ("text", "figure", "most"),
    [
        ("15mm", "drift_mm", 15.0),
        ("1.5 cm", "drift_mm", 15.0),
        (".2m/s", "slide_mm_s", 200.0),
        ("9mm/s", "slide_mm_s", 9.0),
    ],
)
def test_a_limit_is_a_drift_or_a_speed_with_its_unit(text: str, figure: str, most: float) -> None:
    assert (limit(text).figure, limit(text).most) == (figure, pytest.approx(most))


def test_a_gate_fails_what_slides_and_lets_pass_what_was_cleaned(
    sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report walk.bvh --fail-over 15mm --fail-over 20mm/s --json r.json") == 1
    said = capsys.readouterr().err
    drift = json.loads(Path("r.json").read_text())["files"][0]["before"]["drift_mm"]
    assert f"walk.bvh: planted feet of action 'walk' drift by up to {drift:.1f} mm, over 15mm" in said
    assert "slide" in said
    assert run("clean walk.bvh -o out.bvh --fail-over 15mm --fail-over 20mm/s") == 0
    assert Path("out.bvh").exists()
    assert run("clean walk.bvh -o weak.bvh --strength 0.1 --fail-over 15mm") == 1
    assert Path("weak.bvh").exists()


@pytest.mark.timeout(200)
def test_a_gate_over_a_folder_names_the_files_that_are_over(sliding: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("takes").mkdir()
    Path("walk.bvh").rename("takes/slides.bvh")
    save_walk(Path("takes/stands.bvh"), 0.0)
    for _ in ("the first time", "when all are done already"):
        assert command_batch.run(["report", "takes", "-o", "figures", "--jobs", "1", "--fail-over", "15mm"]) == 1
        said = capsys.readouterr().err
        assert said.startswith("slides.bvh: planted feet of action 'slides' drift")
        assert "stands.bvh" not in said


def test_root_motion_lets_a_walk_in_place_travel_and_takes_the_travel_out_again(sliding: Path) -> None:
    def travel(name: str) -> float:
        motion = bvh.read(name)
        hips = motion.values[[0, -1], :3]
        return float(np.abs(hips[1] - hips[0]).max())

    assert run("root-motion walk.bvh -o place.bvh --way take-out") == 0
    assert travel("place.bvh") < 0.02 < 1.0 < travel("walk.bvh")
    assert run("root-motion place.bvh -o again.bvh --kind varying --json r.json") == 0
    assert travel("again.bvh") == pytest.approx(travel("walk.bvh"), rel=0.2)
    entry = json.loads(Path("r.json").read_text())["files"][0]
    assert entry["after"]["slide_mm_s"] < 60.0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ("root-motion walk.bvh -o out.bvh --frames 1:9", "leave out --frames"),
        ("root-motion walk.bvh -o out.bvh --way fit-timing", "a .bvh keeps its frames"),
        ("clean walk.bvh -o out.bvh --fit stride --root-motion", "choose one"),
        ("clean walk.bvh -o out.bvh --fail-over 15", "is no limit; write 15mm"),
        ("clean walk.bvh -o out.bvh --walk-on Ramp=lava", "OBJECT=obstacle"),
    ],
)
def test_what_cannot_be_is_refused(
    arguments: str, what: str, sliding: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert what in capsys.readouterr().err


def test_quotes_that_a_shell_has_left_are_no_part_of_a_path(tmp_path: Path) -> None:
    assert path("'takes/*.bvh'") == "takes/*.bvh"
    assert path('C:\\takes"') == "C:\\takes"
    odd = tmp_path / "'odd'.bvh"
    odd.touch()
    assert path(str(odd)) == str(odd)
    with pytest.raises(Exception, match="leave out the backslash before a quote"):
        path('C:\\takes" -o D:\\out"')


def test_actions_can_be_chosen_by_a_pattern(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    armature = walking_armature(walk(strides=1.5, fps=30.0, slide_mm_s=100.0))
    action = armature.animation_data.action
    action.name = "walk_a"
    for name in ("walk_b", "run [1]"):
        action.copy().name = name
    for one in bpy.data.actions:
        one.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "all.blend"))
    assert command.run(["report", "all.blend", "--action", "walk_*", "--json", "r.json"]) == 0
    assert [entry["action"] for entry in json.loads(Path("r.json").read_text())["files"]] == ["walk_a", "walk_b"]
    assert command.run(["report", "all.blend", "--action", "run [1]", "--json", "r.json"]) == 0
    assert [entry["action"] for entry in json.loads(Path("r.json").read_text())["files"]] == ["run [1]"]
