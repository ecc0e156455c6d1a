"""Mimic joints in Pinocchio and MuJoCo: what followers do to their leaders, their rotors included, is worked out here from the other package's free tree."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pytest

import ulna

INERTIA = '<inertial><origin xyz="0.1 0.02 -0.03" rpy="0.1 0.2 0.3"/><mass value="1.5"/><inertia ixx="0.01" iyy="0.012" izz="0.015" ixy="0.001" ixz="0" iyz="0"/></inertial>'
ROTOR, GEAR = 0.002, 30.0
# name, link that it stands on, type, leader with multiplier and offset
GRIPPER = [
    ("arm", "base", "revolute", None),
    ("finger", "on_arm", "revolute", None),
    ("opposite", "on_arm", "revolute", ("finger", -1.5, 0.2)),
    ("pusher", "on_opposite", "prismatic", ("arm", 0.25, -0.1)),
]
FREE = ["arm", "finger"]
# Velocities of the four joints from those of the two that move freely, by hand from the rows above.
G = {"arm": [1.0, 0.0], "finger": [0.0, 1.0], "opposite": [0.0, -1.5], "pusher": [0.25, 0.0]}
OFFSET = {"arm": 0.0, "finger": 0.0, "opposite": 0.2, "pusher": -0.1}


def urdf(rows: list[tuple[str, str, str, Any]], rotor_of: str = "opposite") -> str:
    out = '<robot name="gripper" xmlns:drake="http://drake.mit.edu"><link name="base"/>'
    for k, (name, parent, kind, leads) in enumerate(rows):
        mimic = f'<mimic joint="{leads[0]}" multiplier="{leads[1]}" offset="{leads[2]}"/>' if leads else ""
        out += f'<link name="on_{name}">{INERTIA}</link><joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="on_{name}"/>'
        out += f'<origin xyz="0.2 0.1 0.3" rpy="0.5 0.4 {k}"/><axis xyz="{k} 1 0.5"/><limit lower="-3" upper="3" effort="9" velocity="9"/>'
        out += f'<dynamics damping="0.3" friction="0.2"/>{mimic}</joint>'
    out += f'<transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="{rotor_of}"/><actuator name="m">'
    return out + f'<drake:rotor_inertia value="{ROTOR}"/><drake:gear_ratio value="{GEAR}"/></actuator></transmission></robot>'


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo leaves a log where it runs."""
    monkeypatch.chdir(tmp_path)


def gripper() -> ulna.Robot:
    robot = ulna.load(urdf(GRIPPER))
    assert [j.name for j in robot.joints] == FREE
    followers = {j.name: (j.leader, j.multiplier, j.offset) for j in robot.all_joints if j.leader}
    assert followers == {"opposite": ("finger", -1.5, 0.2), "pusher": ("arm", 0.25, -0.1)}
    return robot


def close(ours: Any, theirs: Any) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * np.abs(theirs).max())


def expected(robot: ulna.Robot, names: list[str], rnea: Any, crba: Any, state: tuple[Any, ...]) -> tuple[Any, Any]:
    """Torques and inertia matrix of the coupled robot: Gᵀ of those of the free tree, by another package, and the rotor at its own joint."""
    coupling, offset = np.array([G[name] for name in names]), np.array([OFFSET[name] for name in names])
    q, v, a = state
    own = np.diag([GEAR**2 * ROTOR if name == "opposite" else 0.0 for name in names])
    tree = coupling @ q + offset, coupling @ v, coupling @ a
    return coupling.T @ (rnea(*tree) + own @ tree[2]), coupling.T @ (crba(tree[0]) + own) @ coupling


def test_pinocchio_keeps_mimic_joints_and_their_rotors() -> None:
    pinocchio = pytest.importorskip("pinocchio")
    robot = gripper()
    model = ulna.to_pinocchio(robot)
    tree = pinocchio.buildModelFromXML(urdf(GRIPPER))
    data, free = model.createData(), tree.createData()
    assert (model.nv, tree.nv) == (2, 4)
    ids = [model.joints[model.getJointId(name)].idx_v for name in FREE]
    dyn = ulna.Dynamics(robot)
    for state in zip(*robot.sample(20)):
        tau, M = expected(robot, list(tree.names)[1:], lambda *x: pinocchio.rnea(tree, free, *x), lambda q: pinocchio.crba(tree, free, q), state)
        x = [np.array([part[ids.index(k)] for k in range(2)]) for part in state]
        close(dyn.inverse(*state), tau)
        close(dyn.mass(state[0]), M)
        close(pinocchio.rnea(model, data, *x)[ids], tau)
        close(pinocchio.crba(model, data, x[0])[np.ix_(ids, ids)], M)
    # Friction, as the leaders feel it.
    v = np.array([0.7, -0.4])
    rest = np.zeros(2)
    felt = ulna.Dynamics(robot, friction=True).bias(rest, v) - dyn.bias(rest, v)
    np.testing.assert_allclose((model.damping[ids] * v + model.upperDryFrictionLimit[ids] * np.sign(v)), felt, rtol=1e-12)
    back = ulna.from_pinocchio(model)
    assert {(j.name, j.leader, j.multiplier, j.offset) for j in back.all_joints if j.leader} == {("opposite", "finger", -1.5, 0.2), ("pusher", "arm", 0.25, -0.1)}


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("first", "base", "revolute", ("second", 2, 0)), ("second", "on_first", "revolute", None)], "joint 'first' mimics 'second': Pinocchio couples joints to earlier"),
        ([("leader", "base", "revolute", None), ("a_follower", "base", "revolute", ("leader", 1, 0))], "siblings by name; rename them"),
        ([("leader", "base", "continuous", None), ("then", "base", "revolute", ("leader", 1, 0))], "'then' mimics 'leader': Pinocchio does not couple continuous joints; make"),
    ],
)
def test_mimic_joints_that_pinocchio_cannot_have_are_named(rows: list[Any], words: str) -> None:
    pytest.importorskip("pinocchio")
    text = urdf(rows, rows[0][0])
    with pytest.raises(ValueError, match=words):
        ulna.to_pinocchio(ulna.load(text))
    assert ulna.to_pinocchio(ulna.load(text, mimic="ignore")).nv == 2


def test_a_pinocchio_without_mimic_joints_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    build = pinocchio.buildModelFromXML

    def of_old(text: str) -> Any:
        return build(text)

    monkeypatch.setattr(pinocchio, "buildModelFromXML", of_old)
    with pytest.raises(ValueError, match="'opposite' mimics 'finger'; joint 'pusher' mimics 'arm': .* has no mimic joints; pip install --upgrade pin, or .*mimic='ignore'"):
        ulna.to_pinocchio(gripper())


def test_mujoco_keeps_mimic_joints_and_their_rotors() -> None:
    mujoco = pytest.importorskip("mujoco")
    robot = gripper()
    with pytest.warns(ulna.SourceWarning, match="'opposite', 'pusher'.* soft"):
        model = ulna.to_mujoco(robot)
    names = [model.joint(k).name for k in range(model.njnt)]
    assert model.nv == 4 and model.neq == 2
    assert {(names[model.eq_obj1id[k]], names[model.eq_obj2id[k]], model.eq_data[k][1], model.eq_data[k][0]) for k in range(2)} == {
        ("opposite", "finger", -1.5, 0.2),
        ("pusher", "arm", 0.25, -0.1),
    }
    assert dict(zip(names, model.dof_armature)) == {"arm": 0, "finger": 0, "opposite": pytest.approx(GEAR**2 * ROTOR), "pusher": 0}
    data, dyn = mujoco.MjData(model), ulna.Dynamics(robot)

    def crba(q: Any) -> Any:
        data.qpos[:] = q
        mujoco.mj_fwdPosition(model, data)
        M = np.zeros((4, 4))
        for column, unit in zip(M, np.eye(4)):
            mujoco.mj_mulM(model, data, column, unit)
        return M - np.diag(model.dof_armature)

    def rnea(q: Any, v: Any, a: Any) -> Any:
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        tau = np.zeros(4)
        mujoco.mj_rne(model, data, 1, tau)
        return tau

    for state in zip(*robot.sample(20)):
        tau, M = expected(robot, names, rnea, crba, state)
        close(dyn.inverse(*state), tau)
        close(dyn.mass(state[0]), M)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is left out on the way back
        back = ulna.from_mujoco(model)
    q, v, a = robot.sample(20)
    close(ulna.Dynamics(back).inverse(q, v, a), dyn.inverse(q, v, a))


def test_mujoco_couplings_count_from_rest_and_others_are_told() -> None:
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="b"><joint name="x" type="slide" axis="1 0 0" ref="0.5"/><geom size="0.1"/>
      <body><joint name="y" type="hinge" axis="0 1 0" ref="0.3"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
      <equality><joint joint1="y" joint2="x" polycoef="0.1 2 0 0 0"/>{}</equality></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text.format(""))
    robot = ulna.from_mujoco(model)
    (follower,) = (j for j in robot.all_joints if j.leader)
    assert (follower.name, follower.leader, follower.multiplier, follower.offset) == ("y", "x", 2.0, pytest.approx(0.1 + 0.3 - 2 * 0.5))
    data = mujoco.MjData(model)
    data.qpos[:] = 0.8, follower.multiplier * 0.8 + follower.offset
    mujoco.mj_forward(model, data)
    assert data.nefc == 1 and abs(data.efc_pos[0]) < 1e-12  # MuJoCo finds the constraint kept
    for other in ('<joint joint1="x" polycoef="0.1 0 0 0 0"/>', '<joint joint1="y" joint2="x" polycoef="0 3 0 0 0"/>', '<weld body1="b"/>'):
        with pytest.warns(ulna.SourceWarning, match="1 equality constraints .* left out"):
            ulna.from_mujoco(mujoco.MjModel.from_xml_string(text.format(other)), loops="ignore")
    with pytest.raises(ulna.SourceError, match="the loops leave the robot no motion"):
        ulna.from_mujoco(mujoco.MjModel.from_xml_string(text.format('<weld body1="b"/>')))


def test_a_mujoco_that_does_not_read_mimics_is_not_used() -> None:
    mujoco = pytest.importorskip("mujoco")

    class OfOld:
        @staticmethod
        def from_xml_string(text: str) -> Any:
            spec = mujoco.MjSpec.from_string(text)
            for constraint in list(spec.equalities):
                spec.delete(constraint)
            return spec.compile()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mujoco, "MjModel", OfOld)
        with pytest.raises(ValueError, match="joint 'opposite' mimics 'finger'; .* does not read that from URDF; pip install --upgrade mujoco, or"):
            ulna.to_mujoco(gripper())
