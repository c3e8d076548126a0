# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers given what nobody would export: they read it, or refuse it as they say they do, and never anything else.

``make fuzz`` sets TOEHOLD_FUZZ, which is how many of each are tried; hypothesis keeps what fell in .hypothesis/, and
tries it first the next time.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("bpy", reason="files/ needs Blender")

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toehold.files import bvh, gltf
from toehold.files.plain_json import json_text
from toehold.files.records import Entry, contacts_for, limbs_for, read_json
from toehold.rig.common.wording import RigError
from toehold.rig.legs.limb_bones import LimbBones

ROUNDS = int(os.environ.get("TOEHOLD_FUZZ", "150"))
pytestmark = pytest.mark.timeout(300 if ROUNDS <= 150 else 7200)
fuzz = settings(max_examples=ROUNDS, deadline=None, suppress_health_check=list(HealthCheck))

BVH = b"""HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Leg
  {
    OFFSET 0 -1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333
0 1 0 0 0 0 1 2 3
0 1 0 0 0 0 3 2 1
"""
_TEXT = json.dumps(
    {"asset": {"version": "2.0"}, "nodes": [{"name": "hip", "children": [1]}, {}], "buffers": []}
).encode()
_TEXT += b" " * (-len(_TEXT) % 4)
GLB = struct.pack("<4sIII4s", b"glTF", 2, 20 + len(_TEXT), len(_TEXT), b"JSON") + _TEXT
WORDS = [b"nan", b"1e999", b"-1", b"{", b"}", b"CHANNELS", b"JOINT", b"\xff\xfe", b"\x00", b"9" * 400, b"\n", b"\xf0"]
LIMBS = (LimbBones(name="left", root="Hips", hip="thigh.L", knee="shin.L", heel="foot.L"),)


@st.composite
def spoilt(draw: st.DrawFn, whole: bytes) -> bytes:
    """A file that was good once: pieces of it are lost, doubled, or other words."""
    content = whole
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        middle = draw(st.one_of(st.sampled_from(WORDS), st.binary(max_size=12), st.just(2 * content[start:end])))
        content = content[:start] + middle + content[end:]
    return content


NAMES = st.sampled_from(
    ["files", "file", "armature", "action", "limbs", "name", "root", "hip", "knee", "heel", "toe", "contacts", "start"]
    + ["end", "kind", "lower_leg", "Hips", "thigh.L", "shin.L", "foot.L", "left", "walk.bvh", "toe_end"]
)
NUMBERS = st.one_of(st.integers(), st.floats(), st.just(10**400))
DOCUMENTS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, NAMES, st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=6)),
    max_leaves=25,
)


@st.composite
def near_documents(draw: st.DrawFn) -> Any:
    """What ``--json`` writes, with one thing after another replaced."""
    bones = {"name": "left", "root": "Hips", "hip": "thigh.L", "knee": "shin.L", "heel": "foot.L"}
    span: dict[str, Any] = {"start": 0, "end": 5, "kind": "toe"}
    for target in (bones, span):
        for name in draw(st.lists(st.sampled_from(sorted(target)), max_size=2)):
            target[name] = draw(DOCUMENTS)
    limb = {**bones, "contacts": draw(st.one_of(st.just([span]), DOCUMENTS))}
    limbs = draw(st.one_of(st.just([limb]), st.just([limb, limb]), DOCUMENTS))
    return {"files": [{"file": "walk.bvh", "armature": draw(DOCUMENTS), "limbs": limbs}]}


def result_or_refusal(read: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return what was read, or the one line that it was refused with."""
    try:
        return read(), None
    except RigError as error:
        return None, str(error)


@fuzz
@given(spoilt(BVH))
def test_a_bvh_is_read_or_refused_with_its_name(content: bytes) -> None:
    read, refusal = result_or_refusal(lambda: bvh.parse(content, "walk.bvh"))
    if refusal is not None:
        assert "walk.bvh" in refusal
        return
    assert read.values.shape[1] == sum(len(channels) for channels in read.channels)
    assert np.isfinite(read.values).all()
    assert np.isfinite(read.offsets).all()
    assert read.frame_time > 0.0


@fuzz
@given(spoilt(GLB))
def test_a_gltf_is_read_or_refused_as_it_says(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.glb"
        path.write_bytes(content)
        try:
            read = gltf.read(path)
        except (ValueError, KeyError, TypeError, OSError):
            return
    assert isinstance(read.document, dict)


@fuzz
@given(st.one_of(DOCUMENTS, near_documents()))
def test_limbs_and_contacts_of_any_document_are_read_or_refused(document: Any) -> None:
    frames = np.arange(10.0)
    for read in (
        lambda: limbs_for(document, "walk.bvh"),
        lambda: contacts_for(document, Entry("walk.bvh"), LIMBS, frames, 0),
    ):
        _, refusal = result_or_refusal(read)
        assert refusal is None or len(refusal.splitlines()) == 1


@fuzz
@given(
    st.one_of(spoilt(b'{"files": [{"file": "walk.bvh", "limbs": []}]}'), st.integers(1, 5).map(lambda n: b"[" * 10**n))
)
def test_any_text_is_json_or_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "limbs.json"
        path.write_bytes(content)
        _, refusal = result_or_refusal(lambda: read_json(path))
        assert refusal is None or "limbs.json" in refusal


@fuzz
@given(DOCUMENTS)
def test_what_is_written_as_json_is_json_whatever_the_figures(document: Any) -> None:
    json.loads(json_text(document), parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
