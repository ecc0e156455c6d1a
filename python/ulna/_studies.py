"""Studies of a robot: whether all methods agree, what they cost, how they look, and how the robot moves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Union

from . import _core
from ._dynamics import Dynamics
from ._effects import Wrench, rows, six
from ._errors import settle
from ._numbers import number
from ._results import Count, ProofReport, Simulation, Study, Verification
from ._robot import Robot, load

RobotOrName = Union[Robot, str]
Scenario = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def _robot(robot: RobotOrName) -> Robot:
    return robot if isinstance(robot, Robot) else load(robot)


def _list(what: str | Iterable[str]) -> list[str]:
    return [what] if isinstance(what, str) else list(what)


def verify(
    robot: RobotOrName,
    *,
    samples: int = 1000,
    seed: int = 1,
    generated: bool = True,
    wrenches: Iterable[Wrench] = (),
    base_velocity: Sequence[float] | None = None,
    base_acceleration: Sequence[float] | None = None,
    exact: bool = False,
) -> Verification:
    """Runs every formulation that takes the robot, and what ships (templates, machine code in float64 and float32, generated C), on seeded states, against a
    recursion in extended precision, and tests the laws of mechanics.

    :param generated: compile the generated C, where there is a compiler, and compare it, too.
    :param wrenches, base_velocity, base_acceleration: what acts in every state, as in :meth:`Dynamics.inverse`. Whatever does not take them is left out and says why.

    :param exact: decide the equations as identities modulo the prime 2^61 - 1, too: "exact" has rows with "name", "holds", "trials" and "probability".

    >>> import ulna
    >>> result = ulna.verify("planar-2r", samples=10)
    >>> result["agree"], bool(result)
    (True, True)
    >>> sorted(result["formulations"][0])[:4]
    ['agree', 'applies', 'id', 'max_relative_difference']
    """
    if not 1 <= samples <= 10**9:
        raise ValueError(f"samples is {samples}, but must be from 1 to 1000000000")
    its = _robot(robot)
    return Verification(_core.verify(its._model, samples, seed, its.snap, generated, rows(wrenches), six("base_velocity", base_velocity), six("base_acceleration", base_acceleration), exact))


def prove(robot: RobotOrName, proof: str, *, samples: int = 20, seed: int = 1, symbolic: bool = True) -> ProofReport:
    """Runs a paper's derivation on the robot, equation by equation: each is computed by itself and compared with the line that it follows from, on seeded states
    and, for up to three joints, on symbols.

    :param proof: "turney", the equivalence of Lagrange's equations and Newton and Euler's recursion, "hollerbach", "kane", "lin" or "nasser": the derivation of that paper.
    :param symbolic: compare normal forms, too.

    >>> import ulna
    >>> report = ulna.prove("planar-2r", "turney")
    >>> bool(report), report["steps"][-1]["equation"]
    (True, '2.11')
    """
    if not 1 <= samples <= 10**9:
        raise ValueError(f"samples is {samples}, but must be from 1 to 1000000000")
    its = _robot(robot)
    return ProofReport(_core.prove(its._model, proof, samples, seed, its.snap, symbolic))


def count(robot: RobotOrName, quantity: str | None = None, *, rotor: bool = True, real: Literal["double", "float"] = "double") -> Count:
    """Operations of every formulation on the robot, as its paper writes it and reduced, and of the best program that the search finds.

    :param quantity: "inverse", "mass", "bias" or "forward"; None for all.
    :param real: precision that the program will run in; it keeps its digits. "refused" has a cheaper program that would not.

    >>> import ulna
    >>> best = ulna.count("stanford", "inverse")["best"]["inverse"]
    >>> best["mul"], best["add"]
    (110, 86)
    """
    its = _robot(robot)
    if real not in ("double", "float"):
        raise ValueError(f"real is 'double' or 'float', not {real!r}")
    return Count(_core.count(its._model, quantity, its.snap, rotor, real == "float"))


def generate(
    robot: RobotOrName | Dynamics,
    folder: str | os.PathLike[str] | None = None,
    *,
    what: str | Iterable[str] = "inverse",
    language: str = "c",
    real: Literal["double", "float"] = "double",
    name: str = "",
    formulation: str = "",
    link: str = "",
    friction: bool | None = None,
    wrench_at: str = "",
    single_file: bool = False,
    prefix: str = "",
    static_const: bool = False,
    batch: bool = False,
    target: Literal["", "casadi", "fmi", "fmi3"] = "",
    parameters: str | Iterable[str] = (),
    parameters_link: str = "",
    misra: bool = False,
) -> dict[str, Any]:
    """Source code of the robot's equations that can be read and shipped, with a test of itself: file names and texts. With a folder, they are written there.

    :param robot: a :class:`Robot`, or what :func:`load` takes; or a :class:`Dynamics`, whose payload and other numbers the code then has, and its friction.
    :param what: quantities: inverse, mass, bias, gravity, coriolis, forward, inverse_derivatives, forward_derivatives, energy, pose, jacobian.
    :param language: "c", "cpp", "matlab", "python" or "rust".
    :param name: of files and functions; by default the robot's, made into an identifier.
    :param formulation: the equations of this formulation in place of the shortest ones.
    :param link: whose pose and Jacobian; by default the last link's.
    :param friction: viscous · v + coulomb · sign(v) in the equations; by default not, or as the Dynamics has it.
    :param wrench_at: a link: one more argument of functions that it acts on, force then moment about its origin, in its axes.
    :param single_file: of C: one source with the declarations on top.
    :param prefix: before the names of functions; by default the name and an underscore in C and MATLAB.
    :param static_const: the robot's numbers in one constant table.
    :param batch: of C: entries for many states, which compilers vectorise.
    :param parameters: "payload" (a load on ``parameters_link``, by default the last link), "masses", "all": known only when the code runs, and folded into
        a table that the functions take.
    :param target: "casadi": functions that ``casadi.external`` loads, with their derivatives. "fmi", "fmi3": ``NAME.fmu``, bytes: an FMU of FMI
        2.0 or 3.0 for co-simulation, torques in, motion out.
    :param misra: of C: the subset for critical systems, after MISRA C:2012.

    >>> import ulna
    >>> files = ulna.generate("planar-2r", what=["inverse", "mass"])
    >>> sorted(files)
    ['planar_2r.c', 'planar_2r.h']
    """
    if real not in ("double", "float"):
        raise ValueError(f"real is 'double' or 'float', not {real!r}")
    if isinstance(robot, Dynamics):
        model, snap = robot._core.loaded_model(), robot.robot.snap
        friction = robot._core.friction if friction is None else friction
    else:
        its = _robot(robot)
        model, snap = its._model, its.snap
    files = _core.generate(
        model,
        _list(what),
        language,
        real == "float",
        name,
        formulation,
        link,
        snap,
        bool(friction),
        wrench_at,
        single_file,
        prefix,
        static_const,
        batch,
        target,
        _list(parameters),
        parameters_link,
        misra,
    )
    return _write(folder, files)


def _write(folder: str | os.PathLike[str] | None, files: dict[str, Any]) -> dict[str, Any]:
    if folder is not None:
        os.makedirs(folder, exist_ok=True)
        for file, text in files.items():
            # Beside, then renamed: a file is there whole or not at all.
            path = os.path.join(os.fspath(folder), file)
            with open(path + ".new", "wb") as stream:
                stream.write(text if isinstance(text, bytes) else text.encode("utf-8"))
            os.replace(path + ".new", path)
    return files


def generate_unit(
    source: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None = None,
    overrides: Mapping[str, float] | None = None,
    *,
    name: str = "",
    wrench_at: str = "",
    base: str = "",
    version: Literal[2, 3] = 2,
) -> dict[str, Any]:
    """A scenario as an FMU of FMI 2.0 or 3.0 for co-simulation, ``NAME.fmu`` and its bytes: robot, payloads, law and reference, integrated as :func:`simulate` does
    with rk4. With a folder, it is written there.

    :param source: a scenario's file, its text, or the name of a built-in one.
    :param overrides: numbers to replace, as in :func:`simulate`.
    :param name: of the unit; by default the robot's, made into an identifier.
    :param wrench_at: a link: the wrench on it is an input.
    :param base: as in :func:`simulate`.
    :param version: of FMI.
    :raises ValueError: the scenario has what a unit has not, such as another integrator.
    :raises SourceError: lists every problem of the file, with line, cause and cure.

    >>> import ulna
    >>> list(ulna.generate_unit("law-race", name="race"))
    ['race.fmu']
    """
    return _write(folder, _run(_core.scenario_unit, source, overrides, name, wrench_at, base, version))


def equations(
    robot: RobotOrName,
    what: str | Iterable[str] = "inverse",
    *,
    format: Literal["text", "latex", "markdown", "html"] = "text",
    form: Literal["automatic", "closed", "recursive"] = "automatic",
    formulation: str = "",
    beside: str = "",
    link: str = "",
    rotor: bool = True,
) -> str:
    """The equations of motion with symbols, as a person would write them.

    :param formulation: the equations of this formulation, with its paper's vectors and matrices.
    :param beside: another formulation, in a second column.

    >>> import ulna
    >>> text = ulna.equations("planar-2r", "mass")
    >>> "cos" in text or "c2" in text
    True
    """
    its = _robot(robot)
    return _core.equations(its._model, _list(what), format, form, formulation, beside, link, its.snap, rotor)


def simulate(source: Scenario, overrides: Mapping[str, float] | None = None, *, formulation: str = "", base: str = "") -> Simulation:
    """Runs a scenario: a YAML file, its text, what would stand in one as a dict, or the name of a built-in one (see :func:`scenarios`). Ctrl-C ends it.

    :param overrides: numbers to replace, by name: ``q.JOINT``, ``v.JOINT``, ``tau.JOINT``, ``duration``, ``step``, ``tolerance``, ``kp``, ``kd``, ``ki``,
        ``payload.mass``, ``law.coriolis``, ``gravity.x`` and so on; of a base that moves also ``q.base.x``, ``v.base.wx`` and the like.
    :param formulation: compute by this one in place of the scenario's: accelerations, or the torques of a prescribed motion. ``equations`` says how, and
        ``audit["difference_from_production"]`` how far it was from the production path along the run.
    :param base: how the root link is attached to the world, ``fixed``, ``planar`` or ``free``, in place of what the scenario says.
    :raises ValueError: the formulation does not exist, does not take the robot, or does not give what the scenario needs.
    :raises SourceError: lists every problem of the file, with line, cause and cure.

    A run that diverges is a result: its ``ending`` says so.

    >>> import ulna
    >>> run = ulna.simulate("double-pendulum", {"duration": 1.0})
    >>> run["ending"], run.q.shape[1], run.audit["closed"]
    ('done', 2, True)
    >>> ulna.simulate({"model": "planar-2r", "duration": 0.1, "initial": {"q": [1, 0]}})["ending"]
    'done'
    >>> run = ulna.simulate("double-pendulum", {"duration": 0.1}, formulation="nasser")
    >>> run["equations"], run.audit["difference_from_production"]["relative"] < 1e-12
    ('accelerations by nasser', True)
    >>> run = ulna.simulate("servicer-turn", {"duration": 1.0})
    >>> run.q.shape[1], run.v.shape[1], run["q_names"][3], run.audit["world_momentum"][0]["constant"]
    (13, 12, 'base.qx', True)
    """
    return Simulation(_run(_core.simulate, source, overrides, formulation, base))


def _run(run: Callable[..., Any], source: Scenario, overrides: Mapping[str, float] | None, *more: Any) -> dict[str, Any]:
    if isinstance(source, Mapping):
        source = json.dumps(source, indent=2, default=lambda x: x.tolist()) + "\n"  # which is YAML; numbers of NumPy have tolist()
    name = os.fspath(source)
    given = dict(overrides or {})
    is_text = not isinstance(source, os.PathLike) and "\n" in name
    arguments = (list(given), [number(name, x) for name, x in given.items()], *more)
    result, problems, found = run(name.encode(), "text", *arguments) if is_text else run(name, "", *arguments)
    settle(problems, result is not None, found)
    assert result is not None
    return result  # type: ignore[no-any-return]


def sensitivity(
    source: Scenario, by: str | Iterable[str] = ("q", "v"), overrides: Mapping[str, float] | None = None, *, base: str = ""
) -> dict[str, Any]:
    """Derivatives of the motion of a scenario by its initial state and its parameters, from its variational equations.

    :param by: ``q.JOINT`` and ``v.JOINT`` of the beginning, ``q`` and ``v`` for all of them; ``tau.JOINT``, a constant torque besides the law's; ``kp``, ``kd``,
        ``ki``, an increment of all gains; ``payload.mass``; ``gravity.x`` and so on.
    :param overrides, base: as in :func:`simulate`.
    :returns: ``t`` (R,), ``q``, ``v``, ``rows`` and ``columns``, and ``sensitivity`` (R, rows, columns). Rows of ``q`` of a free base are a turn and a move in its
        own axes.
    :raises ValueError: for a name that the scenario does not have, and for runs whose deviations jump: brakes, catches, friction without a smooth speed.

    >>> import ulna
    >>> found = ulna.sensitivity("double-pendulum", "q", {"duration": 0.1})
    >>> found["sensitivity"].shape, found["columns"]
    ((11, 4, 2), ['q.shoulder', 'q.elbow'])
    """
    return _run(_core.sensitivity, source, overrides, _list(by), base)


def linearise(source: Scenario, overrides: Mapping[str, float] | None = None, *, base: str = "") -> dict[str, Any]:
    """The motion of a scenario linearised at its output rows: x' = A x + B u for deviations x of positions and rates and u of torques.

    :returns: ``t`` (R,), ``q``, ``v``, ``tau``; ``A`` (R, 2 nv, 2 nv) and ``B`` (R, 2 nv, nv) while the torques are held; ``A_law``, the same with the law
        acting, its memory included; the names ``states``.

    >>> import numpy as np, ulna
    >>> along = ulna.linearise("double-pendulum", {"duration": 0.1})
    >>> along["A"].shape, along["B"].shape, bool((np.linalg.eigvals(along["A"][0]).real > 0).any())
    ((11, 4, 4), (11, 4, 2), True)
    """
    return _run(_core.linearise, source, overrides, base)


def study(
    robot: RobotOrName,
    folder: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    samples: int | None = None,
    seed: int = 1,
    bench: bool = True,
    self_test: bool = True,
    step_done: Callable[[dict[str, Any]], object] | None = None,
) -> Study:
    """Everything about one robot in one folder: index.html, a page that opens without a network, and the data behind it (JSON, CSV, C, LaTeX).

    Checks the model, verifies it, counts operations, writes C and runs its self-test, schedules, times, computes torques along a motion and simulates one: seconds
    for an arm. The folder is written whole or not at all; Ctrl-C leaves nothing. Other libraries are compared with and timed by the command ``ulna study`` alone.

    :param folder: where to; by default NAME-study. One that is there and not empty is refused (FileExistsError).
    :param force: replace a study that is in the folder; nothing else is replaced.
    :param samples: states of the certificate; None for 200 for an arm, fewer for many joints.
    :param bench: time it; times are in ns per state.
    :param self_test: compile the C, if there is a compiler, and run its self-test.
    :param step_done: called after each step with a dict: ``name``, ``result`` in a few words, ``seconds``, ``good``. What it raises ends the study.

    >>> import os, tempfile, ulna
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     result = ulna.study("planar-2r", os.path.join(parent, "out"), samples=5, bench=False, self_test=False)
    ...     result["good"], os.path.basename(result.page), result.report["model"]["name"]
    (True, 'index.html', 'planar-2r')
    >>> [step["name"] for step in result["steps"]][:3]
    ['lint', 'verify', 'count']
    """
    if samples is not None and not 1 <= samples <= 10**6:
        raise ValueError(f"samples is {samples}, but must be from 1 to 1000000")
    its = _robot(robot)
    source = its._source
    stem = os.path.splitext(os.path.basename(source))[0] or "robot"
    to = f"{stem}-study" if folder is None else os.fspath(folder)
    return Study(_core.study(its._model, to, source, samples or 0, seed, its.snap, bench, self_test, force, step_done))


def scenarios() -> dict[str, str]:
    """The scenarios that come with Ulna: name and what each is.

    >>> import ulna
    >>> "kane-figure-1" in ulna.scenarios()
    True
    """
    return {name: summary for name, summary, _ in _core.builtin_scenarios()}


def formulations() -> list[dict[str, Any]]:
    """The papers' formulations that Ulna keeps working, a dict each: id, title, citation, quantities, joints, topologies, cost.

    >>> import ulna
    >>> ulna.formulations()[-1]["id"]
    'ulna'
    """
    return _core.formulations()
