# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written as JSON is what the schemas in docs/schema say, and they would notice if it were not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bpy
import pytest

from support.json_schema import wrong_with
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command
from toehold.files import engine_text, records
from toehold.files.output import save
from toehold.files.scenes import Source

SCHEMAS = Path(__file__).resolve().parents[1] / "docs" / "schema"


def schema(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def sliding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save(
        Source(tmp_path / "walk.bvh", walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=120.0))), Path("walk.bvh")
    )
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return tmp_path


def written(name: str) -> Any:
    return json.loads(Path(name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "arguments",
    [
        "report walk.bvh --compare",
        "annotate walk.bvh",
        "clean walk.bvh -o out.bvh",
        "lock walk.bvh -o out.bvh",
        "root-motion walk.bvh -o out.bvh --way take-out",
        "gait walk.bvh -o out.bvh",
    ],
)
def test_the_json_of_every_verb_is_what_its_schema_says(arguments: str, sliding: Path) -> None:
    assert command.run([*arguments.split(), "--json", "r.json"]) == 0
    assert wrong_with(written("r.json"), schema("report")) == []


def test_events_are_what_their_schema_says(sliding: Path) -> None:
    assert command.run(["annotate", "walk.bvh", "--events", "events.json"]) == 0
    events = written("events.json")
    assert wrong_with(events, schema("events")) == []
    names = [curve["name"] for curve in events["curves"]]
    assert names == ["contact_l", "foot_speed_l", "contact_r", "foot_speed_r", "Speed"]
    frames = events["frames"][1] - events["frames"][0] + 1
    assert {len(curve["values"]) for curve in events["curves"]} == {frames}


def test_the_versions_of_schemas_are_those_that_are_written() -> None:
    assert schema("report")["properties"]["schema"]["const"] == records.SCHEMA
    assert schema("events")["properties"]["schema"]["const"] == engine_text.SCHEMA


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("files", 0, "fps"), 0),
        (("files", 0, "limbs", 0, "contacts", 0, "kind"), "sole"),
        (("files", 0, "limbs", 0, "foot_down"), [[1]]),
        (("files", 0, "before", "slide_mm_s"), None),
        (("files", 0, "surprise"), 1),
        (("schema",), 2),
    ],
)
def test_a_schema_notices_what_is_wrong(path: tuple[Any, ...], value: Any, sliding: Path) -> None:
    assert command.run(["report", "walk.bvh", "--json", "r.json"]) == 0
    document = written("r.json")
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert len(wrong_with(document, schema("report"))) == 1


def test_limbs_are_read_by_their_names_of_today_and_of_before(sliding: Path) -> None:
    assert command.run(["report", "walk.bvh", "--json", "r.json"]) == 0
    limbs = written("r.json")["files"][0]["limbs"]
    assert all(limb["ankle"] == limb["heel"] for limb in limbs)
    for name in ("ankle", "heel"):
        given = [{part: limb[part] for part in ("name", "root", "hip", "knee", "toe", name)} for limb in limbs]
        assert [limb.heel for limb in records.limbs_for(given, "walk.bvh")] == [limb["heel"] for limb in limbs]
    assert all("ankle" in limb for limb in records.limb_document(records.limbs_for(limbs, "walk.bvh")))
