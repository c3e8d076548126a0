# SPDX-License-Identifier: GPL-3.0-or-later
"""Let several workers do the orders: what crashes is tried once more, and no worker grows for ever."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .orders import WorkOrder
from .workers import Answer, Worker

DONE, FAILED, CRASHED = "done", "failed", "crashed"


@dataclass(frozen=True)
class Limits:
    """How workers are used.

    jobs : how many work at once.
    files : after how many files a worker is replaced.
    memory : and when it holds more bytes than this.
    tries : how often a file is given out whose worker crashes.
    """

    jobs: int
    files: int = 100
    memory: int = 2 * 1024**3
    tries: int = 2


@dataclass(frozen=True)
class Finished:
    """How an order went.

    state : DONE; FAILED, where the command says why in ``lines``; or CRASHED, each time.
    lines : what was said about it, each a line for a person; there can be warnings where it is done.
    records, left : its entries of the command's JSON: actions that were worked on, and those that were not.
    crashes : how often a worker crashed at it.
    seconds : it took, this time.
    """

    order: WorkOrder
    state: str
    lines: tuple[str, ...]
    records: tuple[dict[str, Any], ...]
    left: tuple[dict[str, Any], ...]
    crashes: int
    seconds: float


class Pool:
    """Workers and the orders that they do. ``close`` at the end, whatever happened."""

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self._command, self._limits = command, limits
        self._heard: queue.SimpleQueue[tuple[Worker, Answer | None]] = queue.SimpleQueue()
        self._workers: list[Worker] = []
        self._crashes: dict[str, list[str]] = {}
        self._begun: dict[Worker, float] = {}
        self._halted = False

    def run(self, orders: Sequence[WorkOrder]) -> Iterator[Finished]:
        """Do the orders; yield each as it is finished."""
        waiting = deque(orders)
        left = len(orders)
        while left and not self._halted:
            self._hand_out(waiting)
            try:
                worker, answer = self._heard.get(timeout=0.5)
            except queue.Empty:
                continue
            finished = self._lost(worker, waiting) if answer is None else self._answered(worker, answer)
            if finished is not None:
                left -= 1
                yield finished

    def halt(self) -> None:
        """Let ``run`` end soon, with orders left; from another thread too. The one who runs it has to close it."""
        self._halted = True

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.clear()
        self._workers.clear()

    def _hand_out(self, waiting: deque[WorkOrder]) -> None:
        for worker in [worker for worker in self._workers if worker.order is None]:
            if worker.done >= self._limits.files or worker.memory > self._limits.memory:
                self._remove(worker)
        idle = [worker for worker in self._workers if worker.order is None]
        while waiting and (idle or len(self._workers) < self._limits.jobs):
            if idle:
                worker = idle.pop()
            else:
                worker = Worker(self._command, lambda worker, answer: self._heard.put((worker, answer)))
                self._workers.append(worker)
            self._begun[worker] = time.monotonic()
            worker.give(waiting.popleft(), worker.done)

    def _remove(self, worker: Worker) -> None:
        worker.stop()
        worker.clear()
        self._workers.remove(worker)

    def _answered(self, worker: Worker, answer: Answer) -> Finished | None:
        order = worker.order
        if order is None or answer.get("number") != worker.done:
            return None
        worker.order = None
        worker.done += 1
        worker.memory = int(answer.get("memory") or 0)
        crashes = self._crashes.get(order.name, [])
        told = [f"a worker {why} at it, done at the second try" for why in crashes if answer.get("code") == 0]
        lines = tuple(str(line) for line in answer.get("lines") or ())
        return Finished(
            order,
            DONE if answer.get("code") == 0 else FAILED,
            (*told, *lines) if lines or answer.get("code") == 0 else ("no reason was given",),
            tuple(answer.get("records") or ()),
            tuple(answer.get("left") or ()),
            len(crashes),
            time.monotonic() - self._begun.pop(worker),
        )

    def _lost(self, worker: Worker, waiting: deque[WorkOrder]) -> Finished | None:
        """Take note of a worker that has ended; its order is given out once more, else is finished."""
        if worker not in self._workers:
            return None
        order, why = worker.order, worker.why_it_ended()
        self._remove(worker)
        if order is None:
            return None
        crashes = self._crashes.setdefault(order.name, [])
        crashes.append(why)
        seconds = time.monotonic() - self._begun.pop(worker)
        if len(crashes) < self._limits.tries:
            waiting.append(order)
            return None
        line = f"Blender crashed at it, {len(crashes)} times ({why}); try it by itself, or export it again"
        return Finished(order, CRASHED, (line,), (), (), len(crashes), seconds)
