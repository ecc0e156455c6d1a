"""Robots with loops: through load, Robot and Dynamics, as trees."""

import importlib
import json
import pathlib
import pickle
import warnings

import numpy as np
import pytest

import ulna

PARALLELOGRAM = """<robot name="parallelogram">
<link name="base"/>
<link name="left"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.03"/></inertial></link>
<link name="rod"><inertial><mass value="3.3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.05"/></inertial></link>
<link name="right"><inertial><mass value="2"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.04"/></inertial></link>
<joint name="a" type="continuous"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/></joint>
<joint name="b" type="continuous"><parent link="left"/><child link="rod"/><origin xyz="0.5 0 0"/><axis xyz="0 0 1"/></joint>
<joint name="c" type="continuous"><parent link="base"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
<loop name="pin" type="revolute"><predecessor link="rod"><origin xyz="1 0 0"/></predecessor><successor link="right"><origin xyz="0.5 0 0"/></successor>
<axis xyz="0 0 1"/></loop>
</robot>"""


def test_parallelogram_is_its_closed_form():
    robot = ulna.load(PARALLELOGRAM, independent=["a"], gravity=[0, -9.81, 0])
    assert robot.independent == ("a",) and robot.dependent == ("b", "c") and robot.redundant == 3
    assert (robot.nq, robot.nv, robot.mobility, robot.nv_tree) == (3, 1, 1, 3) and [j.name for j in robot.joints] == ["a", "b", "c"]
    assert robot.loops == (ulna.Loop("pin", "revolute", "rod", "right"),) and robot.velocity_names == ("a",)
    dyn = ulna.Dynamics(robot, regressor=True, inverse_derivatives=True, forward_derivatives=True, coriolis=True, mass_inverse=True)
    assert not dyn.refused
    q = np.array([[0.4], [1.1], [2.0]])
    v, a, zero = np.full((3, 1), 1.7), np.full((3, 1), -0.6), np.zeros((3, 1))
    M = 0.03 + 0.04 + 3.3 * 0.25
    weight = 3.3 * 9.81 * 0.5 * np.cos(q)
    slope = -3.3 * 9.81 * 0.5 * np.sin(q)
    closed = robot.close(q)
    assert np.allclose(closed, q * [1, -1, 1], atol=1e-12) and np.allclose(dyn.close(q[0]), closed[0], atol=0)
    assert (robot.residual(closed) < 1e-12).all() and robot.residual([0.4, 0.0, 0.4]) > 0.1
    for given in (q, closed, closed + [0, 0.05, -0.04]):  # the independent positions alone; closed; a guess of the dependent ones
        assert np.allclose(dyn.mass(given), M, atol=1e-12)
        assert np.allclose(dyn.mass(given, form="packed"), M, atol=1e-12)
        assert np.allclose(dyn.inverse(given, v, a), M * -0.6 + weight, atol=1e-11)
        assert np.allclose(dyn.gravity(given), weight, atol=1e-11)
        assert np.allclose(dyn.forward(given, v, zero), -weight / M, atol=1e-10)
        assert np.allclose(dyn.coriolis(given, v), 0, atol=1e-11)
        assert np.allclose(dyn.mass_inverse(given), 1 / M, atol=1e-11)
        d_q, d_v, d_a = dyn.inverse_derivatives(given, v, a)
        assert np.allclose(d_q[:, 0], slope, atol=1e-10) and np.allclose(d_v, 0, atol=1e-10) and np.allclose(d_a, M, atol=1e-11)
        assert np.allclose(dyn.forward_derivatives(given, v, zero)[0][:, 0], -slope / M, atol=1e-9)
        assert np.allclose(dyn.energy(given, v)[:, 0], M * 1.7**2 / 2, atol=1e-11)
        assert np.allclose(dyn.regressor(given, v, a) @ [p.value for p in robot.parameters()], dyn.inverse(given, v, a), atol=1e-10)
        assert np.allclose(ulna.Derivative(robot, "gravity", "q")(given)[:, 0], slope, atol=1e-10)
    # The rod does not turn: its mass centre, at its own origin, goes on a circle of 0.5 m.
    pose = dyn.pose(q, "rod")
    assert np.allclose(pose[:, :3, :3], np.eye(3), atol=1e-12) and np.allclose(pose[:, :2, 3], 0.5 * np.c_[np.cos(q), np.sin(q)], atol=1e-12)
    assert np.allclose(dyn.jacobian(q, "rod")[:, :, 0], np.c_[0 * q, 0 * q, 0 * q, -0.5 * np.sin(q), 0.5 * np.cos(q), 0 * q], atol=1e-12)
    v_tree, a_tree, G = robot.tree_motion(q[0], [2.0], [3.0])
    assert np.allclose(v_tree, [2, -2, 2], atol=1e-12) and np.allclose(a_tree, [3, -3, 3], atol=1e-11) and np.allclose(G[:, 0], [1, -1, 1], atol=1e-12)
    assert robot.reactions(q[0], [1.0], [0.0]).shape == (1, 6)
    # A load of 1 kg on the rod, and a push of 2 N upwards there.
    assert np.allclose(dyn.with_payload("rod", 1.0).gravity(q), weight * 4.3 / 3.3, atol=1e-11)
    pushed = dyn.bias(q, zero, wrenches=[ulna.Wrench("rod", force=(0, 2, 0), axes="world")])
    assert np.allclose(pushed, weight - np.cos(q), atol=1e-11)


def test_friction_of_dependent_joints_is_felt_at_the_independent_ones():
    text = PARALLELOGRAM.replace('<child link="rod"/>', '<child link="rod"/><dynamics damping="0.3" friction="0.2"/>')
    robot = ulna.load(text, independent=["a"], gravity=[0, 0, 0])
    assert np.allclose(ulna.Dynamics(robot, friction=True).inverse([0.4], [2.0], [0.0]), 0.3 * 2 + 0.2, atol=1e-11)  # G = (1, -1, 1)
    found = robot.regressor([0.4], [2.0], [0.5])
    assert np.allclose(found.Y @ found.values, ulna.Dynamics(robot, friction=True).inverse([0.4], [2.0], [0.5]), atol=1e-11)


def test_messages_have_lines():
    assert ulna.load(PARALLELOGRAM, loops="ignore").nv == 3
    with pytest.raises(ulna.SourceError, match="does not exist"):
        ulna.load(PARALLELOGRAM.replace('successor link="right"', 'successor link="wright"'))
    with pytest.raises(ulna.SourceError, match="independent"):
        ulna.load(PARALLELOGRAM, independent=["a", "c"])
    with pytest.raises(ValueError, match="'honour', 'ignore' or a file of loops"):
        ulna.load(PARALLELOGRAM, loops="refuse")
    with pytest.raises(TypeError, match="must be a list of names"):
        ulna.load(PARALLELOGRAM, independent="a")
    with pytest.raises(ValueError, match=r"takes \(3,\) for one state or \(N, 3\) for many, or \(1,\) and \(N, 1\): its independent positions alone"):
        ulna.Dynamics(ulna.load(PARALLELOGRAM)).gravity([0.1, 0.2])


def test_loops_of_a_file_beside(tmp_path: pathlib.Path):
    tree = PARALLELOGRAM[: PARALLELOGRAM.index("<loop")] + "</robot>"
    (tmp_path / "loops.yaml").write_text(
        "loops: [{name: pin, type: revolute, predecessor: {link: rod, xyz: [1, 0, 0]}, successor: {link: right, xyz: [0.5, 0, 0]}, axis: [0, 0, 1]}]\n"
        "independent: [c]\n"
    )
    robot = ulna.load(tree, loops=tmp_path / "loops.yaml")
    assert robot.independent == ("c",) and ulna.load(tree).nv == 3
    assert np.allclose(robot.close([0.7]), [0.7, -0.7, 0.7], atol=1e-12)
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot and again.independent == ("c",)


def test_runs_of_loops_stay_closed_and_keep_their_energy():
    run = ulna.simulate("four-bar-spin")
    assert run.done and run.q.shape[1] == 3
    assert run.audit["residual"] < 1e-11 and run.audit["loop_drift"] < 1e-9
    assert run.audit["energy_drift"] < 1e-6 * run.audit["energy_scale"]
    dyn = ulna.Dynamics("four-bar")
    assert np.allclose(dyn.inverse(run.q[200], run.v[200, :1], run.a[200, :1]), run.tau[200, :1], atol=1e-8)
    assert np.all(run.tau[:, 1:] == 0)


SINGULAR = [1.7368310313, -1.8752882263]


def test_states_that_cannot_be_closed_are_refused_by_number():
    robot = ulna.load("five-bar")
    dyn = ulna.Dynamics(robot)
    with pytest.raises(ValueError, match="^the assembly is singular"):
        dyn.inverse(SINGULAR, [1, 1], [1, 1])
    with pytest.raises(ValueError, match="does not close in this state: residual .*; give positions of the independent joints"):
        robot.close([1.6, -1.6])
    q = np.array([[0.1, -0.2], [0.3, 0.1], SINGULAR, [1.6, -1.6]])
    with pytest.raises(ValueError, match="^state 3 of 4: the assembly is singular"):
        dyn.inverse(q, np.ones((4, 2)), np.ones((4, 2)))
    many = np.tile(q[:2], (5000, 1))
    many[7001] = q[3]
    with pytest.raises(ValueError, match="^state 7002 of 10000: loop 'tip' does not close"):
        dyn.mass(many)
    why = robot.why_open(q)
    assert why[0] == why[1] == "" and "singular" in why[2] and "does not close" in why[3]


def test_another_circuit_is_refused():
    """Near the flat assembly of a parallelogram a guess of the crossed one closes on the other side."""
    robot = ulna.load(PARALLELOGRAM, independent=["a"])
    guess = next(g for g in ([0.8, b, c] for b in np.arange(-1, 1, 0.1) for c in np.arange(-1, 1, 0.1)) if "singular assembly" in robot.why_open(g)[0])
    with pytest.raises(ValueError, match="close beyond a singular assembly"):
        ulna.Dynamics(robot).mass(guess)


def test_far_angles_are_near_ones():
    dyn = ulna.Dynamics("four-bar")
    assert np.allclose(dyn.gravity([63.13185307179586]), dyn.gravity([0.3]), rtol=0, atol=1e-10)
    assert abs(dyn.gravity([63.13185307179586])[0] - 0.2332) < 1e-4


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "delta", "palletizer"])
def test_a_row_does_not_depend_on_its_neighbours(name: str):
    robot = ulna.load(name)
    dyn = ulna.Dynamics(robot, threads=2)
    q, v, a = robot.sample(3000, seed=2)
    assert (robot.residual(q[:50]) < 1e-11).all() and q.shape == (3000, robot.nq) and v.shape == (3000, robot.nv)
    few = q[:, robot._picked]
    closed = dyn.close(few)
    assert np.allclose(closed, q, atol=1e-9)  # sampled on the circuit of the reference
    order = np.random.default_rng(1).permutation(3000)
    assert np.array_equal(dyn.close(few[order]), closed[order])
    assert np.array_equal(dyn.close(few[17]), closed[17])
    tau = dyn.inverse(few, v, a)
    assert np.array_equal(dyn.inverse(few[order], v[order], a[order]), tau[order]) and np.array_equal(dyn.with_threads(1).inverse(few, v, a), tau)
    assert np.allclose(dyn.forward(few, v, tau), a, rtol=1e-6, atol=1e-6)
    assert np.allclose(dyn.inverse(few[:5], v[:5], a[:5]), [dyn.inverse(few[k], v[k], a[k]) for k in range(5)], rtol=1e-12, atol=1e-12)


def test_floats():
    robot = ulna.load("five-bar")
    dyn = ulna.Dynamics(robot)
    q, v, a = robot.sample(200, seed=3)
    keep = [k for k in range(200) if abs(dyn.mass(q[k])).max() < 10 * abs(dyn.mass(robot.reference)).max()]  # away from singular assemblies
    q, v, a = q[keep], v[keep], a[keep]
    single = dyn.inverse(*(x.astype(np.float32) for x in (q[:, robot._picked], v, a)))
    wanted = dyn.inverse(q, v, a)
    assert single.dtype == np.float32 and dyn.close(q.astype(np.float32)).dtype == np.float32
    assert np.abs(single - wanted).max() < 1e-3 * np.abs(wanted).max()


def test_integrate_keeps_loops_closed():
    robot = ulna.load("four-bar")
    q, v, _ = robot.sample(20)
    moved = robot.integrate(q, v, 0.01)
    assert (robot.residual(moved) < 1e-12).all() and np.allclose(robot.difference(q, moved), 0.01 * v, atol=1e-15)


def test_files_load_again_to_the_same_motion():
    for name in ["four-bar", "five-bar", "palletizer"]:
        robot = ulna.load(name)
        q, v, a = robot.sample(5)
        wanted = ulna.Dynamics(robot).inverse(q, v, a)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ulna.SourceWarning)
            texts = [robot.to_urdf(), robot.to_mjcf()]
            for text in texts:
                again = ulna.load(text, gravity=robot.gravity)
                assert again.independent == robot.independent
                got = ulna.Dynamics(again).inverse(q, v, a)
                assert np.allclose(got, wanted, rtol=1e-9, atol=1e-9 * np.abs(wanted).max()), name


@pytest.fixture(scope="module")
def mujocos(repository: pathlib.Path):
    """MJCF files with loops, and MuJoCo's numbers of them."""
    return json.loads((repository / "test/source/mjcf/loops.json").read_text())


def test_mjcf_is_mujocos_one_by_one_and_in_batches(mujocos):
    for file in mujocos:
        robot = ulna.load(file["xml"])
        dyn = ulna.Dynamics(robot)
        assert not dyn.refused and list(robot.independent) == file["independent"]
        q = np.array([[*state["base"], *(state["q"][joint.name] for joint in robot.joints)] for state in file["states"]])
        v, a, tau = (np.array([state[name] for state in file["states"]]) for name in ("v", "a", "tau"))
        M = np.array([state["M"] for state in file["states"]]).reshape(-1, robot.nv, robot.nv)
        assert (robot.residual(q) < 1e-12).all()
        for repeated in (1, 20):
            rows = np.tile(np.arange(len(q)), repeated)
            assert np.allclose(dyn.mass(q[rows]), M[rows], rtol=0, atol=1e-11 * np.abs(M).max())
            assert np.allclose(dyn.inverse(q[rows], v[rows], a[rows]), tau[rows], rtol=0, atol=1e-9 * np.abs(tau).max())
            assert np.allclose(dyn.forward(q[rows], v[rows], tau[rows]), a[rows], rtol=0, atol=1e-7)
        assert np.allclose(dyn.inverse(q[0], v[0], a[0]), tau[0], rtol=0, atol=1e-9 * np.abs(tau).max())


def test_free_base_with_loops(mujocos):
    robot = ulna.load(next(file["xml"] for file in mujocos if "hopper" in file["xml"]))
    assert (robot.base, robot.nq, robot.nv, robot.nv_tree, robot.independent) == ("free", 12, 8, 11, ("hip", "motor"))
    dyn = ulna.Dynamics(robot, inverse_derivatives=True)
    q, v, a = robot.sample(40)
    few = q[:, robot._picked]
    assert few.shape == (40, robot.nv + 1) and np.allclose(dyn.close(few), q, atol=1e-9)
    tau = dyn.inverse(few, v, a)
    assert np.allclose(tau, dyn.inverse(q, v, a), rtol=0, atol=1e-9 * np.abs(tau).max()) and np.allclose(dyn.forward(few, v, tau), a, atol=1e-7)
    # Nothing holds the base: from rest, the mass centre falls with gravity, and nothing turns about it, whatever the motors do.
    falling = dyn.forward(few, 0 * v, np.c_[np.zeros((40, 6)), tau[:, 6:]])
    rate = (dyn.centroidal_matrix(few) @ falling[..., None])[..., 0]
    assert np.allclose(rate, [0, 0, 0, 0, 0, -9.7 * robot.mass], atol=1e-7)
    moved = robot.integrate(q, 1e-3 * v)
    assert (robot.residual(moved) < 1e-12).all() and np.allclose(robot.difference(q, moved), 1e-3 * v, atol=1e-9)
    d_q = dyn.inverse_derivatives(few, v, a)[0]
    step = 1e-5
    for k in range(8):
        e = np.zeros((40, 8))
        e[:, k] = step
        numeric = (dyn.inverse(robot.integrate(q, e), v, a) - dyn.inverse(robot.integrate(q, -e), v, a)) / (2 * step)
        assert np.allclose(d_q[:, :, k], numeric, rtol=0, atol=1e-6 * max(1, np.abs(numeric).max())), k


@pytest.mark.parametrize("package", ["jax", "torch"])
def test_gradients_go_along_closed_motions(package: str, mujocos):
    """Of q of all joints, the dependent positions are guesses: nothing depends on them."""
    module = pytest.importorskip(package)
    for robot in (ulna.load("five-bar"), ulna.load(next(file["xml"] for file in mujocos if "hopper" in file["xml"]))):
        q, v, a = (x[0] for x in robot.sample(1, seed=6))
        weights = np.linspace(1, 2, robot.nv)
        arm = importlib.import_module(f"ulna.{package}").Dynamics(robot)

        def gradient(function, x, package=package, weights=weights):
            if package == "jax":
                before = module.config.jax_enable_x64
                module.config.update("jax_enable_x64", True)
                try:
                    return np.asarray(module.grad(lambda x: (function(x) * weights).sum())(x))
                finally:
                    module.config.update("jax_enable_x64", before)
            x = module.tensor(x, requires_grad=True)
            (function(x) * module.tensor(weights)).sum().backward()
            return x.grad.numpy()

        as_theirs = np.asarray if package == "jax" else module.tensor
        few, whole = gradient(arm.gravity, q[robot._picked]), gradient(arm.gravity, q)
        torque = gradient(lambda x: arm.inverse(x, as_theirs(v), as_theirs(a)), q)
        dyn = ulna.Dynamics(robot)
        others = [k for k in range(robot.nq) if k not in robot._picked]
        assert np.allclose(whole[robot._picked], few, atol=1e-8) and (whole[others] == 0).all()
        joints = range(0 if robot.base == "fixed" else 7, len(robot._picked))
        for k in joints:
            place, step = robot._picked[k], 1e-5
            near = [q.copy(), q.copy()]
            near[0][place] += step
            near[1][place] -= step
            for got, function in ((few[k], dyn.gravity), (torque[place], lambda x: dyn.inverse(x, v, a))):
                numeric = weights @ (function(near[0]) - function(near[1])) / (2 * step)
                assert abs(got - numeric) < 1e-6 * max(1, abs(numeric)), (robot.name, k)


def test_nan_makes_all_of_its_state_nan():
    robot = ulna.load("five-bar")
    dyn = ulna.Dynamics(robot)
    nan, q, v, a = np.nan, [0.1, -0.2], [1.0, 2.0], [0.5, -0.5]
    results = {
        "close": (dyn.close, [q]),
        "residual": (lambda x: robot.residual(dyn.close(x)), [q]),
        "tree_motion": (lambda x, y, z: robot.tree_motion(x, y, z)[1], [q, v, a]),
        "inverse": (dyn.inverse, [q, v, a]),
        "bias": (dyn.bias, [q, v]),
        "gravity": (dyn.gravity, [q]),
        "forward": (dyn.forward, [q, v, a]),
        "mass": (dyn.mass, [q]),
        "energy": (dyn.energy, [q, v]),
        "reactions": (robot.reactions, [q, v, a]),
    }
    for name, (function, inputs) in results.items():
        assert np.isfinite(function(*inputs)).all(), name
        for which in range(len(inputs)):
            for entry in range(2):
                bad = [list(x) for x in inputs]
                bad[which][entry] = nan
                assert np.isnan(function(*bad)).all(), (name, which, entry)
                rows = [np.array([x, y, x]) for x, y in zip(inputs, bad)]
                got = function(*rows)
                assert np.isnan(got[1]).all() and np.isfinite(got[[0, 2]]).all(), (name, which, entry)
