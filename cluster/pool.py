# SPDX-License-Identifier: GPL-3.0-or-later
"""Let the machines of a dask cluster do the orders, as batch/pool.py lets this one do them."""

from __future__ import annotations

import logging
import queue
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed

from ..batch.orders import BatchError, WorkOrder
from ..batch.pool import CRASHED, DONE, FAILED, Finished
from .machine import Machine, do, seen_here

# How long a scheduler may take to answer, and to name a first worker, in seconds.
_ANSWER, _WORKER = 5.0, 10.0
# How long all workers, or the scheduler, may be gone in the middle of a batch.
_GONE = 60.0
# How long a result may take until it is seen here: shared folders of a network can be late.
_LATE = 5.0


class ClusterPool:
    """The workers of a cluster. ``close`` at the end, whatever happened; BatchError where they cannot be had.

    address : of the scheduler, such as tcp://host:8786.
    version : of Toehold here, which each worker has to have.
    first : an order of the batch; its folders have to be there on each machine.
    command : what starts a child on a machine; None for Toehold's own worker.
    """

    def __init__(self, address: str, version: str, first: WorkOrder, command: Sequence[str] | None = None) -> None:
        # What goes wrong is told here, in one line.
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
        self._address, self._version = address, version
        self._heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._orders: dict[str, tuple[WorkOrder, Any]] = {}
        self._machine = f"toehold-{uuid.uuid4().hex}"
        try:
            # What is no address would be an error in the client's own end.
            distributed.comm.get_address_host_port(address, strict=True)
            self._client = distributed.Client(address, timeout=_ANSWER, set_as_default=False)
        except (OSError, ValueError, TypeError, ImportError):
            raise BatchError(f"no scheduler answers at {address}; start one there with: dask scheduler") from None
        try:
            self._check(first)
            self._client.register_plugin(Machine(self._machine, command))
        except BaseException:
            self._client.close(timeout=1.0)
            raise

    def _check(self, first: WorkOrder) -> None:
        """See that there are workers, that they are of this version, and that they see the same files."""
        try:
            self._client.wait_for_workers(1, timeout=_WORKER)
        except TimeoutError:
            start = f"start some with: dask worker {self._address}"
            raise BatchError(f"the scheduler at {self._address} has no workers; {start}") from None
        for folder in dict.fromkeys(str(path.absolute().parent) for path in (first.source, first.out) if path):
            answers = self._client.run(seen_here, folder, on_error="return")
            for worker, answer in sorted(answers.items()):
                # dask tells what it cannot unpack by its text alone; a part of Toehold lacks its files.
                lacks = isinstance(answer, (ImportError, FileNotFoundError)) or "ModuleNotFoundError" in str(answer)
                if lacks:
                    mend = "pip install 'toehold-blender[cluster]' there"
                    raise BatchError(f"worker {worker} lacks Toehold ({answer}); {mend}")
                if isinstance(answer, Exception):
                    raise BatchError(f"worker {worker} does not work: {type(answer).__name__}: {answer}")
                if answer[0] != self._version:
                    raise BatchError(f"worker {worker} has Toehold {answer[0]}, this is {self._version}; install one")
                if not answer[1]:
                    raise BatchError(f"worker {worker} does not see {folder}; the machines have to share it")

    def run(self, orders: Sequence[WorkOrder]) -> Iterator[Finished]:
        """Do the orders; yield each as it is finished. BatchError where scheduler or workers are gone for good."""
        begun = time.monotonic()
        for order in orders:
            # Another machine does not know the folder that this one works in.
            there = order if order.out is None else replace(order, out=order.out.absolute())
            future = self._client.submit(
                do, there, self._machine, self._version, pure=False, priority=-len(self._orders)
            )
            self._orders[future.key] = order, future
            future.add_done_callback(self._heard.put)
        missed: float | None = None
        while self._orders:
            try:
                future = self._heard.get(timeout=1.0)
            except queue.Empty:
                missed = self._since_missed(missed)
                continue
            missed = None
            order, _ = self._orders.pop(future.key)
            yield self._result(order, future, time.monotonic() - begun)

    def _since_missed(self, missed: float | None) -> float | None:
        """Return since when the cluster is missed, None while it is there; BatchError once that is too long."""
        why = f"the scheduler at {self._address} is gone"
        try:
            if self._client.status == "running":
                if self._client.nthreads():
                    return None
                why = f"the scheduler at {self._address} has no workers left"
        except Exception:
            # Whatever way the connection failed, it is missed.
            missed = missed or time.monotonic()
        now = time.monotonic()
        if self._client.status == "closed" or (missed is not None and now - missed > _GONE):
            raise BatchError(f"{why}; see to it, and the same command goes on from here")
        return missed if missed is not None else now

    def _result(self, order: WorkOrder, future: Any, seconds: float) -> Finished:
        if future.status == "finished":
            finished: Finished | None = future.result()
            if finished is not None:
                return self._seen(replace(finished, order=order))
        if future.status == "error":
            error = future.exception()
            if isinstance(error, distributed.KilledWorker):
                line = "the machines at it were lost, one after the other; try it by itself, or export it again"
                return Finished(order, CRASHED, (line,), (), (), 0, seconds)
            return Finished(order, FAILED, (f"{type(error).__name__}: {error}",), (), (), 0, seconds)
        raise BatchError(f"the scheduler at {self._address} is gone; see to it, and the same command goes on from here")

    def _seen(self, finished: Finished) -> Finished:
        """Return what was told, or that its result is not where it should be."""
        out, end = finished.order.out, time.monotonic() + _LATE
        while finished.state == DONE and out is not None and not _is_there(out):
            if time.monotonic() > end:
                line = (
                    f"{out} was written on another machine and is not seen here; the machines have to share its folder"
                )
                return Finished(finished.order, FAILED, (line,), (), (), finished.crashes, finished.seconds)
            time.sleep(0.2)
        return finished

    def close(self) -> None:
        """Call off what is not done, end the children of all machines, and leave the cluster as it was."""
        try:
            if self._client.status == "running":
                self._client.cancel([future for _, future in self._orders.values()], force=True)
                self._client.unregister_worker_plugin(self._machine)
        except Exception:
            # The scheduler is gone; its machines end the children that have nothing to do by themselves.
            self._orders.clear()
        self._client.close(timeout=2.0)


def _is_there(path: Path) -> bool:
    # Looking into the folder makes a network's file system ask anew.
    return path.exists() or path.name in {entry.name for entry in path.parent.iterdir()}
