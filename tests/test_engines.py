# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts for engines: run against a stand-in of Unreal, and held against the schema where they cannot be run."""

from __future__ import annotations

import inspect
import json
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from support import walker
from toehold.files import engine_text
from toehold.solver import locking
from toehold.solver.engine_events import FootData, foot_spans, foot_speeds, root_speed
from toehold.solver.ground import FlatGround

ROOT = Path(__file__).resolve().parents[1]
ENGINES = ROOT / "docs" / "engines"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "events.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def data() -> FootData:
    walk = walker.walk(strides=3.0, fps=30.0, slide_mm_s=0.0)
    ground = FlatGround()
    locked = locking.run(walk.clip, walk.limbs, walk.contacts, ground).locked
    return FootData(
        name="Walk Forward",
        fps=walk.clip.fps,
        limbs=("Left Leg", "Right Leg"),
        frames=tuple(range(1, 1 + walk.clip.frame_count)),
        contacts=walk.contacts.toe,
        speed=root_speed(walk.clip, walk.limbs, ground),
        foot_speed=foot_speeds(walk.clip, walk.limbs, ground),
        spans=tuple(foot_spans(walk.clip, walk.limbs, walk.contacts, ground, locked)),
    )


class Sequence:
    """An animation sequence as far as the script sees one."""

    def __init__(self, name: str, length: float, source: Path) -> None:
        self.name, self.length, self.source = name, length, source
        self.curves: dict[str, tuple[list[float], list[float]]] = {"Mine": ([0.0], [1.0])}
        self.tracks: dict[str, list[tuple[str, float]]] = {"1": [("mine", 0.5)]}
        self.markers: list[tuple[str, float, str]] = [("mine", 0.2, "1")]
        self.saved = 0

    def get_name(self) -> str:
        return self.name

    def get_play_length(self) -> float:
        return self.length

    def get_editor_property(self, name: str) -> Any:
        assert name == "asset_import_data"
        return SimpleNamespace(get_first_filename=lambda: str(self.source))


class AnimationLibrary:
    """unreal.AnimationLibrary, with the names and arguments that Unreal Engine 5.7's documentation gives."""

    @staticmethod
    def get_animation_curve_names(animation_sequence_base: Sequence, curve_type: str) -> list[str]:
        assert curve_type == "float"
        return list(animation_sequence_base.curves)

    @staticmethod
    def remove_curve(
        animation_sequence_base: Sequence, curve_name: str, remove_name_from_skeleton: bool = False
    ) -> None:
        del animation_sequence_base.curves[curve_name]

    @staticmethod
    def add_curve(
        animation_sequence_base: Sequence, curve_name: str, curve_type: str = "float", meta_data_curve: bool = False
    ) -> None:
        assert curve_name not in animation_sequence_base.curves
        animation_sequence_base.curves[curve_name] = ([], [])

    @staticmethod
    def add_float_curve_keys(
        animation_sequence_base: Sequence, curve_name: str, times: list[float], values: list[float]
    ) -> None:
        assert len(times) == len(values)
        animation_sequence_base.curves[curve_name] = (list(times), list(values))

    @staticmethod
    def is_valid_anim_notify_track_name(animation_sequence_base: Sequence, notify_track_name: str) -> bool:
        return notify_track_name in animation_sequence_base.tracks

    @staticmethod
    def remove_animation_notify_track(animation_sequence_base: Sequence, notify_track_name: str) -> None:
        del animation_sequence_base.tracks[notify_track_name]

    @staticmethod
    def add_animation_notify_track(animation_sequence_base: Sequence, notify_track_name: str) -> None:
        animation_sequence_base.tracks[notify_track_name] = []

    @staticmethod
    def remove_animation_sync_markers_by_track(animation_sequence: Sequence, notify_track_name: str) -> None:
        animation_sequence.markers = [one for one in animation_sequence.markers if one[2] != notify_track_name]

    @staticmethod
    def add_animation_sync_marker(
        animation_sequence: Sequence, marker_name: str, time: float, notify_track_name: str
    ) -> None:
        assert notify_track_name in animation_sequence.tracks
        animation_sequence.markers.append((marker_name, time, notify_track_name))

    @staticmethod
    def add_animation_notify_event(
        animation_sequence_base: Sequence, notify_track_name: str, start_time: float, notify_class: str
    ) -> object:
        animation_sequence_base.tracks[notify_track_name].append((notify_class, start_time))
        return object()


@pytest.fixture
def unreal(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that stands in for Unreal's, with what is selected and what was logged."""
    module = ModuleType("unreal")
    selected: list[Sequence] = []
    said: list[str] = []

    def saved(sequence: Sequence) -> bool:
        sequence.saved += 1
        return True

    vars(module).update(
        AnimationLibrary=AnimationLibrary,
        AnimSequence=Sequence,
        AnimNotify_PlaySound="PlaySound",
        RawCurveTrackTypes=SimpleNamespace(RCT_FLOAT="float"),
        EditorUtilityLibrary=SimpleNamespace(get_selected_assets=lambda: selected),
        EditorAssetLibrary=SimpleNamespace(save_loaded_asset=saved),
        load_class=lambda outer, name: f"class of {name}",
        log=said.append,
        log_warning=said.append,
        selected=selected,
        said=said,
    )
    monkeypatch.setitem(sys.modules, "unreal", module)
    for name in ("TOEHOLD_EVENTS", "TOEHOLD_STRIKE", "TOEHOLD_OFF"):
        monkeypatch.delenv(name, raising=False)
    return module


def run_in(unreal: ModuleType, *sequences: Sequence) -> None:
    unreal.selected[:] = sequences
    runpy.run_path(str(ENGINES / "toehold_contacts_unreal.py"), run_name="__main__")


@pytest.fixture
def sequence(data: FootData, tmp_path: Path) -> Sequence:
    (tmp_path / "walk.json").write_text(engine_text.as_json(data))
    (tmp_path / "notes.json").write_text("[1]")
    (tmp_path / "broken.json").write_text("{")
    return Sequence("walk_Walk_Forward", data.length, tmp_path / "walk.fbx")


def test_unreals_sequence_has_curves_of_contacts_speeds_and_locks(
    data: FootData, sequence: Sequence, unreal: ModuleType
) -> None:
    run_in(unreal, sequence)
    assert set(sequence.curves) == {"Mine", "Speed"} | {
        f"{kind}_{side}" for kind in ("contact", "foot_speed", "disable_lock") for side in "lr"
    }
    for column, side in enumerate("lr"):
        times, contact = sequence.curves[f"contact_{side}"]
        np.testing.assert_allclose(times, np.arange(len(data.frames)) / data.fps)
        np.testing.assert_allclose(contact, data.contacts[:, column], atol=1e-4)
        _, speed = sequence.curves[f"foot_speed_{side}"]
        np.testing.assert_allclose(speed, 100.0 * data.foot_speed[:, column], atol=0.01)
        # A planted foot of this walk stands, and one that swings is faster than a metre a second.
        planted = np.asarray(contact) > 0.99
        assert np.median(np.asarray(speed)[planted]) < 1.0 < 100.0 < np.max(speed)
        unlocked = np.interp(times, *sequence.curves[f"disable_lock_{side}"])
        for span in data.spans:
            if span.kind == "contact" and span.limb == column:
                np.testing.assert_allclose(unlocked[span.first : span.last + 1], 0.0, atol=1e-4)
        assert unlocked.max() == 1.0
    assert sequence.saved == 1


def test_unreals_sequence_has_markers_and_notifies_at_strikes_and_a_second_run_replaces_them(
    data: FootData, sequence: Sequence, unreal: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in(unreal, sequence)
    once = {"curves": dict(sequence.curves), "markers": list(sequence.markers), "tracks": dict(sequence.tracks)}
    strikes = [event for event in data.events if event.kind == "strike"]
    assert len(strikes) >= 4
    assert once["markers"] == [("mine", 0.2, "1")] + [
        (data.limbs[event.limb], pytest.approx(event.frame / data.fps, abs=1e-5), "Toehold") for event in strikes
    ]
    assert [name for name, _ in sequence.tracks["Toehold"]] == ["PlaySound"] * len(strikes)
    run_in(unreal, sequence)
    assert once == {"curves": sequence.curves, "markers": sequence.markers, "tracks": sequence.tracks}
    monkeypatch.setenv("TOEHOLD_OFF", "/Game/Off.Off_C")
    run_in(unreal, sequence)
    assert ("class of /Game/Off.Off_C", pytest.approx(0, abs=9.0)) in sequence.tracks["Toehold"]
    assert sequence.tracks["1"] == [("mine", 0.5)]


def test_unreals_script_leaves_what_it_knows_nothing_of_and_says_so(
    sequence: Sequence, unreal: ModuleType, tmp_path: Path
) -> None:
    other, cut = Sequence("Jump", 1.0, tmp_path / "x.fbx"), Sequence("Walk_Forward", 0.5, tmp_path / "x.fbx")
    run_in(unreal, other, cut)
    assert set(other.curves) == set(cut.curves) == {"Mine"}
    assert "no events for Jump" in unreal.said[0]
    assert "not as long as its events" in unreal.said[1]
    run_in(unreal)
    assert "select animation sequences" in unreal.said[2]


def test_the_stand_in_of_unreal_refuses_what_the_real_one_would() -> None:
    with pytest.raises(TypeError):
        AnimationLibrary.add_curve("x")  # type: ignore[call-arg, arg-type]
    known = {name for name, _ in inspect.getmembers(AnimationLibrary, inspect.isfunction)}
    text = (ENGINES / "toehold_contacts_unreal.py").read_text(encoding="utf-8")
    assert set(re.findall(r"\blibrary\.(\w+)\(", text)) == known


def test_the_script_for_unity_reads_fields_that_the_schema_has() -> None:
    text = (ENGINES / "ToeholdContacts.cs").read_text(encoding="utf-8")
    classes = {
        "Document": SCHEMA["properties"],
        "Curve": SCHEMA["properties"]["curves"]["items"]["properties"],
        "Step": SCHEMA["properties"]["events"]["items"]["properties"],
    }
    # A choice among words, or the one version, has no type of its own.
    kinds = {"string": {"string", None}, "float": {"number"}, "int": {"integer", None}}
    for name, properties in classes.items():
        body = re.search(rf"private class {name}\s*{{(.*?)\n    }}", text, re.DOTALL)
        assert body is not None
        read = re.findall(r"public (\w+)(\[\])? @?(\w+);", body.group(1))
        assert read
        for kind, many, field in read:
            assert field in properties
            wanted = properties[field].get("type")
            assert wanted == "array" if many else wanted in kinds[kind]
    assert set(re.findall(r'{ "(\w+)", "On\w+" }', text)) == {"strike", "off"}


def test_the_script_for_godot_reads_fields_that_the_schema_has() -> None:
    text = (ENGINES / "toehold_contacts.gd").read_text(encoding="utf-8")
    for name, properties in (
        ("document", SCHEMA["properties"]),
        ("event", SCHEMA["properties"]["events"]["items"]["properties"]),
        ("curve", SCHEMA["properties"]["curves"]["items"]["properties"]),
    ):
        read = set(re.findall(rf'\b{name}\["(\w+)"\]', text))
        assert read
        assert read <= set(properties)


def test_the_script_for_unity_is_c_sharp() -> None:
    grammar = pytest.importorskip("tree_sitter_c_sharp", reason="the parser of C# is not installed")
    import tree_sitter

    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    text = (ENGINES / "ToeholdContacts.cs").read_bytes()
    assert not parser.parse(text).root_node.has_error
    assert parser.parse(text.replace(b"class ", b"clss ", 1)).root_node.has_error


def test_the_script_for_godot_is_gdscript() -> None:
    parser = pytest.importorskip("gdtoolkit.parser", reason="the parser of GDScript is not installed").parser
    text = (ENGINES / "toehold_contacts.gd").read_text(encoding="utf-8")
    assert parser.parse(text).children
    with pytest.raises(Exception, match="Unexpected"):
        parser.parse(text.replace("func _post_import(", "func _post_import((", 1))
