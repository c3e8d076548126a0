# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files come back as they were, and every fault in one is named with its line."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from support.clips import DATA
from toehold.files import bvh as bvh_files
from toehold.rig.common.wording import RigError

SMALL = """HIERARCHY
ROOT Hips
{
\tOFFSET 0 1 0
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Leg
\t{
\t\tOFFSET 0 -0.5 0
\t\tCHANNELS 3 Zrotation Xrotation Yrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0 -0.5 0
\t\t}
\t}
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 1 0 1.5 2 3 4 5 6
0 1 0.1 1.25 2 3  4 5 -6
"""

REAL = sorted(str(path.relative_to(DATA)) for path in DATA.glob("*/*.bvh"))


def parse(text: str | bytes) -> bvh_files.Bvh:
    return bvh_files.parse(text.encode() if isinstance(text, str) else text, "small.bvh")


@pytest.mark.skipif(not REAL, reason="the real clips of ../shared/data are not here")
@pytest.mark.parametrize("name", REAL)
def test_an_unchanged_real_file_comes_back_byte_for_byte(name: str) -> None:
    content = (DATA / name).read_bytes()
    bvh = bvh_files.parse(content, name)
    assert bvh_files.patched_text(bvh, bvh.values).encode(bvh.encoding) == content


def test_joints_channels_and_values_are_read_in_the_files_order() -> None:
    bvh = parse(SMALL)
    assert bvh.names == ("Hips", "Leg", "Leg_end")
    assert bvh.parents == (-1, 0, 1)
    assert bvh.is_tip == (False, False, True)
    assert bvh.channels[1] == ("Zrotation", "Xrotation", "Yrotation")
    assert bvh.first_channels == (0, 6, 9)
    assert bvh.offsets.tolist() == [[0, 1, 0], [0, -0.5, 0], [0, -0.5, 0]]
    assert bvh.values[1].tolist() == [0, 1, 0.1, 1.25, 2, 3, 4, 5, -6]
    assert bvh.frame_time == 0.0333333


def test_only_the_numbers_that_changed_are_replaced() -> None:
    bvh = parse(SMALL)
    values = bvh.values.copy()
    values[1, 3] = -1e-9
    values[1, 8] += 1e-8  # less than can be written
    expected = SMALL.replace("0 1 0.1 1.25 2 3  4 5 -6", "0 1 0.1 0.000000 2 3  4 5 -6")
    assert bvh_files.patched_text(bvh, values) == expected


def test_new_numbers_are_as_fine_as_the_files_own() -> None:
    bvh = parse(SMALL.replace("1.25", "1.25000000"))
    values = bvh.values.copy()
    values[0, 0] = 1.0 / 3.0
    assert "0.33333333 1 0" in bvh_files.patched_text(bvh, values)


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("Windows line ends", SMALL.replace("\n", "\r\n")),
        ("old Macintosh line ends", SMALL.replace("\n", "\r")),
        ("a byte order mark", "\ufeff" + SMALL),
        ("lower case", SMALL.replace("ROOT", "root").replace("Xrotation", "xrotation").replace("MOTION", "motion")),
        ("no space after a colon", SMALL.replace("Frame Time: 0.", "Frame Time:.").replace("Frames: ", "Frames:")),
        ("tabs between numbers", SMALL.replace("4 5", "4\t5")),
        ("exponents", SMALL.replace("0.1", "1e-1")),
        ("blank lines", SMALL.replace("MOTION", "\nMOTION").replace("\n0 1 0.1", "\n\n \n0 1 0.1") + "\n\n"),
        ("a brace beside the name", SMALL.replace("ROOT Hips\n{", "ROOT Hips {")),
        ("no line end at the end", SMALL.rstrip()),
        ("more rows than it says", SMALL + "1 1 1 1 1 1 1 1 1\n"),
    ],
)
def test_what_real_files_do_is_read_and_comes_back(what: str, text: str) -> None:
    bvh = parse(text)
    assert bvh.values.tolist() == parse(SMALL).values.tolist(), what
    assert bvh_files.patched_text(bvh, bvh.values) == text


def test_joint_names_in_an_old_code_page_come_back() -> None:
    content = SMALL.encode().replace(b"Leg", b"Bein\xfc")
    bvh = parse(content)
    assert bvh_files.patched_text(bvh, bvh.values).encode(bvh.encoding) == content


def test_several_roots_and_names_with_spaces_are_read() -> None:
    second = "ROOT left hand\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n"
    text = SMALL.replace("MOTION", second + "MOTION").replace("5 6\n", "5 6 7\n").replace("5 -6\n", "5 -6 8\n")
    bvh = parse(text)
    assert bvh.names[3:] == ("left hand", "left hand_end")
    assert bvh.parents[3] == -1
    assert bvh.values[:, 9].tolist() == [7, 8]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", None, "empty"),
        (" \n\n", None, "empty"),
        ("\0\1binary", None, "binary"),
        (SMALL.encode("utf-16"), None, "binary"),
        ("<html>", 1, "HIERARCHY"),
        (SMALL[:60], None, "MOTION"),
        (SMALL.split("MOTION")[0], None, "MOTION"),
        (SMALL.replace("OFFSET 0 1 0", "OFFSET 0 one 0"), 4, "'one' is not a number"),
        (SMALL.replace("OFFSET 0 1 0", "OFFSET 0 1"), 4, "OFFSET has 2 numbers"),
        (SMALL.replace("CHANNELS 3", "CHANNELS 4"), 9, "CHANNELS"),
        (SMALL.replace("CHANNELS 3", "CHANNELS some"), 9, "'some' is not a whole number"),
        (SMALL.replace("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation"), 9, "'Wrotation'"),
        (SMALL.replace("CHANNELS 3 Zrotation", "CHANNELS 3 Yrotation"), 9, "listed twice"),
        (SMALL.replace("}\nMOTION", "MOTION"), 15, "'Hips' is not closed"),
        (SMALL.replace("MOTION", "}\nMOTION"), 16, "'}'"),
        (SMALL.replace("ROOT Hips", "ROOT"), 2, "no name"),
        (SMALL.replace("\tJOINT Leg", "\tBONE Leg"), 6, "'BONE'"),
        (SMALL.replace("Frames: 2\n", ""), 16, "Frames:"),
        (SMALL.replace("Frames: 2", "Frames: 0"), 17, "0 frames"),
        (SMALL.replace("Frames: 2", "Frames: -3"), 17, "-3 frames"),
        (SMALL.replace("Frames: 2", "Frames: many"), 17, "'many'"),
        (SMALL.replace("Frames: 2", "Frames: 99999999999"), 20, "after 2 of 99999999999 frames"),
        (SMALL.replace("Frame Time: 0.0333333\n", ""), 17, "Frame Time"),
        (SMALL.replace("Time: 0.0333333", "Time: 0"), 18, "frame time is 0"),
        (SMALL.replace("Time: 0.0333333", "Time: -1"), 18, "frame time is -1"),
        (SMALL.replace("Time: 0.0333333", "Time: nan"), 18, "not a finite"),
        (SMALL.replace("1.25", "spam"), 20, "'spam' is not a number"),
        (SMALL.replace("1.25", "nan"), 20, "'nan' is not a finite number"),
        (SMALL.replace("1.25", "-inf"), 20, "'-inf' is not a finite number"),
        (SMALL.replace("0 1 0.1 1.25", "0 1"), 20, "has 7 numbers, 9 are expected"),
        (SMALL.replace("4 5 -6", "4 5 -6 7"), 20, "has 10 numbers, 9 are expected"),
        (SMALL.rsplit("0 1 0.1", 1)[0], 19, "after 1 of 2 frames"),
    ],
)
def test_every_fault_is_one_line_that_names_the_file_and_the_place(
    text: str | bytes, line: int | None, what: str
) -> None:
    with pytest.raises(RigError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.startswith("small.bvh: " if line is None else f"small.bvh, line {line}: ")
    assert what in message
    assert "\n" not in message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RigError, match=r"gone\.bvh: cannot be read"):
        bvh_files.read(tmp_path / "gone.bvh")
    with pytest.raises(RigError, match="cannot be read"):
        bvh_files.read(tmp_path)


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out.bvh"
    out.write_text("old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    bvh = parse(SMALL)
    with pytest.raises(OSError, match="disk full"):
        bvh_files.write(out, bvh, bvh.values)
    assert [path.name for path in tmp_path.iterdir()] == ["out.bvh"]
    assert out.read_text() == "old"


def test_values_that_cannot_be_written_are_refused() -> None:
    bvh = parse(SMALL)
    with pytest.raises(ValueError, match="finite"):
        bvh_files.patched_text(bvh, np.full_like(bvh.values, np.nan))
    with pytest.raises(ValueError, match="to write"):
        bvh_files.patched_text(bvh, bvh.values[:1])
