# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user may say on the command line about a folder, a pattern, or many files."""

from __future__ import annotations

import argparse


def add_batch_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a batch to those of a verb."""
    # What the summary of a batch draws; its workers ask for it.
    parser.add_argument("--sketch", action="store_true", help=argparse.SUPPRESS)
    add = parser.add_argument_group("a folder, a pattern in quotes, or many files").add_argument
    add("--jobs", "-j", type=_at_least_1, metavar="N", help="files done at once (default: one for each core)")
    add("--scheduler", metavar="ADDRESS", help="let the cluster of this dask scheduler do them (tcp://HOST:8786)")
    add("--share", type=_share, metavar="I/N", help="do the I-th of N shares of the files, as tasks of a farm")
    add(
        "--recursive",
        "-r",
        dest="deep",
        action=argparse.BooleanOptionalAction,
        help="look into sub-folders too (default: of a folder yes, of a pattern no)",
    )
    add("--include", action="append", metavar="PATTERN", help="only files whose name or path in the folder matches")
    add("--exclude", action="append", metavar="PATTERN", help="no files whose name or path in the folder matches")
    add("--dry-run", action="store_true", help="list what would be done, and do nothing")
    add("--again", action="store_true", help="do all files, also those that are done and unchanged")
    add("--verbose", action="store_true", help="print a line for each file")


def refuse_batch_only(given: argparse.Namespace) -> None:
    """Refuse what only a batch can do, where the arguments ask for none."""
    if given.verb == "report" and given.out is not None:
        given.parser.error("a report is written with --json; -o is for the summary of a folder")
    for option in ("dry_run", "include", "exclude", "again", "deep", "scheduler", "share"):
        if getattr(given, option):
            given.parser.error(f"--{'recursive' if option == 'deep' else option.replace('_', '-')} is for folders")


def _at_least_1(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def _share(text: str) -> tuple[int, int]:
    part, slash, of = text.partition("/")
    if not (slash and part.isdecimal() and of.isdecimal() and 1 <= int(part) <= int(of)):
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 1/8")
    return int(part), int(of)
