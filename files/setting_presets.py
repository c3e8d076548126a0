# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of Blender's own kind, as the sidebar keeps them: read as values, never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import bpy

from ..rig.common.wording import RigError

# The values of a preset, by the group of settings that they belong to ("contacts", "cleanup").
Values = dict[str, dict[str, float]]

# The folder of these presets among all of Blender's, and the one that comes with Toehold.
FOLDER = "toehold"
SHIPPED = Path(__file__).parents[1] / "presets" / FOLDER


def preset_file(wanted: str) -> Path:
    """Return the file of a preset, by its path or by its name as the sidebar shows it; RigError where there is none."""
    path = Path(wanted)
    if path.suffix.lower() == ".py" or path.is_file():
        return path
    known = {_shown(file.stem): file for file in _preset_files()}
    try:
        return known[_shown(wanted)]
    except KeyError:
        there = ", ".join(sorted({file.stem.replace("_", " ") for file in known.values()}))
        raise RigError(f"there is no preset {wanted!r}; choose one of {there}, or name a preset's file") from None


def read_preset(path: Path) -> Values:
    """Return what a preset sets, by group and name; RigError where it is none, or does something else."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RigError(f"{path.name}: cannot be read ({error.strerror}); check the path") from None
    except (SyntaxError, ValueError, RecursionError):
        raise RigError(f"{path.name}: this is no preset; keep one in the sidebar, at the panel's title") from None
    values: Values = {}
    for line in tree.body:
        if isinstance(line, ast.Import | ast.Expr) or _names_the_settings(line):
            continue
        group, name, value = _assigned(path, line)
        values.setdefault(group, {})[name] = value
    return values


def _preset_files() -> Iterator[Path]:
    """Yield the presets that come with Toehold, then those of the user, which may be called the same."""
    for folder in (SHIPPED, *map(Path, bpy.utils.preset_paths(FOLDER))):
        yield from sorted(folder.glob("*.py"))


def _shown(name: str) -> str:
    return name.replace("_", " ").casefold()


def _names_the_settings(line: ast.stmt) -> bool:
    """Whether a line is the one in which Blender's presets name what they set: ``settings = bpy.context...``."""
    return isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and line.targets[0].id == "settings"


def _assigned(path: Path, line: ast.stmt) -> tuple[str, str, float]:
    """Return group, name and value of a line ``settings.group.name = number``."""
    if isinstance(line, ast.Assign) and len(line.targets) == 1:
        match line.targets[0], line.value:
            case (
                ast.Attribute(attr=name, value=ast.Attribute(attr=group, value=ast.Name(id="settings"))),
                ast.Constant(value=int() | float() as value),
            ):
                return group, name, float(value)
    raise RigError(f"{path.name}: line {line.lineno} is no setting with a number; a preset holds nothing else")
