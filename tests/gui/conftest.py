# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows for tests: one profile a session, one window a test module; skipped where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from gui.window import Run, install, run_script, why_no_window

bpy = pytest.importorskip("bpy")

# So fast do the planted feet of the walker slide that every script opens.
SLIDE_MM_S = 250.0

# Seconds for one test: the first of a module waits for its window, the very first for the zip to be installed too.
LIMIT = 600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(LIMIT))


@pytest.fixture(scope="session")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Blender profile in which the extension is installed."""
    reason = why_no_window()
    if reason is not None:
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("profile")
    install(folder)
    return folder


@pytest.fixture(scope="module")
def window(request: pytest.FixtureRequest, profile: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What the script named like the test module saw: ``test_clicks`` runs ``scripts/clicks.py``.

    The module may say how large the window is, by its SIZE, and add to the scene that the script opens, by its
    ``add_to_scene``.
    """
    from support.walker import walk
    from support.walker_armature import walking_armature

    script = request.path.stem.removeprefix("test_")
    folder = tmp_path_factory.mktemp(script)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    walking_armature(walk(slide_mm_s=SLIDE_MM_S))
    getattr(request.module, "add_to_scene", lambda: None)()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "walker.blend"))
    size = getattr(request.module, "SIZE", None)
    return run_script(profile, Path(__file__).parent / "scripts" / f"{script}.py", folder, size)
