"""study: the folder that the program writes, refusals, Ctrl-C."""

from __future__ import annotations

import pathlib
import re
import threading

import pytest

import ulna

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="lower"/><origin xyz="0 0 0.4" rpy="0 1.57 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="2"/>
    <mimic joint="shoulder" multiplier="0.5"/>
  </joint>
</robot>"""
QUICK = {"samples": 5, "bench": False, "self_test": False}


def files_in(folder: pathlib.Path) -> "dict[str, bytes]":
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_it_writes_what_the_program_writes(cli, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files, byte for byte, but for the times of the steps on the page. The file has something that only its reader can warn of, and something to advise on."""
    (tmp_path / "arm.urdf").write_text(ARM)
    monkeypatch.chdir(tmp_path)
    result = ulna.study(ulna.load("arm.urdf"), tmp_path / "ours", **QUICK)
    theirs = cli("study", "arm.urdf", "--out", str(tmp_path / "theirs"), "--samples", "5", "--bench", "off", "--self-test", "off", "--peers", "off")
    assert result and result["robot"] == theirs["robot"] and result["good"] is theirs["good"] is True
    assert [(s["name"], s["result"], s["good"]) for s in result["steps"]] == [(s["name"], s["result"], s["good"]) for s in theirs["steps"]]
    ours, others = files_in(tmp_path / "ours"), files_in(tmp_path / "theirs")
    assert {str(tmp_path / "ours" / name): len(data) for name, data in ours.items()} == {f["path"]: f["bytes"] for f in result["files"]}
    assert result["files"][0]["path"] == result.page
    for files, steps in ((ours, result["steps"]), (others, theirs["steps"])):
        page, made, table = files["index.html"].partition(b"How this page was made")
        for cell in {f">{step['seconds']:.4g}</td".encode() for step in steps}:
            assert cell in table
            table = table.replace(cell, b">its time</td")
        files["index.html"] = page + made + table
    assert ours.keys() == others.keys() and [name for name in ours if ours[name] != others[name]] == []
    assert result["steps"][0]["result"] == "1 warning, 1 note" and b"it mimics another joint" in ours["index.html"]


def test_what_comes_back(tmp_path: pathlib.Path) -> None:
    seen: list[str] = []
    result = ulna.study("planar-2r", tmp_path / "out", step_done=lambda step: seen.append(step["name"]), **QUICK)
    assert seen == [step["name"] for step in result["steps"]] and len(seen) > 5
    assert pathlib.Path(result.page) == tmp_path / "out" / "index.html" and pathlib.Path(result.page).is_file()
    assert [joint["name"] for joint in result.report["model"]["joints"]] == ["shoulder", "elbow"]
    pytest.importorskip("pandas")
    assert result.to_pandas()["good"].all()


def test_the_folder_is_named_for_the_robot(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ulna.study("planar-2r", **QUICK).page == "planar-2r-study/index.html"
    assert [p.name for p in tmp_path.iterdir()] == ["planar-2r-study"]


def test_nothing_but_a_study_is_replaced(tmp_path: pathlib.Path) -> None:
    out = tmp_path / "out"
    ulna.study("planar-2r", out, **QUICK)
    (out / "index.html").write_text("mine")
    with pytest.raises(FileExistsError, match="force=True replaces it"):
        ulna.study("planar-2r", out, **QUICK)
    assert (out / "index.html").read_text() == "mine"
    ulna.study("planar-2r", out, force=True, **QUICK)
    assert (out / "index.html").read_text() != "mine"
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.tex").write_text("years")
    for force in (False, True):
        with pytest.raises(FileExistsError, match="not empty" if not force else "something else than a study"):
            ulna.study("planar-2r", other, force=force, **QUICK)
    with pytest.raises(FileExistsError, match="no folder"):
        ulna.study("planar-2r", other / "thesis.tex", **QUICK)
    with pytest.raises(ValueError, match="cannot make a folder"):
        ulna.study("planar-2r", "", **QUICK)
    with pytest.raises(ValueError, match="thesis.tex' is not a folder"):
        ulna.study("planar-2r", other / "thesis.tex" / "below", **QUICK)
    assert files_in(other) == {"thesis.tex": b"years"}


def test_what_step_done_raises_ends_it_and_nothing_is_written(tmp_path: pathlib.Path) -> None:
    def stop(step: dict) -> None:
        if step["name"] == "verify":
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        ulna.study("planar-2r", tmp_path / "out", step_done=stop, **QUICK)
    last = []

    def stop_last(step: dict) -> None:
        last.append(step["name"])
        if step["name"] == "equations":
            raise LookupError("too late?")

    with pytest.raises(LookupError, match="too late"):
        ulna.study("planar-2r", tmp_path / "out", step_done=stop_last, **QUICK)
    assert last[-1] == "equations" and list(tmp_path.iterdir()) == []


def test_other_threads_run_during_it(tmp_path: pathlib.Path) -> None:
    """Between two calls of step_done only C++ runs: if it kept the GIL, nobody else would run meanwhile."""
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks[0] += 1

    thread = threading.Thread(target=tick, daemon=True)  # ends with the process if the call fails
    thread.start()
    after: dict[str, int] = {}
    result = ulna.study("stanford", tmp_path / "out", step_done=lambda step: after.update({step["name"]: ticks[0]}), **QUICK)
    done.set()
    thread.join(30)
    (seconds,) = [step["seconds"] for step in result["steps"] if step["name"] == "count"]  # the longest
    assert seconds > 0.05 and after["count"] - after["verify"] > 5, after


@pytest.mark.parametrize("samples", [0, -1, 10**6 + 1])
def test_samples_out_of_range(tmp_path: pathlib.Path, samples: int) -> None:
    with pytest.raises(ValueError, match=re.escape(f"samples is {samples}")):
        ulna.study("planar-2r", tmp_path / "out", samples=samples)


def test_a_robot_that_does_not_move(tmp_path: pathlib.Path) -> None:
    robot = ulna.load("<robot name='stone'><link name='base'/></robot>")
    result = ulna.study(robot, tmp_path / "out", **QUICK)
    assert result and pathlib.Path(result.page).is_file()
