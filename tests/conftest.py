# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test stands on: this tree as package ``toehold``, a clean scene, and skips where there is no bpy."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Rooms whose tests never look at Blender's scene.
PURE = (ROOT / "tests" / "solver",)

SESSION = pytest.StashKey[pytest.Session]()


class _SkipWithoutBlender(MetaPathFinder):
    """Turns the import of a module that only Blender has into a skip with a reason."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname in ("bpy", "bpy_extras", "mathutils", "gpu"):
            pytest.skip(f"needs Blender: {fullname} is not installed for this Python", allow_module_level=True)
        return None


def _load_this_tree() -> None:
    """Make the repository's root importable as ``toehold``, whatever its folder is called and whatever is installed."""
    spec = importlib.util.spec_from_file_location(
        "toehold", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["toehold"] = package
    spec.loader.exec_module(package)


_load_this_tree()
if importlib.util.find_spec("bpy") is None:
    sys.meta_path.append(_SkipWithoutBlender())


def _registered() -> bool:
    bpy = sys.modules.get("bpy")
    return bpy is not None and hasattr(bpy.types.Object, "toehold")


@pytest.fixture(autouse=True)
def clean_scene(request: pytest.FixtureRequest) -> None:
    """Give each test that can see Blender an empty file; what is registered stays registered."""
    bpy = sys.modules.get("bpy")
    if bpy is not None and not any(room in request.path.parents for room in PURE):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.fixture(scope="session")
def registered() -> Iterator[ModuleType]:
    """The package, registered in Blender for the tests that ask for it."""
    import toehold

    already = _registered()
    if not already:
        toehold.register()
    yield toehold
    if not already and _registered():
        toehold.unregister()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the cases too that are marked nightly")
    parser.addoption(
        "--ends-of-galleries",
        action="store_true",
        help="run each test that has a gallery of cases only on the first and the last of them",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nightly: a case whose promise others hold too, run with --nightly only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the night, and thin out galleries of which another Blender runs every case."""
    kept = [item for item in items if config.getoption("--nightly") or not item.get_closest_marker("nightly")]
    if config.getoption("--ends-of-galleries"):
        galleries: dict[str, list[pytest.Item]] = {}
        for item in kept:
            galleries.setdefault(item.nodeid.split("[")[0], []).append(item)
        ends = {item for gallery in galleries.values() for item in (gallery[0], gallery[-1])}
        kept = [item for item in kept if item in ends]
    left_out = set(items).difference(kept)
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
    items[:] = kept


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real clips; tests that read it are skipped where it is missing."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the real clips of ../shared/data are not here")
    return folder


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Leave nothing registered: a class still there when the interpreter ends can hang Blender 4.5."""
    if _registered():
        sys.modules["toehold"].unregister()
    session.config.stash[SESSION] = session


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """End at once where Blender is loaded, all else being done.

    As a Python module, Blender 4.5 ends itself when the module is freed. Whatever keeps a reference to it (a generated
    rig's script, a failed test's traceback) lets it wait in one of its destructors for ever instead.
    """
    if "bpy" in sys.modules and SESSION in config.stash:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(config.stash[SESSION].exitstatus))
