# SPDX-License-Identifier: GPL-3.0-or-later
"""Change single values in JSON that stays, letter by letter, what it was everywhere else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = " \t\r\n\ufeff"
_DECODER = json.JSONDecoder()

Span = tuple[int, int]


@dataclass(frozen=True)
class Edit:
    """A new value for what the names and numbers of ``place`` lead to; None as the last of them adds to a list.

    What is missing on the way is made, if it is the last.
    """

    place: tuple[str | int | None, ...]
    value: Any


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Return JSON with new values, in the order in which they are given where several add to one list.

    Raises ValueError where the text is no JSON, KeyError or IndexError where a place is not in it.
    """
    pieces: list[tuple[int, int, str]] = []
    added: dict[tuple[str | int | None, ...], list[str]] = {}
    for edit in edits:
        if edit.place[-1] is None:
            added.setdefault(edit.place[:-1], []).append(_dumped(edit.value))
        else:
            pieces.append(_replacement(text, edit))
    for place, values in added.items():
        pieces.append(_addition(text, place, values))
    for start, end, new in sorted(pieces, key=lambda piece: piece[0], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _replacement(text: str, edit: Edit) -> tuple[int, int, str]:
    parent, name = _span_of(text, edit.place[:-1]), edit.place[-1]
    found = _members(text, parent[0]) if isinstance(name, str) else {}
    if isinstance(name, int):
        return (*_elements(text, parent[0])[name], _dumped(edit.value))
    assert isinstance(name, str)
    if name in found:
        return (*found[name], _dumped(edit.value))
    comma = ", " if found else ""
    return parent[1] - 1, parent[1] - 1, f"{comma}{_dumped(name)}: {_dumped(edit.value)}"


def _addition(text: str, place: tuple[str | int | None, ...], values: list[str]) -> tuple[int, int, str]:
    parent = _span_of(text, place[:-1])
    name = place[-1]
    if isinstance(name, str) and name not in _members(text, parent[0]):
        comma = ", " if _members(text, parent[0]) else ""
        return parent[1] - 1, parent[1] - 1, f"{comma}{_dumped(name)}: [{','.join(values)}]"
    start, end = _span_of(text, place)
    before = _elements(text, start)
    at = before[-1][1] if before else end - 1
    return at, at, ("," if before else "") + ",".join(values)


def _span_of(text: str, place: tuple[str | int | None, ...]) -> Span:
    at = _skip(text, 0)
    span = at, _DECODER.raw_decode(text, at)[1]
    for name in place:
        span = _members(text, span[0])[name] if isinstance(name, str) else _elements(text, span[0])[int(name or 0)]
    return span


def _members(text: str, at: int) -> dict[str, Span]:
    """Return where the value of each member of the object at ``at`` stands; of one that is there twice, the last."""
    found: dict[str, Span] = {}
    at = _skip(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, start)
        found[name] = start, end
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _elements(text: str, at: int) -> list[Span]:
    """Return where each element of the list at ``at`` stands."""
    found: list[Span] = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        found.append((at, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
