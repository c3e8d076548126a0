# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done on a machine of the cluster: each order by a child process, the worker of batch/workers.py.

A dask worker does as many orders at once as it has threads. Each of its threads waits for a child with a Blender of its
own, so a crash of Blender costs one file and not the dask worker. A child goes on with the next order; one that has had
nothing to do for a minute is ended.
"""

from __future__ import annotations

import os
import threading
import time
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources

import distributed

from ..batch.orders import WorkOrder
from ..batch.pool import Finished, Limits, Pool
from ..batch.workers import python_worker

# After how many seconds a child without an order is ended.
_IDLE = 60.0


class Machine(distributed.WorkerPlugin):  # type: ignore[misc]
    """The children of one dask worker, for one batch. Client and scheduler hand it to each worker that there is."""

    def __init__(self, name: str, command: Sequence[str] | None = None) -> None:
        self.name, self._command = name, command

    def setup(self, worker: distributed.Worker) -> None:
        self._lock = threading.Lock()
        self._idle: list[tuple[float, Pool]] = []
        self._busy: set[Pool] = set()
        self._ended = False

    def teardown(self, worker: distributed.Worker) -> None:
        """End the children: at the end of the batch, where it is called off, and where the dask worker ends."""
        with self._lock:
            self._ended = True
            idle = [pool for _, pool in self._idle]
            self._idle.clear()
            for pool in self._busy:
                pool.halt()
        for pool in idle:
            pool.close()

    def done(self, order: WorkOrder) -> Finished | None:
        """Do an order; None where the batch was called off meanwhile."""
        pool = self._taken()
        try:
            return next(pool.run([order]), None)
        finally:
            self._given_back(pool)

    def _taken(self) -> Pool:
        with self._lock:
            pool = self._idle.pop()[1] if self._idle else self._new()
            self._busy.add(pool)
            if self._ended:
                pool.halt()
            return pool

    def _new(self) -> Pool:
        return Pool(python_worker() if self._command is None else self._command, Limits(jobs=1))

    def _given_back(self, pool: Pool) -> None:
        with self._lock:
            self._busy.discard(pool)
            ended = self._ended
            if not ended:
                self._idle.append((time.monotonic(), pool))
        if ended:
            # Only the thread that runs a pool may close it.
            pool.close()
            return
        timer = threading.Timer(_IDLE + 1.0, self._end_idle)
        timer.daemon = True
        timer.start()

    def _end_idle(self) -> None:
        with self._lock:
            now = time.monotonic()
            old = [(since, pool) for since, pool in self._idle if now - since > _IDLE]
            self._idle = [entry for entry in self._idle if entry not in old]
        for _, pool in old:
            pool.close()


def version_here() -> str:
    """Return the version of Toehold on this machine."""
    manifest = resources.files(__package__.rpartition(".")[0]).joinpath("blender_manifest.toml")
    return str(tomllib.loads(manifest.read_text(encoding="utf-8"))["version"])


def seen_here(folder: str) -> tuple[str, bool]:
    """Return this machine's version of Toehold, and whether it has a folder."""
    return version_here(), os.path.isdir(folder)


def do(order: WorkOrder, machine: str, version: str) -> Finished | None:
    """Do an order on this machine; a task of dask. None where the batch was called off meanwhile."""
    worker = distributed.get_worker()
    if version_here() != version:
        raise RuntimeError(f"{worker.address} has Toehold {version_here()}, and not {version}")
    plugin = worker.plugins.get(machine)
    finished: Finished | None = None if plugin is None else plugin.done(order)
    if finished is None:
        return None
    # So that it is known whom to ask: the parent reads of a file on which machine it failed.
    host = f" (on {worker.address})"
    lines = tuple(line + host for line in finished.lines) if finished.state != "done" else finished.lines
    return replace(finished, lines=lines)
