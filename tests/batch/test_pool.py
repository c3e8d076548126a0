# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers: a crash costs one file and is tried again, memory is bounded, and none outlives its parent."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from toehold.batch.orders import WorkOrder
from toehold.batch.pool import CRASHED, DONE, FAILED, Finished, Limits, Pool

FAKE = [sys.executable, str(Path(__file__).resolve().parents[1] / "support" / "fake_worker.py")]

pytestmark = pytest.mark.timeout(60)


def carried_out(folder: Path, whats: Sequence[str], limits: Limits) -> dict[str, Finished]:
    """Let fake workers do as they are told; return how each order went, by its name: its number and what it says."""
    orders = [
        WorkOrder(folder / f"{at}", f"{at} {what}", None, (what, str(folder / f"trace {at}")))
        for at, what in enumerate(whats)
    ]
    with closing(Pool(FAKE, limits)) as pool:
        return {finished.order.name: finished for finished in pool.run(orders)}


def tried(folder: Path, at: int) -> list[int]:
    """Return the processes that tried an order."""
    return [int(line) for line in (folder / f"trace {at}").read_text().split()]


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_crash_costs_one_file_and_is_tried_once_more(tmp_path: Path, jobs: int) -> None:
    went = carried_out(tmp_path, ["ok", "crash", "ok", "crash once", "fail", "ok", "leave"], Limits(jobs=jobs))
    assert {name: finished.state for name, finished in went.items()} == {
        "0 ok": DONE,
        "1 crash": CRASHED,
        "2 ok": DONE,
        "3 crash once": DONE,
        "4 fail": FAILED,
        "5 ok": DONE,
        "6 leave": CRASHED,
    }
    assert [len(tried(tmp_path, at)) for at in range(7)] == [1, 2, 1, 2, 1, 1, 2]
    assert "2 times (ended by SIGSEGV)" in went["1 crash"].lines[0]
    assert "SIGSEGV" in went["3 crash once"].lines[0]
    assert went["4 fail"].lines == ("it is broken",)
    assert "ended with code 3: out of memory" in went["6 leave"].lines[0]


def test_a_worker_does_many_files_and_is_replaced_before_it_grows(tmp_path: Path) -> None:
    carried_out(tmp_path, ["ok"] * 7, Limits(jobs=1, files=3))
    workers = [tried(tmp_path, at)[0] for at in range(7)]
    assert [workers.count(worker) for worker in dict.fromkeys(workers)] == [3, 3, 1]


def test_a_worker_that_holds_too_much_memory_is_replaced(tmp_path: Path) -> None:
    carried_out(tmp_path, ["ok", "grow", "ok", "ok"], Limits(jobs=1, memory=10**8))
    workers = [tried(tmp_path, at)[0] for at in range(4)]
    assert workers[0] == workers[1] != workers[2] == workers[3]


def test_no_worker_is_left_when_a_batch_is_stopped_in_the_middle(tmp_path: Path) -> None:
    orders = [WorkOrder(tmp_path, f"{at}", None, ("hang", str(tmp_path / f"trace {at}"))) for at in range(2)]
    orders.insert(0, WorkOrder(tmp_path, "first", None, ("ok", str(tmp_path / "trace first"))))
    with closing(Pool(FAKE, Limits(jobs=2))) as pool:
        next(iter(pool.run(orders)))
        while not any((tmp_path / f"trace {at}").exists() for at in range(2)):
            time.sleep(0.02)
    working = [process for at in range(2) if (tmp_path / f"trace {at}").exists() for process in tried(tmp_path, at)]
    assert working
    assert not any(is_running(process) for process in working)


def test_a_worker_that_can_not_even_start_is_told(tmp_path: Path) -> None:
    order = WorkOrder(tmp_path, "a", None, ())
    with closing(Pool([sys.executable, "-c", "import no_such_module"], Limits(jobs=1))) as pool:
        (finished,) = pool.run([order])
    assert finished.state == CRASHED
    assert "No module named 'no_such_module'" in finished.lines[0]
