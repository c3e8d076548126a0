# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings as the command tells them: in its own words for what can be done, since it has options and no buttons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .command_streams import complain
from .files.records import Record
from .rig.common.warnings import Warning

# Code to what to do about it with the command, if there is something.
WAYS = {
    "other-slot": "choose that slot in Blender's Action Editor and save",
    "limb-unsure": "see whether --json names the right bones, and give the right ones with --limbs",
    "limb-hands-carry": "leave it out with --limbs if it is not to be held to the ground",
    "limb-hands-touch": "find them too with --hands if they carry",
    "limb-only-one": "name the others with --limbs",
    "no-hands": "name them with --limbs",
    "no-contacts": "see whether the limbs are right, or give contacts with --contacts",
    "treadmill-without-contacts": "see whether the limbs are right, or give contacts with --contacts",
    "odd-unit": "say how long a unit is with --unit where it is a .bvh, or export it in another unit",
    "slow-frames": "say how many frames a second it has where the file does, or set the frame rate of the scene",
    "ground-refused": "leave it out of --ground, or set its Walk On to Ground in Blender",
    "broken-motion": "leave frames that do not belong to it out with --frames",
    "other-floor": "give that height with --ground if it is right",
    "beside-ground": "name all that they stand on with --ground",
    "deep-in-ground": "use the verb adapt first",
    "out-of-reach": "lower --keep-travel, or mend the contact with --contacts",
    "sharper": "look at the contacts there, or leave out with --contacts what does not stand",
    "more-slide": "mend the contact with --contacts, or lower --keep-travel",
}


def advice(warning: Warning, first_frame: int) -> str:
    """Return what a warning says in the file's own frames, and what can be done about it."""
    text, way = warning.text(first_frame), WAYS.get(warning.code)
    return text if way is None else f"{text}; {way}"


def complain_of(file: Path, action: str, warnings: Sequence[Warning], first_frame: int) -> None:
    """Print a line for each warning; ``action`` is empty where a file has one only."""
    for warning in warnings:
        text = advice(warning, first_frame)
        complain(file, f"{action}: {text}" if action else text)


def warning_records(warnings: Sequence[Warning], first_frame: int) -> list[Record]:
    """Return warnings for JSON: ``frames`` are spans, first and last, and empty where it is about all of them."""
    return [warning.record(first_frame) | {"text": advice(warning, first_frame)} for warning in warnings]
