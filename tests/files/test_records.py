# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written as JSON is understood when it is read back, and what is wrong in it is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toehold.files import records
from toehold.rig.common.wording import RigError
from toehold.rig.legs.limb_bones import LimbBones

LEFT = LimbBones("Left Leg", "Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe")
RIGHT = LimbBones("Right Leg", "Hips", "RightUpLeg", "RightLeg", "RightFoot")
FRAMES = np.arange(11.0, 31.0)  # scene frames; the file's are 0 to 19
FIRST = 11


def span(start: Any, end: Any, kind: Any = "toe") -> dict[str, Any]:
    return {"start": start, "end": end, "kind": kind}


def contacts(document: Any, file_name: str = "walk.bvh") -> records.Contacts:
    return records.contacts_for(document, records.Entry(file_name), (LEFT, RIGHT), FRAMES, FIRST)


def test_spans_are_in_the_files_frames_and_hold_both_ends() -> None:
    found = contacts({"files": [{"limbs": [{"toe": "LeftToe", "contacts": [span(2, 4), span(6, 6, "heel")]}]}]})
    assert np.flatnonzero(found.toe[:, 0]).tolist() == [2, 3, 4]
    assert np.flatnonzero(found.heel[:, 0]).tolist() == [6]
    assert not found.toe[:, 1].any()


def test_a_foot_without_toes_is_found_by_its_tip_and_a_leg_by_its_name() -> None:
    limbs = [{"toe": "RightFoot_end", "contacts": [span(0, 1)]}, {"name": "Left Leg", "contacts": [span(5, 6)]}]
    found = contacts({"files": [{"limbs": limbs}]})
    assert found.toe[:2, 1].all()
    assert found.toe[5:7, 0].all()


def test_spans_are_cut_off_at_the_clips_ends() -> None:
    found = contacts([{"toe": "LeftToe", "contacts": [span(-50, 1), span(18, 500), span(600, 700)]}])
    assert np.flatnonzero(found.toe[:, 0]).tolist() == [0, 1, 18, 19]


def test_of_several_files_the_one_of_the_same_name_counts() -> None:
    one = {"file": "/a/run.bvh", "limbs": [{"toe": "LeftToe", "contacts": [span(0, 0)]}]}
    other = {"file": "/b/walk.bvh", "limbs": [{"toe": "LeftToe", "contacts": [span(7, 7)]}]}
    assert np.flatnonzero(contacts({"files": [one, other]}).toe[:, 0]).tolist() == [7]
    assert np.flatnonzero(contacts({"files": [one]}).toe[:, 0]).tolist() == [0]
    with pytest.raises(RigError, match=r"2 files but none called 'sit.bvh'"):
        contacts({"files": [one, other]}, "sit.bvh")


@pytest.mark.parametrize(
    ("document", "what"),
    [
        ({"files": [{"limbs": [{"toe": "Tail", "contacts": []}]}]}, "no leg has toe 'Tail'"),
        ([{"toe": "LeftToe", "contacts": [span(4, 2)]}], "is no contact"),
        ([{"toe": "LeftToe", "contacts": [span(1, 2, "knee")]}], "is no contact"),
        ([{"toe": "LeftToe", "contacts": [span("one", 2)]}], "is no contact"),
        ([{"toe": "LeftToe", "contacts": ["always"]}], "is no contact"),
        ([{"toe": "LeftToe", "contacts": [span(0, 10**400)]}], "is no contact"),
        ([{"toe": "LeftToe", "contacts": 5}], "5 is no list"),
        ({"legs": []}, "no list of limbs"),
        ("contacts", "no list of limbs"),
        ([1, 2], "no list of limbs"),
    ],
)
def test_contacts_that_make_no_sense_are_named(document: Any, what: str) -> None:
    with pytest.raises(RigError, match=what):
        contacts(document)


def test_limbs_are_read_from_a_list_and_from_what_json_wrote() -> None:
    entry = {"name": "Left Leg", "root": "Hips", "hip": "LeftUpLeg", "knee": "LeftLeg", "heel": "LeftFoot"}
    written = {"files": [{"file": "x.bvh", "limbs": [{**entry, "toe": "LeftFoot_end", "toe_end": None}]}]}
    bones = {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"}
    for document in ([entry], written):
        limb = records.with_bones(records.limbs_for(document, "x.bvh"), bones)[0]
        assert (limb.heel, limb.toe, limb.toe_end) == ("LeftFoot", "", "")
        assert limb.toe_joint == "LeftFoot_end"


def test_a_bone_that_is_called_like_a_tip_is_a_bone() -> None:
    limbs = records.limbs_for([{**vars(RIGHT), "toe": "RightFoot_end"}], "x.bvh")
    bones = {"Hips", "RightUpLeg", "RightLeg", "RightFoot", "RightFoot_end"}
    assert records.with_bones(limbs, bones)[0].toe == "RightFoot_end"


def test_limbs_that_do_not_fit_are_named() -> None:
    with pytest.raises(RigError, match="limb 'leg 1' has no knee"):
        records.limbs_for([{"root": "a", "hip": "b", "heel": "c"}], "x.bvh")
    with pytest.raises(RigError, match="no limb"):
        records.limbs_for([], "x.bvh")
    with pytest.raises(RigError, match="no bone 'LeftToe'"):
        records.with_bones((LEFT,), {"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"})


def test_json_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    with pytest.raises(RigError, match=r"c\.json: cannot be read"):
        records.read_json(path)
    path.write_text("{oops")
    with pytest.raises(RigError, match=r"c\.json: this is not JSON"):
        records.read_json(path)


def test_a_limbs_file_may_give_a_hock_and_how_the_lower_leg_stands_and_need_not() -> None:
    bones = {"root": "Hips", "hip": "Thigh", "knee": "Shin", "heel": "Pastern", "toe": "Hoof"}
    two, three = records.limbs_for([bones, {**bones, "hock": "Cannon", "lean_share": 1, "stance_lean": 0.3}], "a.bvh")
    assert two.hock == ""
    assert (three.hock, three.lean_share, three.stance_lean, three.swing_lean) == ("Cannon", 1.0, 0.3, 0.0)
    assert records.limbs_for(records.limb_document([three]), "a.bvh") == (three,)


@pytest.mark.parametrize(
    ("setting", "what"),
    [
        ({"lean_share": 2.0}, "lean_share is 2.0; make it a number from 0 to 1"),
        ({"stance_extension": "half"}, "stance_extension is 'half'; make it a number from 0 to 1"),
        ({"swing_lean": float("nan")}, "swing_lean is nan; make it a number of radians"),
    ],
)
def test_a_lower_leg_that_cannot_stand_so_is_refused_in_one_line(setting: dict[str, Any], what: str) -> None:
    limb = {"name": "Leg", "root": "Hips", "hip": "Thigh", "knee": "Shin", "heel": "Foot", "hock": "Cannon", **setting}
    with pytest.raises(RigError, match=what):
        records.limbs_for([limb], "a.bvh")


def test_json_that_is_nested_too_deep_is_refused_in_one_line(tmp_path: Path) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 200_000 + "]" * 200_000)
    with pytest.raises(RigError, match="nested too deep"):
        records.read_json(deep)


def test_one_leg_given_twice_is_refused() -> None:
    leg = {"name": "Left", "root": "Hips", "hip": "Thigh", "knee": "Shin", "heel": "Foot"}
    bones = {"Hips", "Thigh", "Shin", "Foot"}
    with pytest.raises(RigError, match="'Left' is in the limbs file twice"):
        records.with_bones(records.limbs_for([leg, leg], "a.bvh"), bones)
    with pytest.raises(RigError, match="'Left' and 'Right' have one heel, 'Foot'"):
        records.with_bones(records.limbs_for([leg, {**leg, "name": "Right"}], "a.bvh"), bones)
