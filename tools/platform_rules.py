# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender's extension platform asks of an add-on, held against a zip before a person has to look at it.

    python tools/platform_rules.py ARCHIVE

The rules are those of the platform's terms of service and of its moderators' guidelines
(developer.blender.org/docs/features/extensions/moderation/guidelines) as far as a program can tell. Blender's own
``extension validate`` knows the manifest; here is what it does not look at: the files and the code.
"""

from __future__ import annotations

import ast
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import extension

LICENCE = "SPDX:GPL-3.0-or-later"
# All is read by a person there; today it is below 1 MB.
LARGEST = 5_000_000
# Text that can be reviewed, and nothing that was compiled or packed.
ENDINGS = {".py", ".toml", ".md", ".po", ""}
NETWORK = {"aiohttp", "dask", "distributed", "ftplib", "http", "requests", "smtplib", "socket", "ssl", "urllib.request"}
WRITING = {"write_bytes", "write_text"}
RUNNING = {"eval", "exec", "compile", "__import__"}
INSTALLERS = {"ensurepip", "pip", "setuptools", "venv"}


def faults_of(archive: Path) -> list[str]:
    """Return what the platform would refuse, a line each: the file, and what is wrong with it."""
    done = extension.extension("validate", archive)
    faults = [f"extension validate: {(done.stdout + done.stderr).strip()}"] if done.returncode else []
    size = archive.stat().st_size
    faults += [f"{archive.name}: {size} bytes, more than {LARGEST}"] if size > LARGEST else []
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
        faults += _of_names(names)
        told = opened.read("blender_manifest.toml").decode() if "blender_manifest.toml" in names else ""
        manifest = tomllib.loads(told)
        code = {name: opened.read(name).decode() for name in names if name.endswith(".py")}
    return [*faults, *_of_manifest(manifest, names), *_of_code(code, set(manifest.get("permissions", {})))]


def _of_names(names: list[str]) -> Iterator[str]:
    """Files that have no place in an add-on, and paths that not every system can have."""
    for name in names:
        path = PurePosixPath(name)
        if any(part.startswith(".") or part in ("__pycache__", "__MACOSX") for part in path.parts):
            yield f"{name}: hidden or left over"
        elif path.suffix.lower() not in ENDINGS:
            yield f"{name}: only text belongs in it ({' '.join(sorted(filter(None, ENDINGS)))})"
        elif path.is_absolute() or ".." in path.parts or "\\" in name or not name.isascii():
            yield f"{name}: not a plain path"
    for name in {name for name in names if sum(name.lower() == other.lower() for other in names) > 1}:
        yield f"{name}: is there twice where capitals do not count"


def _of_manifest(manifest: dict[str, Any], names: list[str]) -> Iterator[str]:
    """What the manifest says, as far as ``extension validate`` takes anything for good."""
    if manifest.get("license") != [LICENCE]:
        yield f"blender_manifest.toml: license has to be {LICENCE}"
    if "LICENSE" not in names:
        yield "LICENSE: is missing"
    if "blender" in str(manifest.get("name", "")).lower():
        yield "blender_manifest.toml: the name must not have Blender in it"
    for field in ("maintainer", "tagline", "copyright", "blender_version_min", "tags"):
        if not manifest.get(field):
            yield f"blender_manifest.toml: {field} is missing"
    for empty in [name for name, value in manifest.items() if value in ("", [], {})]:
        yield f"blender_manifest.toml: {empty} is empty; leave it out"


def _of_code(code: dict[str, str], permissions: set[str]) -> Iterator[str]:
    """What the code does that it must not, or has no permission for; and permissions that nothing needs."""
    used: set[str] = set()
    for name, text in code.items():
        for node in ast.walk(ast.parse(text, name)):
            used |= _needs(node)
            for fault in _of_node(node):
                yield f"{name}:{getattr(node, 'lineno', 0)}: {fault}"
    for permission in sorted(used - permissions):
        yield f"blender_manifest.toml: the code needs the permission {permission}"
    for permission in sorted(permissions - used):
        yield f"blender_manifest.toml: nothing needs the permission {permission}"


def _needs(node: ast.AST) -> set[str]:
    """Return the permissions that a statement or expression needs."""
    if isinstance(node, ast.Attribute):
        return {"clipboard"} if node.attr == "clipboard" else {"files"} if node.attr in WRITING else set()
    return {"network"} if any(_is_in(module, NETWORK) for module in _imported(node)) else set()


def _of_node(node: ast.AST) -> Iterator[str]:
    for module in _imported(node):
        if _is_in(module, INSTALLERS):
            yield f"{module} installs things; an add-on must not"
        if _is_in(module, {"toehold"}):
            yield "imports of its own have to be relative, since Blender gives it another name"
    if isinstance(node, ast.Attribute) and node.attr == "path" and ast.unparse(node) == "sys.path":
        yield "sys.path is Blender's"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RUNNING:
        yield f"{node.func.id} runs what cannot be reviewed"


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def _is_in(module: str, known: set[str]) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in known)


def main(archive: str) -> int:
    faults = faults_of(Path(archive))
    for fault in faults:
        print(fault, file=sys.stderr)
    return min(len(faults), 1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
