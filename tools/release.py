# SPDX-License-Identifier: GPL-3.0-or-later
"""Build what a release is made of from what is committed, and try all of it before anyone else does.

    PYTHONPATH=tests python tools/release.py FOLDER [PYTHON ...]

FOLDER gets the extension's zip, the wheel, the sdist, and SHA256SUMS. The zip is built twice from two checkouts and has
to be the same bytes; it is held against the extension platform's rules (tools/platform_rules.py). Wheel and sdist are
installed in environments with nothing else in them, with each PYTHON (3.13 and 3.11 where they are found), and clean a
walk there. Stops with 1 at the first thing that is not as it should be; what cannot be tried here is said.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

import extension
import platform_rules

ROOT = Path(__file__).resolve().parents[1]
BUILD = ("build>=1.2", "setuptools>=77")


class FaultError(Exception):
    """One line: what of a release is not as it should be."""


def versions_of(tree: Path) -> dict[str, str]:
    """Return the version that each file of a tree tells."""
    manifest = tomllib.loads((tree / "blender_manifest.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    heading = re.search(r"^## (\S+)", (tree / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    return {
        "blender_manifest.toml": manifest["version"],
        "pyproject.toml": project["version"],
        "CHANGELOG.md": heading[1] if heading else "none",
    }


def check_versions(tree: Path) -> str:
    """Return the one version of a tree; FaultError where its files tell several."""
    told = versions_of(tree)
    if len(set(told.values())) > 1:
        raise FaultError("versions differ: " + ", ".join(f"{name} {version}" for name, version in told.items()))
    return told["blender_manifest.toml"]


def check_out(folder: Path) -> Path:
    """Put what is committed into a folder, dated now, and return it; FaultError where the tree has more than that."""
    changed = _run(["git", "status", "--porcelain"], ROOT).stdout.strip()
    if changed:
        raise FaultError(f"not committed: {', '.join(line[3:] for line in changed.splitlines()[:5])}")
    folder.mkdir(parents=True)
    packed = folder.with_suffix(".tar")
    _run(["git", "archive", "--output", str(packed), "HEAD"], ROOT)
    _run(["tar", "-xf", str(packed), "--touch", "-C", str(folder)], ROOT)
    return folder


def build_zip(trees: tuple[Path, Path], folder: Path) -> Path:
    """Return the extension's zip, of the first tree; FaultError where the second one gives other bytes."""
    first, second = (extension.build(folder / name, tree) for name, tree in zip("ab", trees, strict=True))
    if first.read_bytes() != second.read_bytes():
        raise FaultError(f"{first.name} is not reproducible: two checkouts give other bytes")
    faults = platform_rules.faults_of(first)
    if faults:
        raise FaultError(f"{first.name}: " + "\n    ".join(faults))
    return first


def build_packages(tree: Path, folder: Path) -> list[Path]:
    """Return the sdist, and the wheel that is built from it and not from the tree."""
    builder = folder / "builder"
    venv.create(builder, with_pip=True)
    _run([_python_of(builder), "-m", "pip", "install", "--quiet", *BUILD], folder)
    # The dates of files in the wheel: those of the commit.
    epoch = _run(["git", "log", "-1", "--format=%ct"], ROOT).stdout.strip()
    made = folder / "packages"
    _run([_python_of(builder), "-m", "build", "--outdir", str(made), str(tree)], folder, {"SOURCE_DATE_EPOCH": epoch})
    packages = sorted(made.iterdir())
    if [path.suffix for path in packages] != [".whl", ".gz"]:
        raise FaultError(f"the build made {[path.name for path in packages]}, not a wheel and an sdist")
    return packages


def try_packages(packages: list[Path], python: str, folder: Path) -> list[str]:
    """Install each package where there is nothing else of it, clean a walk with it, and return what they say they are.

    What they need (Blender is large) is brought by the first, and stays for the others.
    """
    place = folder / "clean"
    shutil.rmtree(place, ignore_errors=True)
    _run([python, "-m", "venv", str(place)], folder)
    command = str(place / ("Scripts" if os.name == "nt" else "bin") / "toehold")
    said = []
    for package in packages:
        _run(
            [_python_of(place), "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", str(package)],
            folder,
        )
        _run([_python_of(place), "-m", "pip", "install", "--quiet", str(package)], folder)
        out = folder / f"{package.name}.bvh"
        out.unlink(missing_ok=True)
        _run([command, "clean", "walk.bvh", "-o", str(out)], folder)
        _run([command, "report", str(out)], folder)
        said.append(_run([command, "--version"], folder).stdout.strip())
    shutil.rmtree(place)
    return said


def pythons(given: list[str]) -> list[str]:
    """Return the Pythons to try: those that are given, else the two that Blender is built with, where they run."""
    if given:
        return given
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = []
    for version in ("3.13", "3.11"):
        names = [f"python{version}", *map(str, sorted(home.glob(f"{version}.*/bin/python{version}")))]
        working = [name for name in names if _is_version(name, version)]
        if not working:
            print(f"no Python {version} here: not tried with it")
        found += working[:1]
    return found


def _is_version(python: str, version: str) -> bool:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return done.stdout.strip() == version


def _python_of(environment: Path) -> str:
    return str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))


def _run(command: list[str], folder: Path, more: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command that has to end well, with no Python settings of this shell's."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=folder, env=environment | (more or {}), capture_output=True, text=True, timeout=1200, check=False
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise FaultError(f"{' '.join(command)} ended with {done.returncode}: {' | '.join(said[-3:])}")
    return done


def _told(what: str, begun: float) -> None:
    print(f"{what}, {time.monotonic() - begun:.0f} s", flush=True)


def release(folder: Path, given: list[str], save_walk: Callable[[Path], None]) -> None:
    """Build and try it all; put it into a folder once all of it has held."""
    with tempfile.TemporaryDirectory(prefix="toehold-release-") as scratch:
        place = Path(scratch)
        begun = time.monotonic()
        trees = check_out(place / "one" / "toehold"), check_out(place / "another" / "toehold")
        version = check_versions(trees[0])
        archive = build_zip(trees, place / "zips")
        _told(f"{archive.name}: {archive.stat().st_size} bytes, the same twice, and as the platform wants it", begun)
        packages = build_packages(trees[0], place)
        _told(f"{' and '.join(package.name for package in packages)} built", begun)
        save_walk(place / "walk.bvh")
        for python in pythons(given):
            said = try_packages(packages, python, place)
            if any(version not in one for one in said):
                raise FaultError(f"with {python} the packages say they are {' and '.join(said)}, not {version}")
            _told(f"wheel and sdist installed with {python}, a walk cleaned with each", begun)
        folder.mkdir(parents=True, exist_ok=True)
        made = [Path(shutil.copy(path, folder)) for path in (archive, *packages)]
        sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made]
        (folder / "SHA256SUMS").write_text("".join(sums))
        print(f"Toehold {version} is in {folder}")


def main(arguments: list[str]) -> int:
    from drills.common import save_walk

    try:
        release(Path(arguments[0]), arguments[1:], save_walk)
    except FaultError as fault:
        print(f"no release: {fault}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
