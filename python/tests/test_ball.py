"""Ball joints: a unit quaternion in q, three numbers in v."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
import ulna

TREE = """<mujoco model="balls"><option gravity="0.3 -0.5 -9.7"/><worldbody>
  <body name="arm" quat="0.8 -0.3 0.2 0.1"><joint name="hip" type="ball" pos="0.01 -0.02 0.03" armature="0.013"/>
    <inertial pos="0.02 0.03 -0.15" mass="1.5" fullinertia="0.02 0.025 0.012 0.001 0.002 -0.0015"/>
    <body name="fore" pos="0 0.02 -0.35"><joint name="knee" axis="0.1 0.9 -0.2"/>
      <inertial pos="0.01 0 -0.1" mass="0.9" fullinertia="0.01 0.011 0.004 0.0005 0.0002 -0.0003"/>
      <body name="hand" pos="0.02 -0.01 -0.25"><joint name="wrist" type="ball"/>
        <inertial pos="0.01 0.02 -0.05" mass="0.4" fullinertia="0.003 0.0025 0.002 0.0001 0.0002 -0.0003"/></body></body></body></worldbody></mujoco>"""


@pytest.fixture
def robot(tmp_path: pathlib.Path) -> ulna.Robot:
    path = tmp_path / "tree.xml"
    path.write_text(TREE)
    return ulna.load(str(path))


def test_sizes_and_names(robot: ulna.Robot) -> None:
    assert (robot.nq, robot.nv) == (9, 7)
    assert [joint.type for joint in robot.joints] == ["ball", "continuous", "ball"]
    np.testing.assert_array_equal(robot.neutral(), [0, 0, 0, 1, 0, 0, 0, 0, 1])


def test_there_and_back(robot: ulna.Robot) -> None:
    dynamics = ulna.Dynamics(robot)
    q, v, a = robot.sample(20)
    np.testing.assert_allclose(dynamics.forward(q, v, dynamics.inverse(q, v, a)), a, atol=1e-11)
    np.testing.assert_allclose(robot.difference(q, robot.integrate(q, 0.1 * v)), 0.1 * v, atol=1e-14)


def test_mujoco_agrees(robot: ulna.Robot) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(TREE)
    data = mujoco.MjData(model)
    q, v, a = (x[0] for x in robot.sample(1, seed=4))
    data.qpos[:] = [q[3], *q[:3], q[4], q[8], *q[5:8]]
    data.qvel[:], data.qacc[:] = v, a
    mujoco.mj_inverse(model, data)
    np.testing.assert_allclose(ulna.Dynamics(robot).inverse(q, v, a), data.qfrc_inverse, atol=1e-12)


def test_quaternions_that_are_off(robot: ulna.Robot) -> None:
    q, v, a = (x[0] for x in robot.sample(1))
    dynamics = ulna.Dynamics(robot)
    with pytest.raises(ValueError, match="the quaternion of joint 'hip' has length 1.01"):
        dynamics.inverse(q * 1.01, v, a)
    q[5:9] *= 1 + 5e-7
    with pytest.warns(UserWarning, match="the quaternion of joint 'wrist' was given unit length"):
        dynamics.inverse(q, v, a)


def test_what_takes_none(robot: ulna.Robot) -> None:
    with pytest.raises(ValueError, match="URDF does not have"):
        robot.to_urdf()
    with pytest.raises(ValueError, match="ball joints"):
        ulna.excite(robot)
