# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a document against a JSON Schema: the keywords that ours use, and an error for any that it does not know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "null": (type(None),),
    "integer": (int,),
    "number": (int, float),
}
_NOTES = {"$schema", "$id", "$defs", "title", "description"}


@dataclass(frozen=True)
class _Place:
    """A value of a document, where it is, and the whole schema, for what it refers to."""

    value: Any
    at: str
    whole: dict[str, Any]

    def inner(self, key: Any) -> _Place:
        return _Place(self.value[key], f"{self.at}.{key}", self.whole)


def wrong_with(document: Any, schema: dict[str, Any]) -> list[str]:
    """Return a line for each thing that does not fit, with where it is; empty where all fits."""
    return list(_wrong(_Place(document, "$", schema), schema))


def _wrong(place: _Place, schema: dict[str, Any]) -> Iterator[str]:
    for word, wanted in schema.items():
        if word in _OF_VALUES:
            if not _OF_VALUES[word](place.value, wanted):
                yield f"{place.at}: {place.value!r:.60} is not {word} {wanted!r}"
        elif word == "additionalProperties":
            yield from _others(place, wanted, schema.get("properties", {}))
        elif word not in _NOTES:
            yield from _OF_PARTS[word](place, wanted)


def _reference(place: _Place, wanted: str) -> Iterator[str]:
    yield from _wrong(place, place.whole["$defs"][wanted.removeprefix("#/$defs/")])


def _any_of(place: _Place, wanted: list[dict[str, Any]]) -> Iterator[str]:
    if all(list(_wrong(place, one)) for one in wanted):
        yield f"{place.at}: fits none of {len(wanted)}"


def _required(place: _Place, wanted: list[str]) -> Iterator[str]:
    if isinstance(place.value, dict):
        yield from (f"{place.at}: {name} is missing" for name in wanted if name not in place.value)


def _items(place: _Place, wanted: dict[str, Any]) -> Iterator[str]:
    for number in range(len(place.value) if isinstance(place.value, list) else 0):
        yield from _wrong(place.inner(number), wanted)


def _properties(place: _Place, wanted: dict[str, Any]) -> Iterator[str]:
    for name in wanted.keys() & (place.value if isinstance(place.value, dict) else {}):
        yield from _wrong(place.inner(name), wanted[name])


def _others(place: _Place, wanted: Any, named: dict[str, Any]) -> Iterator[str]:
    for name in set(place.value if isinstance(place.value, dict) else ()) - set(named):
        if wanted is False:
            yield f"{place.at}: {name} is not in the schema"
        else:
            yield from _wrong(place.inner(name), wanted)


def _is(value: Any, names: str | list[str]) -> bool:
    """Whether a value is of one of some types; Python's bool is an int, JSON's is not."""
    kinds = [names] if isinstance(names, str) else names
    return any(isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool)) for kind in kinds)


_OF_VALUES: dict[str, Callable[[Any, Any], bool]] = {
    "type": _is,
    "const": lambda value, wanted: value == wanted,
    "enum": lambda value, wanted: value in wanted,
    "minimum": lambda value, wanted: not _is(value, "number") or value >= wanted,
    "maximum": lambda value, wanted: not _is(value, "number") or value <= wanted,
    "exclusiveMinimum": lambda value, wanted: not _is(value, "number") or value > wanted,
    "minItems": lambda value, wanted: not isinstance(value, list) or len(value) >= wanted,
    "maxItems": lambda value, wanted: not isinstance(value, list) or len(value) <= wanted,
}
_OF_PARTS: dict[str, Callable[[_Place, Any], Iterator[str]]] = {
    "$ref": _reference,
    "anyOf": _any_of,
    "required": _required,
    "items": _items,
    "properties": _properties,
}
