"""Robots and how they are loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Union

from . import _core
from ._errors import Problem, settle

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]

Locks = Union[None, str, Iterable[str], Mapping[str, float]]


class Joint(NamedTuple):
    """A joint. Units are rad, N m and rad/s, or for prismatic joints m, N and m/s; limits that are missing are infinite."""

    name: str
    type: str  #: "revolute", "continuous", "prismatic" or "fixed"
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
        """Length of q. Equal to nv today."""
        return self._model.nq

    @property
    def nv(self) -> int:
        """Length of v, a and tau: the number of joints that move and follow no other."""
        return self._model.nv

    @property
    def mass(self) -> float:
        """Of all links [kg]."""
        return self._model.mass

    @property
    def gravity(self) -> tuple[float, float, float]:
        """In the root link's axes [m/s²]."""
        return self._model.gravity

    @property
    def snap(self) -> float:
        """Rotation entries this near to 0 and ±1 are taken as exact."""
        return self._snap

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Warnings about the file, and errors that ``unchecked=True`` passed."""
        return self._problems

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints that q, v, a and tau list, in their order: depth first, in the order of the file."""
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
        ['m.link1', 'h_x.link1', 'h_y.link1', 'h_z.link1']
        """
        bodies, others = _core.parameters(self._model, self._snap)
        return tuple(Parameter(*row) for row in (bodies + others if drives else bodies))

    def base_parameters(self) -> dict[str, Any]:
        """Which sums of parameters joint torques tell: ``count``, ``base`` (``name``, ``expression``, ``value``, ``unit``, ``terms``), ``no_effect``, ``only_in_sums``.

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
        v, a = np.asarray(v, dtype=float), np.asarray(a, dtype=float)
        Y = np.asarray(Dynamics(self, most="none").regressor(np.asarray(q, dtype=float), v, a))[..., kept]
        joints = [joint for joint in self.all_joints if joint.type != "fixed"]
        order = {joint.name: k for k, joint in enumerate(self.joints)}
        more = np.zeros(Y.shape[:-1] + (len(drives),))
        for k, joint in enumerate(joints):
            i, m = order[joint.leader or joint.name], joint.multiplier
            for group, column in enumerate((m * a[..., i], m * v[..., i], np.sign(m * v[..., i]))):
                more[..., i, group * len(joints) + k] = m * column
        for k in range(self.nv):
            more[..., k, 3 * len(joints) + k] = 1
        rows = [bodies[k] for k in kept] + drives
        return Regressor(tuple(row[0] for row in rows), np.array([row[1] for row in rows]), np.concatenate([Y, more], axis=-1))

    def sample(self, count: int, seed: int = 1) -> tuple[Array, Array, Array]:
        """Random states q, v, a, each (count, nv): positions within the limits (±π and ±1 m where there are none), moderate rates.

        The same seed gives the same numbers on every machine.

        >>> import ulna
        >>> q, v, a = ulna.load("ur5").sample(5, seed=3)
        >>> q.shape, q.dtype
        ((5, 6), dtype('float64'))
        """
        if count < 0:
            raise ValueError(f"count is {count}, but must not be negative")
        return self._model.sample(count, seed)

    def to_urdf(self) -> str:
        """The robot as URDF text, which loads again to the same motion. What URDF cannot carry (gravity, for one) is warned of.

        >>> import ulna
        >>> ulna.load("ur5").to_urdf().count("<joint ")
        7
        """
        text, rows = self._model.to_urdf()
        settle(rows, text is not None, True)
        assert text is not None
        return text

    def __repr__(self) -> str:
        n = self.nv
        return f"Robot({self.name!r}, {n} joint{'' if n == 1 else 's'}, {len(self._model.links())} links, {self.mass:.6g} kg)"

    def _repr_html_(self) -> str:
        from ._drawing import robot_html

        return robot_html(self, self._model.skeleton())

    def __eq__(self, other: object) -> bool:
        """Same names, joints, links, numbers and snap, wherever they came from."""
        if not isinstance(other, Robot):
            return NotImplemented
        return self._snap == other._snap and self.hash == other.hash and self.all_joints == other.all_joints and self.links == other.links

    def __hash__(self) -> int:
        return hash((self.hash, self._snap))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._recipe, self._snap)


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
        return [(name, float(value)) for name, value in lock.items()]
    return [(name, 0.0) for name in lock]


def load(
    source: str | os.PathLike[str],
    *,
    lock: Locks = None,
    mimic: Literal["honour", "ignore"] = "honour",
    gravity: Iterable[float] | None = None,
    rotor: bool = True,
    unchecked: bool = False,
    snap: float = 1e-9,
    file: str | None = None,
) -> Robot:
    """A robot from a file, from text, or by the name of a built-in one (see :func:`models`).

    :param source: path of a URDF file or a DH table in YAML; such a text itself (it has a line break, or begins with ``<``); or a name.
    :param lock: joints to hold still and merge: names (held at 0), or a mapping from name to value [rad or m].
    :param mimic: "honour": mimic joints follow their leaders; "ignore": they are free joints.
    :param gravity: three numbers [m/s²] in the root link's axes, instead of the file's.
    :param rotor: rotor inertias count when the inertia matrix is tested for singularity.
    :param unchecked: compute in spite of impossible masses and inertias; ``robot.problems`` says which.
    :param snap: rotation entries this near to 0 and ±1 are taken as exact (1.5708 in a file means π/2); 0 for none.
    :param file: the name that messages give to a text.
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
    if not 0 <= snap <= 0.1:
        raise ValueError(f"snap is a tolerance from 0 to 0.1, not {snap}")
    options = (_locks(lock), mimic == "ignore", None if gravity is None else [float(x) for x in gravity], rotor, unchecked)
    is_path = isinstance(source, os.PathLike)
    name = os.fspath(source)
    if not isinstance(name, str):
        raise TypeError(f"source is {type(name).__name__}, but must be a path, a name or a text")
    if not is_path and ("\n" in name or name.lstrip().startswith("<")):
        return make_robot(("text", name.encode(), file or "text", *options), snap)
    if os.path.isfile(name) and os.path.getsize(name) <= _core.largest_file:
        try:
            with open(name, "rb") as stream:
                content = stream.read()
        except OSError:
            pass  # told by the loader, with the reason
        else:
            return make_robot(("text", content, file or name, *options), snap)
    return make_robot(("name", name, *options), snap)


def models() -> dict[str, str]:
    """The robots that come with Ulna: name and what each is. ``general-RRP`` and the like are a family besides.

    >>> import ulna
    >>> sorted(ulna.models())[:4]
    ['humanoid-38', 'iiwa14', 'panda', 'planar-2r']
    """
    return dict(_core.builtin_models())
