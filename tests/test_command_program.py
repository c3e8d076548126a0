# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a program: its output may be closed, full or ASCII, and a signal leaves nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.walker import walk
from support.walker_armature import walking_armature
from toehold.batch import workers
from toehold.files.output import save
from toehold.files.scenes import Source

pytestmark = pytest.mark.timeout(120)

PLACE = Path(workers.__file__).resolve().parents[1]
COMMAND = [sys.executable, "-c", workers.BOOT, str(PLACE)]


@pytest.fixture
def walked(tmp_path: Path) -> Path:
    out = tmp_path / "wälk.bvh"
    save(Source(out, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=120.0))), out)
    return out


@pytest.mark.parametrize("sent", [">&-", "2>&-", "<&- >&- 2>&-", ">/dev/full 2>/dev/full", "| true", "| head -c 10"])
def test_a_result_that_is_written_is_no_error_because_of_the_output(walked: Path, sent: str) -> None:
    words = " ".join(f"'{word}'" for word in COMMAND)
    line = f"{words} clean {walked} -o out.bvh --json out.json {sent}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=walked.parent, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (walked.parent / "out.bvh").stat().st_size > 10000
    assert len(json.loads((walked.parent / "out.json").read_text())["files"]) == 1
    assert b"Traceback" not in done.stderr
    assert b"report it" not in done.stderr


def test_a_terminal_that_knows_ascii_only_is_told_all_the_same(walked: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*COMMAND, "clean", str(walked), "-o", "out.bvh"],
        cwd=walked.parent,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"w\\xe4lk.bvh: " in done.stdout


# Stands in the middle of writing a result until it is stopped.
IN_THE_MIDDLE = """
import importlib.util, os, sys, time
from pathlib import Path
place = sys.argv[1]
spec = importlib.util.spec_from_file_location(
    "toehold", os.path.join(place, "__init__.py"), submodule_search_locations=[place])
sys.modules["toehold"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
from toehold.command_program import stoppable
from toehold.files.placing import placed

def write(beside):
    beside.write_text("half")
    print("begun", flush=True)
    time.sleep(60.0)

with stoppable():
    placed(Path("out.bvh"), write)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_sweeps_what_is_half_written(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "out.bvh").write_text("old")
    at_work = subprocess.Popen(
        [sys.executable, "-c", IN_THE_MIDDLE, str(PLACE)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert at_work.stdout is not None
    assert at_work.stdout.readline() == b"begun\n"
    assert len(list(tmp_path.iterdir())) == 2
    at_work.send_signal(number)
    _, said = at_work.communicate(timeout=20)
    assert at_work.returncode == 128 + number
    assert said == b"stopped; no file is half-written\n"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.bvh": "old"}


def test_what_a_killed_program_left_is_swept_by_the_next_and_what_is_at_work_is_not(tmp_path: Path) -> None:
    from toehold.files.placing import placed, sweep_forgotten

    at_work = subprocess.Popen([sys.executable, "-c", IN_THE_MIDDLE, str(PLACE)], cwd=tmp_path, stdout=subprocess.PIPE)
    assert at_work.stdout is not None
    assert at_work.stdout.readline() == b"begun\n"
    assert sweep_forgotten(tmp_path) == 0
    at_work.kill()
    at_work.wait()
    other_machine = tmp_path / ".toehold-0000-1-x"
    other_machine.mkdir()
    placed(tmp_path / "mine", lambda beside: (beside.write_text("x"), sweep_forgotten(tmp_path)))
    assert sorted(path.name for path in tmp_path.iterdir()) == [".toehold-0000-1-x", "mine"]
    long_ago = time.time() - 7 * 86400
    os.utime(other_machine, (long_ago, long_ago))
    assert sweep_forgotten(tmp_path) == 1
