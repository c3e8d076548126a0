# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that takes long shows so and can be called off; the sidebar speaks the user's language."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from gui.window import Run

LANGUAGES = ("de_DE", "es", "nl_NL", "zh_HANS")


def test_esc_calls_a_long_clean_off_and_leaves_all_as_it_was(window: Run) -> None:
    seen = window.seen
    assert seen["while"]["busy"]
    assert seen["cancelled"] == seen["before"]


def test_what_was_called_off_can_be_done_again(window: Run) -> None:
    seen = window.seen
    assert seen["cleaned"]["shown"].endswith("Clean")
    assert seen["cleaned"]["frame"] == seen["before"]["frame"]
    source = seen["before"]["shown"]
    assert seen["cleaned"]["actions"][source] == seen["before"]["actions"][source]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(LANGUAGES, 2)))
def test_the_sidebar_reads_otherwise_in_each_language(window: Run, one: str, other: str) -> None:
    differs = np.abs(window.part(one, "sidebar") - window.part(other, "sidebar")).max(axis=-1) > 40
    assert differs.mean() > 0.01
