"""Dynamics of one robot as machine code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union

from . import _core
from ._effects import Wrench, per_state, rows, six
from ._numbers import number, real, vector
from ._robot import Robot, load

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._effects import Wrenches

    Number = Union[float, np.floating[Any], np.integer[Any]]
    Numbers = npt.NDArray[Union[np.floating[Any], np.integer[Any]]]

    class HasNumbers(Protocol):
        """Something that converts itself to an array: a pandas table, a tensor."""

        def __array__(self) -> Numbers: ...

    # One state or many. NumPy's own ArrayLike would take texts and single numbers, too.
    States = Union[Numbers, HasNumbers, Sequence[Number], Sequence[Sequence[Number]], Sequence[Numbers]]
    Result = npt.NDArray[Any]  # float64, or float32 where all inputs are
    Out = Union[Result, None]


class Dynamics:
    """The robot's dynamics as machine code, made here, once, in milliseconds. Immutable; may be shared between threads.

    States are arrays of shape (n,) for one state or (N, n) for many, n being ``robot.nv``, and ``robot.nq`` for q, which differ where the base is free and where there
    are loops; all arguments of a call have the same shape. Arrays of float32 alone are
    computed in float32 (the code for that is made at the first such call), anything else in float64. C-contiguous arrays of these kinds are read where they lie,
    also when their rows are further apart than they are long; others are converted first. ``out=`` takes the array to write to: of the result's shape and dtype, with
    the numbers of a state together, and apart from the inputs; it is what is returned then. Batches run without the GIL, on ``threads`` threads; Ctrl-C stops
    them. NaN in gives NaN out.

    Of a robot with loops, q is closed in every call, each state by itself: from where its dependent positions are, or, where it holds the independent positions alone
    (nv of them, nv + 1 with a free base), from the reference assembly, on its circuit. A state that cannot be is a ``ValueError`` with its number, cause and cure. In a
    control loop, close q once (:meth:`close`) and the calls find it closed.

    :meth:`inverse`, :meth:`bias` and :meth:`forward` also take what acts on the robot besides its drives: ``wrenches``, a list of :class:`Wrench`, the same in
    every state, or with (N, 3) forces and moments; or a mapping from links to arrays (6,) or (N, 6), force, then moment, in the link's axes. Batches with wrenches of
    each state, and all with a mapping, go by machine code, which is made for a link by the first of them unless ``links`` names it. And ``base_velocity`` and ``base_acceleration`` of the root link, prescribed, six numbers, angular first, in its axes (classical acceleration of
    its origin, gravity not in it). These, and a plain list of wrenches, are computed by the compiled-ahead templates. With ``formulation`` one of the papers'
    formulations computes instead (:func:`formulations` lists them, and which loads each takes), in float64, one state after the other.

    :param robot: a :class:`Robot`, or what :func:`load` takes.
    :param rotor: rotor inertia, gear² · rotor, on the diagonal of the inertia matrix.
    :param friction: viscous · v + coulomb · sign(v), in inverse, bias and forward.
    :param quantities: names of the methods that are compiled; the others work, too, more slowly. None for inverse, forward, mass, bias, gravity, pose and jacobian.
    :param mass_inverse: compile :meth:`mass_inverse`, too.
    :param coriolis: compile :meth:`coriolis`, too.
    :param regressor: compile :meth:`regressor`, too.
    :param inverse_derivatives: compile :meth:`inverse_derivatives`, too.
    :param forward_derivatives: compile :meth:`forward_derivatives`, too.
    :param links: links whose pose and Jacobian are compiled; the others' work without, more slowly.
    :param threads: of batches; 0 for one per core.
    :param most: the widest instruction set to use: "avx512", "avx2", "sse2" or "none"; on AArch64 there is "neon" alone, which is as wide as "sse2".

    The machine code is compared with the templates when it is made, and again when its numbers change. What differs by more than rounding is not used (see
    :attr:`refused`). That takes some 0.1 ms for an arm.

    >>> import numpy as np, ulna
    >>> dyn = ulna.Dynamics("planar-2r")
    >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0]); a = np.array([0.1, 0.2])
    >>> tau = dyn.inverse(q, v, a)
    >>> np.allclose(tau, dyn.mass(q) @ a + dyn.bias(q, v))
    True
    >>> dyn
    Dynamics(Robot('planar-2r', 2 joints, 3 links, 10 kg))
    """

    def __init__(
        self,
        robot: Robot | str,
        *,
        rotor: bool = True,
        friction: bool = False,
        quantities: Iterable[str] | None = None,
        mass_inverse: bool = False,
        coriolis: bool = False,
        regressor: bool = False,
        inverse_derivatives: bool = False,
        forward_derivatives: bool = False,
        links: Iterable[str] = (),
        threads: int = 0,
        most: Literal["avx512", "avx2", "sse2", "neon", "none"] = "avx512",
    ) -> None:
        self._robot = robot if isinstance(robot, Robot) else load(robot)
        if threads < 0:
            raise ValueError(f"threads is {threads}, but must be 0 (one per core) or more")
        if isinstance(quantities, str):
            raise TypeError(f"quantities is the text {quantities!r}, but must be a list of names: quantities=[{quantities!r}]")
        more = dict(mass_inverse=mass_inverse, coriolis=coriolis, regressor=regressor, inverse_derivatives=inverse_derivatives, forward_derivatives=forward_derivatives)
        named = (*(_core.compiled_quantities() if quantities is None else quantities), *(name for name, wanted in more.items() if wanted))
        self._options: dict[str, Any] = dict(rotor=rotor, friction=friction, quantities=named, links=tuple(links), threads=threads, most=most)
        self._changes: tuple[tuple[Any, ...], ...] = ()
        self._core = _core.make_dynamics(
            self._robot._model,
            rotor,
            friction,
            self._robot.snap,
            list(named),
            list(self._options["links"]),
            threads,
            most,
        )

    @property
    def robot(self) -> Robot:
        """The robot that it was made from, without a payload."""
        return self._robot

    @property
    def nv(self) -> int:
        """Numbers in a state's v, a and tau."""
        return self._robot.nv

    def close(self, q: States) -> Result:
        """q of all joints, its loops closed: see :meth:`Robot.close`. Shapes (nq,) or (N, nq). float32 in gives float32.

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("five-bar")
        >>> q = dyn.close([0.1, -0.2])                    # of all four joints, from the motors'
        >>> np.allclose(dyn.inverse(q, [1, 0], [0, 0]), dyn.inverse([0.1, -0.2], [1, 0], [0, 0]))
        True
        """
        return self._core.close(q)

    # The functions.

    @_core.direct
    def inverse(
        self,
        q: States,
        v: States,
        a: States,
        *,
        wrenches: Wrenches = (),
        base_velocity: Sequence[float] | None = None,
        base_acceleration: Sequence[float] | None = None,
        formulation: str = "",
        accept_interpolation: bool = False,
        out: Out = None,
    ) -> Result:
        """Torques [N m, N] that give the accelerations: tau = M(q) a + bias(q, v). Shapes (n,) or (N, n).

        >>> import ulna
        >>> dyn = ulna.Dynamics("planar-2r", threads=1)
        >>> dyn.inverse([0, 0], [0, 0], [0, 0])      # stretched out: 6 kg at 0.5 m and 4 kg at 1.4 m; 4 kg at 0.4 m
        array([84.366, 15.696])
        >>> dyn.inverse([0, 0], [0, 0], [0, 0], base_acceleration=(0, 0, 0, 0, 9.81, 0), formulation="newton-euler")      # in a lift: twice the weight
        array([168.732,  31.392])

        Formulations that look their numbers up in tables (``albus``, ``raibert``, ``horn-raibert``) answer at the nodes of these alone, unless
        ``accept_interpolation`` is true.
        """
        if wrenches or base_velocity is not None or base_acceleration is not None or formulation or accept_interpolation:
            return self._under("inverse", [q, v, a], wrenches, base_velocity, base_acceleration, formulation, out, accept_interpolation)
        return self._core.inverse(q, v, a, out)

    @_core.direct
    def forward(
        self,
        q: States,
        v: States,
        tau: States,
        *,
        wrenches: Wrenches = (),
        base_velocity: Sequence[float] | None = None,
        base_acceleration: Sequence[float] | None = None,
        formulation: str = "",
        out: Out = None,
    ) -> Result:
        """Accelerations [rad/s², m/s²] under the torques: a = M(q)⁻¹ (tau - bias(q, v)). Shapes (n,) or (N, n)."""
        if wrenches or base_velocity is not None or base_acceleration is not None or formulation:
            return self._under("forward", [q, v, tau], wrenches, base_velocity, base_acceleration, formulation, out)
        return self._core.forward(q, v, tau, out)

    @_core.direct
    def mass(self, q: States, *, form: str = "full", formulation: str = "", out: Out = None) -> Result:
        """The inertia matrix [kg m², kg m, kg], full and symmetric. q is (n,) or (N, n); the result (n, n) or (N, n, n).

        :param form: "packed": the lower triangle, column by column; "sparse": what of it is not zero by structure, row by row. The result is then (k,) or
            (N, k), k being as many as :meth:`mass_entries` has: half of what is to be written, or less.

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("humanoid-38")
        >>> rows, columns = dyn.mass_entries("sparse")
        >>> q = dyn.robot.sample(5)[0]
        >>> np.array_equal(dyn.mass(q, form="sparse"), dyn.mass(q)[:, rows, columns])
        True
        """
        if form != "full":
            return self._mass_in_form(q, form, formulation, out)
        if formulation:
            return self._under("mass", [q], (), None, None, formulation, out)
        return self._core.mass(q, out)

    def mass_entries(self, form: str = "full") -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Rows and columns of the numbers that :meth:`mass` gives in this form."""
        import numpy as np

        entries = np.array(self._core.mass_entries(form), dtype=np.intp).reshape(-1, 2)
        return entries[:, 0], entries[:, 1]

    def _mass_in_form(self, q: States, form: str, formulation: str, out: Out) -> Result:
        if formulation or out is not None:
            raise ValueError(f"form {form!r} of the inertia matrix takes neither a formulation nor out")
        return self._core.mass_in_form(q, form)

    @_core.direct
    def mass_inverse(self, q: States, *, out: Out = None) -> Result:
        """M(q)⁻¹, full and symmetric. q is (n,) or (N, n); the result (n, n) or (N, n, n)."""
        return self._core.mass_inverse(q, out)

    @_core.direct
    def bias(
        self,
        q: States,
        v: States,
        *,
        wrenches: Wrenches = (),
        base_velocity: Sequence[float] | None = None,
        base_acceleration: Sequence[float] | None = None,
        formulation: str = "",
        out: Out = None,
    ) -> Result:
        """Coriolis, centrifugal and gravity terms [N m, N]: inverse at a = 0. Shapes (n,) or (N, n)."""
        if wrenches or base_velocity is not None or base_acceleration is not None or formulation:
            return self._under("bias", [q, v], wrenches, base_velocity, base_acceleration, formulation, out)
        return self._core.bias(q, v, out)

    @_core.direct
    def gravity(self, q: States, *, formulation: str = "", out: Out = None) -> Result:
        """The torques [N m, N] that hold the robot still. Shapes (n,) or (N, n)."""
        if formulation:
            return self._under("gravity", [q], (), None, None, formulation, out)
        return self._core.gravity(q, out)

    @_core.direct
    def coriolis(self, q: States, v: States, *, formulation: str = "", out: Out = None) -> Result:
        """The Coriolis matrix of Christoffel symbols [kg m²/s, kg m/s, kg/s]: C v = bias - gravity, and dM/dt - 2 C is skew-symmetric.

        q and v are (n,) or (N, n); the result (n, n) or (N, n, n).

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("planar-2r")
        >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0])
        >>> np.allclose(dyn.coriolis(q, v) @ v, dyn.bias(q, v) - dyn.gravity(q))
        True
        """
        if formulation:
            return self._under("coriolis", [q, v], (), None, None, formulation, out)
        return self._core.coriolis(q, v, out)

    @_core.direct
    def regressor(self, q: States, v: States, a: States, *, out: Out = None) -> Result:
        """What each parameter of the moving bodies adds to the torques: tau = Y pi, rotors and friction apart.

        Ten columns a body: m, h_x, h_y, h_z, J_xx, J_yy, J_zz, J_xy, J_xz, J_yz: mass, first moments and inertia tensor about the origin and in the axes of the link
        behind its joint; :meth:`Robot.parameters` has their names and values. Shapes (n, 10 bodies) or (N, n, 10 bodies).

        >>> import numpy as np, ulna
        >>> robot = ulna.load("planar-2r")
        >>> dyn = ulna.Dynamics(robot, rotor=False)
        >>> q, v, a = [0.3, 0.4], [1, -2], [0, 1]
        >>> pi = [p.value for p in robot.parameters()]
        >>> np.allclose(dyn.regressor(q, v, a) @ pi, dyn.inverse(q, v, a))
        True
        """
        return self._core.regressor(q, v, a, out)

    def inverse_derivatives(
        self,
        q: States,
        v: States,
        a: States,
        *,
        wrenches: Wrenches = (),
        base_velocity: Sequence[float] | None = None,
        base_acceleration: Sequence[float] | None = None,
        out: Out = None,
    ) -> tuple[Result, Result, Result]:
        """Derivatives of the torques by q, by v and by a; the last is the inertia matrix. Rows are torques, columns coordinates.

        Inputs are (n,) or (N, n); each of the three results (n, n) or (N, n, n). They are views of one array, (3, n, n) or (N, 3, n, n), which ``out`` may be.
        Signs of Coulomb friction are held constant.

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("planar-2r", inverse_derivatives=True)
        >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0])
        >>> d_q, d_v, d_a = dyn.inverse_derivatives(q, v, [0, 0])
        >>> np.allclose(d_v @ v, 2 * (dyn.bias(q, v) - dyn.gravity(q))), np.allclose(d_a, dyn.mass(q))
        (True, True)
        """
        return self._parts("inverse_derivatives", [q, v, a], wrenches, base_velocity, base_acceleration, out)

    def forward_derivatives(
        self,
        q: States,
        v: States,
        tau: States,
        *,
        wrenches: Wrenches = (),
        base_velocity: Sequence[float] | None = None,
        base_acceleration: Sequence[float] | None = None,
        out: Out = None,
    ) -> tuple[Result, Result, Result]:
        """Derivatives of the accelerations by q, by v and by tau; the last is the inverse of the inertia matrix. Shapes as of :meth:`inverse_derivatives`.

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("planar-2r", forward_derivatives=True)
        >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0]); tau = np.array([3.0, 0.5])
        >>> d_q, d_v, d_tau = dyn.forward_derivatives(q, v, tau)
        >>> at = dyn.inverse_derivatives(q, v, dyn.forward(q, v, tau))
        >>> np.allclose(d_q, -d_tau @ at[0]), np.allclose(d_tau @ dyn.mass(q), np.eye(2))
        (True, True)
        """
        return self._parts("forward_derivatives", [q, v, tau], wrenches, base_velocity, base_acceleration, out)

    def linearise(self, q: Any, v: Any, tau: Any) -> tuple[Result, Result]:
        """A (2n, 2n) and B (2n, n) of x' = A x + B u at one state: deviations x of positions and rates, u of torques.

        Of a free base deviations of positions are a turn and a move in its own axes. :func:`ulna.linearise` goes along a run.

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("planar-2r", forward_derivatives=True)
        >>> q = [np.pi / 2, 0.0]                            # upright: it falls in two ways
        >>> A, B = dyn.linearise(q, [0, 0], dyn.gravity(q))
        >>> int((np.linalg.eigvals(A).real > 0).sum())
        2
        """
        return _core.linearise_state(self._core, vector("q", q), vector("v", v), vector("tau", tau))

    def _parts(
        self,
        task: str,
        states: list[States],
        wrenches: Wrenches,
        base_velocity: Sequence[float] | None,
        base_acceleration: Sequence[float] | None,
        out: Out,
    ) -> tuple[Result, Result, Result]:
        if wrenches or base_velocity is not None or base_acceleration is not None:
            d = self._under(task, states, wrenches, base_velocity, base_acceleration, "", out)
        else:
            d = getattr(self._core, task)(*states, out)
        return d[..., 0, :, :], d[..., 1, :, :], d[..., 2, :, :]

    @_core.direct
    def pose(self, q: States, link: str, *, out: Out = None) -> Result:
        """Where a link's frame is, in the root link's: a homogeneous matrix [R p; 0 1], p in m. q is (n,) or (N, n); the result (4, 4) or (N, 4, 4).

        >>> import ulna
        >>> dyn = ulna.Dynamics("planar-2r")
        >>> dyn.pose([0, 0], dyn.robot.links[0].name)
        array([[1., 0., 0., 0.],
               [0., 1., 0., 0.],
               [0., 0., 1., 0.],
               [0., 0., 0., 1.]])
        """
        return self._core.pose(q, link, out)

    @_core.direct
    def jacobian(self, q: States, link: str, *, out: Out = None) -> Result:
        """Geometric Jacobian of a link: rows 0 to 2 angular velocity, rows 3 to 5 velocity of its origin, in the root link's axes.

        q is (n,) or (N, n); the result (6, n) or (N, 6, n).
        """
        return self._core.jacobian(q, link, out)

    @_core.direct
    def energy(self, q: States, v: States, *, base_velocity: Sequence[float] | None = None, out: Out = None) -> Result:
        """Kinetic energy, rotors included, and potential energy of all links [J]; the latter is zero if all mass is at the base's origin.

        q and v are (n,) or (N, n); the result (2,) or (N, 2).

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("planar-2r")
        >>> q = np.array([0.3, -0.5]); v = np.array([1.0, 2.0])
        >>> bool(np.isclose(dyn.energy(q, v)[0], v @ dyn.mass(q) @ v / 2))
        True
        """
        if base_velocity is not None:
            return self._under("energy", [q, v], (), base_velocity, None, "", out)
        return self._core.energy(q, v, out)

    @_core.direct
    def momentum(self, q: States, v: States, *, base_velocity: Sequence[float] | None = None, out: Out = None) -> Result:
        """Angular momentum about the base's origin [N m s], then linear momentum [N s], of all links, in the base's axes. Rotors are not in it.

        q and v are (n,) or (N, n); the result (6,) or (N, 6).
        """
        if base_velocity is not None:
            return self._under("momentum", [q, v], (), base_velocity, None, "", out)
        return self._core.momentum(q, v, out)

    @_core.direct
    def centroidal(self, q: States, v: States, *, out: Out = None) -> Result:
        """Mass centre [m], its velocity [m/s], angular momentum about it [N m s], linear momentum [N s], and the rates of the two while v keeps its numbers, of all
        links, in the world's axes. Shapes (18,) or (N, 18). Rotors are not in it.
        """
        return self._core.centroidal(q, v, out)

    @_core.direct
    def centroidal_matrix(self, q: States, *, out: Out = None) -> Result:
        """A: angular, then linear momentum about the mass centre by velocities, in the world's axes. Shapes (6, n) or (N, 6, n). Its last three rows over the mass
        are the Jacobian of the mass centre.

        >>> import numpy as np, ulna
        >>> robot = ulna.load("ur5", base="free")
        >>> dyn = ulna.Dynamics(robot)
        >>> q, v, a = robot.sample(1)
        >>> np.allclose(dyn.centroidal_matrix(q[0]) @ v[0], dyn.centroidal(q[0], v[0])[6:12])
        True
        """
        return self._core.centroidal_matrix(q, out)

    def _under(
        self,
        task: str,
        states: list[States],
        wrenches: Wrenches,
        base_velocity: Sequence[float] | None,
        base_acceleration: Sequence[float] | None,
        formulation: str,
        out: Out,
        accept_interpolation: bool = False,
    ) -> Result:
        if accept_interpolation and not formulation:
            raise ValueError("accept_interpolation needs a formulation that looks its numbers up: albus, raibert or horn-raibert")
        if not isinstance(wrenches, (Mapping, Wrench)):
            wrenches = list(wrenches)
        if arrays := per_state(wrenches):
            if base_velocity is not None or base_acceleration is not None or formulation:
                raise ValueError("wrenches of each state cannot be combined with base_velocity, base_acceleration or a formulation")
            return self._core.compute_with_wrenches(task, states, arrays, out)
        return self._core.compute(task, states, rows(wrenches), six("base_velocity", base_velocity), six("base_acceleration", base_acceleration), formulation, accept_interpolation, out)

    def bind(self, quantity: str, *arrays: Result, link: str | None = None) -> _core.Bound:
        """A call whose arrays are given once: ``step = dyn.bind("inverse", q, v, a, tau)``, then ``step()`` reads q, v and a as they are and writes to tau, which it returns.

        What a control loop calls: a tenth of a microsecond for an arm. Dtypes, shapes and memory are checked here; nothing is converted, so arrays are C-contiguous, all of
        float64 or all of float32. Quaternions of a free base are looked at, and loops closed, in every call, as in the methods. The arrays are kept, and cannot be resized.
        One such object is for one thread at a time.

        :param quantity: the name of a method: "inverse", "mass", "jacobian" and so on.
        :param arrays: its arguments, of one state or of many, then the array for the result, as ``out=`` takes it.
        :param link: of "pose" and "jacobian".

        >>> import numpy as np, ulna
        >>> dyn = ulna.Dynamics("panda")
        >>> q, v, a, tau = np.zeros((4, 7))
        >>> step = dyn.bind("inverse", q, v, a, tau)
        >>> for q[3] in (-0.5, -1.0):
        ...     assert (step() == dyn.inverse(q, v, a)).all()
        """
        return self._core.bind(quantity, link, *arrays)

    # Variants that share the machine code.

    def with_payload(self, link: str, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: States | None = None) -> Dynamics:
        """The same robot with a load fixed to a link. Takes microseconds while the load changes numbers only.

        :param mass: [kg]
        :param com: mass centre of the load in the link's frame [m].
        :param inertia: of the load about its mass centre, in the link's axes [kg m²]: 3 x 3, or xx, yy, zz, xy, xz, yz; none for a point.

        >>> import ulna
        >>> dyn = ulna.Dynamics("panda")
        >>> loaded = dyn.with_payload("hand", mass=1.5, com=(0, 0, 0.08))
        >>> loaded.shares_code(dyn)
        True
        >>> loaded
        Dynamics(Robot('panda', 7 joints, 12 links, 17.4519 kg), 1.5 kg on 'hand')
        """
        load_of = (link, number("mass", mass), vector("com", com), _six(inertia))
        other = self._like(self._robot, self._core.with_payload(*load_of))
        other._changes = (*self._changes, load_of)
        return other

    def with_parameters(self, robot: Robot) -> Dynamics:
        """The same joints with other masses, lengths or gravity: shares the machine code where what is zero stays zero."""
        other = self._like(robot, self._core.with_parameters(robot._model))
        other._changes = ()
        return other

    def with_threads(self, threads: int) -> Dynamics:
        """The same with another number of threads for batches; 0 for one per core."""
        if threads < 0:
            raise ValueError(f"threads is {threads}, but must be 0 (one per core) or more")
        other = self._like(self._robot, self._core.with_threads(threads))
        other._options = {**self._options, "threads": threads}
        return other

    def _like(self, robot: Robot, core: _core.Dynamics) -> Dynamics:
        other = object.__new__(Dynamics)
        other._robot, other._core, other._options, other._changes = robot, core, self._options, self._changes
        return other

    # What was made.

    @property
    def threads(self) -> int:
        """Of batches."""
        return self._core.threads

    @property
    def instruction_set(self) -> str:
        """Of the machine code: "avx512", "avx2", "sse2" or "neon"; "none" where the compiled-ahead templates serve all."""
        return self._core.instruction_set

    def compiled(self, task: str, link: str | None = None) -> bool:
        """Is there machine code for a function ("inverse", …; "pose" and "jacobian" of a link), or do the templates serve it?

        >>> import ulna
        >>> ulna.Dynamics("ur5", most="none").compiled("inverse")
        False
        """
        return self._core.compiled(task, link)

    def kernels(self) -> list[dict[str, Any]]:
        """What was compiled: a row a function and form (one state, or ``lanes`` states at once), with operations, instructions, bytes and the time of compilation [s]."""
        return self._core.kernels()

    @property
    def refused(self) -> list[dict[str, Any]]:
        """Machine code whose results differed from those of the templates when it was checked, and which is not used: normally none. Rows have ``task``, ``link``, ``dtype``,
        ``lanes``, ``difference`` (over what rounding explains) and ``message``.

        >>> import ulna
        >>> ulna.Dynamics("panda").refused
        []
        """
        return self._core.refused

    @property
    def memory(self) -> int:
        """Bytes of code and constants."""
        return self._core.memory

    def shares_code(self, other: Dynamics) -> bool:
        """Do both run the same machine code?"""
        return self._core.shares_code(other._core)

    def __repr__(self) -> str:
        loads = "".join(f", {mass:.6g} kg on {link!r}" for link, mass, _, _ in self._changes)
        return f"Dynamics({self._robot!r}{loads})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._robot, self._options, self._changes)


def _restore(robot: Robot, options: dict[str, Any], changes: tuple[tuple[Any, ...], ...]) -> Dynamics:
    """The code is made again: it is for the machine that made it."""
    dynamics = Dynamics(robot, **options)
    for link, mass, com, inertia in changes:
        dynamics = dynamics.with_payload(link, mass, com, inertia)
    return dynamics


def _six(inertia: States | None) -> list[float]:
    """xx, yy, zz, xy, xz, yz of a tensor that is given so, or as a matrix."""
    if inertia is None:
        return [0.0] * 6
    given = real("inertia", inertia)
    if given.shape == (3, 3):
        if not (given == given.T).all():
            raise ValueError("inertia is not symmetric")
        return [float(given[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    if given.shape != (6,):
        raise ValueError(f"inertia has shape {given.shape}, but must be (3, 3), or (6,): xx, yy, zz, xy, xz, yz")
    return [float(x) for x in given]
