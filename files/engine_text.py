# SPDX-License-Identifier: GPL-3.0-or-later
"""What feet do, as the text that game engines and programs read. Pure text, nothing of Blender.

Unreal: a Curve Table. Its importer takes from CSV the times of a first row and the values of each named row after it,
and from JSON an array of objects with ``Name`` and, by the time as key, the values.
Unity: the fields of its ``AnimationEvent``, in an object that ``JsonUtility`` reads.
Godot: an ``Animation`` resource (``.tres``) with a method track.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..solver.engine_events import SPANS, FootData, FootEvent, FootSpan

CM_PER_M = 100.0

# The version of what as_json writes (docs/schema/events.schema.json).
SCHEMA = 1

_PLURALS = {"touch": "touches", "contact": "contacts", "lock": "locks"}

# Words of a limb's name that its curve's name does not need, and those that it shortens.
_LEFT_OUT, _SHORTENED = {"leg", "foot"}, {"left": "l", "right": "r"}


def as_json(data: FootData) -> str:
    """Return spans and events; times in seconds from the first frame, positions in the world's metres, Z up."""
    document = {
        "schema": SCHEMA,
        "clip": data.name,
        "fps": data.fps,
        "length": data.length,
        "frames": [data.frames[0], data.frames[-1]],
        "limbs": list(data.limbs),
        "curves": _curve_records(data),
        "events": [_event(data, event) for event in data.events],
        **{
            plural: [_span(data, span) for span in data.spans if span.kind == kind] for kind, plural in _PLURALS.items()
        },
    }
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def as_csv(data: FootData) -> str:
    """Return one row an event."""
    rows = [_event(data, event) for event in data.events]
    columns = ("event", "limb", "frame", "time", "x", "y", "z", "normal_x", "normal_y", "normal_z")
    return _csv(
        [
            columns,
            *([row["event"], row["limb"], row["frame"], row["time"], *row["position"], *row["normal"]] for row in rows),
        ]
    )


def unreal_csv(data: FootData) -> str:
    """Return a Curve Table: ``contact_l``, ``contact_r``, … from 0 to 1 and ``Speed`` in cm/s over seconds."""
    times = [_time(data, index) for index in range(len(data.frames))]
    return _csv([["Name", *times], *([name, *values] for name, values in _curves(data))])


def unreal_json(data: FootData) -> str:
    """Return the same Curve Table as JSON."""
    times = [f"{_time(data, index):.10g}" for index in range(len(data.frames))]
    rows = [{"Name": name, **dict(zip(times, values, strict=True))} for name, values in _curves(data)]
    return json.dumps(rows, indent=1, allow_nan=False) + "\n"


def unity_json(data: FootData) -> str:
    """Return footsteps as animation events: ``time`` for a clip's own, ``normalizedTime`` for an importer's."""
    events = [
        {
            "functionName": _method(event),
            "time": _time(data, event.frame),
            "normalizedTime": round(_time(data, event.frame) / max(data.length, 1e-9), 6),
            "stringParameter": data.limbs[event.limb],
            "intParameter": event.limb,
            "floatParameter": 0.0,
        }
        for event in _footsteps(data)
    ]
    return json.dumps({"clip": data.name, "length": data.length, "events": events}, indent=2, allow_nan=False) + "\n"


def godot_text(data: FootData) -> str:
    """Return an animation that calls ``on_foot_strike`` and ``on_foot_off`` with the limb's name."""
    footsteps = _footsteps(data)
    times = ", ".join(f"{_time(data, event.frame):.10g}" for event in footsteps)
    ones = ", ".join("1" for _ in footsteps)
    calls = ", ".join(
        f'{{\n"args": [{json.dumps(data.limbs[event.limb])}],\n"method": &"{_snake(_method(event))}"\n}}'
        for event in footsteps
    )
    return (
        '[gd_resource type="Animation" format=3]\n\n[resource]\n'
        f"resource_name = {json.dumps(data.name)}\nlength = {data.length:.10g}\n"
        'tracks/0/type = "method"\ntracks/0/imported = false\ntracks/0/enabled = true\n'
        'tracks/0/path = NodePath(".")\ntracks/0/interp = 1\ntracks/0/loop_wrap = true\n'
        f'tracks/0/keys = {{\n"times": PackedFloat32Array({times}),\n'
        f'"transitions": PackedFloat32Array({ones}),\n"values": [{calls}]\n}}\n'
    )


# By the names that the command and the operator call them.
WRITERS: dict[str, tuple[Callable[[FootData], str], str]] = {
    "json": (as_json, ".json"),
    "csv": (as_csv, ".csv"),
    "unreal-json": (unreal_json, ".json"),
    "unreal-csv": (unreal_csv, ".csv"),
    "unity": (unity_json, ".json"),
    "godot": (godot_text, ".tres"),
}


def curve_names(limbs: Sequence[str]) -> list[str]:
    """Return a curve's name for each limb: ``contact_l`` for a left leg, ``contact_front_l`` for one in front."""
    names: list[str] = []
    for limb in limbs:
        words = [word for word in re.split(r"[^0-9a-z]+", limb.lower()) if word and word not in _LEFT_OUT]
        # Left and right come last.
        words.sort(key=lambda word: word in _SHORTENED)
        name = "_".join(["contact", *(_SHORTENED.get(word, word) for word in words)])
        while name in names or name == "contact":
            name = f"{name}_{len(names) + 1}"
        names.append(name)
    return names


def _curves(data: FootData) -> list[tuple[str, list[float]]]:
    curves = [
        (name, [round(value, 4) for value in data.contacts[:, limb].tolist()])
        for limb, name in enumerate(curve_names(data.limbs))
    ]
    return [*curves, ("Speed", [round(value * CM_PER_M, 3) for value in data.speed.tolist()])]


def _curve_records(data: FootData) -> list[dict[str, Any]]:
    """Return contact (0 to 1) and speed (m/s) of each limb, a value a frame, and the speed of the body."""
    records = []
    for at, (limb, contact) in enumerate(zip(data.limbs, curve_names(data.limbs), strict=True)):
        side = contact.removeprefix("contact")
        for name, values in ((contact, data.contacts), (f"foot_speed{side}", data.foot_speed)):
            records.append(
                {"name": name, "limb": limb, "values": [round(value, 4) for value in values[:, at].tolist()]}
            )
    return [*records, {"name": "Speed", "limb": "", "values": [round(value, 4) for value in data.speed.tolist()]}]


def _footsteps(data: FootData) -> list[FootEvent]:
    return [event for event in data.events if event.kind in SPANS["touch"]]


def _method(event: FootEvent) -> str:
    return "OnFootStrike" if event.kind == "strike" else "OnFootOff"


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _time(data: FootData, index: int) -> float:
    return round(index / data.fps, 6)


def _event(data: FootData, event: FootEvent) -> dict[str, Any]:
    return {
        "event": event.kind,
        "limb": data.limbs[event.limb],
        "frame": data.frames[event.frame],
        "time": _time(data, event.frame),
        "position": [round(value, 6) for value in event.position.tolist()],
        "normal": [round(value, 6) for value in event.normal.tolist()],
    }


def _span(data: FootData, span: FootSpan) -> dict[str, Any]:
    return {
        "limb": data.limbs[span.limb],
        "start": data.frames[span.first],
        "end": data.frames[span.last],
        "start_time": _time(data, span.first),
        "end_time": _time(data, span.last),
        "position": [round(value, 6) for value in span.positions.mean(axis=0).tolist()],
        "normal": [round(value, 6) for value in span.normals[0].tolist()],
    }


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
