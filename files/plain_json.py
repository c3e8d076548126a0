# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON that every program can read: a figure that is no number is null. Pure text, nothing of Blender."""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(document: Any, indent: int | None = 2) -> str:
    """Return a document as JSON; NaN and infinity, for which JSON has no word, are written as null."""
    try:
        return json.dumps(document, indent=indent, allow_nan=False)
    except ValueError:
        return json.dumps(without_nan(document), indent=indent, allow_nan=False)


def without_nan(document: Any) -> Any:
    """Return a document with None for each number that is not finite."""
    if isinstance(document, float) and not math.isfinite(document):
        return None
    if isinstance(document, dict):
        return {key: without_nan(value) for key, value in document.items()}
    if isinstance(document, list | tuple):
        return [without_nan(value) for value in document]
    return document
