# SPDX-License-Identifier: GPL-3.0-or-later
"""A batch on a cluster: a real scheduler and two real workers on this machine, one of them killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra toehold-blender[cluster] is not installed")
pytest.importorskip("bpy", reason="the children of the workers need Blender")

from support.walker import walk
from support.walker_armature import walking_armature
from toehold import command_batch, command_line
from toehold.batch import workers
from toehold.files import bvh
from toehold.files.output import save
from toehold.files.scenes import Source

pytestmark = pytest.mark.timeout(150)

PLACE = Path(workers.__file__).resolve().parents[1]


@dataclass
class Cluster:
    """A scheduler and its workers, processes that are ended with it.

    address : of the scheduler.
    environment : in which workers find the Toehold of this tree.
    machines : the workers.
    """

    address: str
    environment: dict[str, str]
    machines: list[subprocess.Popen[bytes]]

    def command(self, folder: Path, *arguments: str) -> subprocess.Popen[str]:
        """Begin the command on the cluster."""
        return subprocess.Popen(
            [sys.executable, "-P", "-c", workers.BOOT, str(PLACE), *arguments, "--scheduler", self.address],
            cwd=folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def begin(environment: dict[str, str], module: str, *arguments: str) -> subprocess.Popen[bytes]:
    code = f"import sys; from distributed.cli.{module} import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments, "--no-dashboard"],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[[int], Cluster]]:
    """Starts a scheduler with so many workers."""
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "toehold").symlink_to(PLACE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "path"), "TMPDIR": str(tmp_path)}
    running: list[subprocess.Popen[bytes]] = []

    def start(count: int) -> Cluster:
        told = tmp_path / "scheduler.json"
        running.append(begin(environment, "dask_scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={told}"))
        address = waited(lambda: json.loads(told.read_text())["address"] if told.exists() else None)
        machines = [
            begin(environment, "dask_worker", address, "--no-nanny", "--nthreads=1", f"--local-directory={tmp_path}")
            for _ in range(count)
        ]
        running.extend(machines)
        return Cluster(address, environment, machines)

    yield start
    for process in reversed(running):
        process.terminate()
    for process in running:
        ended(process)


def ended(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process that was told to end; one that does not is killed."""
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(timeout=15)


def waited(ask: Callable[[], str | None], seconds: float = 60.0) -> str:
    """Return what is told once it is told."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (told := ask()) is not None:
                return told
        except ValueError:
            pass  # half-written yet
        time.sleep(0.05)
    raise AssertionError("nothing came")


@pytest.fixture
def takes(tmp_path: Path) -> Path:
    """A folder that is worked in: ``takes`` has eight walks that slide and a broken file."""
    source = tmp_path / "takes" / "walk0.bvh"
    source.parent.mkdir()
    save(Source(source, walking_armature(walk(strides=2.0, fps=30.0, slide_mm_s=150.0))), source)
    for number in range(1, 8):
        (source.parent / f"walk{number}.bvh").write_bytes(source.read_bytes())
    (source.parent / "broken.bvh").write_text("HIERARCHY\nROOT Hips\n{")
    return tmp_path


def children_of(folder: Path) -> list[Path]:
    """Return the scratch folders of children that are at work."""
    return list(folder.glob("toehold-worker-*"))


def test_a_cluster_does_a_folder_also_where_a_machine_is_killed(started: Callable[[int], Cluster], takes: Path) -> None:
    cluster = started(2)
    batch = cluster.command(takes, "clean", "takes", "-o", "out", "--json", "all.json")
    waited(lambda: "one" if list((takes / "out").glob("*.bvh")) else None)
    os.kill(cluster.machines[0].pid, signal.SIGKILL)
    out, said = batch.communicate(timeout=120)
    assert batch.returncode == 1, said
    # What is wrong with a file is said, and where; all else is done, and a lost machine costs no file.
    assert said.startswith("broken.bvh: the file ends before MOTION")
    assert "(on tcp://127.0.0.1:" in said
    assert len(said.splitlines()) == 1
    assert "8 of 9 files done, 1 failed" in out
    frames = len(bvh.read(takes / "takes" / "walk0.bvh").values)
    assert [len(bvh.read(path).values) for path in (takes / "out").glob("*.bvh")] == [frames] * 8
    records = json.loads((takes / "all.json").read_text())["files"]
    assert [record["after"]["slide_mm_s"] < 2.0 < record["before"]["slide_mm_s"] for record in records] == [True] * 8
    assert not [path for path in (takes / "out").iterdir() if path.name.startswith(".")]
    # The children end with the batch, those of the lost machine too.
    waited(lambda: None if children_of(takes) else "none")
    # What is done is passed over, as in a batch on this machine.
    (takes / "takes" / "broken.bvh").unlink()
    again = cluster.command(takes, "clean", "takes", "-o", "out")
    assert "8 of 8 files done, 8 of them before" in again.communicate(timeout=60)[0]


def test_ctrl_c_calls_a_batch_off_on_all_machines(started: Callable[[int], Cluster], takes: Path) -> None:
    cluster = started(1)
    batch = cluster.command(takes, "clean", "takes", "-o", "out")
    waited(lambda: "one" if children_of(takes) else None)
    batch.send_signal(signal.SIGINT)
    _, said = batch.communicate(timeout=60)
    assert batch.returncode == 130, said
    assert "none is half-written; the same command goes on from here" in said
    assert "Traceback" not in said
    waited(lambda: None if children_of(takes) else "none")
    assert not [path for path in (takes / "out").iterdir() if path.name.startswith(".")]
    assert cluster.machines[0].poll() is None


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--scheduler tcp://127.0.0.1:9", "no scheduler answers at tcp://127.0.0.1:9; start one"),
        ("--scheduler nonsense://", "no scheduler answers at nonsense://; start one"),
        ("--scheduler tcp://127.0.0.1:9 --jobs 2", "--jobs is for this machine"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_line_and_nothing_is_done(
    takes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: str, reason: str
) -> None:
    monkeypatch.chdir(takes)
    assert command_batch.run(["clean", "takes", "-o", "out", *options.split()]) == 2
    said = capsys.readouterr().err
    assert reason in said
    assert len(said.splitlines()) == 1
    assert not list((takes / "out").glob("*"))


def test_one_file_is_for_this_machine(takes: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["clean", str(takes / "takes" / "walk0.bvh"), "-o", "one.bvh", "--scheduler", "tcp://127.0.0.1:9"]
    assert not command_batch.is_batch(arguments)
    with pytest.raises(SystemExit):
        command_line.parse(arguments, None)
    assert "--scheduler is for folders" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["distributed", "toehold.cluster.pool"])
def test_where_the_cluster_extra_is_missing_a_line_says_how_to_get_it(
    takes: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.chdir(takes)
    for name in ("toehold.cluster.pool", "toehold.cluster.machine"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    # As in Blender's extension, which has no such room, and where dask is not installed.
    monkeypatch.setitem(sys.modules, missing, None)
    assert command_batch.run(["clean", "takes", "-o", "out", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "pip install 'toehold-blender[cluster]'" in capsys.readouterr().err


def test_a_machine_without_toehold_is_named(started: Callable[[int], Cluster], takes: Path) -> None:
    cluster = started(0)
    (takes / "none" / "toehold").mkdir(parents=True)
    (takes / "none" / "toehold" / "__init__.py").write_text("")
    bare = {**cluster.environment, "PYTHONPATH": str(takes / "none")}
    machine = begin(bare, "dask_worker", cluster.address, "--no-nanny", f"--local-directory={takes}")
    try:
        batch = cluster.command(takes, "clean", "takes", "-o", "out")
        _, said = batch.communicate(timeout=60)
    finally:
        machine.terminate()
        ended(machine)
    assert batch.returncode != 0
    assert "lacks Toehold" in said
    assert len(said.splitlines()) == 1
