# SPDX-License-Identifier: GPL-3.0-or-later
"""The command over folders and patterns: many files at once, each by a worker, with a summary at the end."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

import bpy

from .batch import orders, summary
from .batch.manifest import Manifest, Settings, stamp
from .batch.orders import BatchError, Search, WorkOrder
from .batch.pool import DONE, Finished, Limits, Pool
from .batch.progress import Progress, in_words
from .batch.workers import WORKER, python_worker
from .command_gate import over_limits
from .command_line import given_arguments, version
from .command_program import STOPPING, signals_go_to
from .files.placing import sweep_forgotten, why_not_writable, write_bytes
from .files.plain_json import json_text
from .files.records import read_json, report_document
from .files.scenes import SUFFIXES
from .files.setting_presets import preset_file
from .rig.common.wording import RigError

if TYPE_CHECKING:
    from .cluster.pool import ClusterPool

ALL_DONE, SOME_FAILED, WRONG_USAGE = 0, 1, 2
# What is for the batch, and not for the command on each file.
_OWN = frozenset(
    {"files", "out", "json", "events", "quiet", "jobs", "deep", "include", "exclude", "dry_run", "again", "verbose"}
    | {"verb", "parser", "sketch", "fail_over", "scheduler", "share"}
)
_DOCUMENTS = ("limbs", "contacts")


class StoppedError(Exception):
    """Ctrl-C, or a signal that means the same; holds its number."""


@dataclass(frozen=True)
class Batch:
    """What a batch has to do: its orders, where they are noted, and how it was called."""

    given: argparse.Namespace
    orders: tuple[WorkOrder, ...]
    folder: Path | None
    settings: Settings


def is_batch(arguments: Sequence[str]) -> bool:
    """Return whether arguments ask for a batch: a folder or a pattern, or several files with --jobs or --scheduler."""
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            given = given_arguments(arguments)
    except SystemExit:
        return False  # the command itself will tell why
    asked = given.jobs is not None or given.scheduler is not None
    return any(orders.is_batch(name) for name in given.files) or (asked and len(given.files) > 1)


def run(arguments: Sequence[str]) -> int:
    """Do the batch that the arguments ask for; return the exit code: 128 + the signal where it is stopped."""
    given = given_arguments(arguments)
    try:
        with _stopped_by_signals():
            batch = _prepared(given)
            if given.dry_run:
                return _dry_run(batch)
            return _carried_out(batch)
    except BatchError as error:
        _say(f"toehold {given.verb}: {error}")
        return WRONG_USAGE
    except StoppedError as stopped:
        return 128 + int(stopped.args[0])


def _prepared(given: argparse.Namespace) -> Batch:
    """Return the batch; BatchError where it cannot be done as asked."""
    folder = Path(given.out) if getattr(given, "out", None) else None
    search = Search(tuple(given.files), SUFFIXES, tuple(given.include or ()), tuple(given.exclude or ()), given.deep)
    files = orders.find_files(search, folder)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise BatchError(f"{folder} is a file; the results of many need a folder")
    if given.share:
        part, of = given.share
        files = dict(list(files.items())[part - 1 :: of])
    plain = _plain_arguments(given)
    made = tuple(_order(given, plain, (name, file), folder) for name, file in files.items())
    inputs = {os.path.realpath(order.source) for order in made}
    for order in made:
        if order.out is not None and os.path.realpath(order.out) in inputs:
            raise BatchError(f"{order.out}: that would overwrite an input; choose another folder")
    if given.scheduler and given.jobs:
        raise BatchError("--jobs is for this machine; how many files a cluster does at once is up to its workers")
    documents = tuple(Path(value) for name in _DOCUMENTS if (value := getattr(given, name, None)))
    _refuse_mixed_up(given, files, documents)
    if getattr(given, "preset", None):
        documents += (_preset(given.preset),)
    return Batch(given, made, folder, Settings(version(), (given.verb, *plain), documents))


def _preset(wanted: str) -> Path:
    try:
        return preset_file(wanted)
    except RigError as error:
        raise BatchError(str(error)) from None


def _refuse_mixed_up(given: argparse.Namespace, files: dict[str, Path], documents: Sequence[Path]) -> None:
    """Refuse files of one name where something goes by their names alone, and documents that cannot be read."""
    names = Counter(path.name for path in files.values())
    twice = sorted(name for name, count in names.items() if count > 1)
    for path in documents:
        try:
            document = read_json(path)
        except RigError as error:
            raise BatchError(str(error)) from None
        entries = document.get("files") if isinstance(document, dict) else None
        if twice and isinstance(entries, list) and len(entries) > 1:
            raise BatchError(
                f"{path.name} goes by names of files, and {twice[0]} is there twice; do a folder at a time"
            )
    stems = Counter(name.rpartition(".")[0] for name in files)
    same = sorted(stem for stem, count in stems.items() if count > 1)
    if getattr(given, "events", None) and same:
        raise BatchError(f"the events of two files called {same[0]} would be written to one; use --include")


def _plain_arguments(given: argparse.Namespace) -> tuple[str, ...]:
    """Return the options that each file is done with, written out."""
    plain: list[str] = []
    for name, value in sorted(vars(given).items()):
        option = f"--{name.replace('_', '-')}"
        if name in _OWN or value is None or value is False:
            continue
        if value is True:
            plain.append(option)
        elif isinstance(value, list):
            plain += [f"{option}={_written_out(one)}" for one in value]
        else:
            plain.append(f"{option}={':'.join(map(str, value)) if isinstance(value, tuple) else value}")
    return tuple(plain)


def _written_out(value: Any) -> str:
    """Return one value of an option that may be given several times as the user writes it: NAME=V where it is two."""
    return "=".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _order(given: argparse.Namespace, plain: Sequence[str], file: tuple[str, Path], folder: Path | None) -> WorkOrder:
    name, source = file
    # Annotated contacts have no place in a .bvh, and a report changes nothing.
    writes = folder is not None and given.verb != "report"
    out = folder / name if writes and folder is not None else None
    # Of the same option the last one counts: another machine does not know this folder.
    named = {name: value for name in _DOCUMENTS if (value := getattr(given, name, None))}
    documents = [f"--{name}={Path(value).absolute()}" for name, value in named.items()]
    # A name may begin with a dash.
    arguments = [given.verb, *plain, *documents]
    if out is not None:
        arguments.append(f"--out={out.absolute()}")
    if getattr(given, "events", None):
        arguments.append(f"--events={(Path(given.events) / name).parent.absolute()}")
    arguments.append(str(source.absolute()))
    return WorkOrder(source.absolute(), name, out, tuple(arguments))


def _dry_run(batch: Batch) -> int:
    manifest = Manifest(batch.folder, batch.settings, batch.given.share)
    for order in batch.orders:
        state = "to do" if batch.given.again else manifest.state(order)
        print(f"{state:10}{order.source}" + ("" if order.out is None else f" -> {order.out}"))
    return ALL_DONE


def _make_folders(batch: Batch) -> None:
    """Make the folders of all results, and sweep what a batch that was killed has left in them."""
    wanted = {order.out.parent for order in batch.orders if order.out is not None}
    if batch.folder is not None:
        wanted.add(batch.folder)
    if getattr(batch.given, "events", None):
        wanted |= {(Path(batch.given.events) / order.name).parent for order in batch.orders}
    for folder in sorted(wanted):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BatchError(f"{folder} cannot be made ({error.strerror}); choose another place") from None
        sweep_forgotten(folder)
    if batch.folder is not None:
        reason = why_not_writable(batch.folder / summary.PAGE)
        if reason is not None:
            raise BatchError(f"{batch.folder} cannot be written: {reason}")


def _carried_out(batch: Batch) -> int:
    _make_folders(batch)
    begun = time.monotonic()
    manifest = Manifest(batch.folder, batch.settings, batch.given.share)
    states = {order.name: "to do" if batch.given.again else manifest.state(order) for order in batch.orders}
    rows = {order.name: manifest.result(order) for order in batch.orders if states[order.name] != "to do"}
    for order in batch.orders:
        if states[order.name] == "edited":
            _say(f"{order.name}: its result was changed since it was made, and is left alone; --again makes it anew")
    todo = [order for order in batch.orders if states[order.name] == "to do"]
    with closing(_pool(batch.given, todo)) as pool:
        try:
            manifest.begin()
        except OSError as error:
            raise BatchError(f"{batch.folder} cannot be written to ({error.strerror}); make room there") from None
        ended = _ended(batch, lambda: _work(pool, batch, todo, manifest, rows))
        manifest.end()
    left = [order.name for order in batch.orders if order.name not in rows]
    written = _write_results(batch, rows)
    failed = sum(row["state"] != DONE for row in rows.values()) + _over_limits(batch, rows)
    if not batch.given.quiet:
        _tell_end(batch, (rows, len(left), sum(state != "to do" for state in states.values())), begun)
    if isinstance(ended, StoppedError):
        _say(f"stopped: {len(left)} files are left, and none is half-written; the same command goes on from here")
        raise ended
    # Where a share fails a farm gives up the whole, which does what is left once more and tells of it.
    at_fault = failed and not batch.given.share
    return SOME_FAILED if at_fault or ended is not None or not written else ALL_DONE


def _over_limits(batch: Batch, rows: dict[str, dict[str, Any]]) -> int:
    """Say which files do not keep the limits of --fail-over, and return how many figures are over."""
    limits = getattr(batch.given, "fail_over", None) or ()
    found = [(name, line) for name, row in rows.items() for _, line in over_limits(row["records"], limits)]
    for name, line in found:
        _say(f"{name}: {line}")
    return len(found)


def _ended(batch: Batch, work: Callable[[], None]) -> Exception | None:
    """Do the work; return what cut it short, and say so where it is for the user to mend."""
    try:
        work()
    except StoppedError as signalled:
        return signalled
    except OSError as error:
        _say(f"{batch.folder} cannot be written to any more ({error.strerror}); make room, and call it again")
        return error
    except BatchError as error:
        _say(f"toehold {batch.given.verb}: {error}")
        return error
    return None


def _work(
    pool: Pool | ClusterPool, batch: Batch, todo: list[WorkOrder], manifest: Manifest, rows: dict[str, dict[str, Any]]
) -> None:
    """Do the orders; put what is told of each in the summary's rows, and note those that are done."""
    if not todo:
        return
    progress = Progress(len(todo), sys.stdout, sys.stderr, batch.given.verbose, batch.given.quiet)
    before = {order.name: stamp(order.source) for order in todo}
    progress.begin()
    try:
        for finished in pool.run(todo):
            row = _row(finished)
            rows[finished.order.name] = row
            if finished.state == DONE:
                manifest.finished(finished.order, before[finished.order.name], row)
            progress.tell(finished)
    finally:
        progress.clear()


def _row(finished: Finished) -> dict[str, Any]:
    return {
        "name": finished.order.name,
        "state": finished.state,
        "lines": list(finished.lines),
        "records": list(finished.records),
        "left": list(finished.left),
        "seconds": round(finished.seconds, 2),
    }


def _write_results(batch: Batch, rows: dict[str, dict[str, Any]]) -> bool:
    """Write the summary, and the JSON where that was asked for; return whether all could be written."""
    told = [rows[order.name] for order in batch.orders if order.name in rows]
    places: list[tuple[Path, str]] = []
    # A share is a part: the whole is told by the command without it.
    if batch.folder is not None and not batch.given.share:
        places.append((batch.folder / summary.TABLE, summary.table(told)))
        places.append((batch.folder / summary.PAGE, summary.page(told, version(), batch.given.verb)))
    if batch.given.json:
        entries = [summary.plain_record(record) for row in told for record in row["records"]]
        left = [entry for row in told for entry in row["left"]]
        text = json_text(report_document(version(), entries, left)) + "\n"
        places.append((Path(batch.given.json), text))
    whole = True
    for path, text in places:
        try:
            write_bytes(path, text.encode(errors="backslashreplace"))
        except OSError as error:
            _say(f"{path.name}: could not be written ({error.strerror}); choose another place")
            whole = False
    return whole


def _tell_end(batch: Batch, counts: tuple[dict[str, dict[str, Any]], int, int], begun: float) -> None:
    rows, left, skipped = counts
    failed = sum(row["state"] != DONE for row in rows.values())
    parts = [f"{len(rows) - failed} of {len(batch.orders)} files done"]
    parts += [f"{skipped} of them before"] if skipped else []
    parts += [f"{failed} failed"] if failed else []
    parts += [f"{left} left"] if left else []
    print(f"{', '.join(parts)}, in {in_words(time.monotonic() - begun)}")
    for row in summary.worst(list(rows.values()), 3):
        print(f"  still slides most: {row['name']}, {summary.still_slides(row):.1f} mm/s")
    if batch.folder is not None and not batch.given.share:
        print(f"  summary: {batch.folder / summary.PAGE}")


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _worker_command() -> list[str]:
    """Return what starts a worker: Blender itself where this runs in it, else this Python."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "-b", "-noaudio", "-c", "toehold", WORKER]
    return python_worker()


def _pool(given: argparse.Namespace, todo: list[WorkOrder]) -> Pool | ClusterPool:
    """Return what does the orders: workers of this machine or of a cluster; BatchError where it is not to be had."""
    if not given.scheduler or not todo:
        return Pool(_worker_command(), Limits(jobs=min(given.jobs or _cores(), max(1, len(todo)))))
    try:
        from .cluster.pool import ClusterPool
    except ImportError:
        raise BatchError(
            "--scheduler needs a part that is not installed; pip install 'toehold-blender[cluster]'"
        ) from None
    return ClusterPool(given.scheduler, version(), todo[0])


def _stopped_by_signals() -> AbstractContextManager[None]:
    """Make Ctrl-C and the like an exception: the parent of a batch never waits for Blender."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        for each in STOPPING:
            signal.signal(each, signal.SIG_IGN)
        raise StoppedError(number)

    return signals_go_to(stop)
