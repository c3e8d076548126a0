# SPDX-License-Identifier: GPL-3.0-or-later
"""Real Blender windows for the tests: installs the extension's zip into a scratch profile and runs a script in it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT.parent / "shared" / "tools" / "real-blender"
INSTALLED = Path(os.environ.get("REAL_BLENDER_ROOT", "/opt/real-blender")) / ".ready"

# Seconds after which a run is given up. A quiet machine needs a tenth of it.
LIMIT = 240

Pixels = NDArray[np.int16]


def why_no_window() -> str | None:
    """Return why no window can be opened here, None if one can."""
    if os.environ.get("TOEHOLD_WINDOW") == "no":
        return "windows are switched off (TOEHOLD_WINDOW=no)"
    if not TOOL.is_file():
        return "../shared/tools/real-blender is not here"
    if os.geteuid() != 0:
        return "real-blender needs root"
    if not INSTALLED.is_file():
        return "no Blender with a window is installed: run ../shared/tools/real-blender setup"
    return None


@dataclass(frozen=True)
class Run:
    """What a script saw in its window, and the folder of its pictures."""

    folder: Path
    seen: dict[str, Any]

    def picture(self, name: str) -> Pixels:
        """Return a picture of the whole window, (height, width, 3), 0 to 255, row 0 on top."""
        data = (self.folder / f"{name}.ppm").read_bytes()
        magic, width, height, greatest = data.split(maxsplit=4)[:4]
        assert (magic, greatest) == (b"P6", b"255")
        pixels = np.frombuffer(data[-3 * int(width) * int(height) :], dtype=np.uint8)
        return pixels.reshape(int(height), int(width), 3).astype(np.int16)

    def part(self, name: str, region: str) -> Pixels:
        """Return what a picture shows of a region whose place the script has noted as x, y, width, height."""
        pixels = self.picture(name)
        x, y, width, height = self.seen["regions"][region]
        top = pixels.shape[0] - y - height
        return pixels[top : top + height, x : x + width]


def install(profile: Path) -> None:
    """Build the zip with Blender itself and install it, switched on, into a profile of its own."""
    for old in profile.glob("toehold-*.zip"):
        old.unlink()
    profile.mkdir(parents=True, exist_ok=True)
    _blender(profile, "--command", "extension", "build", "--source-dir", ROOT, "--output-dir", profile)
    (archive,) = profile.glob("toehold-*.zip")
    _blender(profile, "--command", "extension", "install-file", "-r", "user_default", "-e", archive)


def run_script(profile: Path, script: Path, folder: Path, size: tuple[int, int] | None = None) -> Run:
    """Open a window with the extension in it, run a script as ``inside.py`` says there, and return what it saw.

    size : of the window in pixels; None for as large as the screen.

    AssertionError says what went wrong inside of Blender.
    """
    folder.mkdir(parents=True, exist_ok=True)
    inside = Path(__file__).with_name("inside.py")
    geometry = () if size is None else ("--window-geometry", 0, 0, *size)
    log = _blender(profile, "gui", *geometry, "--python", inside, "--", script, folder)
    notes = folder / "seen.json"
    assert notes.is_file(), f"the window closed before the script ended:\n{log[-3000:]}"
    seen = json.loads(notes.read_text(encoding="utf-8"))
    assert "error" not in seen, seen["error"]
    assert "Traceback" not in log, log[log.index("Traceback") :][:3000]
    return Run(folder, seen)


def _blender(profile: Path, *arguments: object) -> str:
    environment = {**os.environ, "REAL_BLENDER_HOME": str(profile), "REAL_BLENDER_TIMEOUT": str(LIMIT)}
    done = subprocess.run(
        [TOOL, *map(str, arguments)],
        env=environment,
        cwd=profile,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT + 30,
        check=False,
    )
    assert done.returncode == 0, f"real-blender {arguments[0]} failed ({done.returncode}):\n{done.stdout[-3000:]}"
    return done.stdout


def near(pixels: Pixels, colour: tuple[float, ...], within: float = 60.0) -> NDArray[np.bool_]:
    """Return (height, width) where a picture has about a colour, given as 0 to 255."""
    return np.linalg.norm(pixels - np.asarray(colour[:3]), axis=-1) < within


def furthest(left: list[float], right: list[float]) -> float:
    """Return how far poses are apart: the largest difference of any number of a bone's matrix."""
    return float(np.abs(np.subtract(left, right)).max())
