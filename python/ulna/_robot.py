"""Robots and how they are loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from . import _core
from ._errors import Problem, settle
from ._numbers import number, real, vector

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Locks = Union[None, str, Iterable[str], Mapping[str, float]]


class Joint(NamedTuple):
    """A joint. Units are rad, N m and rad/s, or for prismatic joints m, N and m/s; limits that are missing are infinite."""

    name: str
    type: str  #: "revolute", "continuous", "prismatic", "ball" or "fixed"
    parent: str  #: link
    child: str  #: link
    lower: float
    upper: float
    effort: float
    velocity: float
    rotor: float  #: inertia of the motor's rotor, motor side [kg m²]
    gear: float  #: motor turns per joint turn
    viscous: float  #: friction, joint side [N m s/rad or N s/m]
    coulomb: float  #: friction, joint side [N m or N]
    leader: str | None  #: the joint that this one mimics: q = multiplier · q of the leader + offset
    multiplier: float
    offset: float
    static: float = 0.0  #: level of static friction, joint side: what it takes to break away, no less than coulomb [N m or N]
    acceleration: float = float("inf")  #: limit of acceleration
    deceleration: float = float("inf")  #: limit of slowing down, where the file has one of its own
    jerk: float = float("inf")  #: limit of jerk
    friction: Mapping[str, float] = {}  #: what there is of it besides: "stribeck_speed", "load", … (docs/dynamics.md)

    @property
    def unit(self) -> str:
        """Of its coordinate: "rad" or "m"."""
        return "m" if self.type == "prismatic" else "rad"


class Link(NamedTuple):
    """A link's mass [kg], mass centre [m] and inertia about it [kg m²], in the link's axes."""

    name: str
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]  #: xx, yy, zz, xy, xz, yz


class Loop(NamedTuple):
    """A joint that closes a loop of links: its frames on both meet (docs/loops.md)."""

    name: str
    type: str  #: "fixed", "revolute", "prismatic", "cylindrical", "spherical" or "planar"
    predecessor: str  #: link
    successor: str  #: link


class Parameter(NamedTuple):
    """A number of the robot that its torques are linear in."""

    name: str  #: "J_xx.forearm", "viscous.elbow"
    value: float
    unit: str


class Regressor(NamedTuple):
    """Torques by parameters: ``Y @ values`` are the torques with rotors and friction."""

    columns: tuple[str, ...]  #: names of the parameters
    values: Array  #: of the robot
    Y: Array  #: (n, columns) or (N, n, columns)


class Robot:
    """A robot that passed its checks. Immutable; made by :func:`load` and the conversions. Robots with the same names and numbers are equal.

    >>> import ulna
    >>> robot = ulna.load("stanford")
    >>> [joint.name for joint in robot.joints]
    ['q1', 'q2', 'q6', 'q3', 'q4', 'q5']
    >>> robot.joints[2].type, robot.joints[2].unit
    ('prismatic', 'm')
    >>> robot.nv, len(robot.links)
    (6, 7)
    """

    def __init__(self, model: _core.Model, recipe: tuple[Any, ...], snap: float, problems: tuple[Problem, ...]) -> None:
        self._model = model
        self._recipe = recipe
        self._snap = snap
        self._problems = problems
        self._closing: Any = None

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def file(self) -> str:
        """Where it came from, as messages name it."""
        return self._model.file

    @property
    def _source(self) -> str:
        """What it was loaded from, as the caller named it: a file or a name."""
        return self._recipe[1] if self._recipe[0] == "name" else self.file

    @property
    def nq(self) -> int:
        """Length of q: of the base (7 numbers where it is free, 3 where it is planar), then one for each joint that moves and follows no other."""
        return self._model.nq

    @property
    def nv(self) -> int:
        """Length of v, a and tau: of the base (6 numbers where it is free, 3 where it is planar), then one for each such joint; of a robot with loops, one for each
        that is independent. This is its mobility, the number of its degrees of freedom."""
        return self._model.nv

    # Loops. Without any, the robot is its own tree.

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The joints that close its loops.

        >>> import ulna
        >>> robot = ulna.load("five-bar")
        >>> robot.loops[0].name, robot.nq, robot.nv, robot.nv_tree, robot.redundant
        ('tip', 4, 2, 4, 3)
        >>> robot.independent, robot.dependent
        (('left_motor', 'right_motor'), ('left_elbow', 'right_elbow'))
        """
        return tuple(Loop(*row) for row in self._model.loops())

    @property
    def independent(self) -> tuple[str, ...]:
        """The joints that v, a and tau list, behind the base."""
        base = 0 if self.base == "fixed" else 6 if self.base == "free" else 3
        return self.velocity_names[base:]

    @property
    def dependent(self) -> tuple[str, ...]:
        """The joints that follow by the loops: they move, and need no torque."""
        own = set(self.independent)
        return tuple(joint.name for joint in self.joints if joint.name not in own)

    @property
    def mobility(self) -> int:
        """Degrees of freedom: nv."""
        return self.nv

    @property
    def nv_tree(self) -> int:
        """Speeds of all joints of the tree, loops opened; of the base, too."""
        return self._model.nv_tree

    @property
    def redundant(self) -> int:
        """Equations of the loops that follow from the others."""
        return self._model.redundant

    @property
    def reference(self) -> Array:
        """A closed configuration, away from singular ones, from which states without a guess are closed; q = 0 without loops."""
        import numpy as np

        return np.array(self._model.reference)

    @property
    def singularity(self) -> float:
        """Of the reference: 1 far from a singular assembly, 0 in one."""
        return self._model.singularity

    @property
    def _picked(self) -> list[int]:
        """Places in q of the positions that say all: of the base, and of the independent joints."""
        if not self.loops:
            return list(range(self.nq))
        base = self.nq - len(self.joints)
        places = {joint.name: base + k for k, joint in enumerate(self.joints)}
        return [*range(base), *(places[name] for name in self.independent)]

    @property
    def _closer(self) -> Any:
        """Closes states, without machine code for anything else."""
        if self._closing is None:
            from ._dynamics import Dynamics

            self._closing = Dynamics(self, quantities=["closure"])
        return self._closing

    def close(self, q: Any) -> Array:
        """q of all joints, its loops closed. Shapes (nq,) or (N, nq), whose dependent positions are where closing starts; or the independent positions alone, closed from
        the reference assembly, on its circuit: nv of them, nv + 1 with a free base. Each state by itself.

        :raises ValueError: for a state that does not close, is singular, or closes beyond a singular assembly alone: with its number, the cause and a cure.

        >>> import ulna
        >>> robot = ulna.load("five-bar")
        >>> q = robot.close([0.1, -0.2])
        >>> q.shape, bool(robot.residual(q) < 1e-12)
        ((4,), True)
        """
        return self._closer.close(q)  # type: ignore[no-any-return]

    def residual(self, q: Any) -> Any:
        """How far q of all joints is from closed [m, or rad]: the largest condition that is not met. A number, or (N,)."""
        import numpy as np

        given = real("q", q)
        return np.array([self._model.residual(row.tolist()) for row in given]) if given.ndim == 2 else self._model.residual(vector("q", q))

    def why_open(self, q: Any) -> list[str]:
        """Of every state: why :meth:`close` refuses it, and a cure; empty where it does not.

        >>> import ulna
        >>> ulna.load("five-bar").why_open([[0.1, -0.2], [1.6, -1.6]])[1][:40]
        "loop 'tip' does not close in this state:"
        """
        import numpy as np

        rows = np.atleast_2d(real("q", q))
        few = self.nv + 1 if self.base == "free" else self.nv
        if rows.ndim != 2 or rows.shape[1] not in (self.nq, few):
            raise ValueError(f"q has shape {rows.shape}, but must be (N, {self.nq}), or (N, {few})")
        return [self._model.problem(row.tolist()) for row in rows]

    def tree_motion(self, q: Any, v: Any, a: Any = None) -> tuple[Array, Array, Array]:
        """Speeds and accelerations of all joints of the tree, and G: v_tree = G v. Shapes (nv_tree,), (nv_tree,) and (nv_tree, nv), with a leading N for N states.

        >>> import numpy as np, ulna
        >>> robot = ulna.load("four-bar")
        >>> v_tree, a_tree, G = robot.tree_motion([0.3], [2.0])
        >>> np.allclose(v_tree, G @ [2.0])
        True
        """
        import numpy as np

        closed = self.close(q)
        v = real("v", v)
        a = np.zeros_like(v) if a is None else real("a", a)
        if closed.shape[:-1] != v.shape[:-1] or v.shape != a.shape:
            raise ValueError(f"q, v and a have the shapes {np.shape(q)}, {v.shape} and {a.shape}, but must be of as many states")
        if not self.loops:
            return v, a, np.broadcast_to(np.eye(self.nv), (*v.shape, self.nv))
        many = closed.ndim == 2
        rows = [self._model.tree_motion(*(x.tolist() for x in state)) for state in (zip(closed, v, a) if many else [(closed, v, a)])]
        speeds, accelerations, G = (np.array([row[k] for row in rows]) for k in range(3))
        G = G.reshape(-1, self.nv_tree, self.nv)
        return (speeds, accelerations, G) if many else (speeds[0], accelerations[0], G[0])

    def reactions(self, q: Any, v: Any, a: Any) -> Array:
        """Of every loop: the force, then the moment that its predecessor exerts on its successor, in the axes of its frame on the predecessor. Shapes (loops, 6) or
        (N, loops, 6). Directions in which the robot is over-constrained have none."""
        import numpy as np

        closed = self.close(q)
        flat = _each(self._model.reactions, q=closed, v=v, a=a)
        return flat.reshape(*np.shape(closed)[:-1], len(self.loops), 6)

    def joint_reactions(self, q: Any, v: Any = None, a: Any = None, *, tau: Any = None, formulation: str = "ulna") -> Array:
        """Of every joint that moves: the force, then the moment that it transmits to its link, in the axes and about the origin of the joint's frame. Of a motion,
        or of torques where `tau` is given instead of `a`. Shapes (joints, 6) or (N, joints, 6). By the production path, or by a formulation that gives them:
        newton-euler, newton-euler-base and modified-newton-euler of a motion, nasser of torques.

        >>> import ulna
        >>> robot = ulna.load("planar-2r")
        >>> round(float(robot.joint_reactions([0.0, 0.0])[1][1]), 4)  # the elbow carries the forearm's weight
        39.24
        """
        import numpy as np

        closed = self.close(q)
        third = a if tau is None else tau
        if a is not None and tau is not None:
            raise TypeError("joint_reactions takes a or tau, not both")
        rest = np.zeros((*closed.shape[:-1], self.nv))
        numbers = [np.broadcast_to(real(name, x), rest.shape) if x is not None else rest for name, x in (("v", v), ("a or tau", third))]
        states = zip(*(x.reshape(-1, x.shape[-1]) for x in (closed, *numbers)))
        rows = [self._model.joint_reactions(at.tolist(), rate.tolist(), last.tolist(), tau is not None, formulation) for at, rate, last in states]
        return np.array(rows).reshape(*closed.shape[:-1], -1, 6)

    def in_speeds(self, choice: str, q: Any, v: Any, a: Any = None) -> dict[str, Any]:
        """Generalized speeds u = A(q) v + B(q) of a state, and the joint torques by Kane's equations in them. `choice`: a YAML file, a name (joint-rates,
        body-rates, kane-stanford) or a text.

        >>> import ulna
        >>> robot = ulna.load("planar-2r")
        >>> done = robot.in_speeds("u1 = v.shoulder, u2 = v.shoulder + v.elbow", [0.3, 0.4], [1.0, 2.0])
        >>> done["u"].tolist()
        [1.0, 3.0]
        """
        import numpy as np

        state = [real("q", q), real("v", v), np.zeros(self.nv) if a is None else real("a", a)]
        for name, x in zip("qva", state):
            if x.shape != (self.nv,):
                raise ValueError(f"{name} has the shape {x.shape}, but must have {self.nv} numbers")
        names, expressions, singular, u, tau = self._model.in_speeds(choice, *(x.tolist() for x in state))
        return {"names": names, "expressions": expressions, "singular_where": singular, "u": np.array(u), "tau": np.array(tau)}

    @property
    def base(self) -> str:
        """How the root link is attached to the world: "fixed", "planar" or "free".

        >>> import ulna
        >>> robot = ulna.load("ur5", base="free")
        >>> robot.base, robot.nq, robot.nv
        ('free', 13, 12)
        """
        return self._model.base

    @property
    def position_names(self) -> tuple[str, ...]:
        """Of the numbers of q: "base.x", …, "base.qw" where the base is free, then the joints."""
        return tuple(self._model.names()[0])

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """Of the numbers of v and a: "base.wx", …, "base.vz" where the base is free, then the joints."""
        return tuple(self._model.names()[1])

    @property
    def effort_names(self) -> tuple[str, ...]:
        """Of the numbers of tau: "base.nx", …, "base.fz" where the base is free, then the joints."""
        return tuple(self._model.names()[2])

    @property
    def mass(self) -> float:
        """Of all links [kg]."""
        return self._model.mass

    @property
    def gravity(self) -> tuple[float, float, float]:
        """In the world's axes, those of a root link that is fixed [m/s²]."""
        return self._model.gravity

    @property
    def snap(self) -> float:
        """Rotation entries this near to 0 and ±1 are taken as exact."""
        return self._snap

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Warnings about the file, and errors that ``unchecked=True`` accepted."""
        return self._problems

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that q lists, in their order: depth first, in the order of the file. v, a and tau list the same, but for those that follow by loops
        (:attr:`independent`)."""
        return tuple(Joint(*row) for row in self._model.joints(True))

    @property
    def all_joints(self) -> tuple[Joint, ...]:
        """Every joint, fixed and mimic joints included."""
        return tuple(Joint(*row) for row in self._model.joints(False))

    @property
    def links(self) -> tuple[Link, ...]:
        """Every link; the first is the root."""
        return tuple(Link(*row) for row in self._model.links())

    @property
    def hash(self) -> str:
        """16 hexadecimal digits over names, topology and numbers."""
        return self._model.hash()

    def parameters(self, drives: bool = False) -> tuple[Parameter, ...]:
        """What :meth:`Dynamics.regressor` has a column for: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz of each moving body, about the origin and in the axes of
        the link behind its joint. With ``drives``, also rotors, viscous and Coulomb friction of every joint, and an offset of every torque.

        >>> import ulna
        >>> [p.name for p in ulna.load("planar-2r").parameters()][:4]
        ['m.upper_arm', 'h_x.upper_arm', 'h_y.upper_arm', 'h_z.upper_arm']
        """
        bodies, others = _core.parameters(self._model, self._snap)
        return tuple(Parameter(*row) for row in (bodies + others if drives else bodies))

    def base_parameters(self) -> dict[str, Any]:
        """The sums of parameters that joint torques determine: ``count``, ``base`` (``name``, ``expression``, ``value``, ``unit``, ``terms``), ``no_effect``, ``only_in_sums``.

        >>> import ulna
        >>> ulna.load("puma560").base_parameters()["count"]
        36
        """
        return _core.base_parameters(self._model, self._snap)

    def regressor(self, q: Any, v: Any, a: Any) -> Regressor:
        """What each parameter adds to the torques, rotors, friction and offsets included; columns that are zero in every state are left out.

        >>> import numpy as np, ulna
        >>> robot = ulna.load("puma560")
        >>> q, v, a = robot.sample(5)
        >>> r = robot.regressor(q, v, a)
        >>> np.allclose(r.Y @ r.values, ulna.Dynamics(robot, friction=True).inverse(q, v, a))
        True
        """
        import numpy as np

        from ._dynamics import Dynamics

        bodies, drives = _core.parameters(self._model, self._snap)
        none = set(_core.without_effect(self._model, self._snap))
        kept = [k for k in range(len(bodies)) if k not in none]
        q, v, a = real("q", q), real("v", v), real("a", a)
        Y = np.asarray(Dynamics(self, most="none").regressor(q, v, a))[..., kept]
        joints = [joint for joint in self.all_joints if joint.type != "fixed"]
        order = {joint.name: k for k, joint in enumerate(self.joints)}
        base = self.nv_tree - len(order)  # no drive moves it
        # Drives act on the joints of the tree, v_tree = G v, and are felt through the transpose of G.
        v_tree, a_tree, G = self.tree_motion(q, v, a)
        more = np.zeros(Y.shape[:-1] + (len(drives),))
        for k, joint in enumerate(joints):
            i, m = base + order[joint.leader or joint.name], joint.multiplier
            for group, column in enumerate((m * a_tree[..., i], m * v_tree[..., i], np.sign(m * v_tree[..., i]))):
                more[..., group * len(joints) + k] = G[..., i, :] * (m * column)[..., None]
        for k in range(len(drives) - 3 * len(joints)):  # offsets of the torques
            more[..., 3 * len(joints) + k] = G[..., base + k, :]
        rows = [bodies[k] for k in kept] + drives
        return Regressor(tuple(row[0] for row in rows), np.array([row[1] for row in rows]), np.concatenate([Y, more], axis=-1))

    def sample(self, count: int, seed: int = 1) -> tuple[Array, Array, Array]:
        """Random states q, v, a, each (count, nv), of q (count, nq): positions within the limits (±π and ±1 m where there are none), moderate rates. Loops are closed,
        on the circuit of the reference.

        The same seed gives the same numbers.

        >>> import ulna
        >>> q, v, a = ulna.load("ur5").sample(5, seed=3)
        >>> q.shape, q.dtype
        ((5, 6), dtype('float64'))
        """
        if count < 0:
            raise ValueError(f"count is {count}, but must not be negative")
        return self._model.sample(count, seed)

    def neutral(self) -> Array:
        """q at zero: every number 0, but quaternions, which are those of no rotation. Of a robot with loops it need not be closed: see :attr:`reference`."""
        import numpy as np

        return np.array(self._model.neutral())

    def integrate(self, q: Array, v: Array, dt: float = 1.0) -> Array:
        """Where q is after dt at constant velocity v: a free base moves along the screw of its velocity, a ball joint turns about a constant axis, and loops are closed. Shapes (nq,) and (nv,), or (N, nq) and (N, nv).

        >>> import numpy as np, ulna
        >>> robot = ulna.load("ur5", base="free")
        >>> q, v, _ = robot.sample(4)
        >>> np.allclose(robot.difference(q, robot.integrate(q, 0.1 * v)), 0.1 * v)
        True
        """
        step = number("dt", dt)
        moved = _each(lambda at, rate: self._model.integrate(at, rate, step), q=self.close(q) if self.loops else q, v=v)
        return self.close(moved) if self.loops else moved

    def difference(self, q0: Array, q1: Array) -> Array:
        """The constant velocity that leads from q0 to q1 in unit time."""
        return _each(self._model.difference, q0=q0, q1=q1)

    def normalize(self, q: Array) -> Array:
        """q with the quaternions of a free base and of ball joints at unit length. One that is off by more than 1e-6 is refused with its length."""
        return _each(self._model.normalize, q=q)

    def translate(
        self,
        q: Array,
        v: Array | None = None,
        a: Array | None = None,
        tau: Array | None = None,
        *,
        quaternion: Literal["xyzw", "wxyz"] = "xyzw",
        base_axes: Literal["local", "world", "mixed"] = "local",
        base_order: Literal["angular", "linear"] = "angular",
        acceleration: Literal["classical", "spatial"] = "classical",
    ) -> tuple[Array | None, ...]:
        """States of a robot whose base is free, as another library writes them, in Ulna's way: (q, v, a, tau), None where None was given.

        :param quaternion: its order in q.
        :param base_axes: of the base's numbers in v, a and tau: the root link's, the world's, or the root link's for angular and the world's for linear ones.
        :param base_order: which three of six come first.
        :param acceleration: linear acceleration of the root link's origin, or the derivative of the numbers of its velocity in the root link's axes.

        Pinocchio's free flyer is ``base_order="linear", acceleration="spatial"``; MuJoCo's free joint is ``quaternion="wxyz", base_axes="mixed", base_order="linear"``.
        """
        import numpy as np

        parts = [None if x is None else real(name, x) for name, x in {"q": q, "v": v, "a": a, "tau": tau}.items()]
        assert parts[0] is not None

        def translated(q: Any, v: Any, a: Any, tau: Any) -> Any:
            return self._model.translate(q, v, a, tau, quaternion, base_axes, base_order, acceleration)

        if parts[0].ndim == 1:
            return tuple(None if x is None else np.array(x) for x in translated(*[None if x is None else x.tolist() for x in parts]))
        rows = [translated(*[None if x is None else x[k].tolist() for x in parts]) for k in range(len(parts[0]))]
        return tuple(None if x is None else np.array([row[k] for row in rows]).reshape(x.shape) for k, x in enumerate(parts))

    def to_urdf(self) -> str:
        """The robot as URDF text, which loads again to the same motion. A warning names what URDF cannot hold, such as gravity.

        >>> import ulna
        >>> ulna.load("ur5").to_urdf().count("<joint ")
        7
        """
        text, rows = self._model.to_urdf()
        settle(rows, text is not None, True)
        assert text is not None
        return text

    def to_sdf(self) -> str:
        """As SDFormat, for Gazebo and Drake, with rotors as Drake writes them; warns of what it cannot hold.

        >>> import ulna
        >>> ulna.load("planar-2r").to_sdf().count("<joint ")
        3
        """
        text, rows = self._model.to_sdf()
        settle(rows, text is not None, True)
        assert text is not None
        return text

    def to_mjcf(self) -> str:
        """The robot as MJCF text, for MuJoCo, which loads again to the same motion. A warning names what MJCF cannot hold, such as limits of speed.

        >>> import ulna
        >>> ulna.load("planar-2r").to_mjcf().count("<joint ")
        2
        """
        text, rows = self._model.to_mjcf()
        settle(rows, text is not None, True)
        assert text is not None
        return text

    def __repr__(self) -> str:
        n = len(self.joints)
        loops = len(self._model.loops())
        closed = f", {loops} loop{'' if loops == 1 else 's'}, {self.nv} degree{'' if self.nv == 1 else 's'} of freedom" if loops else ""
        return f"Robot({self.name!r}, {'' if self.base == 'fixed' else self.base + ' base, '}{n} joint{'' if n == 1 else 's'}, {len(self._model.links())} links, {self.mass:.6g} kg{closed})"

    def _repr_html_(self) -> str:
        from ._drawing import robot_html

        return robot_html(self, self._model.skeleton())

    def __eq__(self, other: object) -> bool:
        """Same names, joints, links, numbers and snap, wherever they came from."""
        if not isinstance(other, Robot):
            return NotImplemented
        same = self._snap == other._snap and self.hash == other.hash and self.all_joints == other.all_joints and self.links == other.links
        return same and self.loops == other.loops and self.independent == other.independent

    def __hash__(self) -> int:
        return hash((self.hash, self._snap))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._recipe, self._snap)


def _each(function: Callable[..., list[float]], **arrays: Array) -> Array:
    """One state, or row by row."""
    import numpy as np

    given = [real(name, x) for name, x in arrays.items()]
    if any(x.shape[:-1] != given[0].shape[:-1] or x.ndim not in (1, 2) for x in given):
        raise ValueError(f"arrays have the shapes {', '.join(str(x.shape) for x in given)}, but must be those of one state or of as many each")
    if given[0].ndim == 1:
        return np.array(function(*(x.tolist() for x in given)))
    return np.array([function(*(x[k].tolist() for x in given)) for k in range(len(given[0]))])


def _restore(recipe: tuple[Any, ...], snap: float) -> Robot:
    """A robot from what :meth:`Robot.__reduce__` kept: the text of its file and its options, or the numbers of a converted model."""
    import warnings

    with warnings.catch_warnings():  # they were shown when the robot was first loaded
        warnings.simplefilter("ignore")
        return make_robot(recipe, snap)


def make_robot(recipe: tuple[Any, ...], snap: float) -> Robot:
    """What kind of source, and the arguments of the function that reads it."""
    kind, *rest = recipe
    makers: dict[str, Callable[..., tuple[Any, list[Any], bool]]] = {"text": _core.load_text, "name": _core.load_source, "model": _core.build_model}
    model, rows, found = makers[kind](*rest)
    problems = settle(rows, model is not None, found)
    return Robot(model, recipe, snap, problems)


def _locks(lock: Locks) -> list[tuple[str, float]]:
    if lock is None:
        return []
    if isinstance(lock, str):
        return [(lock, 0.0)]
    if isinstance(lock, Mapping):
        return [(name, number(f"lock of {name!r}", value)) for name, value in lock.items()]
    return [(name, 0.0) for name in lock]


def _xacro_text(value: Any) -> str:
    """As xacro's own command line has it: true and false in small letters."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def load(
    source: str | os.PathLike[str],
    *,
    lock: Locks = None,
    mimic: Literal["honour", "ignore"] = "honour",
    loops: str | os.PathLike[str] = "honour",
    independent: Iterable[str] = (),
    gravity: Iterable[float] | None = None,
    base: Literal["fixed", "planar", "free"] | None = None,
    rotor: bool = True,
    unchecked: bool = False,
    snap: float = 1e-9,
    file: str | None = None,
    xacro_args: Mapping[str, Any] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    package_paths: Iterable[str | os.PathLike[str]] = (),
    friction_file: str | os.PathLike[str] | None = None,
) -> Robot:
    """A robot from a file, from text, or by the name of a built-in one (see :func:`models`).

    :param source: path of a URDF, xacro, SDFormat or MJCF file or a DH table in YAML; such a text itself (it has a line break, or begins with ``<``); or a name.
    :param lock: joints to hold still and merge: names (held at 0), or a mapping from name to value [rad or m].
    :param mimic: "honour": mimic joints follow their leaders; "ignore": they are free joints.
    :param loops: "honour": loops of the file are closed; "ignore": the tree without them; else a YAML file of further loops (docs/loops.md).
    :param independent: the names of all joints whose motion is independent in a robot with loops, in the order of v, in place of the file's.
    :param gravity: three numbers [m/s²] in the world's axes, in place of the file's; a fixed root link has the world's axes.
    :param base: how the root link is attached to the world, in place of what the file says; fixed by default (docs/free-base.md).
    :param rotor: rotor inertias count when the inertia matrix is tested for singularity.
    :param unchecked: compute in spite of impossible masses and inertias; ``robot.problems`` says which.
    :param snap: rotation entries this near to 0 and ±1 are taken as exact (1.5708 in a file means π/2); 0 for none.
    :param file: the name that messages give to a text.
    :param xacro_args: values of the arguments of a xacro file (docs/xacro.md).
    :param packages: folders of ROS packages by name, for ``$(find NAME)`` in a xacro file.
    :param package_paths: folders below which ROS packages are searched for.
    :param friction_file: friction of joints, in YAML (docs/dynamics.md), in place of what the robot's file says of those joints.
    :raises SourceError: lists every problem of the file, with line, cause and cure.

    >>> import ulna
    >>> ulna.load("panda", lock=["joint7"]).nv
    6
    >>> ulna.load("planar-2r", gravity=[0, 0, 0]).gravity
    (0.0, 0.0, 0.0)
    >>> try:
    ...     ulna.load("<robot name='r'><link name='a'/><link name='a'/></robot>", file="r.urdf")
    ... except ulna.SourceError as error:
    ...     print(error.problems[0].line, error.problems[0].cause)
    1 this name is already taken in line 1
    """
    if mimic not in ("honour", "ignore"):
        raise ValueError(f"mimic is 'honour' or 'ignore', not {mimic!r}")
    loop_file = os.fspath(loops)
    if isinstance(loops, str) and loops not in ("honour", "ignore") and not os.path.splitext(loops)[1]:
        raise ValueError(f"loops is 'honour', 'ignore' or a file of loops, not {loops!r}")
    if isinstance(independent, str):
        raise TypeError(f"independent is the text {independent!r}, but must be a list of names: independent=[{independent!r}]")
    if not 0 <= snap <= 0.1:
        raise ValueError(f"snap is a tolerance from 0 to 0.1, not {snap}")
    options = (
        _locks(lock),
        mimic == "ignore",
        None if gravity is None else vector("gravity", gravity),
        rotor,
        unchecked,
        loop_file == "ignore",
        base,
        "" if loop_file in ("honour", "ignore") else loop_file,
        list(independent),
        [(name, _xacro_text(value)) for name, value in (xacro_args or {}).items()],
        [(name, os.fspath(folder)) for name, folder in (packages or {}).items()],
        [os.fspath(folder) for folder in ([package_paths] if isinstance(package_paths, str) else package_paths)],
        "" if friction_file is None else os.fspath(friction_file),
    )
    is_path = isinstance(source, os.PathLike)
    name = os.fspath(source)
    if not isinstance(name, str):
        raise TypeError(f"source is {type(name).__name__}, but must be a path, a name or a text")
    if not is_path and ("\n" in name or name.lstrip().startswith("<")):
        return make_robot(("text", name.encode(), file or "text", options), snap)
    if os.path.isfile(name) and os.path.getsize(name) <= _core.largest_file:
        try:
            with open(name, "rb") as stream:
                content = stream.read()
        except OSError:
            pass  # told by the loader, with the reason
        else:
            if not any(word in content for word in (b"<include", b"xacro:")) and not name.endswith(".xacro"):  # such a robot takes in other files, and is pickled by its path
                return make_robot(("text", content, file or name, options), snap)
    return make_robot(("name", name, options), snap)


def models() -> dict[str, str]:
    """The robots that come with Ulna: name and what each is. ``general-RRP`` and the like are a family besides.

    >>> import ulna
    >>> sorted(ulna.models())[:4]
    ['delta', 'five-bar', 'four-bar', 'humanoid-32']
    """
    return dict(_core.builtin_models())
