# SPDX-License-Identifier: GPL-3.0-or-later
"""What the name of a bone says about it: which part of a leg, on which side. No bpy, no rig's list of names.

Names are cut into words at separators, capitals and digits, so that ``mixamorig:LeftUpLeg``, ``thigh_l``,
``J_Bip_L_UpperLeg`` and ``lThighBend`` come down to a side and a few words; the words decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise


class Part(Enum):
    """A part of a leg as far as a name can tell. ``LEG`` is a thigh or a shin, by what is above and below it."""

    HIP = "hip"
    THIGH = "thigh"
    LEG = "leg"
    SHIN = "shin"
    ANKLE = "ankle"
    FOOT = "foot"
    TOE = "toe"
    HOOF = "hoof"


class ArmPart(Enum):
    """A part of an arm as far as a name can tell."""

    UPPER_ARM = "upper arm"
    FOREARM = "forearm"
    HAND = "hand"


@dataclass(frozen=True)
class BoneName:
    """What a name says.

    side : "L", "R" or "".
    part : of a leg, None for anything else.
    words : in order, in lower case, the side left out.
    """

    side: str
    part: Part | None
    words: tuple[str, ...]


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_SIDE_OF_WORD = {"left": "L", "right": "R", "lft": "L", "rgt": "R", "rt": "R", "lf": "L"}
_SIDE_OF_LETTER = {"l": "L", "r": "R"}
_GLUED_SIDE = re.compile(r"([lr])(.+)")
_SIDE_AT_START = re.compile(r"(left|right)(?=[a-z])")

# Japanese names as MikuMikuDance models have them. Longer ones first.
_JAPANESE = (
    ("左", " left "),
    ("右", " right "),
    ("足首", " ankle "),
    ("足先", " toe "),
    ("つま先", " toe "),
    ("爪先", " toe "),
    ("ひざ", " knee "),
    ("膝", " knee "),
    ("足", " leg "),
    ("\uff29\uff2b", " ik "),
    ("手首", " wrist "),
    ("手捩", " twist "),
    ("腕捩", " twist "),
    ("ひじ", " elbow "),
    ("肘", " elbow "),
    ("腕", " arm "),
    ("肩", " shoulder "),
    ("親指", " thumb "),
    ("中指", " middle "),
    ("指", " finger "),
    ("親", " parent "),
    ("下半身", " pelvis "),
    ("センター", " center "),
)

# Words that make a bone something else than the joint its other words name: helpers, controls, clothes, arms.
# fmt: off
_NO_JOINT = frozenset((
    "ik", "pole", "target", "twist", "roll", "helper", "tweak", "mch", "vis", "widget", "socket", "offset", "heel",
    "parent", "master", "spin", "pivot", "ctrl", "control", "skirt", "cloth", "dress", "pants", "sock", "shoe", "boot",
    "pad", "armor", "armour", "prop", "weapon", "pocket", "corrective", "corr", "muscle", "jiggle", "volume", "arm",
    "hand", "palm", "finger", "thumb", "index", "middle", "ring", "pinky", "shoulder", "clavicle", "wing", "tail",
    "ear", "pelvis",
))
# fmt: on
_HELPERS = frozenset(
    (
        *(
            "ik",
            "fk",
            "pole",
            "target",
            "twist",
            "roll",
            "helper",
            "tweak",
            "mch",
            "socket",
            "offset",
            "heel",
            "parent",
        ),
        *("master", "pivot", "ctrl", "control", "corrective", "corr", "muscle", "jiggle", "volume", "pad", "prop"),
        *("shoe", "boot", "sock", "armor", "armour", "skirt", "weapon", "slot", "attach", "vis", "widget", "rock"),
    )
)
# Words of arms, and those that make a bone of theirs a helper, a finger or something else.
_UPPER_ARMS = ("upperarm", "uparm", "armupper", "armup", "humerus", "shldr", "shldrbend", "bicep")
_FOREARMS = ("forearm", "forearmbend", "lowerarm", "lowarm", "armlower", "armlow", "elbow", "radius", "ulna")
_HANDS = ("hand", "wrist", "palm")
_NO_ARM_JOINT = frozenset(
    (
        *(
            "ik",
            "fk",
            "pole",
            "target",
            "twist",
            "roll",
            "helper",
            "tweak",
            "mch",
            "socket",
            "slot",
            "offset",
            "parent",
        ),
        *(
            "master",
            "ctrl",
            "control",
            "prop",
            "weapon",
            "item",
            "corrective",
            "corr",
            "muscle",
            "volume",
            "pad",
            "end",
        ),
        *("finger", "fingers", "thumb", "index", "middle", "mid", "ring", "pinky", "pinkie", "little", "metacarpal"),
        *("carpal", "leg", "foot", "hold", "glove", "sleeve", "vis", "widget", "f"),
    )
)
_MIDDLE_FINGERS = ("middle", "mid", "midfinger", "finger2")
_HELD = ("weapon", "prop", "slot", "socket", "item", "ik", "hold", "gun", "sword", "attach", "grip", "shield", "ctrl")
_NEVER_A_LEG = (
    "fin",
    "wing",
    "ear",
    "hair",
    "skirt",
    "cape",
    "cloak",
    "tail",
    "feather",
    "horn",
    "breast",
    "jaw",
    "mouth",
)

_BY_WORD = {
    **dict.fromkeys(("thigh", "femur", "humerus", "upleg", "upperleg", "thighs", "legupper", "legup"), Part.THIGH),
    **dict.fromkeys(("shin", "calf", "knee", "tibia", "lowleg", "lowerleg", "leglower", "leglow", "crus"), Part.SHIN),
    **dict.fromkeys(("hoof", "claw"), Part.HOOF),
    **dict.fromkeys(("toe", "toes", "toebase", "ball", "toebone", "digit"), Part.TOE),
    **dict.fromkeys(("ankle", "hock", "talus"), Part.ANKLE),
    **dict.fromkeys(("foot", "feet", "paw"), Part.FOOT),
    "leg": Part.LEG,
    "hip": Part.HIP,
}
_JOINTS = frozenset((*_BY_WORD, *_UPPER_ARMS, *_FOREARMS, *_HANDS))
# What a word still means with something stuck to it ("thighbend", "metatarsals" are not split by any capital).
_BY_START = (("thigh", Part.THIGH), ("shin", Part.SHIN), ("calf", Part.SHIN), ("foot", Part.FOOT), ("toe", Part.TOE))


def read_name(name: str) -> BoneName:
    """Return what ``name`` says."""
    side, words = _side_and_words(name)
    return BoneName(side, _part_of(words), words)


def is_end(name: BoneName) -> bool:
    """Whether the name is of a bone that only marks where the one above it ends."""
    return not {"end", "nub", "tip", "leaf", "site", "top"}.isdisjoint(name.words)


def is_part(word: str) -> bool:
    """Whether a word, or how it begins, is of a part of a leg."""
    return word in _BY_WORD or any(word.startswith(start) for start, _ in _BY_START)


def is_helper(name: BoneName) -> bool:
    """Whether the name is of a bone that helps others: a twist, a control, what corrects a shape, what is held."""
    return not _HELPERS.isdisjoint(name.words)


def is_aim(name: BoneName) -> bool:
    """Whether the name is of what a knee or an elbow points to."""
    return not {"pole", "poletarget", "target", "aim"}.isdisjoint(name.words)


def is_body(name: BoneName) -> bool:
    """Whether the name is of the bone that carries the body."""
    return not name.side and not {"hips", "pelvis", "hip"}.isdisjoint(name.words)


def is_arm(name: BoneName) -> bool:
    """Whether the name is of an arm or a hand."""
    joined = "".join(name.words)
    return any(word in joined for word in ("arm", "hand", "finger", "thumb", "wrist", "elbow"))


def arm_part(name: BoneName) -> ArmPart | None:
    """Return which part of an arm the name is of, None for anything else."""
    letters = [word for word in name.words if not word.isdigit()]
    if not _NO_ARM_JOINT.isdisjoint(letters):
        return None
    said = {*letters, *("".join(pair) for pair in pairwise(letters))}
    for part, words in ((ArmPart.FOREARM, _FOREARMS), (ArmPart.UPPER_ARM, _UPPER_ARMS), (ArmPart.HAND, _HANDS)):
        if not said.isdisjoint(words):
            return part
    return None


def holds_something(name: BoneName) -> bool:
    """Whether the name is of what a hand holds, or of a control."""
    return not {*_HELD}.isdisjoint(name.words)


def finger_rank(name: BoneName) -> int:
    """Return how well a finger tells where the hand is: the middle one best, a thumb least."""
    said = {*name.words, *("".join(pair) for pair in pairwise(name.words))}
    return 2 if not said.isdisjoint(_MIDDLE_FINGERS) else 1 if said.isdisjoint(("thumb", "finger0")) else 0


def is_no_leg(name: BoneName) -> bool:
    """Whether the name is of a part that hangs down in pairs as legs do and never is one."""
    joined = "".join(name.words)
    return name.part is None and any(word.startswith(_NEVER_A_LEG) for word in (*name.words, joined))


def _side_and_words(name: str) -> tuple[str, tuple[str, ...]]:
    # What stands before a colon or a bar is the name of the rig.
    text = re.split(r"[:|]", name)[-1]
    for japanese, english in _JAPANESE:
        text = text.replace(japanese, english)
    words: list[str] = []
    for word in _WORD.findall(text):
        # "leftupleg": no capital tells where the side ends.
        words += _unglued(_SIDE_AT_START.sub(r"\1 ", word.lower())).split()
    for sides in (_SIDE_OF_WORD, _SIDE_OF_LETTER):
        found = [at for at, word in enumerate(words) if word in sides]
        if found:
            # Of two, the last: "r_toe.L" is the rear toe on the left.
            at = found[-1]
            return sides[words[at]], tuple(words[:at] + words[at + 1 :])
    return "", tuple(words)


def _unglued(word: str) -> str:
    """Return "l femur" for "lfemur": the letter of a side before the name of a joint."""
    glued = _GLUED_SIDE.fullmatch(word)
    return f"{glued[1]} {glued[2]}" if glued and word not in _JOINTS and glued[2] in _JOINTS else word


def _part_of(words: tuple[str, ...]) -> Part | None:
    letters = [word for word in words if not word.isdigit()]
    if not _NO_JOINT.isdisjoint(letters):
        return None
    # The words that say most come last ("front_leg_upper" and "upper_leg" are one).
    joined_pairs = ["".join(pair) for pair in pairwise(letters)]
    for candidates in (joined_pairs, letters):
        for word in reversed(candidates):
            if word in _BY_WORD and _BY_WORD[word] is not Part.LEG:
                return _BY_WORD[word]
    for word in letters:
        for start, part in _BY_START:
            if word.startswith(start) and not any(word.endswith(no) for no in ("twist", "roll", "ik")):
                return part
    return Part.LEG if "leg" in letters else None
