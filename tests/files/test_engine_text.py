# SPDX-License-Identifier: GPL-3.0-or-later
"""Each engine's text is what its importer takes, and says the same as the contacts."""

from __future__ import annotations

import csv
import io
import json
import re

import numpy as np
import pytest

from support import walker
from toehold.files import engine_text
from toehold.files.engine_text import WRITERS, curve_names
from toehold.solver import locking
from toehold.solver.engine_events import FootData, foot_spans, foot_speeds, root_speed
from toehold.solver.ground import FlatGround


@pytest.fixture(scope="module")
def data() -> FootData:
    walk = walker.walk(strides=3.0, slide_mm_s=100.0)
    ground = FlatGround()
    locked = locking.run(walk.clip, walk.limbs, walk.contacts, ground).locked
    return FootData(
        name='A "walk"',
        fps=walk.clip.fps,
        limbs=("Left Leg", "Right Leg"),
        frames=tuple(range(100, 100 + walk.clip.frame_count)),
        contacts=walk.contacts.toe,
        speed=root_speed(walk.clip, walk.limbs, ground),
        foot_speed=foot_speeds(walk.clip, walk.limbs, ground),
        spans=tuple(foot_spans(walk.clip, walk.limbs, walk.contacts, ground, locked)),
    )


def test_json_has_spans_and_events_in_frames_and_seconds(data: FootData) -> None:
    document = json.loads(engine_text.as_json(data))
    assert document["frames"] == [100, data.frames[-1]]
    assert {"touches", "contacts", "locks", "events"} <= set(document)
    assert len(document["locks"]) >= 4
    for span in [*document["touches"], *document["contacts"], *document["locks"]]:
        assert span["limb"] in data.limbs
        assert 100 <= span["start"] <= span["end"] <= data.frames[-1]
        assert span["start_time"] == pytest.approx((span["start"] - 100) / data.fps, abs=1e-5)
    for event in document["events"]:
        assert event["time"] == pytest.approx((event["frame"] - 100) / data.fps, abs=1e-5)
        assert len(event["position"]) == len(event["normal"]) == 3


def test_csv_has_one_row_an_event(data: FootData) -> None:
    rows = list(csv.DictReader(io.StringIO(engine_text.as_csv(data))))
    assert len(rows) == len(data.events)
    assert [int(row["frame"]) - 100 for row in rows] == [event.frame for event in data.events]
    assert {row["event"] for row in rows} >= {"strike", "off", "lock_begin", "lock_end"}


def test_unreals_curve_table_has_times_in_the_first_row_and_as_many_values_in_each(data: FootData) -> None:
    """As its importer checks: no time twice, no row shorter or longer, a name first."""
    first, *rows = csv.reader(io.StringIO(engine_text.unreal_csv(data)))
    times = [float(time) for time in first[1:]]
    assert times == sorted(set(times))
    assert [row[0] for row in rows] == ["contact_l", "contact_r", "Speed"]
    assert all(len(row) == len(first) for row in rows)
    np.testing.assert_allclose([float(value) for value in rows[0][1:]], data.contacts[:, 0], atol=1e-4)
    assert np.mean([float(value) for value in rows[2][1:]]) == pytest.approx(100.0 * data.speed.mean(), rel=1e-3)


def test_unreals_json_says_what_its_csv_says(data: FootData) -> None:
    first, *rows = csv.reader(io.StringIO(engine_text.unreal_csv(data)))
    objects = json.loads(engine_text.unreal_json(data))
    assert isinstance(objects, list)
    for row, entry in zip(rows, objects, strict=True):
        assert entry.pop("Name") == row[0]
        assert [float(time) for time in entry] == [float(time) for time in first[1:]]
        assert list(entry.values()) == [float(value) for value in row[1:]]


def test_unitys_events_have_the_fields_of_an_animation_event_within_the_clip(data: FootData) -> None:
    document = json.loads(engine_text.unity_json(data))
    assert document["events"]
    for event in document["events"]:
        assert event["functionName"] in {"OnFootStrike", "OnFootOff"}
        assert event["stringParameter"] in data.limbs
        assert 0.0 <= event["time"] <= document["length"]
        assert event["normalizedTime"] == pytest.approx(event["time"] / document["length"], abs=1e-5)
        assert {"intParameter", "floatParameter"} <= set(event)


def test_godots_track_has_as_many_times_transitions_and_calls(data: FootData) -> None:
    text = engine_text.godot_text(data)
    assert text.startswith('[gd_resource type="Animation" format=3]\n\n[resource]\n')
    assert r'resource_name = "A \"walk\""' in text
    times, transitions = (
        re.search(rf'"{name}": PackedFloat32Array\(([^)]*)\)', text)[1].split(", ")  # type: ignore[index]
        for name in ("times", "transitions")
    )
    calls = re.findall(r'"method": &"(on_foot_strike|on_foot_off)"', text)
    assert len(times) == len(transitions) == len(calls) == sum(event.kind in ("strike", "off") for event in data.events)
    assert [float(time) for time in times] == sorted(float(time) for time in times)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_clip_without_a_step_can_be_written(writer: str) -> None:
    still = FootData("Still", 30.0, ("Left Leg",), (1, 2), np.ones((2, 1)), np.zeros(2), np.zeros((2, 1)), ())
    write, ending = WRITERS[writer]
    assert write(still)
    assert ending.startswith(".")


def test_curves_are_named_as_games_name_them() -> None:
    assert curve_names(["Left Leg", "Right Leg"]) == ["contact_l", "contact_r"]
    assert curve_names(["Front Left Leg", "Hind Right Leg"]) == ["contact_front_l", "contact_hind_r"]
    several = curve_names(["Leg", "Leg", "Leg 2", "Bein"])
    assert len(set(several)) == 4
