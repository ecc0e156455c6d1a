"""From and to Pinocchio and MuJoCo, where they are installed. The conversions compare torques themselves; here it is seen that this comparison can fail."""

from __future__ import annotations

import json
import pathlib
import pickle
import sys

import numpy as np
import pytest

import ulna
from ulna import _convert

ROBOTS = ["panda", "ur5", "torso", "iiwa14", "stanford"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo leaves a log where it runs."""
    monkeypatch.chdir(tmp_path)


def same_torques(one: ulna.Robot, other: ulna.Robot) -> None:
    """Joints may come in another order; names tell."""
    names = [j.name for j in one.joints]
    order = [names.index(j.name) for j in other.joints]
    assert len(order) == one.nv
    q, v, a = one.sample(20)
    tau = ulna.Dynamics(one).inverse(q, v, a)
    np.testing.assert_allclose(ulna.Dynamics(other).inverse(q[:, order], v[:, order], a[:, order]), tau[:, order], atol=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize(("name", "registered"), [("pinocchio", "pin"), ("mujoco", "mujoco")])
def test_without_the_other_package_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch, name: str, registered: str) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    robot = ulna.load("planar-2r")
    for convert in (getattr(ulna, f"to_{name}"), getattr(ulna, f"from_{name}")):
        with pytest.raises(ModuleNotFoundError, match=f"pip install {registered}$"):
            convert(robot)


@pytest.mark.parametrize("name", ROBOTS)
def test_pinocchio_there_and_back(name: str) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    robot = ulna.load(name)
    model = ulna.to_pinocchio(robot)
    assert isinstance(model, pinocchio.Model) and model.nv == robot.nv
    back = ulna.from_pinocchio(model)
    same_torques(robot, back)
    assert pickle.loads(pickle.dumps(back)).hash == back.hash
    limits, kept = ({(j.name, side): getattr(j, side) for j in r.joints for side in ("lower", "upper")} for r in (robot, back))
    limits = {k: x for k, x in limits.items() if np.isfinite(x)}  # URDF has no prismatic joint without limits
    assert {k: kept[k] for k in limits} == pytest.approx(limits)
    link = robot.links[-1].name
    q = robot.sample(1)[0][0]
    names = [j.name for j in robot.joints]
    T = ulna.Dynamics(back).pose(q[[names.index(j.name) for j in back.joints]], link)
    np.testing.assert_allclose(T[:3, 3], ulna.Dynamics(ulna.load(robot.to_urdf())).pose(q, link)[:3, 3], atol=1e-12)


def test_pinocchio_any_axis_and_armature() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.Model()
    model.name = "by hand"
    rng = np.random.default_rng(1)
    parent = 0
    axis = np.array([1.0, 2.0, -2.0]) / 3
    kinds = [
        pinocchio.JointModelRX(),
        pinocchio.JointModelRevoluteUnaligned(axis),
        pinocchio.JointModelPY(),
        pinocchio.JointModelPrismaticUnaligned(axis),
        pinocchio.JointModelRUBZ(),
        pinocchio.JointModelRevoluteUnboundedUnaligned(),
    ]
    for k, kind in enumerate(kinds):
        placement = pinocchio.SE3(pinocchio.rpy.rpyToMatrix(rng.uniform(-1, 1, 3)), rng.uniform(-1, 1, 3))
        parent = model.addJoint(parent, kind, placement, f"j{k}")
        model.appendBodyToJoint(parent, pinocchio.Inertia(1.0 + k, rng.uniform(-0.1, 0.1, 3), np.diag([0.1, 0.2, 0.25])), pinocchio.SE3.Identity())
    model.armature = rng.uniform(0.1, 0.3, model.nv)
    robot = ulna.from_pinocchio(model)
    assert [j.type for j in robot.joints] == ["revolute", "revolute", "prismatic", "prismatic", "continuous", "continuous"]
    assert [j.rotor for j in robot.joints] == pytest.approx(list(model.armature))


def test_pinocchio_joints_that_are_not_taken() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "floating")
    with pytest.raises(ValueError, match="joint 'floating': its type is JointModelFreeFlyer"):
        ulna.from_pinocchio(model)


def test_impossible_inertias_pass_when_asked_to() -> None:
    """Published inertias of the PUMA are partial, which a Pinocchio model cannot say of itself."""
    pytest.importorskip("pinocchio")
    robot = ulna.load("puma560")
    with pytest.raises(ulna.SourceError, match="triangle"):
        ulna.from_pinocchio(ulna.to_pinocchio(robot))
    same_torques(robot, ulna.from_pinocchio(ulna.to_pinocchio(robot), unchecked=True))


MJCF = """<mujoco model="odd"><compiler angle="radian"/>
<option gravity="0.3 0 -9"/>
<worldbody>
  <body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 0.3 0.2">
    <joint name="h1" type="hinge" axis="0 1 1" pos="0.05 0 0.02" ref="0.4" range="-1 2" limited="true" armature="0.1" damping="0.5"/>
    <inertial pos="0.01 0.02 0.03" quat="0.8 0.2 0.1 0.5" mass="2" diaginertia="0.02 0.03 0.04"/>
    <body name="shelf" pos="0 0 0.1"><inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>
      <body name="wrist" pos="0 0.3 0">
        <joint name="s1" type="slide" axis="1 0 0" ref="0.1"/>
        <joint name="h2" type="hinge" axis="0 0 1" pos="0.1 0 0" frictionloss="0.2"/>
        <joint name="h3" type="hinge" axis="1 0 0"/>
        <inertial pos="0 0 0.1" mass="1" diaginertia="0.01 0.02 0.02"/>
      </body>
    </body>
  </body>
</worldbody></mujoco>"""


def test_mujoco_with_offsets_references_and_several_joints_a_body() -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = ulna.from_mujoco(mujoco.MjModel.from_xml_string(MJCF))
    assert [(j.name, j.type) for j in robot.joints] == [("h1", "revolute"), ("s1", "prismatic"), ("h2", "continuous"), ("h3", "continuous")]
    assert robot.joints[0].lower == -1 and robot.joints[0].upper == 2 and robot.joints[0].rotor == 0.1 and robot.joints[0].viscous == 0.5
    assert robot.joints[2].coulomb == 0.2 and robot.gravity == (0.3, 0, -9) and robot.name == "odd"
    assert pickle.loads(pickle.dumps(robot)).hash == robot.hash


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_there_and_back(name: str) -> None:
    pytest.importorskip("mujoco")
    robot = ulna.load(name)
    model = ulna.to_mujoco(robot)
    assert model.nv == robot.nv
    same_torques(robot, ulna.from_mujoco(model))


def test_mujoco_joints_that_are_not_taken() -> None:
    mujoco = pytest.importorskip("mujoco")
    text = MJCF.replace('name="h2" type="hinge" axis="0 0 1" pos="0.1 0 0" frictionloss="0.2"', 'name="h2" type="ball"').replace('<joint name="s1" type="slide" axis="1 0 0" ref="0.1"/>', "").replace('<joint name="h3" type="hinge" axis="1 0 0"/>', "")
    with pytest.raises(ValueError, match="joint 'h2' is a ball joint"):
        ulna.from_mujoco(mujoco.MjModel.from_xml_string(text))


def test_a_wrong_conversion_is_noticed() -> None:
    robot = ulna.load("ur5")
    dyn = ulna.Dynamics(robot)
    _convert._compare(robot, dyn.inverse, "our own")
    with pytest.raises(RuntimeError, match="differ from our own by"):
        _convert._compare(robot, lambda q, v, a: dyn.inverse(q, v, a) * (1 + 1e-6), "our own")
    with pytest.raises(RuntimeError, match="differ"):
        _convert._compare(robot, lambda q, v, a: dyn.inverse(q, v, a) * np.nan, "our own")


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "palletizer"])
def test_loops_go_to_mujoco_and_back(name: str) -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = ulna.load(name)
    with pytest.warns(ulna.SourceWarning, match="by equality constraints, which are soft"):
        model = ulna.to_mujoco(robot)  # compares torques
    assert model.nv == robot.nv_tree and isinstance(model, mujoco.MjModel)
    back = ulna.from_mujoco(model)
    assert back.nv == robot.nv
    q = robot.reference
    again = ulna.load(robot.to_mjcf(), independent=back.independent)
    ones = np.ones(robot.nv)
    expected = ulna.Dynamics(again).inverse(q, ones, ones)
    np.testing.assert_allclose(ulna.Dynamics(back).inverse(q, ones, ones), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_a_weld_of_mujoco_is_a_loop(repository) -> None:
    mujoco = pytest.importorskip("mujoco")
    for file in json.loads((repository / "test/source/mjcf/loops.json").read_text()):
        if "freejoint" in file["xml"]:
            continue
        robot = ulna.from_mujoco(mujoco.MjModel.from_xml_string(file["xml"]))
        read = ulna.load(file["xml"], independent=robot.independent)
        q, v, a = read.sample(3)
        expected = ulna.Dynamics(read).inverse(q, v, a)
        np.testing.assert_allclose(ulna.Dynamics(robot).inverse(q, v, a), expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_pinocchio_has_no_loops() -> None:
    pytest.importorskip("pinocchio")
    with pytest.raises(ValueError, match="has the loops 'tip'"):
        ulna.to_pinocchio(ulna.load("five-bar"))
