# SPDX-License-Identifier: GPL-3.0-or-later
"""What the command says is lost before its work is: whoever reads it may have left, or know no letters but ASCII."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from toehold.command_streams import complain, finish, tell


def test_letters_that_the_output_does_not_have_are_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert tell(["足 → done"])
    assert written.getvalue() == b"\\u8db3 \\u2192 done\n"


def test_a_reader_that_has_left_is_told_no_more_and_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert not tell(["a line that nothing takes"])
        tell(["another one"])
        finish()


def test_a_full_disk_is_no_error_of_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/full", "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        complain(Path("walk.bvh"), "no foot is ever planted")
        finish()


def test_an_output_that_was_closed_before_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert not tell(["nothing"])
    finish()


def test_a_complaint_is_one_line_that_names_its_file_once(capsys: pytest.CaptureFixture[str]) -> None:
    complain(Path("folder/walk.bvh"), "two\nlines")
    complain(Path("folder/walk.bvh"), "walk.bvh: the file is empty")
    assert capsys.readouterr().err == "walk.bvh: two lines\nwalk.bvh: the file is empty\n"
