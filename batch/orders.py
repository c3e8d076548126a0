# SPDX-License-Identifier: GPL-3.0-or-later
"""Work orders: which files there are to do, and where each one's result goes."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path


class BatchError(Exception):
    """One line for the user: why a batch cannot be begun, and what to do. Nothing has been changed."""


@dataclass(frozen=True)
class Search:
    """Which files are meant.

    inputs : files, folders and patterns, as the user wrote them.
    kinds : endings of the files that a folder is searched for, in lower case.
    include, exclude : patterns; of each file's name in its folder, or of its name alone, one of ``include`` has to
        match where there are any, and none of ``exclude``.
    deep : whether sub-folders are searched too; None for folders but not for patterns.
    """

    inputs: tuple[str, ...]
    kinds: tuple[str, ...]
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    deep: bool | None = None


@dataclass(frozen=True)
class WorkOrder:
    """One file to do.

    source : the file.
    name : what it is called in the batch: its path below the folder that was searched, with slashes.
    out : where its result goes; None where nothing is written.
    arguments : the command for it, whole.
    """

    source: Path
    name: str
    out: Path | None
    arguments: tuple[str, ...]


def is_batch(text: str) -> bool:
    """Return whether an input that the user wrote stands for many files: a folder, or a pattern that is no file."""
    return Path(text).is_dir() or (glob.has_magic(text) and not Path(text).exists())


def find_files(search: Search, besides: Path | None = None) -> dict[str, Path]:
    """Return the files by their names in the batch, in order; BatchError where there are none, or two of one name.

    besides : a folder that is not searched, where it lies in one that is: the one that results go to.
    """
    found: dict[str, Path] = {}
    seen: set[str] = set()
    folders = sum(Path(text).is_dir() for text in search.inputs)
    for text in search.inputs:
        prefix = f"{_folder_name(text)}/" if folders > 1 and Path(text).is_dir() else ""
        for name, path in _files_of(text, search, besides):
            real = os.path.realpath(path)
            if real in seen or not _is_wanted(name, search):
                continue
            seen.add(real)
            if prefix + name in found:
                raise BatchError(f"{found[prefix + name]} and {path} would have one result; do one of them by itself")
            found[prefix + name] = path
    if not found:
        raise BatchError(f"there is no {' '.join(search.kinds)} file in {' '.join(search.inputs)}{_chosen(search)}")
    return dict(sorted(found.items(), key=lambda item: item[0].casefold()))


def _chosen(search: Search) -> str:
    return " that --include and --exclude leave" if search.include or search.exclude else ""


def _folder_name(text: str) -> str:
    return Path(os.path.abspath(text)).name or "root"


def _files_of(text: str, search: Search, besides: Path | None) -> Iterator[tuple[str, Path]]:
    path = Path(text)
    if path.is_dir():
        deep = search.deep is not False
        yield from _below(path, "", search.kinds, deep, _left_out(besides, path))
    elif glob.has_magic(text) and not path.exists():
        yield from _matching(text, search, besides)
    else:
        yield path.name, path


def _left_out(besides: Path | None, searched: Path) -> set[str]:
    """Return the folders that are not gone into, by their real paths."""
    if besides is None or os.path.realpath(besides) == os.path.realpath(searched):
        return set()
    return {os.path.realpath(besides)}


def _below(folder: Path, name: str, kinds: Sequence[str], deep: bool, seen: set[str]) -> Iterator[tuple[str, Path]]:
    """Yield the files of a folder; ``seen`` keeps links from leading round in a circle."""
    seen = seen | {os.path.realpath(folder)}
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise BatchError(f"{folder}: cannot be read ({error.strerror}); see to its permissions") from None
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if deep and os.path.realpath(entry.path) not in seen:
                yield from _below(Path(entry.path), f"{name}{entry.name}/", kinds, deep, seen)
        elif Path(entry.name).suffix.lower() in kinds:
            yield name + entry.name, Path(entry.path)


def _matching(pattern: str, search: Search, besides: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the files that a pattern matches, named from its first part that is a pattern on."""
    parts = Path(pattern).parts
    first = next(index for index, part in enumerate(parts) if glob.has_magic(part))
    head = Path(*parts[:first]) if first else Path()
    rest = "/".join(parts[first:])
    if search.deep and "**" not in rest:
        rest = f"**/{rest}"
    beside = os.path.realpath(besides) + os.sep if besides is not None else None
    for match in sorted(glob.glob(rest, root_dir=head, recursive=True)):
        path = head / match
        if path.is_dir():
            yield from ((f"{match}/{name}", file) for name, file in _files_of(str(path), search, besides))
        elif path.suffix.lower() in search.kinds and not (beside and os.path.realpath(path).startswith(beside)):
            yield Path(match).as_posix(), path


def _is_wanted(name: str, search: Search) -> bool:
    def any_of(patterns: Sequence[str]) -> bool:
        return any(fnmatch(name, pattern) or fnmatch(name.rpartition("/")[2], pattern) for pattern in patterns)

    return (not search.include or any_of(search.include)) and not any_of(search.exclude)
