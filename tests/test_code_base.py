# SPDX-License-Identifier: GPL-3.0-or-later
"""The house of CONTRIBUTING.md, held against the source itself."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LICENCE_LINE = "# SPDX-License-Identifier: GPL-3.0-or-later"
LONGEST_FILE, LONGEST_FUNCTION = 500, 60

# Which rooms a room may import from, itself aside. What stands at the root is a room of its own.
ARROWS = {
    "solver": set(),
    "rig": {"solver"},
    "files": {"rig", "solver"},
    "settings": {"rig", "solver"},
    "operators": {"settings", "files", "rig", "solver"},
    "panels": {"settings", "operators", "rig", "solver"},
    "api": {"settings", "files", "rig", "solver"},
    "batch": {"files"},
    "cluster": {"batch", "files"},
    "command": {"batch", "cluster", "files", "rig", "solver"},
    "translations": {"rig"},
    "registration": {"settings", "operators", "panels", "command", "rig", "translations"},
    "__init__": {"registration"},
}
# The same within the rig, from the lowest layer to the topmost: a layer imports from layers above it in this list only.
RIG_LAYERS = {
    "common": set(),
    "legs": {"common"},
    "curves": {"common"},
    "sampling": {"curves", "legs", "common"},
    "terrain": {"sampling", "common"},
    "contacts": {"curves", "legs", "common"},
    "controls": {"contacts", "sampling", "curves", "legs", "common"},
    "writing": {"controls", "contacts", "sampling", "curves", "legs", "common"},
    "ragdoll": {"common"},
    "verbs": {"ragdoll", "writing", "controls", "contacts", "terrain", "sampling", "curves", "legs", "common"},
    "gait": {"writing", "contacts", "terrain", "sampling", "curves", "legs", "common"},
    "shown": {"verbs", "writing", "controls", "contacts", "terrain", "sampling", "curves", "legs", "common"},
    "review": {"verbs", "writing", "controls", "contacts", "curves", "legs", "common"},
}
# The same within the solver; a room imports from what stands in `solver/` itself, which knows no room.
SOLVER_ARROWS: dict[str, set[str]] = {"cleanup": set(), "gait": set(), "path": {"cleanup", "gait"}}
# Files under this many lines need their reason in CONTRIBUTING.
SHORT_FILE = 40
ROOMS = [room for room in ARROWS if (ROOT / room).is_dir()]
ANIMATION_DATA = {"keyframe_points", "keyframe_insert", "channelbag", "fcurves"}
TRANSLATING_CALLS = {"pgettext", "pgettext_iface", "pgettext_tip", "pgettext_rpt", "iface_", "tip_", "rpt_"}
PROPERTY_CALLS = re.compile(r"(Bool|Int|Float|String|Enum|Pointer|Collection)(Vector)?Property$")


def sources() -> list[Path]:
    """Return the modules of the package."""
    return sorted([*ROOT.glob("*.py"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))])


def all_python() -> list[Path]:
    """Return every Python file that is kept: the package, its tests and its tools."""
    return sorted([*sources(), *(ROOT / "tests").rglob("*.py"), *(ROOT / "tools").rglob("*.py")])


def room_of(path: Path) -> str:
    return room_named(path.relative_to(ROOT).parts[0].removesuffix(".py"))


def room_named(name: str) -> str:
    """Return the room that a module or folder at the root belongs to; command has several modules."""
    return "command" if name.startswith("command_") else name


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def place(path: Path, node: ast.AST | None = None) -> str:
    line = getattr(node, "lineno", None)
    return f"{path.relative_to(ROOT)}" + (f":{line}" if line else "")


def imports(path: Path) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each import of a module as the room of this package, or the outside package, that it reaches into."""
    depth = len(path.relative_to(ROOT).parts)
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node, str(node.module).split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.level < depth:
            yield node, room_of(path)
        elif isinstance(node, ast.ImportFrom):
            reached = [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
            yield from ((node, room_named(name)) for name in reached)


def called_name(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call))


def class_attributes(body: ast.ClassDef) -> dict[str, ast.expr]:
    return {
        target.id: node.value
        for node in body.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def operators() -> Iterator[tuple[Path, ast.ClassDef, dict[str, ast.expr]]]:
    for path in sorted((ROOT / "operators").rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and "bl_idname" in (attributes := class_attributes(node)):
                yield path, node, attributes


def test_rooms_import_only_along_the_arrows() -> None:
    known = {*ARROWS, *(room_of(path) for path in sources())}
    wrong = [
        f"{place(path, node)} imports {reached}"
        for path in sources()
        for node, reached in imports(path)
        if reached in known and reached != room_of(path) and reached not in ARROWS[room_of(path)]
    ]
    assert not wrong


def rig_modules() -> list[Path]:
    return sorted(path for path in (ROOT / "rig").rglob("*.py") if path != ROOT / "rig" / "__init__.py")


def test_every_module_of_the_rig_stands_in_a_named_layer() -> None:
    assert {path.relative_to(ROOT / "rig").parts[0] for path in rig_modules()} == set(RIG_LAYERS)
    assert all(len(path.relative_to(ROOT / "rig").parts) == 2 for path in rig_modules()), "a layer has no rooms within"


def test_layers_of_the_rig_import_only_from_layers_below() -> None:
    order = list(RIG_LAYERS)
    assert all(order.index(below) < order.index(layer) for layer, allowed in RIG_LAYERS.items() for below in allowed)
    found: dict[str, set[str]] = {layer: set() for layer in order}
    wrong = []
    for path in rig_modules():
        layer = path.parent.name
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.level == 2:
                reached = {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
                found[layer] |= reached - {layer}
                wrong += [f"{place(path, node)} imports {other}" for other in reached - {layer} - RIG_LAYERS[layer]]
    assert not wrong
    assert found == RIG_LAYERS, "an arrow that nothing goes along"


def test_a_short_file_has_a_reason_that_can_be_read() -> None:
    reasons = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert not [
        place(path)
        for path in sources()
        if room_of(path) != "solver" and path.name != "__init__.py"
        if len(path.read_text(encoding="utf-8").splitlines()) < SHORT_FILE
        if f"`{path.relative_to(ROOT)}`" not in reasons
    ]


def test_rooms_of_the_solver_import_only_along_their_arrows() -> None:
    assert {path.parent.name for path in (ROOT / "solver").glob("*/__init__.py")} == set(SOLVER_ARROWS)
    wrong = []
    for path in sorted((ROOT / "solver").rglob("*.py")):
        inside = path.parent.name in SOLVER_ARROWS
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.level == (2 if inside else 1):
                reached = {node.module.split(".")[0]} if node.module else {alias.name for alias in node.names}
                allowed = SOLVER_ARROWS[path.parent.name] if inside else set()
                wrong += [f"{place(path, node)} imports {room}" for room in (reached & set(SOLVER_ARROWS)) - allowed]
    assert not wrong


def test_the_package_is_imported_relatively_since_blender_loads_it_by_another_name() -> None:
    assert not [place(path, node) for path in sources() for node, reached in imports(path) if reached == "toehold"]


def test_the_solver_knows_only_numpy_and_itself() -> None:
    allowed = {"numpy", "solver", "__future__", *sys.stdlib_module_names}
    solver = [path for path in sources() if room_of(path) == "solver"]
    assert solver
    assert not [place(path, node) for path in solver for node, reached in imports(path) if reached not in allowed]


def test_only_the_rig_touches_actions_and_curves() -> None:
    wrong = [
        place(path, node)
        for path in sources()
        if room_of(path) != "rig"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr in ANIMATION_DATA
    ]
    assert not wrong


def test_the_package_can_be_imported_without_blender() -> None:
    at_import = [node for node in tree_of(ROOT / "__init__.py").body if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not at_import


@pytest.mark.parametrize("path", all_python(), ids=place)
def test_a_file_says_its_licence_and_purpose_and_can_be_read_in_one_go(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tree = tree_of(path)
    assert text.splitlines()[0] == LICENCE_LINE
    assert ast.get_docstring(tree) or not tree.body, "no docstring"
    assert len(text.splitlines()) <= LONGEST_FILE
    unfinished = re.search(r"\b(TO" + "DO|FIX" + r"ME)\b", text)
    assert unfinished is None
    long = [
        f"{place(path, node)} {node.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and int(node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    ]
    assert not long


def test_no_error_is_swallowed() -> None:
    wrong = [
        place(path, node)
        for path in sources()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ExceptHandler)
        if node.type is None or all(isinstance(line, ast.Pass) for line in node.body)
    ]
    assert not wrong


def test_only_the_command_prints() -> None:
    assert not [
        place(path, call)
        for path in sources()
        if room_of(path) != "command"
        for call in calls(path)
        if called_name(call) == "print"
    ]


def test_every_operator_has_a_label_and_a_tooltip() -> None:
    found = list(operators())
    assert found
    for path, node, attributes in found:
        description = attributes.get("bl_description")
        tooltip = ast.literal_eval(description) if description else ast.get_docstring(node)
        assert "bl_label" in attributes, place(path, node)
        assert tooltip, f"{place(path, node)}: no tooltip"
        assert not tooltip.endswith("."), f"{place(path, node)}: Blender adds the period"


def test_every_property_has_a_tooltip() -> None:
    for path in sources():
        for call in calls(path):
            if PROPERTY_CALLS.search(called_name(call)):
                given = {keyword.arg: keyword.value for keyword in call.keywords}
                assert "description" in given or None in given, f"{place(path, call)}: no description"
                if isinstance(text := given.get("description"), ast.Constant):
                    assert not str(text.value).endswith("."), f"{place(path, call)}: Blender adds the period"


def test_what_is_translated_is_never_put_together_first() -> None:
    wrong = []
    for path in sources():
        for call in calls(path):
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            translated = [*call.args] if called_name(call) in TRANSLATING_CALLS else []
            if PROPERTY_CALLS.search(called_name(call)):
                translated += [given[key] for key in ("name", "description") if key in given]
            if "text" in given and "translate" not in given:
                translated.append(given["text"])
            wrong += [place(path, call) for text in translated if isinstance(text, ast.JoinedStr)]
    assert not wrong


def test_pip_and_blender_are_told_the_same() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == manifest["version"]
    assert f"SPDX:{project['project']['license']}" in manifest["license"]
    folders = {".".join(("toehold", *path.relative_to(ROOT).parts[:-1])) for path in sources()}
    assert set(project["tool"]["setuptools"]["packages"]) == folders
