# SPDX-License-Identifier: GPL-3.0-or-later
"""Workers: child processes that each do one file after another, and what is told over their pipes.

Parent and worker tell each other lines of JSON. A line of the worker's begins with ``MARK``, whatever else is printed
there is Blender's. The parent sends ``{"number", "arguments"}``; the worker answers ``{"number", "code", "lines",
"records", "left", "memory"}``, where records and left are as ``--json`` has them. A worker whose input ends stops at
once, so that none outlives a parent that is killed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..files.placing import sweep_process
from .orders import WorkOrder

MARK = "toehold-worker "
# Each worker has a folder of its own for what Blender leaves lying about, which is removed with it.
SCRATCH = "toehold-worker-"
# What a worker is called with; no user needs it.
WORKER = "--batch-worker"
# How long a worker that is asked to stop may take, in seconds.
_PATIENCE = 2.0

# A worker of a Python that has Blender as a module: this very package, whatever else is installed.
BOOT = """
import importlib.util, os, sys
place = sys.argv[1]
spec = importlib.util.spec_from_file_location(
    "toehold", os.path.join(place, "__init__.py"), submodule_search_locations=[place])
sys.modules["toehold"] = package = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
sys.argv[1:] = sys.argv[2:]
from toehold.command_program import main
sys.exit(main())
"""

Answer = dict[str, Any]


class Worker:
    """One child process. ``heard`` is called, from a thread of its own, with each answer, and with None at the end."""

    def __init__(self, command: Sequence[str], heard: Callable[[Worker, Answer | None], None]) -> None:
        self.order: WorkOrder | None = None
        self.done = 0
        self.memory = 0
        self._places: set[Path] = set()
        self._scratch = Path(tempfile.mkdtemp(prefix=SCRATCH))
        self._said = (self._scratch / "said.txt").open("wb")
        scratch = str(self._scratch)
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            # Ctrl-C is for the parent, which tells its workers.
            start_new_session=True,
            env={**_calm(os.environ), "TMPDIR": scratch, "TEMP": scratch, "TMP": scratch, "PYTHONIOENCODING": "utf-8"},
        )
        self._heard = heard
        threading.Thread(target=self._listen, daemon=True).start()

    def give(self, order: WorkOrder, number: int) -> None:
        """Let it do an order; where it is gone already, its end is heard."""
        self.order = order
        if order.out is not None:
            self._places.add(order.out.parent)
        line = json.dumps({"number": number, "arguments": list(order.arguments)}) + "\n"
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except OSError:
            self._process.kill()

    def stop(self) -> None:
        """Let it end, at once where it is still busy; nothing is left of it."""
        if self._process.poll() is None and self.order is None:
            self._close_input()
        elif self._process.poll() is None:
            self._process.terminate()

    def clear(self) -> None:
        """Wait until it has ended, by force if need be, and sweep up after it."""
        end = time.monotonic() + _PATIENCE
        while self._process.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        self._kill()
        self._process.wait()
        self._close_input()
        self._said.close()
        for place in self._places:
            sweep_process(place, self._process.pid)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def why_it_ended(self) -> str:
        """Return how a worker that has ended by itself came to that, for a person."""
        code = self._process.wait()
        if code > 0:
            said = (self._scratch / "said.txt").read_text(encoding="utf-8", errors="replace").split("\n")
            last = next((line.strip() for line in reversed(said) if line.strip()), "")
            return f"ended with code {code}" + (f": {last[:100]}" if last else "")
        if code < 0:
            try:
                return f"ended by {signal.Signals(-code).name}"
            except ValueError:
                return f"ended by signal {-code}"
        return f"ended with code {code}"

    def _kill(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            return  # it was gone already

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK.encode()):
                try:
                    answer = json.loads(line[len(MARK) :])
                except (ValueError, RecursionError):
                    continue
                self._heard(self, answer)
        self._process.stdout.close()
        self._heard(self, None)


def python_worker() -> list[str]:
    """Return what starts a worker with this Python."""
    return [sys.executable, "-P", "-c", BOOT, str(Path(__file__).resolve().parents[1]), WORKER]


def _calm(environment: Any) -> dict[str, str]:
    """Return an environment in which each worker keeps to one core."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    return dict.fromkeys(threads, "1") | dict(environment)
