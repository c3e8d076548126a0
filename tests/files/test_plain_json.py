# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON that every program reads, whatever the figures are."""

from __future__ import annotations

import json
import math

from toehold.files.plain_json import json_text


def test_a_figure_that_is_no_number_is_null_and_all_else_stays() -> None:
    document = {"files": [{"slide": math.nan, "drift": 1.5, "spans": (1, -math.inf)}], "name": "ä"}
    read = json.loads(json_text(document), parse_constant=lambda name: f"{name} is no JSON")
    assert read == {"files": [{"slide": None, "drift": 1.5, "spans": [1, None]}], "name": "ä"}
