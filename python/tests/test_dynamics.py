"""Numbers: against the program, published values, closed forms and the laws of mechanics."""

from __future__ import annotations

import json
import pathlib
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ulna

ROBOTS = ["panda", "stanford", "puma560", "torso", "space-arm"]
_made: dict[str, ulna.Dynamics] = {}


def dynamics(name: str) -> ulna.Dynamics:
    if name not in _made:
        _made[name] = ulna.Dynamics(name)
    return _made[name]


def close(got: np.ndarray, expected: np.ndarray, relative: float = 1e-11, scale: float = 0.0) -> None:
    """Relative to the largest entry, or to the terms it is the sum of where the caller knows those: small entries are differences of large ones."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape
    scale = max(float(np.abs(expected).max()) if expected.size else 0.0, scale)
    np.testing.assert_allclose(got, expected, rtol=0, atol=relative * scale)


def weight(dyn: ulna.Dynamics) -> float:
    """How large torques of gravity are: the robot's weight at an arm of 1 m a joint."""
    return dyn.robot.mass * 9.81 * dyn.nv


def texts(x: np.ndarray) -> str:
    return ",".join(repr(float(y)) for y in x)


@pytest.mark.parametrize("name", ROBOTS)
def test_every_function_against_the_program(cli, name: str) -> None:
    dyn = dynamics(name)
    q, v, a = (x[0] for x in dyn.robot.sample(1, seed=7))
    link = dyn.robot.links[-1].name
    at_q = [name, "--q", texts(q)]
    state = [*at_q, "--v", texts(v)]
    tau = np.array(cli("inverse", *state, "--a", texts(a))["tau"]).reshape(-1)
    close(dyn.inverse(q, v, a), tau)
    close(dyn.forward(q, v, tau), np.array(cli("forward", *state, "--tau", texts(tau))["a"]).reshape(-1), 1e-9)
    close(dyn.bias(q, v), np.array(cli("bias", *state)["bias"]).reshape(-1))
    close(dyn.gravity(q), np.array(cli("gravity", *at_q)["gravity"]).reshape(-1))
    n = dyn.nv
    close(dyn.mass(q), np.array(cli("mass", *at_q)["M"]).reshape(n, n))
    C = dyn.coriolis(q, v)
    close(C, np.array(cli("coriolis", *state)["C"]).reshape(n, n))
    close(C @ v, dyn.bias(q, v) - dyn.gravity(q), 1e-9)
    close(dyn.jacobian(q, link), np.array(cli("jacobian", *at_q, "--link", link)["J"]).reshape(6, n))
    *origin, x, y, z, w = np.array(cli("pose", *at_q, "--link", link)["pose"]).reshape(7)
    T = dyn.pose(q, link)
    close(T[:3, 3], origin)
    axis = np.array([x, y, z])  # of a unit quaternion: R u = u + 2 w (axis x u) + 2 axis x (axis x u)
    for k, u in enumerate(np.eye(3)):
        close(T[:3, k], u + 2 * w * np.cross(axis, u) + 2 * np.cross(axis, np.cross(axis, u)))
    assert (T[3] == [0, 0, 0, 1]).all()


def test_the_torques_that_kane_and_levinson_print() -> None:
    tau = dynamics("stanford").inverse([0, np.pi / 2, 0, 0, 0, 0], np.zeros(6), np.zeros(6))
    np.testing.assert_allclose(tau, [0, -14.67576, 0, 0, -1.33416, 0], atol=5e-6)


def test_a_pendulum_in_closed_form(repository: pathlib.Path) -> None:
    folder = repository / "test" / "cli"
    dyn = ulna.Dynamics(str(folder / "pendulum.urdf"))
    for state in json.loads((folder / "pendulum.golden.json").read_text())["states"]:
        close(dyn.inverse(state["q"], state["v"], state["a"]), state["tau"], 1e-14)
        close(dyn.gravity(state["q"]), state["gravity"], 1e-14)
        close(dyn.mass(state["q"]).ravel(), state["M"], 1e-14)
        close(dyn.forward(state["q"], state["v"], state["forward_tau"]), state["forward_a"], 1e-13)


# Laws, on arms that hypothesis makes up: any joints, any states.

arms = st.text(alphabet="RP", min_size=1, max_size=7).map(lambda types: f"general-{types}")
numbers = st.floats(-3, 3, allow_subnormal=False)
slow = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def state_of(data: st.DataObject, n: int, vectors: int) -> list[np.ndarray]:
    return [np.array(data.draw(st.lists(numbers, min_size=n, max_size=n))) for _ in range(vectors)]


@slow
@given(arms, st.data())
def test_laws_of_mechanics(name: str, data: st.DataObject) -> None:
    dyn = dynamics(name)
    n = dyn.nv
    q, v, a = state_of(data, n, 3)
    M, bias, tau = dyn.mass(q), dyn.bias(q, v), dyn.inverse(q, v, a)
    terms = weight(dyn) + float(np.abs(M).sum() * (1 + np.abs(v).max()) ** 2 * dyn.nv)
    assert (M == M.T).all()
    assert (np.linalg.eigvalsh(M) > 0).all()
    close(tau, M @ a + bias, 1e-13, terms)
    # The residual M forward(tau) + bias - tau: a itself may be carried through an M that is nearly singular.
    close(M @ dyn.forward(q, v, tau) + bias, tau, 1e-12, terms)
    close(dyn.mass_inverse(q) @ M, np.eye(n), 1e-13 * np.linalg.cond(M))
    close(dyn.bias(q, np.zeros(n)), dyn.gravity(q), 1e-14, weight(dyn))
    # Without gravity, the bias is quadratic in v.
    close(dyn.bias(q, 2 * v) - dyn.gravity(q), 4 * (bias - dyn.gravity(q)), 1e-13, terms)


@slow
@given(arms, st.data())
def test_power_is_the_rate_of_energy(name: str, data: st.DataObject) -> None:
    """v · (tau - gravity) = d/dt (v · M v / 2) along the motion with a = 0, by differences of order four."""
    dyn = dynamics(name)
    n = dyn.nv
    q, v = state_of(data, n, 2)
    power = float(v @ (dyn.bias(q, v) - dyn.gravity(q)))
    h = 1e-3

    def kinetic(t: float) -> float:
        return float(v @ dyn.mass(q + t * v) @ v) / 2

    rate = (8 * (kinetic(h) - kinetic(-h)) - (kinetic(2 * h) - kinetic(-2 * h))) / (12 * h)
    # What the differences leave out is h⁴/30 times the fifth derivative; kinetic energy has angles up to twice the sum of the joints' in it.
    fastest = 2 * float(np.abs(v).sum()) + 1
    assert abs(power - rate) <= 1e-9 + kinetic(0) * ((h * fastest) ** 4 * fastest + 1e-11 / h)


@slow
@given(arms, st.data())
def test_jacobian_is_the_derivative_of_the_pose(name: str, data: st.DataObject) -> None:
    dyn = dynamics(name)
    n = dyn.nv
    q, v = state_of(data, n, 2)
    link = dyn.robot.links[-1].name
    twist = dyn.jacobian(q, link) @ v
    h = 1e-4
    after, before = dyn.pose(q + h * v, link), dyn.pose(q - h * v, link)
    rate = (after - before) / (2 * h)
    R = dyn.pose(q, link)[:3, :3]
    close(R @ R.T, np.eye(3), 1e-14)
    spin = rate[:3, :3] @ R.T
    allowed = (h * (np.abs(v).sum() + 1)) ** 2 * (np.abs(v).sum() + 1) * (np.abs(q).sum() + 10)
    np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], twist[:3], atol=allowed + 1e-10)
    np.testing.assert_allclose(rate[:3, 3], twist[3:], atol=allowed + 1e-10)


@pytest.mark.parametrize("name", ROBOTS)
def test_many_states_are_as_one_by_one(name: str) -> None:
    dyn = dynamics(name)
    q, v, a = dyn.robot.sample(13)
    link = dyn.robot.links[-1].name
    calls = {
        "inverse": lambda *x: dyn.inverse(*x),
        "forward": lambda *x: dyn.forward(*x),
        "bias": lambda q, v, a: dyn.bias(q, v),
        "gravity": lambda q, v, a: dyn.gravity(q),
        "mass": lambda q, v, a: dyn.mass(q),
        "mass_inverse": lambda q, v, a: dyn.mass_inverse(q),
        "coriolis": lambda q, v, a: dyn.coriolis(q, v),
        "regressor": lambda *x: dyn.regressor(*x),
        "pose": lambda q, v, a: dyn.pose(q, link),
        "jacobian": lambda q, v, a: dyn.jacobian(q, link),
    }
    for call in calls.values():
        many = call(q, v, a)
        assert many.flags.c_contiguous
        for k in range(13):
            one = call(q[k], v[k], a[k])
            assert one.shape == many.shape[1:]
            close(one, many[k], 1e-12)


@pytest.mark.parametrize("most", ["none", "sse2", "avx2", "avx512", "neon"])
def test_every_instruction_set_agrees(most) -> None:
    reference = ulna.Dynamics("panda", most="none")
    dyn = ulna.Dynamics("panda", most=most, mass_inverse=True, coriolis=True, links=["link7"])
    assert (dyn.instruction_set == "none") == (most == "none" or reference.instruction_set != "none")
    assert dyn.compiled("inverse") == dyn.compiled("mass_inverse") == dyn.compiled("pose", "link7") == (most != "none")
    assert not dyn.compiled("pose", "link6")
    assert {row["task"] for row in dyn.kernels()} == (set() if most == "none" else {"inverse", "forward", "mass", "bias", "gravity", "coriolis", "mass_inverse", "pose", "jacobian"})
    q, v, a = dyn.robot.sample(50)
    close(dyn.inverse(q, v, a), reference.inverse(q, v, a))
    close(dyn.mass_inverse(q), reference.mass_inverse(q), 1e-9)
    close(dyn.jacobian(q, "link7"), reference.jacobian(q, "link7"))
    close(dyn.pose(q, "link7"), reference.pose(q, "link7"))


def test_single_precision_is_computed_in_single_precision() -> None:
    dyn = ulna.Dynamics("panda")
    q, v, a = dyn.robot.sample(100)
    singles = [x.astype(np.float32) for x in (q, v, a)]
    assert {row["dtype"] for row in dyn.kernels()} == {"float64"}
    tau = dyn.inverse(*singles)
    assert tau.dtype == np.float32 and {row["dtype"] for row in dyn.kernels()} == {"float64", "float32"}
    exact = dyn.inverse(*(x.astype(float) for x in singles))
    close(tau.astype(float), exact, 2e-5)
    assert (tau != exact.astype(np.float32)).any(), "computed in double and rounded?"
    assert dyn.mass(singles[0]).dtype == dyn.pose(singles[0], "link7").dtype == np.float32
    loaded = dyn.with_payload("hand", 1.0)
    close(loaded.inverse(*singles).astype(float), loaded.inverse(*(x.astype(float) for x in singles)), 2e-5)


def test_payload_weighs_what_it_weighs() -> None:
    dyn = ulna.Dynamics("panda")
    com, mass = np.array([0.01, 0.02, 0.1]), 1.5
    loaded = dyn.with_payload("hand", mass, com, np.diag([0.01, 0.02, 0.02]))
    assert loaded.shares_code(dyn) and loaded.robot is dyn.robot
    q, _, _ = dyn.robot.sample(20)
    T, J = dyn.pose(q, "hand"), dyn.jacobian(q, "hand")
    # Power of its weight: -m g · velocity of its centre.
    arm = np.einsum("kij,j->ki", T[:, :3, :3], com)
    at_com = J[:, 3:] - np.einsum("kij,kjn->kin", np.array([[[0, -z, y], [z, 0, -x], [-y, x, 0]] for x, y, z in arm]), J[:, :3])
    expected = -mass * np.einsum("i,kin->kn", np.array(dyn.robot.gravity), at_com)
    close(loaded.gravity(q) - dyn.gravity(q), expected, 1e-10)
    point = dyn.with_payload("hand", mass, com).mass(q) - dyn.mass(q)
    close(point, mass * np.einsum("kin,kim->knm", at_com, at_com), 1e-9)
    for wrong, message in [(("hnad", 1.0), "hand"), (("hand", -1.0), "mass"), (("hand", 1.0, (0, 0)), "com has 2 numbers, but must have 3")]:
        with pytest.raises(ValueError, match=message):
            dyn.with_payload(*wrong)
    with pytest.raises(ValueError, match=r"inertia has shape \(2, 2\)"):
        dyn.with_payload("hand", 1.0, inertia=np.eye(2))
    with pytest.raises(ValueError, match="symmetric"):
        dyn.with_payload("hand", 1.0, inertia=np.arange(9.0).reshape(3, 3))


def test_other_parameters_share_the_code() -> None:
    dyn, moon = ulna.Dynamics("panda"), ulna.load("panda", gravity=[0, 0, -1.62])
    there = dyn.with_parameters(moon)
    assert there.shares_code(dyn) and there.robot is moon
    q, _, _ = moon.sample(10)
    close(there.gravity(q), dyn.gravity(q) * 1.62 / 9.81)
    with pytest.raises(ValueError):
        dyn.with_parameters(ulna.load("ur5"))


def test_friction_and_rotors_are_options() -> None:
    robot = ulna.load("puma560")
    q, v, a = robot.sample(20)
    whole, bare, rubbing = ulna.Dynamics(robot), ulna.Dynamics(robot, rotor=False), ulna.Dynamics(robot, friction=True)
    rotor = np.array([j.gear**2 * j.rotor for j in robot.joints])
    assert (rotor > 0).all()
    close(whole.inverse(q, v, a) - bare.inverse(q, v, a), rotor * a, 1e-10)
    viscous, coulomb = (np.array([getattr(j, name) for j in robot.joints]) for name in ("viscous", "coulomb"))
    assert (viscous > 0).any() or (coulomb > 0).any()
    close(rubbing.inverse(q, v, a) - whole.inverse(q, v, a), viscous * v + coulomb * np.sign(v), 1e-10)


def test_pickling_dynamics() -> None:
    bare = ulna.Dynamics("panda", threads=1, rotor=False)
    dyn = bare.with_payload("hand", 2.0, (0, 0, 0.1), np.eye(3) * 0.01)
    assert repr(dyn) == f"Dynamics({bare.robot!r}, 2 kg on 'hand')"
    assert repr(dyn.with_payload("link5", 0.25)) == f"Dynamics({bare.robot!r}, 2 kg on 'hand', 0.25 kg on 'link5')"
    assert repr(dyn.with_threads(2)) == repr(pickle.loads(pickle.dumps(dyn))) == repr(dyn) and repr(dyn.with_parameters(bare.robot)) == repr(bare)
    again = pickle.loads(pickle.dumps(dyn))
    q, v, a = dyn.robot.sample(10)
    assert (again.inverse(q, v, a) == dyn.inverse(q, v, a)).all() and again.threads == 1


def test_machine_code_is_tried_when_it_is_made() -> None:
    """Right machine code is never refused."""
    dyn = ulna.Dynamics("panda", threads=1)
    dyn.gravity(np.zeros(7, dtype=np.float32))
    assert dyn.refused == []
    assert dyn.with_payload("hand", mass=1.0).refused == []


def test_what_is_named_is_compiled() -> None:
    """One quantity when one is named; the rest is computed all the same, and a copy keeps the choice."""
    one, all_of_them = ulna.Dynamics("panda", quantities=["inverse"]), ulna.Dynamics("panda")
    if one.instruction_set != "none":
        assert {row["task"] for row in one.kernels()} == {"inverse"}
        assert one.compiled("inverse") and not one.compiled("mass")
        assert {row["task"] for row in ulna.Dynamics("panda", quantities=["pose"], links=["link7"], coriolis=True).kernels()} == {"pose", "coriolis"}
    q, v, a = one.robot.sample(20)
    close(one.inverse(q, v, a), all_of_them.inverse(q, v, a))
    close(one.forward(q, v, a), all_of_them.forward(q, v, a), 1e-9)
    assert pickle.loads(pickle.dumps(one))._options["quantities"] == ("inverse",)
    with pytest.raises(ValueError, match="there is no task 'torque'"):
        ulna.Dynamics("panda", quantities=["torque"])
    with pytest.raises(TypeError, match="must be a list of names"):
        ulna.Dynamics("panda", quantities="inverse")


def test_forms_of_the_inertia_matrix() -> None:
    for name in ("humanoid-38", "panda"):
        dyn = ulna.Dynamics(name)
        n = dyn.robot.nv
        q = dyn.robot.sample(20)[0]
        for real in (np.float64, np.float32):
            states = q.astype(real)
            M = dyn.mass(states)
            for form in ("packed", "sparse"):
                rows, columns = dyn.mass_entries(form)
                some = dyn.mass(states, form=form)
                assert some.dtype == real
                assert np.array_equal(some, M[:, rows, columns])
                assert np.array_equal(dyn.mass(states[3], form=form), M[3, rows, columns])
        assert len(dyn.mass_entries("packed")[0]) == n * (n + 1) // 2
        assert np.count_nonzero(np.tril(M[0])) <= len(dyn.mass_entries("sparse")[0]) <= n * (n + 1) // 2
    with pytest.raises(ValueError, match="no form 'upper'"):
        dyn.mass(q, form="upper")
