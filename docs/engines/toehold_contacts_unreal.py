# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts contacts from Toehold on animation sequences of Unreal Engine 5: curves, sync markers and notifies.

In the editor: Tools > Execute Python Script, or ``py "…/toehold_contacts_unreal.py"`` in the console, with animation
sequences selected in the Content Browser. Each takes the JSON whose ``clip`` is called as it is, from the folder that
the environment's TOEHOLD_EVENTS names, or else from the folder that it was imported from. Run it again after each
import: what it made is replaced, everything else on the sequence stays. docs/engines.md explains the curves.
"""

import json
import os
import re
from pathlib import Path

import unreal

# What the curves are called: type the same names into the legs of the Foot Placement node.
CONTACT, SPEED, DISABLE_LOCK = "contact{side}", "foot_speed{side}", "disable_lock{side}"
BODY_SPEED = "Speed"
CM_PER_M = 100.0
TRACK = "Toehold"
# A lock is let go, and a foot is free, over so many seconds.
EASE = 0.1

library = unreal.AnimationLibrary


def documents(folder):
    """Return the documents of a folder that are events of Toehold, by the name of their clip."""
    found = {}
    for path in sorted(Path(folder).glob("*.json")):
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(document, dict) and {"schema", "clip", "curves", "events"} <= set(document):
            found[document["clip"]] = document
    return found


def document_for(name, found):
    """Return the document of a sequence; Unreal puts the mesh or armature before an imported action's name."""
    plain = name.casefold()
    fitting = [clip for clip in found if plain == _as_unreal(clip) or plain.endswith("_" + _as_unreal(clip))]
    return found[max(fitting, key=len)] if fitting else None


def _as_unreal(name):
    """Return a name with what Unreal has no room for made underscores."""
    return re.sub(r"[^0-9a-z_]", "_", name.casefold())


def curves_of(document):
    """Return times and values by the name of each curve. Speeds are cm/s, as Unreal's are."""
    fps = document["fps"]
    made = {}
    for curve in document["curves"]:
        kind, side = _split(curve["name"])
        name = {"contact": CONTACT, "foot_speed": SPEED}.get(kind, BODY_SPEED).format(side=side)
        factor = 1.0 if kind == "contact" else CM_PER_M
        times = [frame / fps for frame in range(len(curve["values"]))]
        made[name] = (times, [value * factor for value in curve["values"]])
        if kind == "contact":
            made[DISABLE_LOCK.format(side=side)] = _disable_lock(document, curve["limb"])
    return made


def _split(name):
    for kind in ("contact", "foot_speed"):
        if name.startswith(kind):
            return kind, name[len(kind) :]
    return name, ""


def _disable_lock(document, limb):
    """Return a curve that is 1 where a foot must not be held, and 0 while it is planted."""
    keys = {0.0: 1.0, document["length"]: 1.0}
    for span in document["contacts"]:
        if span["limb"] == limb:
            begin, end = span["start_time"], span["end_time"]
            keys.setdefault(max(begin - EASE, 0.0), 1.0)
            keys.setdefault(min(end + EASE, document["length"]), 1.0)
            keys[begin] = keys[end] = 0.0
    # Within a contact nothing is let go, however near the next one is.
    for span in document["contacts"]:
        if span["limb"] == limb:
            keys = {
                time: 0.0 if span["start_time"] <= time <= span["end_time"] else value for time, value in keys.items()
            }
    return sorted(keys), [keys[time] for time in sorted(keys)]


def put_on(sequence, document):
    """Put a document on a sequence, in place of what was put there before; return how many of each."""
    curves = curves_of(document)
    there = {str(name) for name in library.get_animation_curve_names(sequence, unreal.RawCurveTrackTypes.RCT_FLOAT)}
    for name, (times, values) in curves.items():
        if name in there:
            library.remove_curve(sequence, name)
        library.add_curve(sequence, name, unreal.RawCurveTrackTypes.RCT_FLOAT)
        library.add_float_curve_keys(sequence, name, times, values)
    if library.is_valid_anim_notify_track_name(sequence, TRACK):
        library.remove_animation_sync_markers_by_track(sequence, TRACK)
        library.remove_animation_notify_track(sequence, TRACK)
    library.add_animation_notify_track(sequence, TRACK)
    classes = notify_classes()
    strikes = [event for event in document["events"] if event["event"] == "strike"]
    for event in strikes:
        library.add_animation_sync_marker(sequence, event["limb"], event["time"], TRACK)
    steps = [event for event in document["events"] if classes.get(event["event"]) is not None]
    for event in steps:
        library.add_animation_notify_event(sequence, TRACK, event["time"], classes[event["event"]])
    return {"curves": len(curves), "markers": len(strikes), "notifies": len(steps)}


def notify_classes():
    """Return the class of the notify of each kind of event: yours where the environment names it by its path.

    Else a strike is a Play Sound whose sound you choose, and nothing is there when a foot leaves.
    """
    own = {kind: os.environ.get(f"TOEHOLD_{kind.upper()}") for kind in ("strike", "off")}
    classes = {kind: unreal.load_class(None, path) for kind, path in own.items() if path}
    return {"strike": unreal.AnimNotify_PlaySound, **classes}


def run():
    """Put contacts on what is selected; say what was done, and what was left as it was and why."""
    selected = unreal.EditorUtilityLibrary.get_selected_assets()
    sequences = [asset for asset in selected if isinstance(asset, unreal.AnimSequence)]
    if not sequences:
        unreal.log_warning("Toehold: select animation sequences in the Content Browser first")
    for sequence in sequences:
        folder = os.environ.get("TOEHOLD_EVENTS") or _imported_from(sequence)
        document = document_for(sequence.get_name(), documents(folder)) if folder else None
        if document is None:
            unreal.log_warning(f"Toehold: there are no events for {sequence.get_name()} in {folder}")
            continue
        if abs(sequence.get_play_length() - document["length"]) > 1.5 / document["fps"]:
            unreal.log_warning(f"Toehold: {sequence.get_name()} is not as long as its events; export both again")
            continue
        made = put_on(sequence, document)
        unreal.EditorAssetLibrary.save_loaded_asset(sequence)
        unreal.log(f"Toehold: {sequence.get_name()} has {', '.join(f'{made[kind]} {kind}' for kind in made)}")


def _imported_from(sequence):
    """Return the folder of the file that a sequence was imported from; empty where it does not tell."""
    data = sequence.get_editor_property("asset_import_data")
    return os.path.dirname(data.get_first_filename()) if data else ""


if __name__ == "__main__":
    run()
