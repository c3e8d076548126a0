# SPDX-License-Identifier: GPL-3.0-or-later
"""Every setting of the sidebar as an option, and presets of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from .command_values import not_negative, share
from .files.setting_presets import Values, preset_file, read_preset
from .rig.common.wording import RigError
from .solver.cleanup import CleanupSettings
from .solver.detection import ContactSettings
from .solver.locking import LockSettings

_KINDS = {"contacts": ContactSettings, "cleanup": CleanupSettings, "lock": LockSettings}
# Which groups of settings a verb asks.
_ASKED = {
    "report": ("contacts", "cleanup", "lock"),
    "annotate": ("contacts", "lock"),
    "clean": ("contacts", "cleanup"),
    "adapt": ("contacts", "cleanup"),
    "lock": ("contacts", "lock"),
}
_TITLES = {
    "contacts": "what counts as planted",
    "cleanup": "how planted feet are made to stand still",
    "lock": "how a game would hold planted feet",
}


@dataclass(frozen=True)
class Setting:
    """An option for a setting: the field ``name`` of a group. Metres are for a leg of 0.9 m, and scale with the leg."""

    group: str
    name: str
    option: str
    kind: Callable[[str], float]
    metavar: str
    help: str

    @property
    def destination(self) -> str:
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def usual(self) -> float:
        value: float = getattr(_KINDS[self.group](), self.name)
        return value


_METRES, _SECONDS = (not_negative, "METRES"), (not_negative, "SECONDS")
_SHARE, _WEIGHT = (share, "S"), (not_negative, "W")
# The options are called what the sidebar calls them.
_OPTIONS = {
    "contacts": (
        ("toe_share", "--toe-speed", _SHARE, "a toe is planted below this share of its own swing speed"),
        ("heel_share", "--heel-speed", _SHARE, "the same of a heel; higher finds longer contacts"),
        ("height", "--contact-height", _METRES, "a foot that is higher over its lowest is not planted"),
        ("still_distance", "--still-within", _METRES, "a foot that stays within this is planted"),
        ("min_contact_time", "--shortest-contact", _SECONDS, "shorter contacts are dropped"),
        ("min_gap_time", "--shortest-gap", _SECONDS, "shorter gaps in a contact are closed"),
        ("blend_time", "--ease", _SECONDS, "how long a contact curve rises and falls"),
    ),
    "cleanup": (
        ("strength", "--strength", _SHARE, "share of the correction, 0 to 1"),
        ("keep_travel", "--keep-travel", _WEIGHT, "how hard the body keeps to its path; 0 lets it drift"),
        ("smoothness", "--smoothness", _WEIGHT, "how gently the correction comes and goes"),
        ("softening", "--softening", _METRES, "how far before full stretch a leg slows down"),
        ("foot_pitch", "--foot-pitch", _SHARE, "share of the slope of --ground OBJECT that standing feet take on"),
    ),
    "lock": (
        ("lock_distance", "--lock-distance", _METRES, "a planted foot is held this close to the animation"),
        ("unlock_distance", "--unlock-distance", _METRES, "a held foot is let go this far from the animation"),
        ("blend_time", "--blend-time", _SECONDS, "from free to held and back"),
    ),
}
SETTINGS = tuple(
    Setting(group, name, option, *kind, what)
    for group, options in _OPTIONS.items()
    for name, option, kind, what in options
)


@dataclass(frozen=True)
class Chosen:
    """The settings of one run: what an option says, else the preset, else what is usual."""

    contacts: ContactSettings
    cleanup: CleanupSettings
    lock: LockSettings


def add_setting_options(parser: argparse.ArgumentParser, verb: str) -> None:
    """Add the options of all settings that a verb asks."""
    asked = _ASKED.get(verb, ())
    if not asked:
        return
    parser.add_argument(
        "--preset",
        metavar="NAME|FILE",
        help="settings by the name that they have in the sidebar, or the file of a preset; options are stronger",
    )
    for group in asked:
        add = parser.add_argument_group(_TITLES[group]).add_argument
        for setting in SETTINGS:
            if setting.group == group:
                note = f"{setting.help} ({setting.usual:g})"
                add(setting.option, type=setting.kind, metavar=setting.metavar, help=note)


def chosen_settings(given: argparse.Namespace) -> Chosen:
    """Return the settings that were asked for; RigError where a preset cannot be read."""
    values: Values = {group: {} for group in _KINDS}
    preset = getattr(given, "preset", None)
    if preset is not None:
        _take_preset(preset, values)
    for setting in SETTINGS:
        value = getattr(given, setting.destination, None)
        if value is not None and setting.group in _ASKED.get(given.verb, ()):
            values[setting.group][setting.name] = value
    made: dict[str, Any] = {group: kind(**values[group]) for group, kind in _KINDS.items()}
    return Chosen(**made)


def _take_preset(preset: str, values: Values) -> None:
    """Put the values of a preset among ``values``; RigError where it sets what there is not, or cannot be."""
    path = preset_file(preset)
    known = {(setting.group, setting.name): setting for setting in SETTINGS}
    for group, own in read_preset(path).items():
        for name, value in own.items():
            setting = known.get((group, name))
            if setting is None or name not in {field.name for field in fields(_KINDS[group])}:
                raise RigError(f"{path.name}: there is no setting {group}.{name}; take its line out")
            try:
                values[group][name] = setting.kind(repr(value))
            except argparse.ArgumentTypeError as error:
                raise RigError(f"{path.name}: {group}.{name}: {error}") from None
