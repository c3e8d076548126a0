# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker of a batch: does the command on one file after another, as batch/workers.py tells it to."""

from __future__ import annotations

import io
import json
import os
import queue
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from .batch.workers import MARK, SCRATCH
from .files.placing import sweep_own
from .files.plain_json import json_text

Run = Callable[[Sequence[str]], int]


def work(run: Run) -> int:
    """Do what comes in until the input ends, and return the exit code."""
    answers = os.fdopen(os.dup(1), "wb")
    # What Blender says goes where errors go, which the parent keeps.
    os.dup2(2, 1)
    orders: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while True:
        order = json.loads(orders.get())
        answer = {"number": order["number"], **_done(run, order["arguments"]), "memory": _memory()}
        answers.write(f"{MARK}{json_text(answer, None)}\n".encode())
        answers.flush()


def _listen(orders: queue.SimpleQueue[bytes]) -> None:
    """Pass orders on. Where the input ends the parent is gone, or done: stop at once, whatever Blender is at."""
    for line in sys.stdin.buffer:
        orders.put(line)
    sweep_own()
    scratch = Path(tempfile.gettempdir())
    for _ in range(20 if scratch.name.startswith(SCRATCH) else 0):
        # Blender may be putting something there at this very moment.
        shutil.rmtree(scratch, ignore_errors=True)
        if not scratch.exists():
            break
    os._exit(0)


def _done(run: Run, arguments: Sequence[str]) -> dict[str, Any]:
    """Do the command on one file; return its exit code, what it said about it, and its entries of JSON."""
    said = io.StringIO()
    with tempfile.TemporaryDirectory(prefix="toehold-") as folder:
        told = Path(folder) / "record.json"
        with redirect_stderr(said), redirect_stdout(said):
            code = run([*arguments, "--quiet", "--sketch", f"--json={told}"])
        try:
            document = json.loads(told.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            document = {}
    lines = [_plain(line) for line in said.getvalue().splitlines() if line.strip()]
    return {"code": code, "lines": lines, "records": document.get("files", []), "left": document.get("left", [])}


def _plain(line: str) -> str:
    """Return a line without what points a person to the help, where the command line itself refused."""
    if line.startswith("toehold ") and line.endswith(" -h explains"):
        line = line.rpartition("; ")[0].partition(": ")[2]
    return line


def _memory() -> int:
    """Return how many bytes this process holds; 0 where that cannot be told."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, LookupError):
        return _peak_memory()


def _peak_memory() -> int:
    try:
        import resource
    except ImportError:  # there is none on Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
