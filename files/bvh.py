# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH as text: read with every fault named, written back with only the numbers that changed replaced."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..rig.common.wording import RigError
from .placing import write_bytes

FloatArray = NDArray[np.float64]

CHANNEL_NAMES = {
    f"{axis}{what}".lower(): f"{axis}{what}" for what in ("position", "rotation") for axis in ("X", "Y", "Z")
}

# New numbers get this many decimals, or as many as the file's own numbers where those have more.
LEAST_DECIMALS = 6
MOST_DECIMALS = 12

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_FRAMES = re.compile(r"\s*frames\s*:\s*(.*?)\s*$", re.IGNORECASE)
_FRAME_TIME = re.compile(r"\s*frame\s*time\s*:\s*(.*?)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Bvh:
    """A BVH file: its joints, its motion, and the text that both were read from.

    file_name : for messages.
    names : of the joints, parents before children. An End Site is a joint without channels, named ``<joint>_end``.
    parents : index of each joint's parent, -1 for a root.
    offsets : (J, 3) in the file's unit, in the file's axes (Y up as a rule).
    channels : of each joint, in the file's order, spelled ``Xposition`` .. ``Zrotation``.
    frame_time : seconds.
    values : (F, C) of all channels, joint by joint; degrees and the file's unit.
    head, rows, tail : the text before the motion, of each row with its line ending, and after it.
    encoding : of the bytes.
    """

    file_name: str
    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: FloatArray
    channels: tuple[tuple[str, ...], ...]
    frame_time: float
    values: FloatArray
    head: str
    rows: tuple[str, ...]
    tail: str
    encoding: str

    @property
    def first_channels(self) -> tuple[int, ...]:
        """Column in ``values`` of each joint's first channel."""
        counts = [len(channels) for channels in self.channels]
        return tuple(int(column) for column in np.cumsum([0, *counts])[:-1])

    @property
    def is_tip(self) -> tuple[bool, ...]:
        """Whether each joint is an End Site."""
        parents = set(self.parents)
        return tuple(
            not channels and joint not in parents and name.endswith("_end")
            for joint, (name, channels) in enumerate(zip(self.names, self.channels, strict=True))
        )


@dataclass(frozen=True)
class _Joints:
    """What the hierarchy says, while it is being read."""

    names: list[str]
    parents: list[int]
    offsets: list[list[float] | None]
    channels: list[tuple[str, ...] | None]


class _Text:
    """The lines of one file, and the faults found in them."""

    def __init__(self, file_name: str, text: str) -> None:
        self.file_name = file_name
        self.lines: list[str] = _LINE.findall(text)

    def fault(self, line: int | None, what: str) -> RigError:
        where = self.file_name if line is None else f"{self.file_name}, line {line + 1}"
        return RigError(f"{where}: {what}")

    def number(self, token: str, line: int) -> float:
        try:
            value = float(token)
        except ValueError:
            raise self.fault(line, f"{_shown(token)} is not a number; export the file again") from None
        if not math.isfinite(value):
            raise self.fault(line, f"{_shown(token)} is not a finite number; repair or export the file again")
        return value

    def whole_number(self, token: str, line: int) -> int:
        try:
            return int(token)
        except ValueError:
            raise self.fault(line, f"{_shown(token)} is not a whole number; export the file again") from None


def read(path: str | os.PathLike[str]) -> Bvh:
    """Read a BVH file; RigError, naming the file and the line, for whatever is wrong with it."""
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RigError(f"{path.name}: cannot be read ({error.strerror}); check the path and its permissions") from None
    return parse(data, path.name)


def parse(data: bytes, file_name: str) -> Bvh:
    """Read the bytes of a BVH file called ``file_name``."""
    content, encoding = _decoded(data, file_name)
    text = _Text(file_name, content)
    joints, motion_line = _read_hierarchy(text)
    frame_count, frame_time, first_row = _read_motion_head(text, motion_line)
    column_count = sum(len(channels or ()) for channels in joints.channels)
    rows, values, end = _read_rows(text, first_row, frame_count, column_count)
    return Bvh(
        file_name=file_name,
        names=tuple(joints.names),
        parents=tuple(joints.parents),
        offsets=np.array([offset or [0.0, 0.0, 0.0] for offset in joints.offsets], dtype=np.float64),
        channels=tuple(channels or () for channels in joints.channels),
        frame_time=frame_time,
        values=values,
        head="".join(text.lines[:first_row]),
        rows=rows,
        tail="".join(text.lines[end:]),
        encoding=encoding,
    )


def patched_text(bvh: Bvh, values: FloatArray) -> str:
    """Return the file's text with ``values`` ``(F, C)`` in place of the numbers that they differ from."""
    if values.shape != bvh.values.shape:
        raise ValueError(f"{bvh.values.shape} values in the file, but {values.shape} to write")
    if not np.isfinite(values).all():
        raise ValueError("a value to write is not a finite number")
    decimals = _decimals(bvh.rows[:16])
    changed = np.abs(values - bvh.values) >= 0.5 * 10.0**-decimals
    rows = list(bvh.rows)
    for row in np.flatnonzero(changed.any(axis=1)).tolist():
        # Every second piece is a number, the others are the white space around it.
        pieces = re.split(r"(\S+)", rows[row])
        for column in np.flatnonzero(changed[row]).tolist():
            pieces[2 * column + 1] = f"{round(float(values[row, column]), decimals) + 0.0:.{decimals}f}"
        rows[row] = "".join(pieces)
    return bvh.head + "".join(rows) + bvh.tail


def write(path: str | os.PathLike[str], bvh: Bvh, values: FloatArray) -> None:
    """Write the file with other values, whole or not at all."""
    write_bytes(Path(path), patched_text(bvh, values).encode(bvh.encoding))


def _shown(token: str) -> str:
    return repr(token if len(token) <= 24 else token[:21] + "...")


def _decoded(data: bytes, file_name: str) -> tuple[str, str]:
    if not data.strip():
        raise RigError(f"{file_name}: the file is empty; export it again")
    if b"\0" in data:
        raise RigError(f"{file_name}: this is not a BVH file, it holds binary data; export it as text BVH")
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        # Joint names in some old code page: one byte a character comes back as it was.
        return data.decode("latin-1"), "latin-1"


def _words(text: _Text) -> list[tuple[str, int]]:
    """Return the words of the hierarchy with their lines, up to and with ``MOTION``; braces are words of their own."""
    words: list[tuple[str, int]] = []
    for line, content in enumerate(text.lines):
        content = content.lstrip("\ufeff") if line == 0 else content
        found = content.replace("{", " { ").replace("}", " } ").split()
        words += [(word, line) for word in found]
        if found and not words[0][0].lower() == "hierarchy":
            raise text.fault(line, "this is not a BVH file, it does not begin with HIERARCHY; export it as BVH")
        if found and found[0].lower() == "motion":
            return words
    raise text.fault(None, "the file ends before MOTION, it was cut off; export it again")


def _read_hierarchy(text: _Text) -> tuple[_Joints, int]:
    """Return the joints, and the line of ``MOTION``."""
    words = _words(text)
    joints = _Joints([], [], [], [])
    open_joints: list[int] = []
    at = 1
    while at < len(words):
        word, line = words[at]
        keyword = word.lower()
        if keyword == "motion":
            break
        if keyword in {"root", "joint", "end"}:
            at = _read_joint(text, words, at, joints, open_joints)
        elif not open_joints:
            raise text.fault(line, f"{_shown(word)} stands outside of any joint; export the file again")
        elif keyword == "offset":
            at = _read_offset(text, words, at, joints, open_joints[-1])
        elif keyword == "channels":
            at = _read_channels(text, words, at, joints, open_joints[-1])
        elif word == "}":
            open_joints.pop()
            at += 1
        else:
            raise text.fault(line, f"{_shown(word)} is not part of a BVH hierarchy; export the file again")
    line = words[-1][1]
    if open_joints:
        name = joints.names[open_joints[-1]]
        raise text.fault(line, f"joint {name!r} is not closed by a brace before MOTION; export the file again")
    if not joints.names:
        raise text.fault(line, "there is no ROOT joint before MOTION; export the file again")
    return joints, line


def _read_joint(text: _Text, words: list[tuple[str, int]], at: int, joints: _Joints, open_joints: list[int]) -> int:
    word, line = words[at]
    keyword = word.lower()
    after = at + 1
    while after < len(words) and words[after][0] != "{" and words[after][1] == line:
        after += 1
    # A name may hold spaces; it ends with its line or at the brace.
    name = " ".join(part for part, _ in words[at + 1 : after])
    if words[min(after, len(words) - 1)][0] != "{":
        raise text.fault(line, f"no brace opens after {word} {name}; export the file again")
    if keyword == "root" and open_joints:
        raise text.fault(line, f"ROOT {name} stands inside joint {joints.names[open_joints[-1]]!r}; a brace is missing")
    if keyword != "root" and not open_joints:
        raise text.fault(line, f"{word} {name} stands outside of ROOT; a brace too many closes before it")
    parent = open_joints[-1] if open_joints else -1
    if keyword == "end":
        name = f"{joints.names[parent]}_end"
    elif not name:
        raise text.fault(line, f"{word} has no name; give it one")
    joints.names.append(name)
    joints.parents.append(parent)
    joints.offsets.append(None)
    joints.channels.append(() if keyword == "end" else None)
    open_joints.append(len(joints.names) - 1)
    return after + 1


def _read_offset(text: _Text, words: list[tuple[str, int]], at: int, joints: _Joints, joint: int) -> int:
    line = words[at][1]
    if joints.offsets[joint] is not None:
        raise text.fault(line, f"joint {joints.names[joint]!r} has a second OFFSET; a brace is missing before it")
    numbers = [word for word, word_line in words[at + 1 : at + 4] if word_line == line]
    if len(numbers) < 3:
        raise text.fault(line, f"OFFSET has {len(numbers)} numbers, 3 are expected; export the file again")
    joints.offsets[joint] = [text.number(word, line) for word in numbers]
    return at + 4


def _read_channels(text: _Text, words: list[tuple[str, int]], at: int, joints: _Joints, joint: int) -> int:
    line = words[at][1]
    name = joints.names[joint]
    if joints.channels[joint] is not None:
        raise text.fault(line, f"joint {name!r} has CHANNELS twice, or is an End Site; a brace is missing before it")
    on_line = [word for word, word_line in words[at + 1 : at + 12] if word_line == line]
    count = text.whole_number(on_line[0], line) if on_line else -1
    found = on_line[1 : count + 1]
    if not 0 <= count <= 6 or len(found) != count:
        raise text.fault(line, f"CHANNELS of joint {name!r} does not list as many channels as it says")
    unknown = [word for word in found if word.lower() not in CHANNEL_NAMES]
    if unknown or len({word.lower() for word in found}) < count:
        wrong = _shown(unknown[0]) if unknown else "a channel listed twice"
        raise text.fault(line, f"CHANNELS of {name!r}: {wrong} is not supported; use X, Y, Z position and rotation")
    joints.channels[joint] = tuple(CHANNEL_NAMES[word.lower()] for word in found)
    return at + 2 + count


def _read_motion_head(text: _Text, motion_line: int) -> tuple[int, float, int]:
    """Return how many frames there are, the seconds of each, and the line of the first row."""
    end = min(motion_line + 40, len(text.lines))
    filled = [line for line in range(motion_line + 1, end) if text.lines[line].strip()]
    frames = _FRAMES.match(text.lines[filled[0]]) if filled else None
    if frames is None:
        raise text.fault(motion_line, "no 'Frames:' line follows MOTION; export the file again")
    frame_count = text.whole_number(frames[1], filled[0])
    if frame_count < 1:
        raise text.fault(filled[0], f"the file says that it has {frame_count} frames; export it with at least one")
    time = _FRAME_TIME.match(text.lines[filled[1]]) if len(filled) > 1 else None
    if time is None:
        raise text.fault(filled[0], "no 'Frame Time:' line follows 'Frames:'; export the file again")
    frame_time = text.number(time[1], filled[1])
    if not frame_time > 0.0:
        raise text.fault(filled[1], f"the frame time is {time[1]}; write the seconds of a frame, above 0")
    return frame_count, frame_time, filled[1] + 1


def _read_rows(
    text: _Text, first_row: int, frame_count: int, column_count: int
) -> tuple[tuple[str, ...], FloatArray, int]:
    """Return the text of each row with the blank lines after it, the values ``(F, C)``, and the line after the rows."""
    # A file's word on how many frames it holds is not a reason to take memory: lines are.
    rows: list[str] = []
    values: list[FloatArray] = []
    line, before = first_row, ""
    while line < len(text.lines) and len(rows) < frame_count:
        content = text.lines[line]
        tokens = content.split()
        if tokens:
            values.append(_read_row(text, tokens, line, column_count, (len(rows) + 1, frame_count)))
            rows.append(before + content)
            before = ""
        else:
            before += content
        line += 1
    if len(rows) < frame_count:
        found = f"the file ends after {len(rows)} of {frame_count} frames, it was cut off"
        raise text.fault(len(text.lines) - 1, f"{found}; export it again")
    return tuple(rows), np.array(values).reshape(frame_count, column_count), line


def _read_row(text: _Text, tokens: list[str], line: int, column_count: int, place: tuple[int, int]) -> FloatArray:
    try:
        row = np.array([float(token) for token in tokens])
    except ValueError:
        row = np.array([text.number(token, line) for token in tokens])
    if len(tokens) != column_count:
        found = f"frame {place[0]} of {place[1]} has {len(tokens)} numbers, {column_count} are expected"
        raise text.fault(line, f"{found}; export the file again")
    if not np.isfinite(row).all():
        row = np.array([text.number(token, line) for token in tokens])
    return row


def _decimals(rows: tuple[str, ...]) -> int:
    found = [len(part) for row in rows for part in re.findall(r"\.(\d+)(?![\deE])", row)]
    return min(max([LEAST_DECIMALS, *found]), MOST_DECIMALS)
