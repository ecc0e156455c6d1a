#!/usr/bin/env python3
"""Writes loops.json: MJCF files with loops, and what MuJoCo says of them. Needs mujoco and numpy.

MuJoCo's constraints are soft, so its accelerations are not those of closed loops; but its tree, M and bias, and the Jacobian J of its equalities are exact. Here states are
projected on J's conditions, and M and torques are reduced by a basis G of J's null space whose rows at the independent joints are the identity: G' M G and
G' (M (G a + g) + bias), J g = - dJ/dt v by central differences of fourth order.
"""

import json
import pathlib

import mujoco
import numpy as np

GRIPPER = """<mujoco model="gripper"><compiler angle="radian"/>
<default><equality solref="0.005 1"/><default class="rod"><geom type="capsule" size="0.004" density="2700"/><joint axis="0 1 0" damping="0.01"/></default></default>
<worldbody><body name="palm" pos="0 0 0.1" euler="0.2 -0.1 0.3"><geom type="box" size="0.03 0.02 0.01" mass="0.4"/>
<body name="right_crank" pos="0.03 0 0.01" childclass="rod"><joint name="right_drive" ref="0.4" range="-0.4 1.1" armature="0.002"/><geom fromto="0 0 0 0.03 0 0.035"/>
<body name="right_coupler" pos="0.03 0 0.035"><joint name="right_knuckle"/><geom fromto="0 0 0 -0.012 0 0.02"/><geom fromto="-0.012 0 0.02 0 0 0.06"/></body></body>
<body name="right_rocker" pos="0.01 0 0.02" childclass="rod"><joint name="right_spring" ref="0.1"/><geom fromto="0 0 0 0.02 0 0.04"/></body>
<body name="left_crank" pos="-0.03 0 0.01" childclass="rod"><joint name="left_drive" axis="0 -1 0" armature="0.002"/><geom fromto="0 0 0 -0.03 0 0.035"/>
<body name="left_coupler" pos="-0.03 0 0.035"><joint name="left_knuckle" axis="0 -1 0"/><geom fromto="0 0 0 0.012 0 0.02"/><geom fromto="0.012 0 0.02 0 0 0.06"/>
<frame pos="0.005 0 0.02" euler="0 0.3 0"><site name="left_pin" pos="0.005 0.003 0.001"/></frame></body></body>
<body name="left_rocker" pos="-0.01 0 0.02" childclass="rod"><joint name="left_spring" axis="0 -1 0"/><geom fromto="0 0 0 -0.02 0 0.04"/>
<site name="left_hole" pos="-0.0105 0.003 0.034"/></body></body></worldbody>
<equality><connect name="right_pin" body1="right_rocker" body2="right_coupler" anchor="0.01 0.002 0.037"/><connect site1="left_pin" site2="left_hole"/>
<joint joint1="left_drive" joint2="right_drive" polycoef="0.05 1 0 0 0"/><connect active="false" body1="palm" body2="left_rocker" anchor="0 0 1"/></equality>
<tendon><fixed name="both"><joint joint="left_drive" coef="0.5"/><joint joint="right_drive" coef="0.5"/></fixed></tendon>
<actuator><position tendon="both" kp="10"/></actuator></mujoco>"""

HOPPER = """<mujoco model="hopper"><option gravity="0 0 -9.7"/>
<worldbody><geom type="plane" size="1 1 1"/><body name="trunk" pos="0 0 0.6"><freejoint/><inertial pos="0.01 0 0.02" mass="6" diaginertia="0.05 0.08 0.09"/>
<body name="thigh" pos="0.05 0 -0.05"><joint name="hip" axis="0 1 0" armature="0.01"/><inertial pos="0 0 -0.1" mass="1.2" diaginertia="0.006 0.006 0.001"/>
<body name="shank" pos="0 0 -0.2" euler="0 -40 0"><joint name="knee" axis="0 1 0"/><inertial pos="0.005 0 -0.1" mass="0.5" diaginertia="0.003 0.003 0.0005"/></body></body>
<body name="motor_arm" pos="0.05 0.04 -0.05" euler="0 30 0"><joint name="motor" axis="0 1 0" armature="0.01"/><inertial pos="0.03 0 0" mass="0.2" diaginertia="1e-4 2e-4 2e-4"/>
<body name="rod" pos="0.06 0 0"><joint name="rod_pitch" axis="0 1 0"/><joint name="rod_yaw" axis="0 0 1"/>
<inertial pos="0 0 -0.08" mass="0.1" diaginertia="3e-4 3e-4 1e-5"/></body></body></body></worldbody>
<equality><connect name="rod_end" body1="shank" body2="rod" anchor="0.06 0.03 0.01"/></equality>
<actuator><motor joint="hip"/><motor joint="motor" gear="3"/></actuator></mujoco>"""

CHAIN = """<mujoco model="welded"><compiler angle="radian"/>
<worldbody><body name="post" pos="0.4 0.1 0.1" euler="0.1 0.2 0.3"><site name="rest" type="capsule" size="0.01" fromto="0.1 0 0 0.12 0.05 0.1"/></body>
<body name="a" pos="0.1 0 0" quat="0.9 0.1 0.2 0.3"><joint name="j1" axis="0 0 1"/><joint name="j2" axis="0 1 0"/>
<inertial pos="0.1 0 0.02" mass="2" diaginertia="0.02 0.03 0.04"/>
<body name="b" pos="0.3 0 0"><joint name="j3" axis="0.1 1 0.2"/><joint name="j4" axis="1 0 0.3"/><inertial pos="0.1 0.02 0" mass="1.5" diaginertia="0.01 0.02 0.02"/>
<body name="c" pos="0.3 0 0"><joint name="j5" axis="0.2 0.1 1"/><joint name="j6" axis="1 0.2 0"/><inertial pos="0.1 0 0.01" mass="1" diaginertia="0.01 0.015 0.012"/>
<body name="d" pos="0.2 0.1 0"><joint name="j7" axis="0 1 0.5"/><inertial pos="0.05 0 0" mass="0.7" diaginertia="0.004 0.005 0.006"/>
<body name="e" pos="0.2 0.1 0"><joint name="j8" type="slide" axis="1 0.1 0.5" ref="0.05"/><inertial pos="0.05 0 0" mass="0.6" diaginertia="0.004 0.005 0.006"/>
<site name="tip" pos="0 0.02 0.01" euler="0.3 0 0.1"/></body></body></body></body></body></worldbody>
<equality>WELD</equality><actuator><motor joint="j1"/><motor joint="j3"/></actuator></mujoco>"""

FILES = [
    (GRIPPER, ["right_drive"]),
    (HOPPER, ["hip", "motor"]),
    (CHAIN.replace("WELD", '<weld name="grip" body1="e" relpose="0.02 0.03 -0.01 0 0 0 0" anchor="0.1 0.2 0.3"/>'), ["j1", "j3"]),
    (CHAIN.replace("WELD", '<weld name="grip" body1="post" body2="e" relpose="0.25 0.1 0.05 0.8 0.2 -0.1 0.3" anchor="0.03 0.02 -0.04" torquescale="3"/>'), ["j1", "j3"]),
    (CHAIN.replace("WELD", '<weld name="grip" site1="tip" site2="rest"/>'), ["j1", "j3"]),
]


class Closed:
    def __init__(self, xml: str, independent: list[str]) -> None:
        self.model = m = mujoco.MjModel.from_xml_string(xml)
        off = mujoco.mjtDisableBit
        m.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_LIMIT | off.mjDSBL_FRICTIONLOSS
        m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        self.data = mujoco.MjData(m)
        self.free = m.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
        self.joints = [m.joint(j) for j in range(m.njnt)][int(self.free) :]
        self.independent = [*range(6 if self.free else 0), *(int(m.joint(name).dofadr[0]) for name in independent)]

    def conditions(self, q):
        self.data.qpos[:], self.data.qvel[:] = q, 0
        mujoco.mj_forward(self.model, self.data)
        n = self.data.nefc
        return np.array(self.data.efc_pos[:n]), np.array(self.data.efc_J).reshape(n, self.model.nv)

    def moved(self, q, v):
        q = q.copy()
        mujoco.mj_integratePos(self.model, q, v, 1)
        return q

    def near(self, q):
        for _ in range(400):
            phi, J = self.conditions(q)
            step = -np.linalg.pinv(J, rcond=1e-6) @ phi
            q = self.moved(q, step * min(1, 0.1 / max(abs(step).max(), 1e-12)))
        assert abs(self.conditions(q)[0]).max() < 1e-13
        return q

    def state(self, q, u, u_dot) -> dict:
        """u and u_dot in Ulna's way: of a free base angular first, all in its own axes."""
        m, d, own = self.model, self.data, self.independent
        T = np.eye(len(own))
        if self.free:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, q[3:7])
            T[:6, :6] = np.block([[np.zeros((3, 3)), R.reshape(3, 3)], [np.eye(3), np.zeros((3, 3))]])
        J = self.conditions(q)[1]
        _, s, Vt = np.linalg.svd(J)
        null = Vt[(s > 1e-8 * s[0]).sum() :].T
        G = null @ np.linalg.inv(null[own])
        v = G @ T @ u
        h = 1e-4
        Jv = [self.conditions(self.moved(q, k * h * v))[1] @ v for k in (1, -1, 2, -2)]
        others = [k for k in range(m.nv) if k not in own]
        more = np.zeros(m.nv)
        more[others] = -np.linalg.pinv(J[:, others]) @ (8 * (Jv[0] - Jv[1]) - (Jv[2] - Jv[3])) / (12 * h)
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        G = G @ T
        base = [*q[:3], q[4], q[5], q[6], q[3]] if self.free else []
        return {
            "base": list(map(float, base)),
            "q": {joint.name: float(q[joint.qposadr[0]]) for joint in self.joints},
            "v": u.tolist(),
            "a": u_dot.tolist(),
            "M": (G.T @ M @ G).ravel().tolist(),
            "tau": (G.T @ (M @ (G @ u_dot + more) + d.qfrc_bias)).tolist(),
        }


def main() -> None:
    random = np.random.default_rng(5)
    out = []
    for xml, independent in FILES:
        robot = Closed(xml, independent)
        m = robot.model
        states = []
        for _ in range(3):
            q = robot.near(robot.moved(m.qpos0.copy(), 0.15 * random.standard_normal(m.nv)))
            n = len(robot.independent)
            states.append(robot.state(q, random.standard_normal(n), random.standard_normal(n)))
        out.append({"xml": xml, "independent": independent, "states": states})
    lines = ",\n".join(json.dumps(row) for row in out)
    pathlib.Path(__file__).with_name("loops.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
