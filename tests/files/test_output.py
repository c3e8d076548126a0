# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene saved in any format holds the motion that it had, and a failing save leaves what was there."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from support.walker import limb_bones, walk
from support.walker_armature import walking_armature
from toehold.files.output import save
from toehold.files.scenes import Choice, Source, open_file
from toehold.rig.common.wording import RigError
from toehold.rig.sampling.sample import sample

LEGS = tuple(limb_bones())
FORMATS = ("blend", "fbx", "glb", "gltf", "bvh")


def walking(folder: Path, **shape: object) -> tuple[Source, np.ndarray]:
    """The walker in the scene, and where its toes are (F, L, 3)."""
    made = walk(strides=1.0, fps=30.0)
    armature = walking_armature(made, **shape)  # type: ignore[arg-type]
    return Source(folder / "walker.blend", armature), toes_of(armature)


def toes_of(armature: bpy.types.Object) -> np.ndarray:
    found = sample(armature, LEGS)
    return np.stack([found.clip.positions[:, limb.toe] for limb in found.limbs], axis=1)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("shape", [{}, {"scale": 0.01, "y_up": True}], ids=["plain", "small and Y up"])
def test_the_feet_are_where_they_were(
    ending: str, shape: dict[str, object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, toes = walking(tmp_path, **shape)
    out = tmp_path / f"out.{ending}"
    save(source, out)
    again = open_file(out, Choice(metres_per_unit=1.0, limbs=LEGS))
    assert np.abs(toes_of(again.armature) - toes).max() < 1e-4
    assert again.frame_rate == pytest.approx(30.0, rel=1e-6)
    assert capfd.readouterr() == ("", "")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == ({"out.gltf", "out.bin"} if ending == "gltf" else {out.name})


@pytest.mark.parametrize("ending", FORMATS)
def test_a_save_that_fails_leaves_what_was_there(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, _ = walking(tmp_path)
    out = tmp_path / f"out.{ending}"
    out.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(RigError, match=f"out.{ending}: could not be written .disk full"):
        save(source, out)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {out.name: "old"}


def test_a_bvh_cannot_hold_an_armature_that_moves_as_an_object(tmp_path: Path) -> None:
    source, _ = walking(tmp_path)
    for frame in (1, 30):
        source.armature.location.x = 0.1 * frame
        source.armature.keyframe_insert("location", frame=frame)
    with pytest.raises(RigError, match="armature object itself moves"):
        save(source, tmp_path / "out.bvh")
    assert list(tmp_path.iterdir()) == []
