"""Generalized speeds of a choice, and what joints transmit."""

import numpy as np
import pytest

import ulna


def test_joint_reactions_of_an_arm_at_rest():
    robot = ulna.load("planar-2r")
    g, m1, m2 = 9.81, 6.0, 4.0
    for formulation in ("ulna", "newton-euler", "newton-euler-base", "modified-newton-euler"):
        loads = robot.joint_reactions([0.0, 0.0], formulation=formulation)
        assert loads.shape == (2, 6)
        np.testing.assert_allclose(loads[:, 1], [g * (m1 + m2), g * m2], atol=1e-11)
        np.testing.assert_allclose(loads[:, 5], [g * (m1 * 0.5 + m2 * 1.4), g * m2 * 0.4], atol=1e-11)


def test_joint_reactions_by_nasser_agree_with_those_of_the_motion():
    robot = ulna.load("panda")
    q, v, a = robot.sample(4)
    tau = ulna.Dynamics(robot).inverse(q, v, a)
    motion = robot.joint_reactions(q, v, a)
    assert motion.shape == (4, 7, 6)
    np.testing.assert_allclose(robot.joint_reactions(q, v, tau=tau, formulation="nasser"), motion, atol=1e-8)
    with pytest.raises(TypeError):
        robot.joint_reactions(q, v, a, tau=tau)
    with pytest.raises(ValueError, match="newton-euler"):
        robot.joint_reactions(q, v, a, formulation="lagrange")


def test_speeds_of_a_choice():
    robot = ulna.load("stanford")
    q, v, a = (x[0] for x in robot.sample(1))
    q[1] = 1.1
    done = robot.in_speeds("kane-stanford", q, v, a)
    assert "q.q2" in done["singular_where"]
    np.testing.assert_allclose(done["tau"], ulna.Dynamics(robot).inverse(q, v, a), rtol=1e-11, atol=1e-11)
    s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[3]), np.cos(q[3])
    np.testing.assert_allclose(done["u"][:3], [s2 * s3 * v[0] + c3 * v[1], c2 * v[0] + v[3], -s2 * c3 * v[0] + s3 * v[1]], atol=1e-12)
    with pytest.raises(ValueError, match="did you mean"):
        ulna.load("planar-2r").in_speeds("u1 = v.sholder, u2 = v.elbow", [0, 0], [0, 0])
