# SPDX-License-Identifier: GPL-3.0-or-later
"""The job type for Flamenco: compiled under Node with the documented API, its commands run here as the farm would."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toehold.batch import workers

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(workers.__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node to run the job compiler with"),
]

# The API of flamenco.blender.org/usage/job-types, and nothing else: the script sees no other names.
MANAGER = """
const fs = require("fs"), vm = require("vm");
const [script, given] = process.argv.slice(1);
const author = {
  Task: (name, type) => ({ name, type, commands: [], needs: [],
    addCommand(command) { this.commands.push(command); }, addDependency(task) { this.needs.push(task.name); } }),
  Command: (name, parameters) => ({ name, parameters }),
};
const context = vm.createContext({ author, print: console.error });
vm.runInContext(fs.readFileSync(script, "utf8") + "; this.JOB_TYPE = JOB_TYPE; this.compileJob = compileJob;", context);
const settings = {};
for (const setting of context.JOB_TYPE.settings)
  if ("default" in setting) settings[setting.key] = setting.default;
const job = { name: "feet", settings: Object.assign(settings, JSON.parse(given)), tasks: [],
  addTask(task) { this.tasks.push(task); } };
context.compileJob(job);
console.log(JSON.stringify({ type: context.JOB_TYPE, tasks: job.tasks }));
"""


def compiled(**settings: Any) -> dict[str, Any]:
    """Return the job type, and the tasks that it makes of settings."""
    script = str(ROOT / "tools" / "flamenco" / "toehold.js")
    command = ["node", "-e", MANAGER, script, json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_the_job_type_says_what_it_needs_in_flamencos_words() -> None:
    told = compiled(folder="/in", out="/out")
    known = {"key", "type", "subtype", "required", "default", "choices", "propargs", "visible", "description"}
    for setting in told["type"]["settings"]:
        assert set(setting) <= known
        assert setting["type"] in ("string", "int32", "float", "bool")
        assert "default" in setting or setting["required"]
    assert [task["type"] for task in told["tasks"]] == ["blender"] * 17


def test_tasks_share_the_files_and_the_last_one_waits_for_all() -> None:
    *parts, last = compiled(folder="/in", out="/out", tasks=3, options="--fps 30  --armature all")["tasks"]
    start = [
        "--background",
        "--command",
        "toehold",
        "clean",
        "/in",
        "--out",
        "/out",
        "--fps",
        "30",
        "--armature",
        "all",
    ]
    for number, task in enumerate(parts, 1):
        (command,) = task["commands"]
        assert command["name"] == "exec"
        assert command["parameters"] == {"exe": "{blender}", "args": [*start, "--share", f"{number}/3"]}
        assert not task["needs"]
    assert last["needs"] == [task["name"] for task in parts]
    assert last["commands"][0]["parameters"]["args"] == start


def test_the_commands_do_a_folder_as_the_farm_would(tmp_path: Path) -> None:
    pytest.importorskip("bpy", reason="the workers need Blender")
    from support.walker import walk
    from support.walker_armature import walking_armature
    from toehold.files.output import save
    from toehold.files.scenes import Source

    source, out = tmp_path / "takes" / "walk0.bvh", tmp_path / "out"
    source.parent.mkdir()
    save(Source(source, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=150.0))), source)
    for number in range(1, 3):
        (source.parent / f"walk{number}.bvh").write_bytes(source.read_bytes())
    # It costs no task but the last, which tells of it: a farm would give up all that waits for a task that fails.
    (source.parent / "xbroken.bvh").write_text("HIERARCHY")
    toehold = [sys.executable, "-P", "-c", workers.BOOT, str(PLACE)]
    said = []
    for task in compiled(folder=str(source.parent), out=str(out), tasks=2, toehold="toehold")["tasks"]:
        arguments = task["commands"][0]["parameters"]["args"]
        done = subprocess.run([*toehold, *arguments], capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == (1 if task["name"] == "summary" else 0), done.stderr
        said += [line.partition(",")[0] for line in done.stdout.splitlines() if "files done" in line]
        assert (out / "toehold-summary.html").exists() == (task["name"] == "summary")
    assert said == ["2 of 2 files done", "1 of 2 files done", "3 of 4 files done"]
    kept = sorted(path.name for path in out.iterdir())
    summaries = ["toehold-manifest.jsonl", "toehold-summary.csv", "toehold-summary.html"]
    assert kept == [*summaries, "walk0.bvh", "walk1.bvh", "walk2.bvh"]
