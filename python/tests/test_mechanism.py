"""Robots with loops."""

import numpy as np
import pytest

import ulna

PARALLELOGRAM = """<robot name="parallelogram">
<link name="base"/>
<link name="left"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.03"/></inertial></link>
<link name="rod"><inertial><mass value="3.3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial></link>
<link name="right"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.04"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="left"/><child link="rod"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="base"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="1 0 0"/></predecessor><successor link="right"><origin xyz="0.5 0 0"/></successor>
<axis xyz="0 0 1"/></loop>
</robot>"""


def test_parallelogram_is_its_closed_form():
    robot = ulna.load_mechanism(PARALLELOGRAM, independent=["a"], gravity=[0, -9.81, 0])
    assert robot.joints == ("a",) and robot.passive == ("b", "c") and robot.redundant == 3
    q = np.array([[0.4], [1.1], [2.0]])
    M = 0.03 + 0.04 + 3.3 * 0.25
    weight = 3.3 * 9.81 * 0.5 * np.cos(q)
    assert np.allclose(robot.close(q), q * [1, -1, 1], atol=1e-12)
    assert np.allclose(robot.mass(q), M, atol=1e-12)
    assert np.allclose(robot.inverse(q, [1.7], [-0.6]), M * -0.6 + weight, atol=1e-11)
    assert np.allclose(robot.gravity(q), weight, atol=1e-11)
    assert np.allclose(robot.forward(q, [1.7], [0.0]), -weight / M, atol=1e-10)
    assert np.allclose(robot.velocities(q[0], [1.0]), [1, -1, 1], atol=1e-12)
    assert robot.reactions(q[0], [1.0], [0.0]).shape == (1, 6)


def test_trees_refuse_loops_and_messages_have_lines():
    with pytest.raises(ulna.SourceError, match="pin"):
        ulna.load(PARALLELOGRAM)
    assert ulna.load(PARALLELOGRAM, loops="ignore").nv == 3
    with pytest.raises(ulna.SourceError, match="does not exist"):
        ulna.load_mechanism(PARALLELOGRAM.replace('successor link="right"', 'successor link="wright"'))
    with pytest.raises(ulna.SourceError, match="independent"):
        ulna.load_mechanism(PARALLELOGRAM, independent=["a", "c"])


def test_runs_of_loops_stay_closed_and_keep_their_energy():
    run = ulna.simulate("four-bar-spin")
    assert run.done and run.q.shape[1] == 3
    assert run.audit["residual"] < 1e-11 and run.audit["loop_drift"] < 1e-9
    assert run.audit["energy_drift"] < 1e-6 * run.audit["energy_scale"]
    robot = ulna.load_mechanism("four-bar")
    assert np.allclose(robot.inverse(run.q[200], run.v[200, :1], run.a[200, :1]), run.tau[200, :1], atol=1e-8)
    assert np.all(run.tau[:, 1:] == 0)


def test_singular_assemblies_are_refused():
    robot = ulna.load_mechanism("five-bar")
    singular = [1.7368310313, -1.8752882263]
    with pytest.raises(ValueError, match="the assembly is singular"):
        robot.inverse(singular, [1, 1], [1, 1])
    with pytest.raises(ValueError, match="does not close in this state: its ends stay"):
        robot.velocities([1.6, -1.6], [1, 1])
    q = np.array([[0.1, -0.2], singular, [0.3, 0.1], [1.6, -1.6]])
    with pytest.warns(RuntimeWarning, match=r"2 of 4 states are NaN \(problems\(q\) says why\): state 1: the assembly is singular"):
        tau = robot.inverse(q, [1, 1], [1, 1])
    assert np.isnan(tau[[1, 3]]).all() and np.allclose(tau[[0, 2]], [robot.inverse(q[k], [1, 1], [1, 1]) for k in (0, 2)], rtol=0, atol=0)
    problems = robot.problems(q)
    assert problems[0] == problems[2] == "" and "singular" in problems[1] and "does not close" in problems[3]


def test_another_circuit_is_refused():
    """Near the flat assembly of a parallelogram a guess of the crossed one closes on the other side."""
    robot = ulna.load_mechanism(PARALLELOGRAM, independent=["a"])
    guess = next(g for g in ([0.8, b, c] for b in np.arange(-1, 1, 0.1) for c in np.arange(-1, 1, 0.1)) if "singular assembly" in robot.problems(g)[0])
    with pytest.raises(ValueError, match="close beyond a singular assembly"):
        robot.mass(guess)


def test_far_angles_are_near_ones():
    robot = ulna.load_mechanism("four-bar")
    assert np.allclose(robot.gravity([63.13185307179586]), robot.gravity([0.3]), rtol=0, atol=1e-10)
    assert abs(robot.gravity([63.13185307179586])[0] - 0.2332) < 1e-4


def test_nan_makes_all_of_its_state_nan():
    robot = ulna.load_mechanism("five-bar")
    nan, q, u, a = np.nan, [0.1, -0.2], [1.0, 2.0], [0.5, -0.5]
    results = {
        "close": (robot.close, [q]),
        "residual": (robot.residual, [q]),
        "velocities": (robot.velocities, [q, u]),
        "accelerations": (robot.accelerations, [q, u, a]),
        "inverse": (robot.inverse, [q, u, a]),
        "bias": (robot.bias, [q, u]),
        "gravity": (robot.gravity, [q]),
        "forward": (robot.forward, [q, u, a]),
        "mass": (robot.mass, [q]),
        "energy": (robot.energy, [q, u]),
        "reactions": (robot.reactions, [q, u, a]),
    }
    for name, (function, inputs) in results.items():
        assert np.isfinite(function(*inputs)).all(), name
        for which in range(len(inputs)):
            for entry in range(2):
                bad = [list(x) for x in inputs]
                bad[which][entry] = nan
                assert np.isnan(function(*bad)).all(), (name, which, entry)
                rows = [np.array([x, y, x]) for x, y in zip(inputs, bad)]
                got = function(*rows)
                assert np.isnan(got[1]).all() and np.isfinite(got[[0, 2]]).all(), (name, which, entry)
