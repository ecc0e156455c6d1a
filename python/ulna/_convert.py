"""From and to the model objects of other packages, where these are installed. Torques are compared before anything is returned."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Any

from ._errors import SourceWarning
from ._robot import Joint, Robot, make_robot

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

_STIFFEST = 0.9999  # impedance of a constraint: the most that MuJoCo takes
_STATES = 5  # that torques are compared on
_ALLOWED = 1e-9  # of the largest torque: both sides round, and quaternions of files have few digits
_IDENTITY = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
_FREE = ("", 1.0, 0.0)  # follows no other joint
_FIXED = ([0.0, 0.0, 1.0], _IDENTITY, [-inf, inf, inf, inf, 0.0, 1.0, 0.0, 0.0], _FREE)


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


def _followers(robot: Robot) -> list[Joint]:
    return [joint for joint in robot.all_joints if joint.leader is not None]


def _lost(joints: list[Joint], why: str, cure: str) -> ValueError:
    """Mimic joints that the other package cannot have."""
    named = "; ".join(f"joint {joint.name!r} mimics {joint.leader!r}" for joint in joints)
    return ValueError(f"{named}: {why}; {cure}, or load the robot with mimic='ignore' to have free joints")


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
            "or this conversion is wrong; check=False returns it all the same"
        )


# Pinocchio


def _pinocchio_axis(joint: Any, neutral: Any) -> tuple[str, list[float]]:
    """Type and axis of a joint, from the motion that its velocity makes: linear part, angular part."""
    follows = "Mimic" in joint.shortname()
    if follows or (joint.nv == 1 and "Composite" not in joint.shortname()):
        data = joint.createData()
        joint.calc(data, neutral)
        per = (joint.extract().scaling or 1.0) if follows else 1.0  # a follower's motion is that of its leader's velocity
        motion = [float(x) / per for x in data.S.reshape(-1)[:6]]
        if any(motion[3:]) and not any(motion[:3]):
            return "continuous" if joint.nq == 2 or follows else "revolute", motion[3:]
        if any(motion[:3]) and not any(motion[3:]):
            return "prismatic", motion[:3]
    raise ValueError(f"its type is {joint.shortname()}, but Ulna has revolute, continuous and prismatic joints; split or lock it before the conversion")


def _pinocchio_torques(pinocchio: Any, model: Any, robot: Robot) -> Callable[[Array, Array, Array], Array]:
    import numpy as np

    data = model.createData()
    ids = [model.joints[model.getJointId(joint.name)] for joint in robot.joints]

    def torques(q: Array, v: Array, a: Array) -> Array:
        theirs = [np.zeros(model.nq), np.zeros(model.nv), np.zeros(model.nv)]
        for joint, *x in zip(ids, q, v, a):
            theirs[0][joint.idx_q : joint.idx_q + joint.nq] = [x[0]] if joint.nq == 1 else [np.cos(x[0]), np.sin(x[0])]
            theirs[1][joint.idx_v], theirs[2][joint.idx_v] = x[1], x[2]
        tau = pinocchio.rnea(model, data, *theirs)
        return np.array([tau[joint.idx_v] for joint in ids])

    return torques


def from_pinocchio(model: Any, *, check: bool = True, unchecked: bool = False) -> Robot:
    """A robot from a ``pinocchio.Model``: masses, frames, joints, couplings (mimic), limits, friction and rotors are copied, body frames become links.

    :param check: compare torques with ``pinocchio.rnea`` on a few states.
    :param unchecked: take impossible masses and inertias, as :func:`load` does.
    :raises ValueError: names every joint that is neither revolute, continuous nor prismatic.

    The joints come depth first; ``[j.name for j in robot.joints]`` is their order, and names are the same.
    """
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
            fixed.append((f"{other}_fixed", "fixed", name, other, place, *_FIXED))

    def of_velocity(names: tuple[str, ...], index: int, otherwise: float) -> float:
        for name in names:
            if hasattr(model, name) and len(getattr(model, name)) > index:
                return float(getattr(model, name)[index])
        return otherwise

    wrong = []
    neutral = pinocchio.neutral(model)
    joints: list[tuple[Any, ...]] = []
    leaders = dict(zip(getattr(model, "mimicking_joints", ()), getattr(model, "mimicked_joints", ())))
    for k in range(1, model.njoints):
        joint, placement, iv, iq = model.joints[k], model.jointPlacements[k], model.joints[k].idx_v, model.joints[k].idx_q
        try:
            kind, axis = _pinocchio_axis(joint, neutral)
        except ValueError as error:
            wrong.append(f"joint {model.names[k]!r}: {error}")
            continue
        parent = link_of[int(model.parents[k])]
        row = (model.names[k], kind, parent, link_of[k], _frame(placement.rotation, placement.translation), axis, _IDENTITY)
        if k in leaders:  # limits, friction and armature are its leader's alone
            own_joint = joint.extract()
            coupling = (model.names[leaders[k]], float(own_joint.scaling), float(own_joint.offset))
            joints.append((*row, _FIXED[2], coupling))
            continue
        limits = [-inf, inf] if kind == "continuous" else [float(model.lowerPositionLimit[iq]), float(model.upperPositionLimit[iq])]
        limits = [x if abs(x) < 1e30 else (inf if x > 0 else -inf) for x in limits]
        effort = of_velocity(("upperEffortLimit", "effortLimit"), iv, inf)
        speed = of_velocity(("upperVelocityLimit", "velocityLimit"), iv, inf)
        armature = of_velocity(("armature",), iv, 0.0)
        numbers = [*limits, effort if 0 < effort < 1e30 else inf, speed if 0 < speed < 1e30 else inf, armature, 1.0]
        numbers += [of_velocity(("damping", "upperDampingLimit"), iv, 0.0), of_velocity(("friction", "upperDryFrictionLimit"), iv, 0.0)]
        joints.append((*row, numbers, _FREE))
    if wrong:
        raise ValueError("this Pinocchio model cannot be converted:\n" + "\n".join(wrong))
    gravity = [float(x) for x in model.gravity.linear]
    robot = make_robot(("model", str(model.name) or "robot", "a Pinocchio model", gravity, links, joints + fixed, [], unchecked), 1e-9)
    if check:
        _compare(robot, _pinocchio_torques(pinocchio, model, robot), "Pinocchio's")
    return robot


def to_pinocchio(robot: Robot, *, check: bool = True) -> Any:
    """A ``pinocchio.Model`` by way of URDF text, with the robot's gravity and, as armature, its rotors.

    Mimic joints stay mimic joints; their rotors and friction are added to those of their leaders, on which they act.

    :param check: compare torques with ``pinocchio.rnea`` on a few states.
    :raises ValueError: names every mimic joint that Pinocchio cannot have: one that comes before its leader in Pinocchio's order (depth first, siblings by name), one
        that is continuous or follows such a joint, and any where Pinocchio is older than mimic joints. Likewise loops.
    """
    import warnings

    import numpy as np

    pinocchio = _package("pinocchio", "pin")
    if robot.loops:
        named = ", ".join(repr(loop.name) for loop in robot.loops)
        raise ValueError(f"a Pinocchio model is a tree, and robot {robot.name!r} has the loops {named}; load it with loops='ignore' to have the tree")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceWarning)  # what URDF lacks is set below
        urdf = robot.to_urdf()
    model = pinocchio.buildModelFromXML(urdf)
    if followers := _followers(robot):
        pairs = [(joint, model.joints[model.getJointId(joint.name)], model.joints[model.getJointId(joint.leader)]) for joint in followers]
        if late := [joint for joint, own, leader in pairs if own.id < leader.id]:
            raise _lost(late, "Pinocchio couples joints to earlier ones only, and orders them depth first, siblings by name", "rename them so that leaders come first")
        if turning := [joint for joint, own, leader in pairs if own.nq == 2 or leader.nq == 2]:
            raise _lost(turning, "Pinocchio does not couple continuous joints", "make both revolute, with limits")
        try:
            model = pinocchio.buildModelFromXML(urdf, mimic=True)
        except TypeError:
            raise _lost(followers, f"Pinocchio {pinocchio.__version__} has no mimic joints", "pip install --upgrade pin") from None
    model.gravity.linear = np.array(robot.gravity)
    armature, damping, dry = np.zeros((3, model.nv))
    for joint in robot.all_joints:
        if joint.type == "fixed":
            continue
        at = model.joints[model.getJointId(joint.name)].idx_v  # a follower's is its leader's
        armature[at] += (joint.multiplier * joint.gear) ** 2 * joint.rotor
        damping[at] += joint.multiplier**2 * joint.viscous
        dry[at] += abs(joint.multiplier) * joint.coulomb
    for name, values in (("armature", armature), ("damping", damping), ("lowerDryFrictionLimit", -dry), ("upperDryFrictionLimit", dry)):
        if hasattr(model, name):
            setattr(model, name, values)
    if check:
        _compare(robot, _pinocchio_torques(pinocchio, model, robot), "Pinocchio's")
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


def _mujoco_torques(mujoco: Any, model: Any, robot: Robot, ids: dict[str, int]) -> Callable[[Array, Array, Array], Array]:
    """MuJoCo has a coordinate for every joint, followers and dependent joints of loops included: they move with the others, on which their torques act."""
    import numpy as np

    data = mujoco.MjData(model)
    free = [joint.name for joint in robot.joints]
    moving = [joint for joint in robot.all_joints if joint.type != "fixed"]
    at = [ids[joint.name] for joint in moving]
    at_q, at_v = np.array(model.jnt_qposadr)[at], np.array(model.jnt_dofadr)[at]
    share = np.zeros((len(moving), len(free)))
    for row, joint in zip(share, moving):
        row[free.index(joint.leader or joint.name)] = joint.multiplier
    offset = np.array([joint.offset for joint in moving])

    def torques(q: Array, v: Array, a: Array) -> Array:
        v, a, G = robot.tree_motion(q, v, a)
        data.qpos[at_q], data.qvel[at_v], data.qacc[at_v] = share @ q + offset, share @ v, share @ a
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        tau = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, tau)
        return np.asarray(G.T @ share.T @ (tau + model.dof_armature * data.qacc)[at_v])

    return torques


def _mujoco_couplings(mujoco: Any, model: Any) -> dict[int, tuple[int, float, float]]:
    """Joints that follow another one in proportion, from the equality constraints: leader, multiplier, offset."""
    out: dict[int, tuple[int, float, float]] = {}
    active = model.eq_active0 if hasattr(model, "eq_active0") else model.eq_active
    for k in range(model.neq):
        follower, leader = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        coefficients = [float(x) for x in model.eq_data[k][:5]]
        of_joints = int(model.eq_type[k]) == int(mujoco.mjtEq.mjEQ_JOINT) and leader >= 0
        if not of_joints or not active[k] or any(coefficients[2:]) or follower in out:
            continue
        # Positions count from those at rest.
        rest, leaders = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
        out[follower] = leader, coefficients[1], coefficients[0] + rest - coefficients[1] * leaders
    return out


def _mujoco_loops(mujoco: Any, model: Any, names: list[str]) -> list[tuple[str, str, str, str, list[float], list[float]]]:
    """connect and weld, as loops: name, type, links, and the frames on them that meet."""
    import numpy as np

    out = []
    active = model.eq_active0 if hasattr(model, "eq_active0") else model.eq_active
    for k in range(model.neq):
        kind, data = int(model.eq_type[k]), np.array(model.eq_data[k])
        weld = kind == int(mujoco.mjtEq.mjEQ_WELD)
        if not active[k] or not (weld or kind == int(mujoco.mjtEq.mjEQ_CONNECT)):
            continue
        ends = [int(model.eq_obj1id[k]), int(model.eq_obj2id[k])]
        if hasattr(model, "eq_objtype") and int(model.eq_objtype[k]) == int(mujoco.mjtObj.mjOBJ_SITE):
            frames = [_frame(_matrix(model.site_quat[site]), model.site_pos[site]) for site in ends]
            ends = [int(model.site_bodyid[site]) for site in ends]
        elif weld:  # the point of body 2 stands first
            frames = [_frame(_matrix(data[6:10]), data[3:6]), _frame(np.eye(3), data[:3])]
        else:
            frames = [_frame(np.eye(3), data[:3]), _frame(np.eye(3), data[3:6])]
        out.append((model.eq(k).name or f"{'weld' if weld else 'connect'}{k + 1}", "fixed" if weld else "spherical", names[ends[0]], names[ends[1]], frames[0], frames[1]))
    return out


def from_mujoco(model: Any, *, check: bool = True, unchecked: bool = False, loops: str = "honour") -> Robot:
    """A robot from a ``mujoco.MjModel``: bodies, masses, frames, hinge and slide joints, ranges, armature, damping and friction are copied.

    An equality constraint that lets one joint follow another in proportion becomes a mimic joint; connect and weld become loops, closed exactly. Contacts, tendons, actuators, springs and other equality constraints
    have no place in a :class:`Robot` and are left out, equality constraints with a warning. A body with several joints becomes a chain of links, the first of which have
    no mass.

    :param check: compare torques with ``mujoco.mj_rne`` on a few states.
    :param unchecked: take impossible masses and inertias, as :func:`load` does.
    :param loops: "ignore": leave connect and weld out.
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
        raise ValueError("this MuJoCo model cannot be converted, which takes hinge and slide joints only (ulna.load reads ball and free joints of its XML): " + "; ".join(wrong))
    couplings = _mujoco_couplings(mujoco, model)
    if loops not in ("honour", "ignore"):
        raise ValueError(f"loops is 'honour' or 'ignore', not {loops!r}")
    closing = _mujoco_loops(mujoco, model, names) if loops == "honour" else []
    if model.neq > len(couplings) + len(closing):
        warnings.warn(f"{model.neq - len(couplings) - len(closing)} equality constraints of the MuJoCo model are left out", SourceWarning, stacklevel=2)

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
            joints.append((f"{names[k]}_fixed", "fixed", parent, names[k], _frame(rotation, origin), *_FIXED))
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
            coupling = (joint_names[couplings[j][0]], *couplings[j][1:]) if j in couplings else _FREE
            place_on_parent, place_on_child = _frame(rotation @ turn, place), _frame(np.eye(3), -anchor)
            joints.append((joint_names[j], kind, parent, child, place_on_parent, [float(x) for x in axis], place_on_child, numbers, coupling))
            parent, rotation, origin = child, np.eye(3), np.zeros(3)
        links.append(own)
    gravity = [float(x) for x in model.opt.gravity]
    robot = make_robot(("model", _model_name(model), "a MuJoCo model", gravity, links, joints, closing, unchecked), 1e-9)
    if check:
        _compare(robot, _mujoco_torques(mujoco, model, robot, {name: k for k, name in enumerate(joint_names)}), "MuJoCo's")
    return robot


def _model_name(model: Any) -> str:
    """The first of a MuJoCo model's names is its own."""
    names: bytes = model.names
    return names.split(b"\0", 1)[0].decode(errors="replace") or "robot"


def to_mujoco(robot: Robot, *, check: bool = True) -> Any:
    """A ``mujoco.MjModel`` by way of URDF text, of a robot with loops by way of MJCF, with the robot's gravity and, as armature, its rotors. MuJoCo's bodies without joints
    are kept.

    A mimic joint, and a dependent joint of a loop, has a coordinate of its own in MuJoCo (``model.nv`` is more than ``robot.nv``) and is held by an equality constraint. MuJoCo's constraints
    are soft, even the stiffest, which is asked for: its torques and inertia matrix are the robot's, its accelerations and simulations only come near. A warning says so.

    :param check: compare torques with ``mujoco.mj_rne`` on a few states, with followers moving as they should.
    :raises ValueError: names every mimic joint, where MuJoCo is too old to read them from URDF.
    """
    import warnings

    mujoco = _package("mujoco", "mujoco")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SourceWarning)  # what URDF lacks is set below
        text = robot.to_mjcf() if robot.loops else robot.to_urdf()
    keep = '<mujoco><compiler fusestatic="false" boundmass="0" boundinertia="0" balanceinertia="false"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(text.replace("</robot>", keep + "</robot>"))
    model.opt.gravity[:] = robot.gravity
    ids = {joint.name: int(model.joint(joint.name).id) for joint in robot.all_joints if joint.type != "fixed"}
    couplings = _mujoco_couplings(mujoco, model)
    if lost := [joint for joint in _followers(robot) if ids[joint.name] not in couplings]:
        raise _lost(lost, f"MuJoCo {mujoco.__version__} does not read that from URDF", "pip install --upgrade mujoco")
    if couplings or robot.loops:
        model.eq_solimp[:, :2] = _STIFFEST
    if robot.loops:
        closed = ", ".join(repr(loop.name) for loop in robot.loops)
        warnings.warn(f"MuJoCo closes the loops {closed} by equality constraints, which are soft: its accelerations and simulations come near", SourceWarning, stacklevel=2)
    if couplings:
        named = ", ".join(repr(joint.name) for joint in _followers(robot))
        soft = "torques and inertia matrix are exact where followers move as they should, MuJoCo's accelerations and simulations come near"
        warnings.warn(f"MuJoCo holds the mimic joints {named} to their leaders by equality constraints, which are soft: {soft}", SourceWarning, stacklevel=2)
    for joint in robot.all_joints:
        if joint.type != "fixed":
            model.dof_armature[model.jnt_dofadr[ids[joint.name]]] = joint.gear**2 * joint.rotor
    mujoco.mj_setConst(model, mujoco.MjData(model))  # what MuJoCo derives from armatures
    if check:
        _compare(robot, _mujoco_torques(mujoco, model, robot, ids), "MuJoCo's")
    return model
