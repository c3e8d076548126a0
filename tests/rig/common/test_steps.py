# SPDX-License-Identifier: GPL-3.0-or-later
"""Long work can be called off between any two of its steps, and leaves everything as it was."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from support.snapshot import snapshot
from support.walker import walk
from support.walker_armature import walking_armature
from toehold import settings
from toehold.rig.common.steps import Steps, finished, share
from toehold.rig.verbs import journey


@pytest.fixture
def rig(registered: ModuleType) -> bpy.types.Object:
    """A walker that has to be stepped through, since a constraint speaks above its legs."""
    armature = walking_armature(walk(strides=1.0, slide_mm_s=200.0))
    armature.constraints.new("COPY_LOCATION").influence = 0.5
    bpy.ops.toehold.find_legs()
    bpy.context.scene.frame_set(7)
    return armature


def counting(to: int) -> Steps[str]:
    for number in range(to):
        yield number / to
    return "done"


def test_work_in_one_go_returns_what_it_returns_in_steps() -> None:
    assert finished(counting(3)) == "done"
    assert finished(share(counting(3), 0.5, 1.0)) == "done"
    assert list(share(counting(4), 0.5, 1.0)) == [0.5, 0.625, 0.75, 0.875]


@pytest.mark.parametrize("after", [1, 5, -1])
@pytest.mark.parametrize("verb", ["annotate_in_steps", "clean_in_steps"])
@pytest.mark.parametrize("of_result", [False, True], ids=["source", "result"])
def test_called_off_anywhere_it_leaves_no_trace(rig: bpy.types.Object, verb: str, after: int, of_result: bool) -> None:
    if of_result:
        bpy.ops.toehold.clean()
    bpy.context.view_layer.update()
    limbs, options = settings.legs_and_options(rig)
    before = snapshot()
    steps = getattr(journey, verb)(rig, limbs, options)
    done = [next(steps) for _ in range(after)] if after > 0 else all_but_the_last(steps)
    assert done == sorted(done)
    steps.close()
    bpy.context.view_layer.update()
    assert snapshot() == before


def all_but_the_last(steps: Steps[object]) -> list[float]:
    done = []
    while not done or done[-1] < (journey.SOLVED if "clean" in steps.__qualname__ else journey.SAMPLED):
        done.append(next(steps))
    return done


def test_a_short_clip_is_done_at_once_from_a_button_too(rig: bpy.types.Object) -> None:
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
        assert bpy.ops.toehold.clean("INVOKE_DEFAULT") == {"FINISHED"}
    assert rig.animation_data.action.name.endswith("Clean")
