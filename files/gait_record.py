# SPDX-License-Identifier: GPL-3.0-or-later
"""A generated gait in files: its figures as JSON, and a BVH that grows to its frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..rig.common.wording import RigError
from ..rig.gait.follow_path import Followed
from ..rig.gait.generate import Generated
from ..rig.sampling.sample import Sample
from ..solver import rotations
from ..solver.arrays import FloatArray
from ..solver.clip import Clip
from ..solver.gait.separation import separation
from ..solver.gait.template import Template
from . import bvh as bvh_text
from .bvh_motion import y_up
from .bvh_patch import patched_values
from .records import Record
from .scenes import Source


def gait_record(generated: Generated, source: Source) -> Record:
    """Return the figures of a gait: masses, centres and forces in the file's axes (Y up in a BVH)."""
    solution, plan = generated.solution, generated.solution.plan
    body, wish = plan.template, plan.wish
    stand = generated.stand
    seconds = plan.period_frames / wish.fps
    return {
        "name": wish.gait.name,
        "speed_m_s": wish.speed,
        "froude": wish.speed**2 / (9.81 * body.height),
        "turn_deg_s": float(np.degrees(wish.turn)),
        "direction_deg": float(np.degrees(wish.direction)),
        "period_frames": plan.period_frames,
        "stride_m": wish.speed * seconds,
        "hip_height_m": body.height,
        "phases": plan.phases.tolist(),
        "duty": plan.duty.tolist(),
        "dynamics_bw": solution.dynamics,
        "torque_bw_h": solution.torque,
        "cone_margin_bw": solution.cone,
        "reach": solution.reach,
        "separation_h": None if len(stand.limbs) < 2 else separation(generated.posed.clip, stand.limbs) / body.height,
        "com_missed_m": generated.posed.missed,
        **_masses(body, stand, generated.posed.forces, source),
    }


def _masses(body: Template, stand: Sample, forces: FloatArray, source: Source) -> Record:
    """Return what each bone weighs and where, and the forces of each foot in each frame."""
    in_bvh = source.bvh is not None
    centres = body.coms
    if in_bvh:
        # A joint's axes in a BVH are the world's in the rest pose.
        rest = stand.clip.moved(
            stand.clip.skeleton.rest_rotations[None], stand.clip.skeleton.rest_locations[None]
        ).rotations[0]
        centres = y_up(rotations.rotate(rest, centres))
    return {
        "bodies": [
            {"bone": bone, "mass": float(mass), "com": centre.tolist()}
            for bone, mass, centre in zip(stand.bones, body.masses, centres, strict=True)
            if bone is not None and mass > 0.0
        ],
        "forces_bw": np.round(y_up(forces) if in_bvh else forces, 9).tolist(),
    }


def followed_record(followed: Followed, source: Source) -> Record:
    """Return the figures of a way along a path: as of a gait, and how true it is to its path."""
    figures, clip = followed.figures, followed.clip
    record: Record = {
        "path": {
            "length_m": followed.line.length * followed.height,
            "seconds": (clip.frame_count - 1) / clip.fps,
            "speed_m_s": followed.speed,
            "off_path_mm": figures.off_path_mm,
            "slip_mm": figures.slip_mm,
            "penetration_mm": figures.penetration_mm,
        }
    }
    solution = followed.solution
    if solution is None or followed.forces is None:
        return record
    plan, body = solution.plan, solution.plan.body
    shares = plan.law.shares.max(axis=0)
    names = [gait.name for gait, most in zip(plan.law.gaits, shares, strict=True) if most > 0.5]
    record["path"] |= {"reach": solution.reach, "cone_broken": solution.cone}
    record["gait"] = {
        "name": names[0],
        "names": names,
        "speed_m_s": followed.speed,
        "froude": followed.speed**2 / (9.81 * body.height),
        "hip_height_m": body.height,
        "dynamics_bw": solution.dynamics,
        "torque_bw_h": solution.torque,
        **_masses(body, followed.stand, followed.forces, source),
    }
    return record


def write_gait_bvh(stand: Sample, clip: Clip, source: Source, out: Path) -> None:
    """Write the input's own skeleton with the frames of a gait."""
    assert source.bvh is not None
    first = replace(source.bvh, values=source.bvh.values[:1], rows=source.bvh.rows[:1])
    grown = bvh_text.with_frames(first, len(stand.frames))
    rows = np.arange(len(stand.frames), dtype=np.int64)
    values: FloatArray = patched_values(grown, stand.clip, clip, stand.bones, rows, source.metres_per_unit)
    try:
        bvh_text.write(out, grown, values)
    except OSError as error:
        raise RigError(f"{out.name} could not be written ({error.strerror}); choose another place") from None
