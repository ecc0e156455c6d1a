"""The commands of the wheel, `ulna` and `python -m ulna`, beside the program's own: the same bytes and the same exit status."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from conftest import PROGRAM

SCRIPT = pathlib.Path(sys.executable).parent / "ulna"
OURS = [[str(SCRIPT)], [sys.executable, "-m", "ulna"]]
Q = "0.3,1.1,0.15,-0.4,0.7,0.2"
CALLS = {
    "models": ["models --json"],
    "info": ["info panda"],
    "lint": ["lint panda", "lint bad.urdf"],
    "convert": ["convert panda --to mdh"],
    "inverse": [f"inverse stanford --q {Q} --json", "inverse stanford --q 1,2", "inverse planar-2r --states states.csv", "inverse planar-2r --states - --json"],
    "forward": [f"forward stanford --q {Q}"],
    "mass": [f"mass stanford --q {Q}"],
    "bias": [f"bias stanford --q {Q}"],
    "gravity": [f"gravity stanford --q {Q}"],
    "coriolis": [f"coriolis stanford --q {Q}"],
    "energy": [f"energy stanford --q {Q}"],
    "momentum": [f"momentum stanford --q {Q}"],
    "pose": [f"pose stanford --q {Q}"],
    "jacobian": ["jacobian panda --link hand"],
    "centroidal": [f"centroidal stanford --q {Q} --json"],
    "derivatives": [f"derivatives stanford --of forward --q {Q} --json"],
    "explain": ["explain panda panda --json", "explain panda ur5 --json"],
    "regressor": [f"regressor stanford --q {Q} --json"],
    "parameters": ["parameters stanford --json"],
    "excite": ["excite planar-2r --evaluations 60 --json"],
    "identify": ["identify planar-2r no-such-log.csv"],
    "doctor": ["doctor planar-2r no-such-log.csv"],
    "formulations": ["formulations"],
    "verify": ["verify planar-2r --samples 5 --peers off"],
    "tables": ["tables --json"],
    "count": ["count scara --json"],
    "schedule": ["schedule scara --units 2"],
    "speeds": ["speeds planar-2r --json"],
    "generate": ["generate scara --out c", "generate scara"],
    "equations": ["equations planar-2r --latex"],
    "simulate": ["simulate double-pendulum --json"],
    "torques": ["torques kane-figure-1"],
    "campaign": ["campaign campaign.yaml --out runs", "campaign no-such-file.yaml --out runs"],
    "dataset": ["dataset dataset.yaml --out data.csv"],
    "bench": ["bench --help"],
    "study": ["study --help", "study no-such-robot --out s"],
    "": ["", "--version", "help inverse", "inverze panda"],
}
STATUS = {"campaign no-such-file.yaml --out runs": 2, "doctor planar-2r no-such-log.csv": 2, "explain panda ur5 --json": 2, "identify planar-2r no-such-log.csv": 2, "lint bad.urdf": 1, "inverse stanford --q 1,2": 2, "generate scara": 2, "study no-such-robot --out s": 2, "": 2, "inverze panda": 2}  # others 0
STATES = "q.shoulder,q.elbow,v.elbow\n0.1,0.2,0.3\n1,2,3\n"
PENDULUM = '<robot name="p"><link name="a"/><link name="b"><inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"there is no program at {PROGRAM} to compare with")


def folder(tmp_path: pathlib.Path, name: str) -> pathlib.Path:
    out = tmp_path / name
    out.mkdir()
    (out / "bad.urdf").write_text(PENDULUM.format(-1))
    (out / "states.csv").write_text(STATES)
    (out / "campaign.yaml").write_text("runs: 3\nscenario: {model: planar-2r, duration: 0.02, integrator: {type: rk4}}\n")
    (out / "dataset.yaml").write_text("model: planar-2r\nrows: 5\nquantities: [inverse]\n")
    return out


def test_every_command_is_tried() -> None:
    listed = subprocess.run([*OURS[0], "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\w+)  ", listed[listed.index("Commands:") : listed.index("Try:")], re.M)
    assert len(names) > 20 and set(names) == set(CALLS) - {""}


@needs_program
@pytest.mark.parametrize("call", [call for calls in CALLS.values() for call in calls])
def test_the_same_answer_and_status(tmp_path: pathlib.Path, call: str) -> None:
    answers = []
    for k, program in enumerate([[str(PROGRAM)], OURS[len(call) % 2]]):
        at = folder(tmp_path, str(k))
        path = f"{PROGRAM.parent}:{os.environ['PATH']}"  # `ulna bench` is a program of its own, which the wheel does not carry
        done = subprocess.run([*program, *call.split()], cwd=at, env={**os.environ, "PATH": path}, capture_output=True, input=STATES.encode(), timeout=100)
        files = {str(p.relative_to(at)): p.read_bytes() for p in at.rglob("*") if p.is_file()}
        # Seconds that something took differ.
        answers.append((done.returncode, re.sub(rb'"?[\w ]*seconds"?: *[-+.e\d]+|\d+\.\d+(?:e[-+]\d+)? m?s\b', b"", done.stdout), done.stderr, files))
    assert answers[0] == answers[1] and answers[0][0] == STATUS.get(call, 0) and (answers[0][1] or answers[0][2] or len(files) > 2)


def test_bench_says_where_its_program_comes_from() -> None:
    for program in OURS:
        done = subprocess.run([*program, "bench", "panda"], env={**os.environ, "PATH": "/nowhere"}, capture_output=True, text=True)
        assert done.returncode == 2 and done.stderr.startswith("ulna: cannot start ulna-bench: ") and "make install" in done.stderr, done.stderr


def test_exit_statuses(tmp_path: pathlib.Path) -> None:
    at = folder(tmp_path, "here")
    for program in OURS:
        for call, status in (("--version", 0), ("lint panda", 0), ("lint bad.urdf", 1), ("inverse bad.urdf", 2), ("", 2), ("inverse panda --q a", 2)):
            assert subprocess.run([*program, *call.split()], cwd=at, capture_output=True).returncode == status, call


def test_the_folder_it_runs_in_is_not_searched_for_the_package(tmp_path: pathlib.Path) -> None:
    (tmp_path / "ulna.py").write_text("raise SystemExit('the wrong one')")
    assert subprocess.run([*OURS[0], "--version"], cwd=tmp_path, capture_output=True, text=True).stdout.startswith("ulna ")


@needs_program
def test_a_device_that_is_full_is_told_as_by_the_program() -> None:
    with open("/dev/full", "w") as full:
        answers = [subprocess.run([*program, "models"], stdout=full, stderr=subprocess.PIPE, text=True) for program in ([str(PROGRAM)], *OURS)]
    for done in answers:
        assert done.returncode == 2 and done.stderr.startswith("ulna: cannot write the result to standard output: "), done.stderr


def test_names_of_files_in_any_bytes(tmp_path: pathlib.Path) -> None:
    name = tmp_path.as_posix().encode() + b"/arm-\xff.urdf"
    with open(name, "w") as file:
        file.write(PENDULUM.format(1))
    done = subprocess.run([*(word.encode() for word in OURS[1]), b"mass", name, b"--q", b"0", b"--json"], capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it(number: signal.Signals) -> None:
    running = subprocess.Popen([*OURS[0], "inverse", "planar-2r", "--states", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        time.sleep(1.0)  # it waits for the file
        assert running.poll() is None
        running.send_signal(number)
        assert running.wait(timeout=10) == -number
    finally:
        running.kill()
        running.communicate()


def test_a_reader_that_has_enough_ends_it() -> None:
    """As `ulna models | head -1` does: killed by the pipe, without a traceback."""
    done = subprocess.run(["sh", "-c", f"({SCRIPT} tables --json; echo status $? >&2) | head -c 10 > /dev/null"], capture_output=True, text=True)
    assert done.stderr in ("status 141\n", "status 0\n")  # 0 where the pipe held all of it
