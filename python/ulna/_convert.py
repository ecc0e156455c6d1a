"""From and to the model objects of other packages, where these are installed. Torques are compared before a robot is returned."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from ._errors import SourceWarning
from ._robot import Robot, make_robot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

_STATES = 5  # that torques are compared on
_ALLOWED = 1e-9  # of the largest torque: both sides round, and quaternions of files have few digits
_IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _package(name: str, registered: str) -> Any:
    """Another package, by its name in Python and in the registry; where it is missing, what to do."""
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"this conversion needs the package {name}: pip install {registered}", name=name) from None


def _frame(rotation: Any, origin: Any) -> list[float]:
    """Rotation row by row, then origin."""
    return [float(rotation[i][j]) for i in range(3) for j in range(3)] + [float(x) for x in origin]


def _six(inertia: Any) -> list[float]:
    return [float(inertia[i][j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _unique(name: str, taken: set[str]) -> str:
    k, out = 2, name
    while out in taken or not out:
        out, k = f"{name or 'unnamed'}_{k}", k + 1
    taken.add(out)
    return out


def _compare(robot: Robot, torques: Any, whose: str) -> None:
    """Raises when the other package's torques of the same motions differ. Joints are matched by name."""
    import numpy as np

    from ._dynamics import Dynamics

    if robot.nv == 0:
        return
    q, v, a = robot.sample(_STATES)
    ours = Dynamics(robot, threads=1).inverse(q, v, a)
    theirs = np.array([torques(*state) for state in zip(q, v, a)])
    scale = max(float(np.abs(ours).max()), float(np.abs(theirs).max()), 1e-12)
    worst = float(np.abs(ours - theirs).max())
    if not worst <= _ALLOWED * scale:
        raise RuntimeError(
            f"the torques of the converted robot differ from {whose} by {worst:.3g} of {scale:.3g}: the model has something that Ulna does not know, "
            "or this conversion is wrong; check=False returns the robot all the same"
        )


# Pinocchio


def _pinocchio_axis(joint: Any, neutral: Any) -> tuple[str, list[float]]:
    """Type and axis of a joint, from the motion that its velocity makes: linear part, angular part."""
    if joint.nv == 1 and "Composite" not in joint.shortname():
        data = joint.createData()
        joint.calc(data, neutral)
        motion = [float(x) for x in data.S.reshape(6)]
        if any(motion[3:]) and not any(motion[:3]):
            return "continuous" if joint.nq == 2 else "revolute", motion[3:]
        if any(motion[:3]) and not any(motion[3:]):
            return "prismatic", motion[:3]
    raise ValueError(f"its type is {joint.shortname()}, but Ulna has revolute, continuous and prismatic joints; split or lock it before the conversion")


def from_pinocchio(model: Any, *, check: bool = True, unchecked: bool = False) -> Robot:
    """A robot from a ``pinocchio.Model``: masses, frames, joints, limits, friction and rotors are copied, body frames become links.

    :param check: compare torques with ``pinocchio.rnea`` on a few states.
    :param unchecked: take impossible masses and inertias, as :func:`load` does.
    :raises ValueError: names every joint that is neither revolute, continuous nor prismatic.

    The joints come depth first; ``[j.name for j in robot.joints]`` tells the order, and names are the same.
    """
    import numpy as np

    pinocchio = _package("pinocchio", "pin")

    body = pinocchio.FrameType.BODY
    bodies: dict[int, list[Any]] = {k: [] for k in range(model.njoints)}
    for frame in model.frames:
        if frame.type == body:
            bodies[int(frame.parentJoint)].append(frame)

    taken: set[str] = set()
    links: list[tuple[str, float, list[float], list[float]]] = []
    fixed: list[tuple[Any, ...]] = []
    link_of: dict[int, str] = {}
    for k in range(model.njoints):
        own = next((f for f in bodies[k] if f.placement.isIdentity(0.0)), None)
        name = _unique(own.name if own is not None else (f"{model.names[k]}_body" if k else "universe"), taken)
        link_of[k] = name
        inertia = model.inertias[k]
        links.append((name, float(inertia.mass), [float(x) for x in inertia.lever], _six(inertia.inertia)))
        for frame in bodies[k]:
            if frame is own:
                continue
            other = _unique(frame.name, taken)
            links.append((other, 0.0, [0.0] * 3, [0.0] * 6))
            place = _frame(frame.placement.rotation, frame.placement.translation)
            fixed.append((f"{other}_fixed", "fixed", name, other, place, [0.0, 0.0, 1.0], _IDENTITY, [-inf, inf, inf, inf, 0.0, 1.0, 0.0, 0.0]))

    def of_velocity(names: tuple[str, ...], index: int, otherwise: float) -> float:
        for name in names:
            if hasattr(model, name) and len(getattr(model, name)) > index:
                return float(getattr(model, name)[index])
        return otherwise

    wrong = []
    neutral = pinocchio.neutral(model)
    joints: list[tuple[Any, ...]] = []
    for k in range(1, model.njoints):
        joint, placement, iv, iq = model.joints[k], model.jointPlacements[k], model.joints[k].idx_v, model.joints[k].idx_q
        try:
            kind, axis = _pinocchio_axis(joint, neutral)
        except ValueError as error:
            wrong.append(f"joint {model.names[k]!r}: {error}")
            continue
        limits = [-inf, inf] if kind == "continuous" else [float(model.lowerPositionLimit[iq]), float(model.upperPositionLimit[iq])]
        limits = [x if abs(x) < 1e30 else (inf if x > 0 else -inf) for x in limits]
        effort = of_velocity(("upperEffortLimit", "effortLimit"), iv, inf)
        speed = of_velocity(("upperVelocityLimit", "velocityLimit"), iv, inf)
        armature = of_velocity(("armature",), iv, 0.0)
        numbers = [*limits, effort if 0 < effort < 1e30 else inf, speed if 0 < speed < 1e30 else inf, armature, 1.0]
        numbers += [of_velocity(("damping", "upperDampingLimit"), iv, 0.0), of_velocity(("friction", "upperDryFrictionLimit"), iv, 0.0)]
        parent = link_of[int(model.parents[k])]
        joints.append((model.names[k], kind, parent, link_of[k], _frame(placement.rotation, placement.translation), axis, _IDENTITY, numbers))
    if wrong:
        raise ValueError("this Pinocchio model cannot be converted:\n" + "\n".join(wrong))
    gravity = [float(x) for x in model.gravity.linear]
    robot = make_robot(("model", str(model.name) or "robot", "a Pinocchio model", gravity, links, joints + fixed, unchecked), 1e-9)
    if check:
        data = model.createData()
        ids = [model.joints[model.getJointId(joint.name)] for joint in robot.joints]

        def torques(q: Array, v: Array, a: Array) -> Array:
            theirs = [np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)]
            for joint, *x in zip(ids, q, v, a):
                theirs[0][joint.idx_q : joint.idx_q + joint.nq] = [x[0]] if joint.nq == 1 else [np.cos(x[0]), np.sin(x[0])]
                theirs[1][joint.idx_v], theirs[2][joint.idx_v] = x[1], x[2]
            tau = pinocchio.rnea(model, data, *theirs)
            return np.array([tau[joint.idx_v] for joint in ids])

        _compare(robot, torques, "Pinocchio's")
    return robot


def to_pinocchio(robot: Robot) -> Any:
    """A ``pinocchio.Model`` by way of URDF text, with the robot's gravity and, as armature, its rotors."""
    import warnings

    import numpy as np

    pinocchio = _package("pinocchio", "pin")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceWarning)  # what URDF lacks is set below
        model = pinocchio.buildModelFromXML(robot.to_urdf())
    model.gravity.linear = np.array(robot.gravity)
    armature = np.zeros(model.nv)
    for joint in robot.joints:
        armature[model.joints[model.getJointId(joint.name)].idx_v] = joint.gear**2 * joint.rotor
    model.armature = armature
    return model


# MuJoCo


def _matrix(quaternion: Any) -> Any:
    """Of a quaternion w, x, y, z."""
    import numpy as np

    w, x, y, z = np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _about(axis: Any, angle: float) -> Any:
    """Rotation about a unit axis."""
    import numpy as np

    half = np.asarray(axis, dtype=float) * np.sin(angle / 2)
    return _matrix([np.cos(angle / 2), *half])


def from_mujoco(model: Any, *, check: bool = True, unchecked: bool = False) -> Robot:
    """A robot from a ``mujoco.MjModel``: bodies, masses, frames, hinge and slide joints, ranges, armature, damping and friction are copied.

    Contacts, tendons, actuators, springs and equality constraints have no place in a :class:`Robot` and are left out; equality constraints are warned of. A body with
    several joints becomes a chain of links, the first of which have no mass.

    :param check: compare torques with ``mujoco.mj_rne`` on a few states.
    :param unchecked: take impossible masses and inertias, as :func:`load` does.
    :raises ValueError: names every ball and free joint.
    """
    import warnings

    import numpy as np

    mujoco = _package("mujoco", "mujoco")

    free, ball, slide = (int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("FREE", "BALL", "SLIDE"))
    taken: set[str] = set()
    names = [_unique(model.body(k).name or f"body{k}", taken) for k in range(model.nbody)]
    taken_joints: set[str] = set()
    joint_names = [_unique(model.joint(k).name or f"joint{k}", taken_joints) for k in range(model.njnt)]
    wrong = [f"joint {joint_names[k]!r} is a {'free' if t == free else 'ball'} joint" for k, t in enumerate(model.jnt_type) if t in (free, ball)]
    if wrong:
        raise ValueError("this MuJoCo model cannot be converted; Ulna has hinge and slide joints only: " + "; ".join(wrong))
    if model.neq:
        warnings.warn(f"{model.neq} equality constraints of the MuJoCo model are left out", SourceWarning, stacklevel=2)

    links: list[tuple[str, float, list[float], list[float]]] = []
    joints: list[tuple[Any, ...]] = []
    for k in range(model.nbody):
        axes = _matrix(model.body_iquat[k])
        inertia = axes @ np.diag(model.body_inertia[k]) @ axes.T
        mass = float(model.body_mass[k])
        own = (names[k], mass, [float(x) for x in model.body_ipos[k]], _six(inertia) if mass else [0.0] * 6)
        if k == 0:
            links.append(own)
            continue
        parent = names[int(model.body_parentid[k])]
        rotation, origin = _matrix(model.body_quat[k]), np.array(model.body_pos[k])
        count, first = int(model.body_jntnum[k]), int(model.body_jntadr[k])
        if count == 0:
            joints.append((f"{names[k]}_fixed", "fixed", parent, names[k], _frame(rotation, origin), [0.0, 0.0, 1.0], _IDENTITY, [-inf, inf, inf, inf, 0.0, 1.0, 0.0, 0.0]))
        for j in range(first, first + count):
            last = j == first + count - 1
            child = names[k] if last else _unique(f"{names[k]}_{joint_names[j]}", taken)
            if not last:
                links.append((child, 0.0, [0.0] * 3, [0.0] * 6))
            # The joint stands at `anchor` on the body and is at rest at its reference position, not at 0.
            axis, anchor, rest = np.array(model.jnt_axis[j]), np.array(model.jnt_pos[j]), float(model.qpos0[model.jnt_qposadr[j]])
            slides = int(model.jnt_type[j]) == slide
            turn = np.eye(3) if slides else _about(axis, -rest)
            place = origin + rotation @ (anchor - rest * axis if slides else anchor)
            limited = bool(model.jnt_limited[j])
            kind = "prismatic" if slides else "revolute" if limited else "continuous"
            lower, upper = (float(x) for x in model.jnt_range[j]) if limited else (-inf, inf)
            dof = int(model.jnt_dofadr[j])
            damping = float(np.ravel(model.dof_damping[dof])[0])
            numbers = [lower, upper, inf, inf, float(model.dof_armature[dof]), 1.0, damping, float(model.dof_frictionloss[dof])]
            joints.append((joint_names[j], kind, parent, child, _frame(rotation @ turn, place), [float(x) for x in axis], _frame(np.eye(3), -anchor), numbers))
            parent, rotation, origin = child, np.eye(3), np.zeros(3)
        links.append(own)
    gravity = [float(x) for x in model.opt.gravity]
    robot = make_robot(("model", _model_name(model), "a MuJoCo model", gravity, links, joints, unchecked), 1e-9)
    if check:
        data = mujoco.MjData(model)
        ids = [joint_names.index(joint.name) for joint in robot.joints]
        at_q, at_v = np.array(model.jnt_qposadr)[ids], np.array(model.jnt_dofadr)[ids]

        def torques(q: Array, v: Array, a: Array) -> Array:
            data.qpos[at_q], data.qvel[at_v], data.qacc[at_v] = q, v, a
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            tau = np.zeros(model.nv)
            mujoco.mj_rne(model, data, 1, tau)
            return np.asarray((tau + model.dof_armature * data.qacc)[at_v])

        _compare(robot, torques, "MuJoCo's")
    return robot


def _model_name(model: Any) -> str:
    """The first of a MuJoCo model's names is its own."""
    names: bytes = model.names
    return names.split(b"\0", 1)[0].decode(errors="replace") or "robot"


def to_mujoco(robot: Robot) -> Any:
    """A ``mujoco.MjModel`` by way of URDF text, with the robot's gravity and, as armature, its rotors. MuJoCo's bodies without joints are kept."""
    import warnings

    mujoco = _package("mujoco", "mujoco")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceWarning)  # what URDF lacks is set below
        urdf = robot.to_urdf()
    keep = '<mujoco><compiler fusestatic="false" boundmass="0" boundinertia="0" balanceinertia="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(urdf.replace("</robot>", keep + "</robot>"))
    model.opt.gravity[:] = robot.gravity
    for joint in robot.joints:
        model.dof_armature[model.jnt_dofadr[model.joint(joint.name).id]] = joint.gear**2 * joint.rotor
    return model
