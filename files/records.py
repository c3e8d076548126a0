# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command writes as JSON, and reads back: legs, contacts and figures of files."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..rig.common.wording import RigError
from ..rig.legs.limb_bones import LOWER_LEG, LimbBones, tip_of
from ..rig.sampling.sample import Sample
from ..rig.verbs.listing import Spans
from ..solver.arrays import FloatArray
from ..solver.contacts import Contacts, runs
from ..solver.ground import Ground
from ..solver.limb import feet_among
from ..solver.metrics import Report
from ..solver.root_motion import speed_ratio

Record = dict[str, Any]

# The version of what --json writes (docs/schema).
SCHEMA = 1
CONTACT_POINTS = ("toe", "heel")
_NEEDED_BONES = ("root", "hip", "knee", "heel")
_OTHER_BONES = ("hock", "toe", "toe_end")


@dataclass(frozen=True)
class Entry:
    """Which entry of a document is meant, by the names that it gives; None where any will do."""

    file: str
    armature: str | None = None
    action: str | None = None

    def fits(self, entry: Record) -> bool:
        """Whether an entry is of the same armature and action as far as it names them."""
        return all(
            mine is None or entry.get(name) in (None, mine)
            for name, mine in (("armature", self.armature), ("action", self.action))
        )


def report_document(version: str, entries: Sequence[Record], left: Sequence[Record]) -> Record:
    """Return what ``--json`` writes: entries of actions, and of those that were left as they are, with the reason.

    docs/schema/report.schema.json says what is in it; where that changes for readers, SCHEMA goes up.
    """
    written: Record = {"toehold": version, "schema": SCHEMA, "files": list(entries)}
    return written | ({"left": list(left)} if left else {})


def read_json(path: Path) -> Any:
    """Return what a JSON file holds; RigError where it cannot be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"{path.name}: cannot be read ({error.strerror}); check the path") from None
    except ValueError as error:
        raise RigError(f"{path.name}: this is not JSON ({error}); mend it, or write it again with --json") from None
    except RecursionError:
        raise RigError(f"{path.name}: this JSON is nested too deep; write it again with --json") from None


def limbs_for(document: Any, file_name: str, armature: str | None = None) -> tuple[LimbBones, ...]:
    """Return the limbs that a limbs file, or what ``--json`` wrote, holds for a file, or for an armature in it.

    Their toes may be names of joints rather than bones; ``with_bones`` settles that once the armature is there.
    """
    limbs = []
    for number, entry in enumerate(_limb_entries(document, Entry(file_name, armature)), start=1):
        name = entry.get("name") or f"leg {number}"
        # What the sidebar calls it, or what it was called first.
        entry = entry | {"heel": entry.get("ankle") or entry.get("heel")}
        missing = [part for part in _NEEDED_BONES if not isinstance(entry.get(part), str) or not entry[part]]
        if missing:
            part = missing[0].replace("heel", "ankle")
            raise RigError(f"limb {name!r} has no {part}; give the name of its bone in the limbs file")
        bones: Record = {part: entry[part] for part in _NEEDED_BONES}
        bones |= {part: str(entry.get(part) or "") for part in _OTHER_BONES}
        numbers: Record = {part: _lower_leg_number(entry, part, str(name)) for part in LOWER_LEG if part in entry}
        limbs.append(LimbBones(str(name), **bones, **numbers, reason="given", hand=entry.get("hand") is True))
    if not limbs:
        raise RigError("there is no limb in the limbs file; list at least one")
    return tuple(limbs)


def _refuse_twice(limbs: Sequence[LimbBones]) -> None:
    """Refuse two limbs of one name, or of one foot, which would both be bent."""
    for index, limb in enumerate(limbs):
        for other in limbs[:index]:
            if limb.name == other.name:
                raise RigError(f"limb {limb.name!r} is in the limbs file twice; leave one of them out")
            if limb.heel == other.heel:
                raise RigError(f"limbs {other.name!r} and {limb.name!r} have one heel, {limb.heel!r}; leave one out")


def _lower_leg_number(entry: Record, part: str, limb: str) -> float:
    """Return one of the settings of a lower leg: leans are radians, all others are 0 to 1."""
    value = entry[part]
    if not _is_number(value) or not (part.endswith("lean") or 0.0 <= value <= 1.0):
        wanted = "a number of radians" if part.endswith("lean") else "a number from 0 to 1"
        raise RigError(f"limb {limb!r}: {part} is {repr(value)[:40]}; make it {wanted}")
    return float(value)


def _is_number(value: Any) -> bool:
    """Return whether a value of JSON is a number that is finite, also once it is a float: 1 with 400 zeros is not."""
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def limb_document(limbs: Sequence[LimbBones]) -> list[Record]:
    """Return limbs as a limbs file holds them."""
    unsaid = ("confidence", "reason")
    usual = {field.name: field.default for field in fields(LimbBones)}
    return [
        {
            "ankle" if name == "heel" else name: value
            for name, value in asdict(limb).items()
            if name not in unsaid and value != usual[name]
        }
        for limb in limbs
    ]


def with_bones(limbs: Sequence[LimbBones], bones: Collection[str]) -> tuple[LimbBones, ...]:
    """Return limbs whose toes are bones of the armature; RigError where it lacks one of their bones."""
    found = settled(limbs, bones)
    _refuse_twice(found)
    for limb in found:
        for bone in limb.bones:
            if bone not in bones:
                raise RigError(f"limb {limb.name!r}: there is no bone {bone!r}; mend the limbs file")
    return found


def settled(limbs: Sequence[LimbBones], bones: Collection[str]) -> tuple[LimbBones, ...]:
    """Return limbs without toes that are tips of bones, which stand in where there is no toe bone anyhow."""
    found = []
    for limb in limbs:
        # Without a toe bone, the toe's end is told from what is not a bone, not from the toe's name.
        toe = "" if limb.toe not in bones and limb.toe == tip_of(limb.heel) else limb.toe
        toe_end = "" if limb.toe_end not in bones and limb.toe_end == tip_of(toe) else limb.toe_end
        found.append(replace(limb, toe=toe, toe_end=toe_end))
    return tuple(found)


def has_entry(document: Any, wanted: Entry) -> bool:
    """Whether what ``annotate --json`` wrote may hold contacts for an action: False where it names only others."""
    named = _of_file(document, wanted.file)
    return not named or any(wanted.fits(entry) for entry in named)


def contacts_for(
    document: Any, wanted: Entry, limbs: Sequence[LimbBones], frames: FloatArray, first_frame: int
) -> Contacts:
    """Return the contacts that what ``annotate --json`` wrote holds for an action of a file.

    frames : (F,) the scene frames of the clip.
    first_frame : scene frame of the file's frame 0; the spans in the document are in the file's frames.
    """
    signals = {kind: np.zeros((len(frames), len(limbs))) for kind in CONTACT_POINTS}
    for entry in _limb_entries(document, wanted):
        limb = _matching(entry, limbs)
        spans = entry.get("contacts") or ()
        if not isinstance(spans, list | tuple):
            raise RigError(
                f"contacts of {limbs[limb].name!r}: {json.dumps(spans)[:40]} is no list; give one as --json writes it"
            )
        for span in spans:
            start, end, kind = _checked(span, limbs[limb].name)
            within = (frames - first_frame >= start) & (frames - first_frame <= end)
            signals[kind][within, limb] = 1.0
    return Contacts(toe=signals["toe"], heel=signals["heel"])


def limb_records(
    limbs: Sequence[LimbBones],
    contacts: Contacts,
    report: Report,
    frames: FloatArray,
    first_frame: int,
    suspects: Sequence[Spans] = (),
) -> list[Record]:
    """Return each limb with its contacts and figures, in the file's frames.

    suspects : of each limb, spans in scene frames that look like stances and are not among its contacts.
    """
    numbers = [round(float(frame)) - first_frame for frame in frames]
    records: list[Record] = []
    for index, limb in enumerate(limbs):
        own = [contact for contact in report.contacts if contact.limb == index]
        records.append(
            {
                "name": limb.name,
                "root": limb.root,
                "hip": limb.hip,
                "knee": limb.knee,
                "hock": limb.hock,
                "ankle": limb.heel,
                # What it was called first, and still is where programs read it.
                "heel": limb.heel,
                "toe": limb.toe_joint,
                "toe_end": limb.toe_end_joint,
                "hand": limb.hand,
                **({part: getattr(limb, part) for part in LOWER_LEG} if limb.hock else {}),
                "contacts": [
                    {
                        "start": numbers[contact.start],
                        "end": numbers[contact.end],
                        "kind": contact.kind,
                        "drift_mm": contact.drift_mm,
                        "slide_mm_s": contact.slide_mm_s,
                        "unreached_mm": contact.unreached_mm,
                    }
                    for contact in own
                ],
                "suspects": [
                    [start - first_frame, end - first_frame] for start, end in (suspects[index] if suspects else ())
                ],
                "foot_down": [[numbers[start], numbers[end]] for start, end in runs(contacts.foot_down[:, index])],
            }
        )
    return records


def treadmill_record(motion: Sample, ground: Ground) -> Record | None:
    """Return the treadmill that a clip in place walks on, None where there is none.

    Its mean velocity is in metres a second in Blender's world, Z up, and its slowest and fastest speed, which are one
    where it does not change. The speed ratio is how fast the root travels against how fast the feet say that it should:
    0 in place, 1 where nothing slides.
    """
    treadmill = ground.treadmill
    if treadmill is None:
        return None
    belt = treadmill.mean_velocity
    speeds = np.atleast_1d(np.linalg.norm(treadmill.belt_velocity, axis=-1))
    root = motion.clip.positions[:, motion.limbs[0].root]
    seconds = max(len(root) - 1, 1) / motion.clip.fps
    along = float((root[-1] - root[0]) @ -belt) / float(np.linalg.norm(belt)) / seconds
    return {
        "velocity_m_s": belt.tolist(),
        "speed_range_m_s": [float(speeds.min()), float(speeds.max())],
        "speed_ratio": along / float(np.linalg.norm(belt)),
    }


def root_speed_ratio(motion: Sample, contacts: Contacts) -> float | None:
    """Return how fast the root travels over how fast planted feet say that it should; None where it hardly travels."""
    feet = feet_among(motion.limbs)
    return speed_ratio(motion.clip, [motion.limbs[foot] for foot in feet], contacts.toe_planted[:, feet])


def _limb_entries(document: Any, wanted: Entry) -> list[Record]:
    """Return the limbs of a document for a file: of its entry that fits best, or of the only one."""
    entry = document
    if _is_of_files(document):
        files = [item for item in document["files"] if isinstance(item, dict)]
        named = _of_file(document, wanted.file)
        if not named and len(files) != 1:
            raise RigError(f"the JSON has {len(files)} files but none called {wanted.file!r}; rename one")
        fitting = [item for item in named if wanted.fits(item)]
        entry = (fitting or named or files)[0]
    limbs = entry.get("limbs") if isinstance(entry, dict) else entry
    if not isinstance(limbs, list) or not all(isinstance(limb, dict) for limb in limbs):
        raise RigError("the JSON has no list of limbs; give one as --json writes it")
    return limbs


def _is_of_files(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("files"), list)


def _of_file(document: Any, file_name: str) -> list[Record]:
    """Return the entries of a document that are of a file."""
    entries = document["files"] if _is_of_files(document) else []
    return [item for item in entries if isinstance(item, dict) and Path(str(item.get("file", ""))).name == file_name]


def _matching(entry: Record, limbs: Sequence[LimbBones]) -> int:
    """Return which limb an entry is about: the one with its toe, else the one with its name."""
    toe, name = entry.get("toe"), entry.get("name")
    for index, limb in enumerate(limbs):
        if toe is not None and toe in (limb.toe_joint, limb.toe):
            return index
    for index, limb in enumerate(limbs):
        if name is not None and name == limb.name:
            return index
    there = ", ".join(repr(limb.toe_joint) for limb in limbs)
    raise RigError(f"contacts: no leg has toe {toe!r} or is called {name!r}; the toes are {there}")


def _checked(span: Any, limb: str) -> tuple[float, float, str]:
    if isinstance(span, dict):
        start, end, kind = span.get("start"), span.get("end"), span.get("kind")
        numbers = _is_number(start) and _is_number(end)
        if numbers and kind in CONTACT_POINTS and start <= end:  # type: ignore[operator]
            return float(start), float(end), str(kind)  # type: ignore[arg-type]
    raise RigError(
        f"contacts of {limb!r}: {json.dumps(span)[:80]} is no contact; it needs start, end (not before start) "
        "and kind 'toe' or 'heel'"
    )
