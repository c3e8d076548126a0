# SPDX-License-Identifier: GPL-3.0-or-later
"""What is written on the command line is understood, or refused in one line before anything is done."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toehold.command_line import parse, version

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "walk.bvh").write_text("x")
    (tmp_path / "run.bvh").write_text("x")
    (tmp_path / "folder").mkdir()
    return tmp_path


def test_options_become_a_job(walk: Path) -> None:
    arguments = "clean walk.bvh run.bvh -o folder --frames 3:9 --strength 0.5 --keep-travel 2 --ground -0.1 --unit 0.01"
    job = parse(arguments.split(), None)
    assert job.outs == (Path("folder/walk.bvh"), Path("folder/run.bvh"))
    assert (job.frames, job.settings.cleanup.strength, job.settings.cleanup.keep_travel) == ((3, 9), 0.5, 2.0)
    assert (job.ground_height, job.metres_per_unit, job.quiet) == (-0.1, 0.01, False)


def test_the_open_file_stands_in_for_none(walk: Path) -> None:
    job = parse(["report"], Path("open.blend"))
    assert job.files == (Path("open.blend"),)
    assert job.works_on_open_file
    assert not parse(["report", "walk.bvh"], Path("open.blend")).works_on_open_file


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ("", "VERB"),
        ("polish walk.bvh", "polish"),
        ("report", "there is no FILE"),
        ("clean walk.bvh", "-o"),
        ("report walk.bvh -o out.bvh", "-o"),
        ("clean walk.bvh -o walk.bvh", "would overwrite the input"),
        ("clean walk.bvh -o ./folder/../walk.bvh", "would overwrite the input"),
        ("clean walk.bvh -o link.bvh", "would overwrite the input"),
        ("clean walk.bvh -o .", "would overwrite the input"),
        ("report walk.bvh --json walk.bvh", "would overwrite the input"),
        ("clean walk.bvh -o none/out.bvh", "no folder 'none'"),
        ("clean walk.bvh -o none/", "no folder 'none/'"),
        ("clean walk.bvh -o out.txt", "OUT has to end in one of"),
        ("clean walk.bvh -o out", "OUT has to end in one of"),
        ("clean walk.bvh run.bvh -o out.bvh", "existing folder for several files"),
        ("clean walk.bvh ./walk.bvh -o folder", "same name"),
        ("annotate walk.bvh --json r.json --events ./r.json", "two results would be written"),
        ("clean walk.bvh -o out.bvh --json out.bvh", "two results would be written"),
        ("report walk.bvh --json none/r.json", "no folder 'none'"),
        ("report walk.bvh --json folder", "it is a folder"),
        ("annotate walk.bvh -o out.bvh", "cannot carry contact curves"),
        ("annotate walk.bvh -o folder", "cannot carry contact curves"),
        ("clean walk.bvh -o out.bvh --strength 1.5", "not between 0 and 1"),
        ("clean walk.bvh -o out.bvh --strength nan", "not a finite number"),
        ("clean walk.bvh -o out.bvh --keep-travel -1", "below 0"),
        ("clean walk.bvh -o out.bvh --foot-pitch 2", "not between 0 and 1"),
        ("report walk.bvh --unit 0", "not above 0"),
        ("report walk.bvh --unit inch", "--unit"),
        ("report walk.bvh --ground inf", "not a finite number"),
        ("report walk.bvh --frames 9:3", "comes before the first"),
        ("report walk.bvh --frames 9", "FIRST:LAST"),
        ("report walk.bvh --frames a:b", "FIRST:LAST"),
        ("report walk.bvh --limbs none.json", "none.json: cannot be read"),
        ("report walk.bvh --contacts walk.bvh", "walk.bvh: this is not JSON"),
        ("adapt walk.bvh -o out.blend", "name an object or a collection with --ground"),
        ("adapt walk.bvh -o out.blend --ground 0.5", "name an object or a collection with --ground"),
        ("adapt walk.bvh -o out.blend --ground Ramp --frames 1:9", "leave out --frames"),
        ("adapt walk.bvh --ground Ramp", "-o"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(
    arguments: str, what: str, walk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (walk / "link.bvh").symlink_to(walk / "walk.bvh")
    (walk / "more.bvh").touch()
    before = sorted(path.name for path in walk.rglob("*"))
    with pytest.raises(SystemExit) as leaving:
        parse(arguments.split(), None)
    assert leaving.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert what in printed.err
    assert printed.err.count("\n") == 1
    assert sorted(path.name for path in walk.rglob("*")) == before


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is write-protected for this user")
def test_a_write_protected_folder_is_refused_before_work(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (walk / "folder").chmod(0o500)
    with pytest.raises(SystemExit):
        parse(["clean", "walk.bvh", "-o", "folder/out.bvh"], None)
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["report", "annotate", "clean", "adapt"])
def test_help_explains_every_option(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        parse([verb, "-h"], None)
    assert leaving.value.code == 0
    text = capsys.readouterr().out
    for option in ("--armature", "--action", "--limbs", "--contacts", "--ground", "--unit", "--json", "--frames"):
        assert option in text
    assert "exit codes" in text


def test_the_version_is_the_manifests() -> None:
    assert f'version = "{version()}"' in (ROOT / "blender_manifest.toml").read_text()
