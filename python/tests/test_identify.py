"""Parameters, regressors, identification and excitation."""

from typing import Literal

import numpy as np
import pytest

import ulna


def motion(n: int, count: int = 1500, step: float = 0.01) -> tuple[np.ndarray, ...]:
    t = step * np.arange(count)
    q, v, a = np.zeros((3, count, n))
    rng = np.random.default_rng(3)
    for _ in range(4):
        size, rate, phase = rng.uniform(0.2, 0.6, n), rng.uniform(0.3, 3.5, n), rng.uniform(0, 6.28, n)
        x = np.outer(t, rate) + phase
        q += size * np.sin(x)
        v += size * rate * np.cos(x)
        a -= size * rate**2 * np.sin(x)
    return t, q, v, a


@pytest.mark.parametrize(
    ("name", "base"),
    [*((name, "fixed") for name in ("planar-2r", "puma560", "stanford", "panda", "torso")), ("panda", "planar"), ("panda", "free"), ("torso", "planar"), ("torso", "free")],
)
def test_regressor_times_values_is_the_torque(name: str, base: Literal["fixed", "planar", "free"]) -> None:
    robot = ulna.load(name, base=base)
    q, v, a = robot.sample(7)
    r = robot.regressor(q, v, a)
    assert r.Y.shape == (7, robot.nv, len(r.columns))
    tau = ulna.Dynamics(robot, friction=True).inverse(q, v, a)
    assert np.allclose(r.Y @ r.values, tau, atol=1e-9)
    one = robot.regressor(q[0], v[0], a[0])
    assert np.array_equal(one.Y, r.Y[0])


def test_compiled_regressor_is_that_of_the_templates() -> None:
    robot = ulna.load("panda")
    q, v, a = robot.sample(33)
    compiled, plain = ulna.Dynamics(robot, regressor=True), ulna.Dynamics(robot, most="none")
    assert compiled.compiled("regressor") == (compiled.instruction_set != "none")
    assert np.allclose(compiled.regressor(q, v, a), plain.regressor(q, v, a), atol=1e-10)
    assert compiled.regressor(q[0].astype(np.float32), v[0].astype(np.float32), a[0].astype(np.float32)).dtype == np.float32


def test_base_parameters_as_published() -> None:
    assert ulna.load("puma560").base_parameters()["count"] == 36
    assert ulna.load("panda").base_parameters()["count"] == 43


def test_identify_finds_the_robot_again() -> None:
    robot = ulna.load("ur5")
    t, q, v, a = motion(6)
    tau = ulna.Dynamics(robot).inverse(q, v, a) + 2 * v + 0.5 * np.sign(v)
    found = ulna.identify(robot, {"t": t, "q": q, "v": v, "a": a, "tau": tau}, predict={"t": t, "q": q, "v": v, "a": a})
    assert found["validation"]["relative_error"] < 1e-8
    assert np.allclose(found["predicted"][0], tau, atol=1e-6)
    friction = {f["name"]: f["value"] for f in found["friction"]}
    assert friction["viscous.elbow"] == pytest.approx(2, abs=1e-7)
    assert np.allclose(ulna.Dynamics(found.identified, friction=True).inverse(q, v, a), tau, atol=1e-6)
    assert found["covariance"].shape == (len(found["base"]) + len(found["friction"]),) * 2


def test_identify_takes_files_and_columns(tmp_path) -> None:
    robot = ulna.load("planar-2r")
    t, q, v, a = motion(2)
    tau = ulna.Dynamics(robot).inverse(q, v, a)
    names = [joint.name for joint in robot.joints]
    columns = {"t": t, **{f"q.{n}": q[:, k] for k, n in enumerate(names)}, **{f"tau.{n}": tau[:, k] for k, n in enumerate(names)}}
    path = tmp_path / "log.csv"
    np.savetxt(path, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    by_file, by_columns = ulna.identify(robot, path), ulna.identify(robot, columns)
    assert by_file["validation"]["relative_error"] == pytest.approx(by_columns["validation"]["relative_error"], rel=1e-6)
    assert by_file["validation"]["relative_error"] < 0.01  # derived, not measured


def test_bad_logs_are_refused(tmp_path) -> None:
    robot = ulna.load("planar-2r")
    t, q, v, a = motion(2)
    with pytest.raises(ValueError, match="needs"):
        ulna.identify(robot, {"t": t, "q": q})
    with pytest.raises(ValueError, match="shape"):
        ulna.identify(robot, {"t": t, "q": q, "tau": q[:, :1]})
    with pytest.raises(ValueError, match="does not come after"):
        ulna.identify(robot, {"t": 0 * t, "q": q, "tau": q})
    with pytest.raises(ValueError, match="no friction"):
        ulna.identify(robot, {"t": t, "q": q, "tau": q}, friction="sticky")
    path = tmp_path / "bad.csv"
    path.write_text("t,q.a\n0,1\n")
    with pytest.raises(ulna.SourceError, match="missing"):
        ulna.identify(robot, path)


def test_excite_stays_within_limits() -> None:
    robot = ulna.load("ur5")
    e = ulna.excite(robot, period=8, evaluations=150)
    for k, joint in enumerate(robot.joints):
        assert joint.lower <= e["q"][:, k].min() and e["q"][:, k].max() <= joint.upper
        assert np.abs(e["v"][:, k]).max() <= joint.velocity
    assert np.allclose(e["v"][0], 0, atol=1e-9) and np.allclose(e["a"][0], 0, atol=1e-9)
    assert e["log_det"] > e["random_log_det"]


FOLLOWER = """<robot name="g"><link name="b"/>
<link name="l1"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<link name="l2"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx=".01" ixy="0" ixz="0" iyy=".01" iyz="0" izz=".01"/></inertial></link>
<joint name="lead" type="revolute"><parent link="b"/><child link="l1"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="100" velocity="3"/></joint>
<joint name="follow" type="revolute"><origin xyz=".2 0 0"/><parent link="l1"/><child link="l2"/><axis xyz="0 1 0"/>
<mimic joint="lead" multiplier="3"/><limit lower="-1" upper="1" effort="100" velocity="1"/></joint></robot>"""


@pytest.mark.filterwarnings("ignore::ulna.SourceWarning")
def test_excite_and_check_motion_know_followers() -> None:
    robot = ulna.load(FOLLOWER)
    e = ulna.excite(robot, period=8, evaluations=60)
    assert 0.8 < e["followers"]["follow"] <= 0.9
    assert np.abs(3 * e["q"]).max() <= 0.9 and np.abs(3 * e["v"]).max() <= 0.9
    assert np.abs(3 * np.diff(e["q"], axis=0) / np.diff(e["t"])[:, None]).max() <= 0.9
    assert ulna.check_motion(robot, e["t"], e["q"], e["v"], e["a"], e["tau"]) == []
    broken = ulna.check_motion(robot, e["t"], 1.5 * e["q"], 1.5 * e["v"], 1.5 * e["a"])
    assert {b["joint"] for b in broken} == {"follow"}
    assert "beyond its" in broken[0]["text"] and abs(broken[0]["value"]) > abs(broken[0]["limit"])
    with pytest.raises(ValueError, match="shape"):
        ulna.check_motion(robot, e["t"], e["q"][:, :0])
    with pytest.raises(ValueError, match="leave the limits"):
        ulna.excite(robot, period=8, evaluations=30, part=1, acceleration=0.5, rate=1)


def test_channels_of_no_use_are_refused_or_left_out() -> None:
    robot = ulna.load("ur5")
    t, q, v, a = motion(6)
    tau = ulna.Dynamics(robot).inverse(q, v, a) + 2 * v + 0.5 * np.sign(v)
    log = {"t": t, "q": q, "v": v, "a": a, "tau": tau.copy()}
    good = ulna.identify(robot, log)
    assert good["findings"] == [] and good["notes"] == []
    log["tau"][:, 2] = 0
    with pytest.raises(ValueError, match=r"tau.elbow.*dead.*without=\['elbow'\]"):
        ulna.identify(robot, log)
    with pytest.warns(ulna.SourceWarning, match="does not determine"):
        found = ulna.identify(robot, log, without=["elbow"])
    assert np.isnan(found["validation"]["by_joint"]["elbow"])
    assert found["validation"]["relative_error"] < 1e-6
    assert [f["kind"] for f in found["findings"]] == ["undetermined"]
    late = {**log, "tau": np.roll(tau, 3, axis=0)}
    with pytest.warns(ulna.SourceWarning, match="3 rows. later than the motion"):
        found = ulna.identify(robot, late)
    assert {(f["kind"], f["severity"]) for f in found["findings"]} == {("delayed", "warning")}


def test_rows_with_nan_are_left_out() -> None:
    robot = ulna.load("planar-2r")
    t, q, v, a = motion(2)
    tau = ulna.Dynamics(robot).inverse(q, v, a)
    tau[7, 1] = np.nan
    with pytest.warns(ulna.SourceWarning, match="1 rows have a nan, the first is row 8"):
        found = ulna.identify(robot, {"t": t, "q": q, "v": v, "a": a, "tau": tau})
    assert found["validation"]["relative_error"] < 1e-6
    tau[7, 1] = np.inf
    with pytest.raises(ValueError, match="row 8"):
        ulna.identify(robot, {"t": t, "q": q, "v": v, "a": a, "tau": tau})


def test_doctor_names_what_is_wrong() -> None:
    truth = ulna.load("ur5")
    t = np.arange(0, 15, 0.01)
    w = 0.6 + 0.35 * np.arange(6)
    q, v, a = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -(w**2) * np.sin(np.outer(t, w))
    tau = ulna.Dynamics(truth).inverse(q, v, a)
    assert ulna.doctor(truth, {"t": t, "q": q, "tau": tau})
    text = truth.to_urdf()
    elbow = text.index('<joint name="elbow"')
    at = text.index('<axis xyz="', elbow) + len('<axis xyz="')
    axis = text[at : text.index('"', at)]
    turned = " ".join(str(-float(x)) for x in axis.split())
    sick = text[:at] + turned + text[at + len(axis) :]
    found = ulna.doctor(ulna.load(sick, file="ur5.urdf"), {"t": t, "q": q, "tau": tau}, urdf=sick)
    assert not found
    assert (found["causes"][0]["kind"], found["causes"][0]["joint"], found["causes"][0]["in"]) == ("joint-sign", "elbow", "model")
    assert found["before"] > 0.1 > 10 * found["after"]
    assert ulna.explain(found.repaired, truth)["difference"] < 1e-9
    assert ulna.explain(ulna.load(found["urdf"], file="repaired.urdf"), truth)["difference"] < 1e-9
    with pytest.raises(ValueError, match="dead"):
        ulna.doctor(truth, {"t": t, "q": q, "tau": np.where(np.arange(6) == 2, 1.5, tau)})
    with pytest.raises(ValueError, match="xacro"):
        ulna.doctor(truth, {"t": t, "q": q, "tau": tau}, urdf='<robot name="r"><xacro:arm/></robot>')
