"""A base that moves: shapes, conventions, and the laws that tie them together."""

import pickle

import numpy as np
import pytest

import ulna


@pytest.fixture(scope="module")
def robot():
    return ulna.load("mini-cheetah", base="free")


def test_sizes_and_names(robot):
    assert robot.base == "free"
    assert (robot.nq, robot.nv, len(robot.joints)) == (19, 18, 12)
    assert robot.position_names[:7] == ("base.x", "base.y", "base.z", "base.qx", "base.qy", "base.qz", "base.qw")
    assert robot.velocity_names[:6] == ("base.wx", "base.wy", "base.wz", "base.vx", "base.vy", "base.vz")
    assert robot.effort_names[:6] == ("base.nx", "base.ny", "base.nz", "base.fx", "base.fy", "base.fz")
    assert ulna.load("mini-cheetah").base == "fixed"
    assert ulna.load("mini-cheetah", base="planar").nq == 15
    assert pickle.loads(pickle.dumps(robot)) == robot
    assert pickle.loads(pickle.dumps(robot)).base == "free"
    with pytest.raises(ValueError, match="free"):
        ulna.load("mini-cheetah", base="floating")


def test_inverse_is_mass_times_acceleration_and_bias(robot):
    dyn = ulna.Dynamics(robot)
    q, v, a = robot.sample(20)
    assert q.shape == (20, 19) and v.shape == (20, 18)
    tau = dyn.inverse(q, v, a)
    assert tau.shape == (20, 18)
    M, bias = dyn.mass(q), dyn.bias(q, v)
    assert np.allclose(tau, np.einsum("nij,nj->ni", M, a) + bias, rtol=1e-12, atol=1e-12)
    assert np.allclose(dyn.forward(q, v, tau), a, rtol=1e-8, atol=1e-8)
    one = dyn.inverse(q[0], v[0], a[0])
    assert np.allclose(one, tau[0], rtol=1e-14, atol=1e-14)
    # At rest and upright, the base carries the weight.
    still = dyn.inverse(robot.neutral(), np.zeros(18), np.zeros(18))
    assert still[5] == pytest.approx(robot.mass * 9.81, rel=1e-14)
    with pytest.raises(ValueError, match=r"\(19,\)"):
        dyn.inverse(v[0], v[0], a[0])
    with pytest.raises(ValueError, match="fixed base"):
        dyn.inverse(q[0], v[0], a[0], base_velocity=[0, 0, 1, 0, 0, 0])


def test_momentum(robot):
    dyn = ulna.Dynamics(robot)
    q, v, _ = robot.sample(3)
    centroidal = dyn.centroidal(q, v)
    A = dyn.centroidal_matrix(q)
    assert A.shape == (3, 6, 18)
    assert np.allclose(np.einsum("nij,nj->ni", A, v), centroidal[:, 6:12], rtol=1e-12, atol=1e-12)
    h = 1e-5
    rate = (dyn.centroidal_matrix(robot.integrate(q, v, h)) - dyn.centroidal_matrix(robot.integrate(q, v, -h))) / (2 * h)
    assert np.allclose(np.einsum("nij,nj->ni", rate, v), centroidal[:, 12:], atol=1e-5)


def test_moving_along(robot):
    q, v, _ = robot.sample(5)
    assert np.allclose(robot.difference(q, robot.integrate(q, v, 0.2)), 0.2 * v, atol=1e-13)
    assert np.allclose(np.linalg.norm(robot.integrate(q, v, 3.0)[:, 3:7], axis=1), 1, atol=1e-15)
    near = q[0].copy()
    near[3:7] *= 1 + 1e-8
    assert np.linalg.norm(robot.normalize(near)[3:7]) == pytest.approx(1, abs=1e-15)
    near[3:7] *= 1.01
    with pytest.raises(ValueError, match="has length 1.01"):
        robot.normalize(near)


def test_other_conventions(robot):
    q, v, a = robot.sample(4)
    w, lin = v[:, :3], v[:, 3:6]
    theirs_v = np.hstack([lin, w, v[:, 6:]])
    theirs_a = np.hstack([a[:, 3:6] - np.cross(w, lin), a[:, :3], a[:, 6:]])
    got = robot.translate(q, theirs_v, theirs_a, base_order="linear", acceleration="spatial")
    assert got[3] is None
    for x, wanted in zip(got, (q, v, a)):
        assert np.allclose(x, wanted, atol=1e-15)
    swapped = q.copy()
    swapped[:, 3:7] = q[:, [6, 3, 4, 5]]
    assert np.allclose(robot.translate(swapped, quaternion="wxyz")[0], q, atol=1e-15)
    with pytest.raises(ValueError, match="quaternion is xyzw or wxyz"):
        robot.translate(q, quaternion="zyxw")


def _calls(robot):
    """Everything that takes q, by name."""
    dyn = ulna.Dynamics(robot)
    n = robot.nv

    def like(q):
        return np.zeros(q.shape[:-1] + (n,), dtype=q.dtype)

    return {
        "inverse": lambda q: dyn.inverse(q, like(q), like(q)),
        "forward": lambda q: dyn.forward(q, like(q), like(q)),
        "mass": dyn.mass,
        "packed": lambda q: dyn.mass(q, form="packed"),
        "mass_inverse": dyn.mass_inverse,
        "gravity": dyn.gravity,
        "bias": lambda q: dyn.bias(q, like(q)),
        "wrench": lambda q: dyn.inverse(q, like(q), like(q), wrenches=[ulna.Wrench(robot.links[-1].name, force=(0, 0, 1))]),
        "energy": lambda q: dyn.energy(q, like(q)),
        "pose": lambda q: dyn.pose(q, robot.links[-1].name),
        "derivatives": lambda q: dyn.inverse_derivatives(q, like(q), like(q))[0],
        "Derivative": lambda q: ulna.Derivative(robot, "gravity", "q")(q),
    }


@pytest.mark.parametrize("call", ["inverse", "forward", "mass", "packed", "mass_inverse", "gravity", "bias", "wrench", "energy", "pose", "derivatives", "Derivative"])
def test_quaternions_have_unit_length(call):
    """Off by more than 1e-6 they are refused in the words of the command line, off by less divided by their length with a warning, at the caller's line."""
    robot = ulna.load("servicer", base="free")
    f = _calls(robot)[call]
    q = robot.sample(4)[0]
    exact = f(q)
    with pytest.raises(ValueError, match=r"state 3 of 4: the quaternion of the base has length 1\.01, not 1; divide it by its length, or check its order"):
        bad = q.copy()
        bad[2, 3:7] *= 1.01
        f(bad)
    with pytest.raises(ValueError, match=r"^the quaternion of the base has length 1 \+ 2e-06, not 1"):
        bad = q[0].copy()
        bad[3:7] *= 1 + 2e-6
        f(bad)
    near = q.copy()
    near[1:3, 3:7] *= 1 + 5e-7
    with pytest.warns(UserWarning, match="the quaternion of the base was given unit length in 2 states; it was off by 5e-07 at most") as told:
        got = f(near)
    assert told[0].filename == __file__ or call in ("packed", "derivatives", "wrench", "Derivative")
    assert np.allclose(got, exact, rtol=1e-13, atol=1e-13)
    assert not np.allclose(near, q, rtol=1e-8, atol=0)  # the caller's array is left alone
    if call != "Derivative":  # computes in float64
        f(q.astype(np.float32))  # off by rounding: no word; warnings are errors here
    nan = q.copy()
    nan[0, 4] = np.nan
    assert np.isnan(f(nan)[0]).any()


def test_quaternions_of_other_doors(robot):
    q, v, _ = robot.sample(2)
    bad = q.copy()
    bad[:, 3:7] *= 0.99
    for call in (lambda: robot.integrate(bad, v), lambda: robot.difference(q, bad), lambda: ulna.Dynamics(robot).linearise(bad[0], v[0], v[0])):
        with pytest.raises(ValueError, match="the quaternion of the base has length 0.99, not 1"):
            call()
    with pytest.raises(ulna.SourceError, match="the quaternion of the base has length 1.1, not 1"):
        ulna.simulate(SCENARIO.replace("initial: {", "initial: {q: {base.qw: 1.1}, "))
    with pytest.warns(ulna.SourceWarning, match="was given unit length; it was off by 5e-07"):
        ulna.simulate(SCENARIO.replace("initial: {", "initial: {q: {base.qw: 1.0000005}, "))
    with pytest.raises(ValueError, match="the initial q|the quaternion of the base has length 1.1, not 1"):
        ulna.simulate(SCENARIO, {"q.base.qw": 1.1})
    with pytest.warns(UserWarning, match="was given unit length; it was off by 5e-07"):
        ulna.simulate(SCENARIO, {"q.base.qw": 1.0000005})


SCENARIO = """
model: servicer
base: free
duration: 2
initial: {v: {shoulder_yaw: 0.2, elbow_pitch: -0.1, base.wz: 0.05}}
integrator: {type: implicit-midpoint, step: 0.01}
limits: ignore
"""


def test_simulation_of_a_free_base():
    run = ulna.simulate(SCENARIO)
    assert run.done
    assert run.q.shape[1] == 13 and run.v.shape[1] == 12 and run.tau.shape == run.v.shape
    assert run["q_names"][:7] == ["base.x", "base.y", "base.z", "base.qx", "base.qy", "base.qz", "base.qw"]
    assert np.allclose(np.linalg.norm(run.q[:, 3:7], axis=1), 1, atol=1e-15)
    for momentum in run.audit["world_momentum"]:
        assert momentum["constant"] and momentum["drift"] < 1e-12 * momentum["scale"]
    # The same momentum by the robot's own door.
    dynamics = ulna.Dynamics(ulna.load("servicer", base="free"))
    begin, end = (dynamics.momentum(run.q[k], run.v[k]) for k in (0, -1))
    assert np.allclose(begin, end, atol=1e-11)
    moved = ulna.simulate(SCENARIO, {"q.base.x": 1.0})
    assert np.allclose(moved.q[:, 0], run.q[:, 0] + 1, atol=1e-12)
